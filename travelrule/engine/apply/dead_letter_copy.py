"""The copy of a refused message for the dead-letter topic: the whole message, or as much as the topic accepts.

The store keeps the whole message; replay, retention and erasure work on that.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from schemas.registry import DEAD_LETTER_BYTES

Header = tuple[str, bytes]

KEY_MAX = 4096
HEADERS_MAX = 65_536
"""Bytes of all original headers, names included."""
VALUE_MAX = DEAD_LETTER_BYTES - 131_072
"""Bytes left beside key, headers, our headers, the seal and the frame of the record."""
TRUNCATED = "travelrule.truncated"
"""Header of a truncated copy; its value is the size of the original value in bytes, in decimal digits."""
_OURS = ("__streams.errors.", "travelrule.")


@dataclass(frozen=True, slots=True)
class DeadLetterCopy:
    """A record within the limits of the topic."""

    key: bytes | None = field(repr=False)
    value: bytes = field(repr=False)
    headers: tuple[Header, ...] = field(repr=False)


def dead_letter_copy(key: bytes | None, value: bytes, headers: Sequence[Header]) -> DeadLetterCopy:
    """Return the message with key, headers and value within their limits. Our headers are kept in any case."""
    kept: list[Header] = []
    room = HEADERS_MAX
    for name, content in headers:
        size = len(name.encode()) + len(content)
        if name.startswith(_OURS):
            kept.append((name, content))
        elif size <= room:
            kept.append((name, content))
            room -= size
    copy_key = key[:KEY_MAX] if key is not None else None
    cut = copy_key != key or len(value) > VALUE_MAX or len(kept) < len(headers)
    if cut:
        kept.append((TRUNCATED, str(len(value)).encode()))
    return DeadLetterCopy(copy_key, value[:VALUE_MAX], tuple(kept))
