"""Base58 with the alphabets of Bitcoin and of the XRP Ledger, and their common checksum behind the payload."""

from __future__ import annotations

from hashlib import sha256
from typing import NamedTuple

LETTERS_MAX = 256
"""Longer texts are refused: decoding time grows with the square of the length, and no address is that long."""

_CHECKSUM_BYTES = 4
_FOREIGN = 0xFF


class Alphabet(NamedTuple):
    """The 58 letters, the one of zero first, and the value of each byte of a text."""

    letters: str
    values: bytes


def alphabet(letters: str) -> Alphabet:
    """Return the tables of an alphabet of 58 letters."""
    return Alphabet(letters, bytes(letters.find(chr(code)) & _FOREIGN for code in range(256)))


BITCOIN = alphabet("123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz")
RIPPLE = alphabet("rpshnaf39wBUDNEGHJKLM4PQRST7VWXYZ2bcdeCg65jkm8oFqi1tuvAxyz")


def decode(text: str, letters: Alphabet = BITCOIN) -> bytes | None:
    """Return the bytes of a text, or None if it is no base58 or longer than any address."""
    if len(text) > LETTERS_MAX or not text.isascii():
        return None
    digits = text.encode("ascii").translate(letters.values)
    if _FOREIGN in digits:
        return None
    number = 0
    for digit in digits:
        number = number * 58 + digit
    zeros = len(text) - len(text.lstrip(letters.letters[0]))
    return bytes(zeros) + number.to_bytes((number.bit_length() + 7) // 8, "big")


def encode(data: bytes, letters: Alphabet = BITCOIN) -> str:
    """Return the text of some bytes."""
    number = int.from_bytes(data, "big")
    digits = ""
    while number:
        number, digit = divmod(number, 58)
        digits = letters.letters[digit] + digits
    return letters.letters[0] * (len(data) - len(data.lstrip(b"\0"))) + digits


def double_sha256(data: bytes) -> bytes:
    """Return SHA-256 of SHA-256."""
    return sha256(sha256(data).digest()).digest()


def with_checksum(payload: bytes) -> bytes:
    """Return a payload and the four bytes behind it."""
    return payload + double_sha256(payload)[:_CHECKSUM_BYTES]


def checked(raw: bytes) -> bytes | None:
    """Return the payload of decoded bytes, or None if the four bytes behind it are not its checksum."""
    payload, checksum = raw[:-_CHECKSUM_BYTES], raw[-_CHECKSUM_BYTES:]
    return payload if payload and double_sha256(payload)[:_CHECKSUM_BYTES] == checksum else None
