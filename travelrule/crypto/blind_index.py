"""Lookup by address, name or customer without storing them: a keyed hash under its own key (design 4).

The index key does not rotate with the storage keys: stored rows would no longer be found. Callers pass the canonical
form of the value (``identity.account_numbers.canonical``, ``identity.normal_names.normalise``).
"""

from __future__ import annotations

import hmac

from travelrule.crypto import exact_base64
from travelrule.crypto.errors import KeyTextError
from travelrule.crypto.key_holder import KeyHolder

INDEX_BYTES = 16
_MINIMUM_KEY_BYTES = 32
_INDEX = b"travelrule/blind-index/1\x00"
_FINGERPRINT = b"travelrule/fingerprint/1\x00"
_KEY_ID = b"travelrule/key-id/1"
_CHECK = b"travelrule/key-check/1\x00"
_ID_BYTES = 8


class BlindIndex(KeyHolder):
    """HMAC-SHA256 with one domain per field: the same text in two fields gives unrelated values."""

    __slots__ = ("_key",)

    def __init__(self, index_key: bytes) -> None:
        """Take the raw key, at least 32 bytes."""
        if len(index_key) < _MINIMUM_KEY_BYTES:
            raise KeyTextError("the index key must have at least 32 random bytes")
        self._key = bytes(index_key)

    @classmethod
    def from_base64(cls, text: str) -> BlindIndex:
        """Read the setting ``INDEX_KEY``: standard padded base64 of at least 32 random bytes."""
        raw = exact_base64.decode(text.strip())
        if raw is None:
            raise KeyTextError("the index key must be standard padded base64 of at least 32 random bytes")
        return cls(raw)

    @property
    def id(self) -> bytes:
        """8 bytes that name the key and reveal nothing about it."""
        return hmac.digest(self._key, _KEY_ID, "sha256")[:_ID_BYTES]

    def check_value(self, context: bytes) -> bytes:
        """Return 32 bytes that only this key produces."""
        return hmac.digest(self._key, _CHECK + context, "sha256")

    def of(self, field: str, value: str) -> bytes:
        """Return the 16-byte index value of ``value`` in ``field``."""
        name = field.encode("utf-8")
        message = b"".join((_INDEX, len(name).to_bytes(4, "big"), name, value.encode("utf-8")))
        return hmac.digest(self._key, message, "sha256")[:INDEX_BYTES]

    def fingerprint(self, *parts: bytes) -> bytes:
        """Return 32 bytes that are equal for exactly these parts in this order."""
        framed = (piece for part in parts for piece in (len(part).to_bytes(8, "big"), part))
        return hmac.digest(self._key, b"".join((_FINGERPRINT, *framed)), "sha256")
