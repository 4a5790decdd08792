"""The wire's ``transferId`` of each attempt (states.md section 5, D31)."""

from __future__ import annotations

import hashlib
from uuid import UUID

UUID_VERSION = 4
UUID_LENGTH = 36


def first_transfer_id(withdrawal_id: str, salt: UUID) -> str:
    """Return the id of the first attempt: the platform's id if it is a UUID v4, else a fresh one."""
    return withdrawal_id if is_uuid4(withdrawal_id) else fresh_transfer_id(salt)


def next_transfer_id(withdrawal_id: str, salt: UUID, *, first: bool) -> str:
    """Return the id of the next attempt."""
    return first_transfer_id(withdrawal_id, salt) if first else fresh_transfer_id(salt)


def fresh_transfer_id(salt: UUID) -> str:
    """Return a UUID v4 that depends only on the input's salt, so that a decision can be recomputed."""
    digest = hashlib.sha256(b"transferId\0" + salt.bytes).digest()
    return str(UUID(bytes=digest[:16], version=UUID_VERSION))


def is_uuid4(text: str) -> bool:
    """Whether the text is a UUID v4 in its usual form."""
    if len(text) != UUID_LENGTH:
        return False
    try:
        parsed = UUID(text)
    except ValueError:
        return False
    return parsed.version == UUID_VERSION and str(parsed) == text.lower()
