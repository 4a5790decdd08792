"""Addresses on chain that a list only mentions in running text, because its format has no field for them.

Found are the forms that cannot be mistaken for another number: EVM (``0x`` and 40 hex digits), Base58 with a right
checksum (Bitcoin, Litecoin, TRON and their like), and Bech32 of Bitcoin and Litecoin.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator

_WORD = re.compile(r"[A-Za-z0-9]{25,90}")
_EVM = re.compile(r"0[xX][0-9a-fA-F]{40}")
_BECH32 = re.compile(r"(?:bc1|ltc1)[02-9ac-hj-np-z]{11,87}")
_BASE58 = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"
_LONGEST_BASE58 = 60
CHECKSUM = 4


def addresses_in(text: str) -> Iterator[str]:
    """Addresses in the order of the text."""
    for found in _WORD.finditer(text):
        word = found[0]
        if _EVM.fullmatch(word) or _BECH32.fullmatch(word.lower()) or _is_base58check(word):
            yield word


def _is_base58check(word: str) -> bool:
    if len(word) > _LONGEST_BASE58 or any(letter not in _BASE58 for letter in word):
        return False
    number = 0
    for letter in word:
        number = number * 58 + _BASE58.index(letter)
    zeros = len(word) - len(word.lstrip("1"))
    decoded = bytes(zeros) + number.to_bytes((number.bit_length() + 7) // 8, "big")
    payload, checksum = decoded[:-CHECKSUM], decoded[-CHECKSUM:]
    return hashlib.sha256(hashlib.sha256(payload).digest()).digest()[:CHECKSUM] == checksum
