"""Base58 with the alphabets of Bitcoin and of the XRP Ledger, and the checksum that both put behind the payload."""

from __future__ import annotations

from hashlib import sha256
from typing import NamedTuple

LETTERS_MAX = 256
"""Longer texts are not read: the time of decoding grows with the square of the length, and no address has it."""

_CHECKSUM_BYTES = 4
_FOREIGN = 0xFF


class Alphabet(NamedTuple):
    """The letter of zero, and the value of each byte that may stand in a text."""

    zero: str
    values: bytes


def alphabet(letters: str) -> Alphabet:
    """Return the tables of an alphabet of 58 letters."""
    return Alphabet(letters[0], bytes(letters.find(chr(code)) & _FOREIGN for code in range(256)))


BITCOIN = alphabet("123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz")
RIPPLE = alphabet("rpshnaf39wBUDNEGHJKLM4PQRST7VWXYZ2bcdeCg65jkm8oFqi1tuvAxyz")


def decode(text: str, letters: Alphabet = BITCOIN) -> bytes | None:
    """Return the bytes of an ASCII text, or None if it is no base58 or longer than any address."""
    if len(text) > LETTERS_MAX:
        return None
    digits = text.encode("ascii").translate(letters.values)
    if _FOREIGN in digits:
        return None
    number = 0
    for digit in digits:
        number = number * 58 + digit
    zeros = len(text) - len(text.lstrip(letters.zero))
    return bytes(zeros) + number.to_bytes((number.bit_length() + 7) // 8, "big")


def checked(raw: bytes) -> bytes | None:
    """Return the payload of decoded bytes, or None if the four bytes behind it are not its checksum."""
    payload, checksum = raw[:-_CHECKSUM_BYTES], raw[-_CHECKSUM_BYTES:]
    return payload if payload and sha256(sha256(payload).digest()).digest()[:_CHECKSUM_BYTES] == checksum else None
