"""The fingerprint of an input's data."""

from __future__ import annotations

import hashlib

from travelrule.machine.input import Input

FINGERPRINT_LENGTH = 32


def fingerprint(item: Input) -> str:
    """Recognise equal data under another event id; kept only inside the sealed state."""
    return hashlib.sha256(f"{item.type}\0".encode() + item.content).hexdigest()[:FINGERPRINT_LENGTH]
