"""Sealing nonces recognisable as ours: 16 random bytes and a keyed check of 8 bytes.

The box key of two VASPs is the same in both directions, so a payload that opens may be one of ours, returned. Its nonce
cannot be changed without breaking the box; the check distinguishes it from everything that the other side sealed, in
every process of the installation and without a stored row.
"""

from __future__ import annotations

from travelrule.crypto import exact_base64
from travelrule.crypto.blind_index import BlindIndex
from travelrule.crypto.sealing import NONCE_BYTES

RANDOM_BYTES = 16
_MARK = b"travelrule/sealing-nonce/1"


def marked_nonce(index: BlindIndex, random16: bytes) -> bytes:
    """Return a nonce for ``crypto.sealing.seal`` from 16 random bytes."""
    if len(random16) != RANDOM_BYTES:
        raise ValueError("a sealing nonce is made of 16 random bytes")
    return random16 + _check(index, random16)


def is_own(index: BlindIndex, payload: str) -> bool:
    """Whether the text of a ``payload`` field was sealed with one of our nonces."""
    sealed = exact_base64.decode(payload)
    if sealed is None or len(sealed) < NONCE_BYTES:
        return False
    return sealed[RANDOM_BYTES:NONCE_BYTES] == _check(index, sealed[:RANDOM_BYTES])


def _check(index: BlindIndex, random16: bytes) -> bytes:
    return index.fingerprint(_MARK, random16)[: NONCE_BYTES - RANDOM_BYTES]
