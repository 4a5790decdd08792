"""The choices for a first installation, and the settings that follow from them."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from travelrule.commands.keys import new_seed
from travelrule.crypto.signing import SigningKey
from travelrule.environment import FILE_SUFFIX, PREFIX
from travelrule.setting_types import EMBEDDED

LOOPBACK = "127.0.0.1"
EVERY_ADDRESS = ("", "0.0.0.0", "[::]")
SECRETS = ("signing_key", "audit_key", "storage_keys", "index_key")


@dataclass(frozen=True, slots=True)
class InstallationChoices:
    """One VASP in ``folder`` (absolute). ``hub_url`` None: the sandbox at ``sandbox_listen`` is the hub;
    ``database_url`` None: SQLite in the folder.
    """

    folder: Path
    entity_id: str
    legal_name: str
    country: str
    broker_url: str
    database_url: str | None
    hub_url: str | None
    topic_prefix: str
    gateway_listen: str
    metrics_listen: str
    sandbox_listen: str
    keys: dict[str, str] = field(default_factory=lambda: {name: new_seed() for name in SECRETS}, repr=False)

    @property
    def has_kafka(self) -> bool:
        """Whether the broker is a Kafka cluster, not the embedded one."""
        return self.broker_url != EMBEDDED

    @property
    def public_key(self) -> str:
        """The public key that the hub must have, base64."""
        return SigningKey.from_base64(self.keys["signing_key"]).public_base64

    @property
    def gateway_url(self) -> str:
        """The URL of the gateway on this machine."""
        host, colon, port = self.gateway_listen.rpartition(":")
        return f"http://{LOOPBACK if host in EVERY_ADDRESS else host}{colon}{port}"

    def secrets(self) -> dict[str, str]:
        """The values of the files in ``secrets``, by setting in lower case."""
        given = {"database_url": self.database_url} if self.database_url else {}
        return self.keys | given

    def secret_file(self, setting: str) -> Path:
        """The file of a secret setting."""
        return self.folder / "secrets" / setting.replace("_", "-")

    def settings(self) -> dict[str, str]:
        """The settings of the environment file by full name, in the order of the file."""
        plain = {
            "VASP_ENTITY_ID": self.entity_id,
            "VASP_PROFILE_FILE": str(self.folder / "profile.toml"),
            "POLICY_FILE": str(self.folder / "policy.toml"),
            "LISTS_DIR": str(self.folder / "lists"),
            "BROKER_URL": self.broker_url,
            "TOPIC_PREFIX": self.topic_prefix,
            "CONSUMER_GROUP": self.topic_prefix.strip(".") or "travelrule",
            "DATA_DIR": str(self.folder / "data"),
            "HUB_URL": self.hub_url or f"http://{self.sandbox_listen}",
            "GATEWAY_LISTEN": self.gateway_listen,
            "METRICS_LISTEN": self.metrics_listen,
        }
        if self.hub_url is None:
            plain["PUBLIC_URL"] = self.gateway_url
        files = {f"{name.upper()}{FILE_SUFFIX}": str(self.secret_file(name)) for name in self.secrets()}
        return {PREFIX + name: value for name, value in (plain | files).items()}

    def checked_settings(self) -> dict[str, str]:
        """The same settings with each secret in place of its file, which is not written yet."""
        files = {f"{PREFIX}{name.upper()}{FILE_SUFFIX}" for name in self.secrets()}
        plain = {name: value for name, value in self.settings().items() if name not in files}
        return plain | {PREFIX + name.upper(): value for name, value in self.secrets().items()}
