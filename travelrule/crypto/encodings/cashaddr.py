"""CashAddr, the address encoding of Bitcoin Cash (its specification of 2017, token types of 2023)."""

from __future__ import annotations

from functools import lru_cache

from travelrule.crypto.encodings.polynomial import eight_bits, five_bits, remainder, steps

CHECKSUM_LETTERS = 8
_TABLE = steps((0x98F2BC8E61, 0x79B76D99E2, 0xF33E5FB3C4, 0xAE2EABE2A8, 0x1E4F43E470))
_WIDTH = 35


def decode(prefix: str, data: str) -> bytes | None:
    """Return version byte and hash of lower-case ASCII letters under a prefix, or None if the checksum is wrong."""
    values = five_bits(data)
    if values is None or len(values) < CHECKSUM_LETTERS:
        return None
    if remainder(values, _after_prefix(prefix), _WIDTH, _TABLE) != 1:
        return None
    return eight_bits(data[:-CHECKSUM_LETTERS])


@lru_cache(maxsize=16)
def _after_prefix(prefix: str) -> int:
    return remainder([*(ord(letter) & 31 for letter in prefix), 0], 1, _WIDTH, _TABLE)
