"""One VASP of the demo: keys, profile, settings, and the process that runs its worker and gateway."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from travelrule.commands.demo.lists import HEADER
from travelrule.commands.demo.processes import DemoProcess, free_port
from travelrule.commands.keys import new_seed
from travelrule.crypto.signing import SigningKey


@dataclass
class DemoVasp:
    """A VASP on this machine. ``seeds``: newest first, as in TRAVELRULE_SIGNING_KEY."""

    entity_id: str
    legal_name: str
    country: str
    folder: Path
    hub_url: str
    policy: str = ""
    listed: str = HEADER
    """Its sanctions list, in the format ``own-csv``."""
    broker_url: str = "embedded://"
    database_url: str | None = None
    seeds: list[str] = field(default_factory=lambda: [new_seed()])
    gateway_port: int = field(default_factory=free_port)
    metrics_port: int = field(default_factory=free_port)
    storage_key: str = field(default_factory=new_seed, repr=False)
    index_key: str = field(default_factory=new_seed, repr=False)
    audit_key: str = field(default_factory=new_seed, repr=False)

    @property
    def public_key(self) -> str:
        """The public key to register: the newest."""
        return SigningKey.from_base64(self.seeds[0]).public_base64

    @property
    def base_url(self) -> str:
        """The URL of the gateway."""
        return f"http://127.0.0.1:{self.gateway_port}"

    @property
    def ready_url(self) -> str:
        """The readiness URL of the first process."""
        return f"http://127.0.0.1:{self.metrics_port}/readyz"

    @property
    def metrics_url(self) -> str:
        """The metrics URL of the first process."""
        return f"http://127.0.0.1:{self.metrics_port}/metrics"

    @property
    def topic_prefix(self) -> str:
        """The prefix of this VASP's topics."""
        return f"{self.entity_id}.travelrule."

    def environment(self, *, gateway_port: int | None = None, metrics_port: int | None = None) -> dict[str, str]:
        """The settings of a process of this VASP. Writes the profile, policy and list files."""
        self.folder.mkdir(parents=True, exist_ok=True)
        profile = self.folder / "profile.toml"
        profile.write_text(
            f'legal_name = "{self.legal_name}"\ncountry_of_registration = "{self.country}"\n\n'
            f'[address]\ntype = "GEOG"\nlines = ["1 Example Road"]\ntown = "Example Town"\n'
            f'country = "{self.country}"\n',
            encoding="utf-8",
        )
        policy = self.folder / "policy.toml"
        policy.write_text(self.policy, encoding="utf-8")
        own_list = self.folder / "lists" / "own-csv" / "own.csv"
        own_list.parent.mkdir(parents=True, exist_ok=True)
        own_list.write_text(self.listed, encoding="utf-8")
        settings = {
            "BROKER_URL": self.broker_url,
            "HUB_URL": self.hub_url,
            "VASP_ENTITY_ID": self.entity_id,
            "VASP_PROFILE_FILE": str(profile),
            "POLICY_FILE": str(policy),
            "LISTS_DIR": str(self.folder / "lists"),
            "SIGNING_KEY": ",".join(self.seeds),
            "STORAGE_KEYS": self.storage_key,
            "INDEX_KEY": self.index_key,
            "AUDIT_KEY": self.audit_key,
            "GATEWAY_LISTEN": f"127.0.0.1:{gateway_port or self.gateway_port}",
            "METRICS_LISTEN": f"127.0.0.1:{metrics_port or self.metrics_port}",
            "DATA_DIR": str(self.folder / "data"),
            "DIRECTORY_REFRESH_SECONDS": "3",
            "HEALTH_REFRESH_SECONDS": "3",
            "CONSUMER_GROUP": f"{self.entity_id}-travelrule",
            "TOPIC_PREFIX": self.topic_prefix,
            "LOG_FORMAT": "json",
            "PUBLIC_URL": self.base_url,
        }
        if self.database_url is not None:
            settings["DATABASE_URL"] = self.database_url
        return {f"TRAVELRULE_{name}": value for name, value in settings.items()}

    def process(self) -> DemoProcess:
        """The process with both roles."""
        return DemoProcess(self.entity_id, ["serve", "worker", "gateway"], self.environment(), self.folder)
