"""The audit trail's proofs: a hash chain per subject, a Merkle log over the chain heads, a signed root.

Record bodies are sealed, so their plain hashes reveal nothing about a person (design section 4).
"""

from __future__ import annotations

from datetime import UTC, datetime
from hashlib import sha256

from travelrule.crypto import exact_base64
from travelrule.crypto.merkle import (
    HASH_BYTES,
)
from travelrule.crypto.signing import SigningKey, verify_message

CHAIN_START = bytes(HASH_BYTES)
"""The previous hash of a subject's first record."""

_RECORD = b"travelrule/audit-record/1\x00"
_ROOT = b"travelrule/audit-root/1\x00"


def record_hash(previous: bytes, body: bytes) -> bytes:
    """Return the hash of one audit record, bound to the 32-byte hash of the subject's record before it."""
    if len(previous) != HASH_BYTES:
        raise ValueError("the previous hash has 32 bytes")
    return sha256(_RECORD + previous + body).digest()


def root_message(size: int, root: bytes, at: datetime) -> bytes:
    """Return the bytes under a root's signature: domain, size (8 bytes), root, time in whole UTC seconds."""
    if len(root) != HASH_BYTES:
        raise ValueError("a root has 32 bytes")
    if at.tzinfo is None:
        raise ValueError("the time of a root is aware")
    moment = at.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    return _ROOT + size.to_bytes(8, "big") + root + moment.encode("ascii")


def sign_root(key: SigningKey, size: int, root: bytes, at: datetime) -> str:
    """Sign a log root with the audit key; return base64 of the 64-byte signature."""
    return exact_base64.encode(key.sign_message(root_message(size, root, at)))


def verify_root(public_base64: str, size: int, root: bytes, at: datetime, signature_base64: str) -> bool:
    """Whether the audit key signed this root at this time (whole seconds)."""
    signature = exact_base64.decode(signature_base64)
    return signature is not None and verify_message(public_base64, root_message(size, root, at), signature)
