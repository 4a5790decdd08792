"""The forms of values of settings, and the sentence for an operator if a value has another form."""

from __future__ import annotations

import base64
import binascii
from dataclasses import dataclass
from ipaddress import IPv4Network, IPv6Network, ip_network
from typing import Annotated

from pydantic import AfterValidator, BeforeValidator, Field, SecretStr

Network = IPv4Network | IPv6Network
EMBEDDED = "embedded://"
LOOPBACK = (ip_network("127.0.0.0/8"), ip_network("::1/128"))
PORT_MAX = 65_535


@dataclass(frozen=True, slots=True)
class HostPort:
    """An address to listen on. An empty host is loopback (``0.0.0.0`` must be given explicitly); port 0 is any."""

    host: str
    port: int

    @classmethod
    def parse(cls, text: str) -> HostPort:
        """Read ``host:port``, ``:port`` or ``[v6]:port``; ``ValueError`` otherwise."""
        host, colon, port = text.strip().rpartition(":")
        bare = host[1:-1] if host.startswith("[") and host.endswith("]") else host
        if (
            not colon
            or not (port.isascii() and port.isdigit())
            or int(port) > PORT_MAX
            or ("[" in bare)
            or (":" in host and bare == host)
        ):
            raise ValueError("write it as host:port, for example 127.0.0.1:8080")
        return cls(bare or "127.0.0.1", int(port))

    def __str__(self) -> str:
        """Return the form that ``parse`` reads."""
        return f"[{self.host}]:{self.port}" if ":" in self.host else f"{self.host}:{self.port}"


def _host_port(value: object) -> object:
    return HostPort.parse(value) if isinstance(value, str) else value


def _networks(value: object) -> object:
    if not isinstance(value, str):
        return value
    try:
        return tuple(ip_network(part.strip()) for part in value.split(",") if part.strip())
    except ValueError:
        raise ValueError("write networks as CIDR, comma-separated, for example 10.1.0.0/16,::1/128") from None


def _http_url(value: str) -> str:
    scheme, separator, rest = value.partition("://")
    if scheme not in ("http", "https") or not separator or not rest.strip("/"):
        raise ValueError("write a root URL that starts with http:// or https://")
    return value.rstrip("/")


_POSTGRESQL_URL = "postgresql+asyncpg://USER@HOST:PORT/DATABASE"
_POSTGRESQL_OPTIONS = frozenset(
    {
        "direct_tls", "gsslib", "host", "krbsrvname", "max_cacheable_statement_size",
        "max_cached_statement_lifetime", "passfile", "port", "prepared_statement_cache_size", "service",
        "servicefile", "ssl", "statement_cache_size", "target_session_attrs",
    }
)  # fmt: skip
"""Permitted parameters after the ``?``: the driver refuses any other when it connects."""


def _database_url(value: str) -> str:
    if value.startswith("sqlite+aiosqlite://"):
        return value
    if not value.startswith("postgresql+asyncpg://"):
        raise ValueError(f"write sqlite+aiosqlite:///PATH or {_POSTGRESQL_URL}")
    from sqlalchemy import make_url  # noqa: PLC0415 - commands without a database need not load it
    from sqlalchemy.exc import ArgumentError  # noqa: PLC0415

    try:
        url = make_url(value)
    except (ArgumentError, ValueError):
        raise ValueError(f"write {_POSTGRESQL_URL}, special characters of the password as %XX") from None
    if not url.database:
        raise ValueError(f"names no database: write {_POSTGRESQL_URL}")
    if "sslmode" in url.query:
        raise ValueError("write ssl=require (or verify-full) instead of sslmode=...")
    if unknown := sorted(url.query.keys() - _POSTGRESQL_OPTIONS):
        raise ValueError(f"the driver does not know {', '.join(unknown)}: remove it")
    return value


def _broker_url(value: str) -> str:
    if value == EMBEDDED:
        return value
    hosts = value.removeprefix("kafka://").split(",")
    try:
        named = value.startswith("kafka://") and all(
            HostPort.parse(host).port and not host.startswith(":") for host in hosts
        )
    except ValueError:
        named = False
    if not named:
        raise ValueError("write kafka://HOST:PORT,HOST:PORT or embedded://")
    return value


def _keys(*sizes: int, one: bool = False, made_by: str = "openssl rand -base64 32") -> AfterValidator:
    """Check that each comma-separated part is base64 of one of ``sizes`` bytes; ``made_by`` prints such a key."""
    wanted = " or ".join(str(size) for size in sizes)

    def check(secret: SecretStr) -> SecretStr:
        parts = secret.get_secret_value().split(",")
        try:
            right = all(len(base64.b64decode(part.strip(), validate=True)) in sizes for part in parts)
        except (binascii.Error, ValueError):
            right = False
        if not right or (one and len(parts) > 1):
            many = "one key" if one else "one key, or several separated by commas"
            raise ValueError(f"write {many}, each base64 of {wanted} bytes, as `{made_by}` prints it")
        return secret

    return AfterValidator(check)


Listen = Annotated[HostPort, BeforeValidator(_host_port)]
Networks = Annotated[tuple[Network, ...], BeforeValidator(_networks)]
BrokerUrl = Annotated[str, AfterValidator(_broker_url)]
DatabaseUrl = Annotated[str, AfterValidator(_database_url)]
Url = Annotated[str, AfterValidator(_http_url)]
_SEED = "travelrule keys generate --seed-only"
SigningKeys = Annotated[SecretStr, _keys(32, 64, made_by=_SEED)]
StorageKeys = Annotated[SecretStr, _keys(32)]
OneKey = Annotated[SecretStr, _keys(32, 64, one=True)]
Origin = Annotated[str, Field(pattern=r"^[^\s:]+:[^\s:]+$")]
EntityId = Annotated[str, Field(pattern=r"^[A-Za-z0-9._-]{1,128}$")]
KafkaName = Annotated[str, Field(pattern=r"^[A-Za-z0-9._-]{1,100}$")]
