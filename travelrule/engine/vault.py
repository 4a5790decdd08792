"""Sealing of everything personal under a data key per subject (design section 4).

A data key exists as long as its subject may be read; deleting its row erases the subject. The vault keeps no keys
beyond one batch.
"""

from __future__ import annotations

import os
from collections.abc import Callable

from travelrule.crypto.at_rest import KeyEncryptionKeys, open_record, seal_record
from travelrule.crypto.blind_index import BlindIndex

DATA_KEY_BYTES = 32
NONCE_BYTES = 12


class Vault:
    """Wraps data keys and seals records; ``randomness(n)`` returns n random bytes."""

    def __init__(
        self,
        vasp: str,
        keys: KeyEncryptionKeys,
        index: BlindIndex,
        randomness: Callable[[int], bytes] = os.urandom,
    ) -> None:
        self._vasp = vasp.encode()
        self._keys = keys
        self.index = index
        self._randomness = randomness

    @property
    def vasp(self) -> str:
        """The VASP whose records are sealed."""
        return self._vasp.decode()

    @property
    def keys(self) -> KeyEncryptionKeys:
        """The storage keys."""
        return self._keys

    def new_data_key(self, subject: str) -> tuple[bytes, bytes]:
        """A fresh data key for ``subject``: (the key, the key wrapped for the ``data_keys`` table)."""
        key = self._randomness(DATA_KEY_BYTES)
        return key, self._keys.wrap(key, self._randomness(NONCE_BYTES), self._context("data-key", subject))

    def unwrap(self, subject: str, wrapped: bytes) -> bytes:
        """The data key of ``subject``."""
        return self._keys.unwrap(wrapped, self._context("data-key", subject))

    def seal(self, data_key: bytes, use: str, subject: str, plain: bytes) -> bytes:
        """Seal ``plain`` for one use (``state``, ``input``, ``reply``, ``call``, ``wallet``) of one subject."""
        return seal_record(data_key, plain, self._randomness(NONCE_BYTES), self._context(use, subject))

    def open(self, data_key: bytes, use: str, subject: str, sealed: bytes) -> bytes:
        """The plain bytes; fails if the record was moved to another use or subject."""
        return open_record(data_key, sealed, self._context(use, subject))

    def _context(self, use: str, subject: str) -> bytes:
        return b"\x1f".join((use.encode(), self._vasp, subject.encode()))
