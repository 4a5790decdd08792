"""What of a refused message goes to the dead-letter topic: all of it, or as much as the topic takes.

The store keeps the whole; replay, retention and erasure work on that.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from schemas.registry import DEAD_LETTER_BYTES

Header = tuple[str, bytes]

KEY_MAX = 4096
HEADERS_MAX = 65_536
"""Of the original headers together; each counts with its name."""
VALUE_MAX = DEAD_LETTER_BYTES - 131_072
"""What is left beside key, headers, our own headers, the seal and the frame of the record."""
TRUNCATED = "travelrule.truncated"
"""Header of a copy that was cut; its value is the size of the original value in bytes."""
_OURS = ("__streams.errors.", "travelrule.")


@dataclass(frozen=True, slots=True)
class DeadLetterCopy:
    """A record that the topic takes."""

    key: bytes | None = field(repr=False)
    value: bytes = field(repr=False)
    headers: tuple[Header, ...] = field(repr=False)


def dead_letter_copy(key: bytes | None, value: bytes, headers: Sequence[Header]) -> DeadLetterCopy:
    """Cut what is too long; our own headers always stay."""
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
