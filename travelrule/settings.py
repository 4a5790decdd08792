"""The settings of an installation (contract section 2): one frozen object, read once, from ``TRAVELRULE_*``.

``Settings.load()`` reads the environment, the files named by ``*_FILE`` and, for development, ``.env`` in the working
directory; all faults are reported together. ``Settings(hub_url=...)`` uses only its arguments, for tests and the demo.
Secrets are ``SecretStr``: neither ``repr`` nor an error text shows them.
"""

from __future__ import annotations

import os
from collections.abc import Collection
from pathlib import Path
from typing import Annotated, Any, Literal, get_args

from pydantic import Field, SecretStr, ValidationError
from pydantic_settings import BaseSettings, PydanticBaseSettingsSource, SettingsConfigDict

from travelrule.environment import FILE_SUFFIX, PREFIX, Environment, collect, with_dotenv
from travelrule.errors import ConfigurationError, ConfigurationFault
from travelrule.field_fixes import fix_of
from travelrule.setting_types import (
    EMBEDDED,
    LOOPBACK,
    BrokerUrl,
    DatabaseUrl,
    EntityId,
    HostPort,
    KafkaName,
    Listen,
    Networks,
    OneKey,
    Origin,
    SigningKeys,
    StorageKeys,
    Url,
)

__all__ = ["HostPort", "Settings"]


class Settings(BaseSettings):
    """All settings. The description of a field is its row in ``docs/generated/settings.md``."""

    model_config = SettingsConfigDict(
        env_prefix=PREFIX, frozen=True, extra="forbid", hide_input_in_errors=True, validate_default=False,
        arbitrary_types_allowed=True,
    )  # fmt: skip

    broker_url: BrokerUrl = Field(EMBEDDED, description="`kafka://h:p,h:p`, or `embedded://` for trying out")
    broker_sasl_mechanism: Literal["PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512"] | None = Field(
        None, description="how to log in to the broker: `PLAIN`, `SCRAM-SHA-256` or `SCRAM-SHA-512`"
    )
    broker_sasl_username: str | None = Field(None, description="user at the broker")
    broker_sasl_password: SecretStr | None = Field(None, description="password at the broker")
    broker_tls_enabled: bool = Field(default=False, description="TLS to the broker with the system's CA list")
    broker_tls_ca_file: Path | None = Field(None, description="PEM: CA of the broker; turns TLS on")
    broker_tls_certificate_file: Path | None = Field(None, description="PEM: own certificate for mutual TLS")
    broker_tls_key_file: Path | None = Field(None, description="PEM: key of that certificate")

    data_dir: Path = Field(Path("data"), description="embedded data: SQLite file and address of the embedded broker")
    database_url: DatabaseUrl = Field(
        default_factory=lambda data: f"sqlite+aiosqlite:///{data['data_dir'] / 'travelrule.sqlite3'}",
        repr=False,
        description="`sqlite+aiosqlite:///...` or `postgresql+asyncpg://...`; with a password: as a file",
        json_schema_extra={"default_text": "SQLite file in `DATA_DIR`"},
    )
    database_tls_ca_file: Path | None = Field(
        None, description="PEM: CA of PostgreSQL; turns TLS on, with a check of certificate and host name"
    )
    database_tls_certificate_file: Path | None = Field(None, description="PEM: own certificate for mutual TLS")
    database_tls_key_file: Path | None = Field(None, description="PEM: key of that certificate")

    hub_url: Url | None = Field(None, description="root of the hub")
    hub_screening_prefix: Literal["partner", "uppsala"] = Field(
        "partner", description="first path segment of the hub's screening operations: `partner` or `uppsala`"
    )
    vasp_entity_id: EntityId | None = Field(None, description="own entity id in the directory")
    vasp_origin: Origin | None = Field(
        default_factory=lambda data: f"code:{data['vasp_entity_id']}" if data.get("vasp_entity_id") else None,
        description="value of `X-Request-Origin`",
        json_schema_extra={"default_text": "`code:<entity id>`"},
    )
    vasp_profile_file: Path | None = Field(
        None, description="TOML: own legal name, address, national identification, country of registration"
    )
    signing_key: SigningKeys | None = Field(
        None,
        description="base64 Ed25519 seed; several, comma-separated, while rotating: first signs, all open",
    )
    builder_url: Url | None = Field(None, description="payload builder to use instead of the local key")
    storage_keys: StorageKeys | None = Field(
        None, description="base64 AES-256 key-encryption keys, comma-separated: first seals, all open"
    )
    index_key: OneKey | None = Field(None, description="base64 key of the blind index; cannot be rotated")
    audit_key: OneKey | None = Field(None, description="base64 Ed25519 seed that signs audit roots")
    decision_key: OneKey | None = Field(
        None, description="base64 Ed25519 seed of the person who decides: `travelrule decide` signs with it"
    )

    gateway_listen: Listen = Field(HostPort("127.0.0.1", 8080), description="`host:port` of the member endpoints")
    console_listen: Listen = Field(HostPort("127.0.0.1", 8081), description="`host:port` of the operator console")
    metrics_listen: Listen = Field(
        HostPort("127.0.0.1", 9100), description="`host:port` of `/metrics`, `/livez` and `/readyz`"
    )
    gateway_sources: Networks = Field(
        LOOPBACK,
        description="networks that may call the member endpoints, comma-separated",
        json_schema_extra={"default_text": "loopback"},
    )
    gateway_request_rate: Annotated[int, Field(ge=0)] = Field(
        6000, description="requests a minute that one member may make to one gateway process; 0: no limit"
    )
    gateway_search_rate: Annotated[int, Field(ge=0)] = Field(
        1200, description="address searches a minute of one member; ten names count as one more; 0: no limit"
    )
    gateway_miss_rate: Annotated[int, Field(ge=0)] = Field(
        120,
        description="answers a minute to one member that an address or a name is no customer's; 0: no limit",
    )
    gateway_tls_certificate_file: Path | None = Field(None, description="PEM: certificate of the gateway")
    gateway_tls_key_file: Path | None = Field(None, description="PEM: key of that certificate")
    gateway_tls_client_ca_file: Path | None = Field(
        None, description="PEM: CA whose certificates callers must show (mutual TLS)"
    )
    public_url: Url | None = Field(
        None, description="root under which the hub reaches our callbacks; without it we poll"
    )

    policy_file: Path | None = Field(None, description="first policy to load into the database; none: the built-in one")
    lists_dir: Path | None = Field(
        None,
        description="folder with the first sanctions lists to load: a sub-folder `FORMAT` or `FORMAT@CODE` for each",
    )
    directory_refresh_seconds: Annotated[int, Field(ge=1)] = Field(
        3600, description="how often the coin networks are fetched"
    )
    health_refresh_seconds: Annotated[int, Field(ge=1)] = Field(
        20, description="how often the VASP list is fetched: health and public keys of the counterparties"
    )
    consumer_group: KafkaName = Field("travelrule", description="Kafka consumer group of the workers")
    consumer_instance_id: KafkaName | None = Field(
        None,
        description="static membership in the consumer group: a name that no other worker has and that is the same"
        " after a restart, such as the name of a StatefulSet's pod",
    )
    topic_prefix: KafkaName = Field("travelrule.", description="what the names of all topics begin with")
    deadletter_plain: bool = Field(
        default=False, description="leave the values of dead letters as they came instead of sealing them"
    )
    log_format: Literal["auto", "json", "console"] = Field(
        "auto", description="`json`, `console`, or `auto`: console on a terminal, else JSON"
    )
    log_level: Literal["debug", "info", "warning", "error"] = Field(
        "info",
        description="least severe level of our log lines; libraries are heard from `warning` on at every level."
        " Commands that end by themselves log nothing unless it is set",
    )

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],  # noqa: ARG003
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,  # noqa: ARG003 -- pydantic-settings passes it by name
        dotenv_settings: PydanticBaseSettingsSource,  # noqa: ARG003
        file_secret_settings: PydanticBaseSettingsSource,  # noqa: ARG003
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        """Use arguments only: ``load`` alone reads the environment."""
        return (init_settings,)

    @classmethod
    def load(cls, environ: Environment | None = None, dotenv: Path | None = None) -> Settings:
        """Read the settings, by default from the process environment and ``.env`` in the working directory.

        With ``environ`` nothing else is read, unless ``dotenv`` names a file. Raises ``ConfigurationError``
        with every fault and its fix.
        """
        settings, faults = cls.examine(environ, dotenv)
        if faults:
            raise ConfigurationError.of(faults)
        return settings

    @classmethod
    def examine(
        cls, environ: Environment | None = None, dotenv: Path | None = None
    ) -> tuple[Settings, list[ConfigurationFault]]:
        """Read the settings as ``load`` does; a wrong value is left at its default and named in the faults."""
        if environ is None:
            environ, dotenv = os.environ, dotenv or Path(".env")
        source = with_dotenv(environ, dotenv) if dotenv else environ
        values, faults = collect(source, [name.upper() for name in cls.model_fields], cls.secret_names())
        given = {name.lower(): value for name, value in values.items()}
        try:
            settings = cls.model_validate(given)
        except ValidationError as error:
            wrong = _faults_of(error)
            faults.extend(wrong)
            names = {fault.name.removeprefix(PREFIX).lower() for fault in wrong}
            settings = cls.model_validate({name: value for name, value in given.items() if name not in names})
        named = {fault.name.removeprefix(PREFIX).removesuffix(FILE_SUFFIX).lower() for fault in faults}
        return settings, [*faults, *settings.contradictions(named)]

    @classmethod
    def secret_names(cls) -> tuple[str, ...]:
        """Return the settings that may also be given as ``NAME_FILE``, in upper case without prefix."""
        return tuple(
            name.upper() for name, field in cls.model_fields.items() if _is_secret(field.annotation) or not field.repr
        )

    @property
    def embedded_broker(self) -> bool:
        """Whether the broker is the built-in one, for trying out only."""
        return self.broker_url == EMBEDDED

    @property
    def broker_addresses(self) -> tuple[str, ...]:
        """``host:port`` of each broker of ``kafka://``; empty for the embedded one."""
        return () if self.embedded_broker else tuple(self.broker_url.removeprefix("kafka://").split(","))

    def require(self, *names: str) -> None:
        """Raise one ``ConfigurationError`` for all of ``names`` (attribute names) that are not set."""
        missing = [
            ConfigurationFault(PREFIX + name.upper(), f"is not set: {type(self).model_fields[name].description}")
            for name in names
            if getattr(self, name) is None
        ]
        if missing:
            raise ConfigurationError.of(missing)

    def contradictions(self, wrong: Collection[str] = ()) -> list[ConfigurationFault]:
        """Return the faults of settings that are valid alone and contradict each other. ``wrong`` are settings
        (attribute names, a secret without ``_file``) that have faults of their own.
        """
        together = (
            ("broker_sasl_mechanism", "broker_sasl_username"),
            ("broker_sasl_username", "broker_sasl_password"),
            ("broker_sasl_password", "broker_sasl_mechanism"),
            ("broker_tls_certificate_file", "broker_tls_key_file"),
            ("broker_tls_key_file", "broker_tls_certificate_file"),
            ("database_tls_certificate_file", "database_tls_key_file"),
            ("database_tls_key_file", "database_tls_certificate_file"),
            ("database_tls_certificate_file", "database_tls_ca_file"),
            ("gateway_tls_certificate_file", "gateway_tls_key_file"),
            ("gateway_tls_key_file", "gateway_tls_certificate_file"),
            ("gateway_tls_client_ca_file", "gateway_tls_certificate_file"),
        )
        return [
            ConfigurationFault(PREFIX + needed.upper(), f"is needed with {PREFIX}{given.upper()}")
            for given, needed in together
            if getattr(self, given) is not None and getattr(self, needed) is None and not {given, needed} & {*wrong}
        ]


def _is_secret(annotation: Any) -> bool:
    return annotation is SecretStr or any(_is_secret(part) for part in get_args(annotation))


def _faults_of(error: ValidationError) -> list[ConfigurationFault]:
    """Return each setting's name and what to write, without the value."""
    faults = {}
    for line in error.errors(include_url=False, include_input=False):
        if line["type"] != "default_factory_not_called":
            faults[PREFIX + str(line["loc"][0]).upper()] = fix_of(line)
    return [ConfigurationFault(name, fix) for name, fix in faults.items()]
