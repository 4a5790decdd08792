"""Synthetic Secrets and ConfigMaps of a namespace in which the installations of the matrix run."""

from __future__ import annotations

import base64
from collections.abc import Mapping


def key(number: int) -> str:
    """A synthetic key of 32 bytes, in base64."""
    return base64.b64encode(bytes([number]) * 32).decode()


PROFILE = """\
legal_name = "North Exchange Ltd."
country_of_registration = "SG"

[address]
lines = ["1 Example Road", "10th floor"]
town = "Singapore"
postcode = "018956"
country = "SG"

[national_identification]
identifier = "201912345K"
type = "RAID"
authority = "RA000523"
"""

_DATABASE = "postgresql+asyncpg://north:synthetic@postgres.example/north"
_CERTIFICATE = {"ca.crt": "synthetic", "tls.crt": "synthetic", "tls.key": "synthetic"}


def vasp_secret(database_url: str = _DATABASE) -> dict[str, str]:
    """The Secret of one VASP, with the chart's names of keys."""
    return {
        "database-url": database_url,
        "signing-key": key(1),
        "storage-keys": f"{key(2)},{key(3)}",
        "index-key": key(4),
        "audit-key": key(5),
        "broker-sasl-password": "synthetic",
    }


EXISTING: Mapping[str, Mapping[str, str]] = {
    "north": vasp_secret(),
    "north-database": {"uri": _DATABASE},
    "north-database-owner": {"database-url": _DATABASE, "uri": _DATABASE},
    "kafka-administrator": {"password": "synthetic", **_CERTIFICATE},
    "kafka": _CERTIFICATE,
    "gateway": _CERTIFICATE,
    "postgres": _CERTIFICATE,
    "network": {"network.json": "{}"},
    "world": {"world.json": "{}"},
    "north-files": {"own.toml": PROFILE, "rules.toml": 'sanctions = "required"\n'},
}
