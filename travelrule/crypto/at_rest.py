"""Encryption of what is stored: AES-256-GCM with a data key per subject, wrapped by a key-encryption key.

Forms (all lengths in bytes)::

    wrapped data key   version 1 | key id 8 | nonce 12 | ciphertext 32 | tag 16
    record             version 1 | nonce 12 | ciphertext n | tag 16

The context (subject, table, column) is bound as additional data, so that a record moved to another place does not
open. Deleting the wrapped data key makes all records of the subject
unreadable. Nonces are random: one key-encryption key may wrap up to 2^32 data keys.
"""

from __future__ import annotations

import hmac
from collections.abc import Iterable

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from travelrule.crypto import exact_base64
from travelrule.crypto.errors import AtRestError, KeyTextError, UnknownStorageKey
from travelrule.crypto.key_holder import KeyHolder

KEY_BYTES = 32
NONCE_BYTES = 12
_VERSION = b"\x01"
_ID_BYTES = 8
_TAG_BYTES = 16
_HEADER_BYTES = len(_VERSION) + _ID_BYTES
_WRAPPED_BYTES = _HEADER_BYTES + NONCE_BYTES + KEY_BYTES + _TAG_BYTES
_WRAP = b"travelrule/data-key/1\x00"
_RECORD = b"travelrule/record/1\x00"
_KEY_ID = b"travelrule/key-id/1"
_CHECK = b"travelrule/key-check/1\x00"


class KeyEncryptionKeys(KeyHolder):
    """The storage keys: the first wraps, all unwrap, each named by an id that reveals nothing about the key."""

    __slots__ = ("_ciphers", "_first_id")

    def __init__(self, keys: Iterable[str]) -> None:
        """Read base64 AES-256 keys, newest first, as the setting ``STORAGE_KEYS`` holds them."""
        self._ciphers: dict[bytes, AESGCM] = {}
        for text in keys:
            raw = exact_base64.decode(text.strip())
            if raw is None or len(raw) != KEY_BYTES:
                raise KeyTextError("each storage key must be standard padded base64 of 32 random bytes")
            self._ciphers.setdefault(hmac.digest(raw, _KEY_ID, "sha256")[:_ID_BYTES], AESGCM(raw))
        if not self._ciphers:
            raise KeyTextError("no storage key is configured: give base64 of 32 random bytes")
        self._first_id = next(iter(self._ciphers))

    @property
    def ids(self) -> tuple[bytes, ...]:
        """The ids of the keys, newest first."""
        return tuple(self._ciphers)

    def check_value(self, key_id: bytes, nonce: bytes, context: bytes) -> bytes:
        """Return an empty sealed text that only this key opens. ``nonce``: 12 random bytes, never used twice."""
        if len(nonce) != NONCE_BYTES:
            raise ValueError("a nonce has 12 bytes")
        return _VERSION + nonce + self._ciphers[key_id].encrypt(nonce, b"", _CHECK + key_id + context)

    def opens_check(self, key_id: bytes, value: bytes, context: bytes) -> bool:
        """Whether a check value was made with the key of this id."""
        body = len(_VERSION) + NONCE_BYTES
        if value[:1] != _VERSION or len(value) != body + _TAG_BYTES:
            return False
        try:
            self._ciphers[key_id].decrypt(value[1:body], value[body:], _CHECK + key_id + context)
        except InvalidTag:
            return False
        return True

    def wrap(self, data_key: bytes, nonce: bytes, context: bytes) -> bytes:
        """Seal a subject's data key under the first key. ``nonce``: 12 random bytes, never used twice."""
        if len(data_key) != KEY_BYTES or len(nonce) != NONCE_BYTES:
            raise ValueError("a data key has 32 bytes and a nonce 12")
        header = _VERSION + self._first_id
        return header + nonce + self._ciphers[self._first_id].encrypt(nonce, data_key, _WRAP + header + context)

    def unwrap(self, wrapped: bytes, context: bytes) -> bytes:
        """Return the data key.

        Raises UnknownStorageKey if the key that wrapped it is not configured, AtRestError if it was changed
        or belongs to another context.
        """
        header, nonce = wrapped[:_HEADER_BYTES], wrapped[_HEADER_BYTES : _HEADER_BYTES + NONCE_BYTES]
        if len(wrapped) != _WRAPPED_BYTES or header[:1] != _VERSION:
            raise AtRestError("a stored data key has an unknown form: restore it from a backup of data_keys")
        cipher = self._ciphers.get(header[1:])
        if cipher is None:
            raise UnknownStorageKey(
                f"a stored data key was wrapped by storage key {header[1:].hex()}, which is not configured: "
                "add that key behind the first one in STORAGE_KEYS"
            )
        try:
            return cipher.decrypt(nonce, wrapped[_HEADER_BYTES + NONCE_BYTES :], _WRAP + header + context)
        except InvalidTag:
            raise AtRestError(
                "a stored data key does not open: it was changed or belongs to another subject; "
                "restore it from a backup of data_keys"
            ) from None


def seal_record(data_key: bytes, plain: bytes, nonce12: bytes, context: bytes) -> bytes:
    """Seal content under a subject's data key; ``nonce12``: 12 random bytes, never reused with this key."""
    if len(data_key) != KEY_BYTES or len(nonce12) != NONCE_BYTES:
        raise ValueError("a data key has 32 bytes and a nonce 12")
    return _VERSION + nonce12 + AESGCM(data_key).encrypt(nonce12, plain, _RECORD + context)


def open_record(data_key: bytes, sealed: bytes, context: bytes) -> bytes:
    """Return the content of a sealed record.

    Raises AtRestError if it was changed, if it was sealed for another place, or if the data key is another.
    """
    if len(data_key) != KEY_BYTES:
        raise ValueError("a data key has 32 bytes")
    body = len(_VERSION) + NONCE_BYTES
    if sealed[:1] != _VERSION or len(sealed) < body + _TAG_BYTES:
        raise AtRestError("a stored record has an unknown form: restore the row from a backup")
    try:
        return AESGCM(data_key).decrypt(sealed[1:body], sealed[body:], _RECORD + context)
    except InvalidTag:
        raise AtRestError(
            "a stored record does not open: it was changed, moved or has another data key; "
            "restore the row from a backup"
        ) from None
