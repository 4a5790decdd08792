"""Standard padded base64 with exactly one text per byte string.

Python ignores foreign characters and unused trailing bits, so two texts may decode to the same bytes and a changed
signature or payload would be accepted. Here every text but the one encoding is refused.
"""

from __future__ import annotations

import binascii

_GROUP = 4


def encode(raw: bytes) -> str:
    """Return standard padded base64 without line breaks."""
    return binascii.b2a_base64(raw, newline=False).decode("ascii")


def decode(text: str) -> bytes | None:
    """Return the bytes, or None if the text is not the one standard padded base64 of any bytes."""
    try:
        raw = binascii.a2b_base64(text, strict_mode=True)
        # Only the last group can hold bits that belong to no byte.
        last = binascii.b2a_base64(binascii.a2b_base64(text[-_GROUP:], strict_mode=True), newline=False)
    except ValueError:  # binascii.Error, and a non-ASCII text
        return None
    if len(text) % _GROUP or (text and last.decode("ascii") != text[-_GROUP:]):
        return None
    return raw
