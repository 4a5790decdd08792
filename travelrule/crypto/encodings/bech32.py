"""bech32 and bech32m (BIP-173, BIP-350). Lengths beyond 90 are accepted: Cardano and Zcash use them."""

from __future__ import annotations

from functools import lru_cache
from typing import Literal, NamedTuple

from travelrule.crypto.encodings.polynomial import LETTERS, eight_bits, five_bits, remainder, steps

Variant = Literal["bech32", "bech32m"]

CHECKSUM_LETTERS = 6
PREFIX_MAX = 83
_TABLE = steps((0x3B6A57B2, 0x26508E6D, 0x1EA119FA, 0x3D4233DD, 0x2A1462B3))
_VARIANTS: dict[int, Variant] = {1: "bech32", 0x2BC830A3: "bech32m"}


class Bech32(NamedTuple):
    """A text whose checksum is right: the prefix, the letters between separator and checksum, and which checksum."""

    prefix: str
    letters: str
    variant: Variant

    def payload(self, skipped: int = 0) -> bytes | None:
        """Return the bytes of the letters after the first ``skipped``, or None if their padding is wrong."""
        return eight_bits(self.letters[skipped:])


def variant_of(prefix: str, data: str) -> Variant | None:
    """Return the variant whose checksum fits a lower-case prefix and the data part (checksum included), if any."""
    values = five_bits(data)
    if values is None or len(values) < CHECKSUM_LETTERS:
        return None
    return _VARIANTS.get(remainder(values, _after_prefix(prefix), 25, _TABLE))


def decode(folded: str) -> Bech32 | None:
    """Read a lower-case ASCII text; None if it is not bech32. The caller checks that the text is of one case."""
    prefix, separator, data = folded.rpartition("1")
    if not separator or not 0 < len(prefix) <= PREFIX_MAX:
        return None
    variant = variant_of(prefix, data)
    return None if variant is None else Bech32(prefix, data[:-CHECKSUM_LETTERS], variant)


def encode(prefix: str, values: bytes) -> str:
    """Return the bech32 text of 5-bit values under a lower-case prefix."""
    empty = bytes(CHECKSUM_LETTERS)
    check = remainder(values + empty, _after_prefix(prefix), 25, _TABLE) ^ 1
    checksum = bytes(check >> shift & 31 for shift in range(25, -1, -5))
    return prefix + "1" + "".join(LETTERS[value] for value in values + checksum)


@lru_cache(maxsize=128)
def _after_prefix(prefix: str) -> int:
    values = [ord(letter) >> 5 for letter in prefix]
    values += [0, *(ord(letter) & 31 for letter in prefix)]
    return remainder(values, 1, 25, _TABLE)
