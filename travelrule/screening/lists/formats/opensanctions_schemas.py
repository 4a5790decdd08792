"""Schemata of OpenSanctions (followthemoney) that are entries of a list; all others describe or connect them."""

from __future__ import annotations

from types import MappingProxyType

from travelrule.screening.lists.list_entries import EntryKind

_SCHEMAS: dict[str, EntryKind] = {
    "Person": "person",
    "Organization": "organisation",
    "Company": "organisation",
    "PublicBody": "organisation",
    "LegalEntity": "other",
    "Vessel": "vessel",
    "Airplane": "aircraft",
    "Vehicle": "other",
    "CryptoWallet": "other",
}
SCHEMAS = MappingProxyType(_SCHEMAS)
WALLET = "CryptoWallet"
"""A blockchain address: its ``publicKey``; ``currency`` is its symbol."""
