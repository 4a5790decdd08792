"""Transaction ids as the network compares them (member-api.md 4). Stored and sent ids keep the form received."""

from __future__ import annotations


def txid_key(txid: str) -> str:
    """Return the key for comparing transaction ids: lower case without ``0x``."""
    return txid.lower().removeprefix("0x")


def same_txid(one: str, other: str) -> bool:
    """Whether two texts name the same transaction."""
    return one == other or txid_key(one) == txid_key(other)
