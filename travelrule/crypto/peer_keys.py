"""Choice of a counterparty's published key for encryption (auth.md 2)."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime
from functools import lru_cache
from typing import Protocol, TypeVar

from travelrule.crypto.errors import InvalidPeerKey
from travelrule.crypto.sealing import exchange_public

_NEVER_STATED = datetime.min.replace(tzinfo=UTC)


class PublishedKey(Protocol):
    """A directory entry of one key: base64 text, and expiry (None: missing or unparsable)."""

    @property
    def pubkey(self) -> str:
        """The Ed25519 public key, base64."""
        ...

    @property
    def expires_at(self) -> datetime | None:
        """Aware UTC, or None if not stated or not a date."""
        ...


Key = TypeVar("Key", bound=PublishedKey)


def choose_key(pubkeys: Iterable[Key], now: datetime) -> Key | None:
    """Return the key to send to, or None if none is usable.

    Expired keys and texts that are no public key are skipped. Of the rest the latest expiry counts; a key without a
    readable expiry ranks last but is usable. Of equal ones the first listed counts.
    """
    usable = [key for key in pubkeys if not _expired(key, now) and _is_point(key.pubkey)]
    return max(usable, key=lambda key: key.expires_at or _NEVER_STATED, default=None)


def _expired(key: PublishedKey, now: datetime) -> bool:
    return key.expires_at is not None and key.expires_at <= now


@lru_cache(maxsize=4096)
def _is_point(public_base64: str) -> bool:
    try:
        exchange_public(public_base64)
    except InvalidPeerKey:
        return False
    return True
