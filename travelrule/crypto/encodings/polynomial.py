"""The remainder of BCH codes over 5-bit values, as in bech32 (BIP-173) and CashAddr."""

from __future__ import annotations

from collections.abc import Iterable

LETTERS = "qpzry9x8gf2tvdw0s3jn54khce6mua7l"
"""The letter of each 5-bit value, in both encodings."""

FOREIGN = 0xFF
_LETTER_BITS = 5
_VALUES = bytes(LETTERS.find(chr(code)) & FOREIGN for code in range(256))
_DIGITS = str.maketrans(LETTERS, "0123456789abcdefghijklmnopqrstuv")


def steps(generators: tuple[int, ...]) -> tuple[int, ...]:
    """Return, for each of the 32 values that may be shifted out, what it adds to the remainder."""
    table = []
    for top in range(32):
        total = 0
        for bit, generator in enumerate(generators):
            if top >> bit & 1:
                total ^= generator
        table.append(total)
    return tuple(table)


def remainder(values: Iterable[int], start: int, width: int, table: tuple[int, ...]) -> int:
    """Return the remainder after ``values``; ``width`` is its size in bits without the 5 that are shifted out."""
    mask = (1 << width) - 1
    total = start
    for value in values:
        total = (total & mask) << 5 ^ value ^ table[total >> width]
    return total


def five_bits(data: str) -> bytes | None:
    """Return the 5-bit values of lower-case ASCII letters, or None if one is foreign."""
    values = data.encode("ascii").translate(_VALUES)
    return None if FOREIGN in values else values


def eight_bits(data: str) -> bytes | None:
    """Return the bytes that letters stand for, or None if the rest is no padding of zeros."""
    spare = len(data) * _LETTER_BITS % 8
    if spare >= _LETTER_BITS or not data:
        return None if data else b""
    number = int(data.translate(_DIGITS), 32)
    if number & ((1 << spare) - 1):
        return None
    return (number >> spare).to_bytes(len(data) * _LETTER_BITS // 8, "big")
