"""Base32 without padding, as Stellar and Algorand write it. The last letter may hold spare bits."""

from __future__ import annotations

import re
from typing import NamedTuple

_TEXT = re.compile(r"[A-Z2-7]+")
_DIGITS = str.maketrans("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567", "0123456789abcdefghijklmnopqrstuv")


class Decoded(NamedTuple):
    """The bytes of a text, and whether the bits left over are zero, as they must be in the one right spelling."""

    raw: bytes
    exact: bool


def decode(text: str) -> Decoded | None:
    """Read an upper-case text; None if a letter is foreign."""
    if not _TEXT.fullmatch(text):
        return None
    spare = len(text) * 5 % 8
    number = int(text.translate(_DIGITS), 32)
    raw = (number >> spare).to_bytes(len(text) * 5 // 8, "big")
    return Decoded(raw, exact=number & ((1 << spare) - 1) == 0)
