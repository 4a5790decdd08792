"""Blockchain addresses that a list quotes in running text, because its format has no field for them.

Recognised are the forms that no other number has: EVM (``0x`` and 40 hex digits), base58 with a correct checksum
(Bitcoin, Litecoin, TRON and similar), and bech32 of Bitcoin and Litecoin.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from travelrule.crypto.encodings import base58

_WORD = re.compile(r"[A-Za-z0-9]{25,90}")
_EVM = re.compile(r"0[xX][0-9a-fA-F]{40}")
_BECH32 = re.compile(r"(?:bc1|ltc1)[02-9ac-hj-np-z]{11,87}")
_LONGEST_BASE58 = 60


def addresses_in(text: str) -> Iterator[str]:
    """Yield the addresses in the order of the text."""
    for found in _WORD.finditer(text):
        word = found[0]
        if _EVM.fullmatch(word) or _BECH32.fullmatch(word.lower()) or _is_base58check(word):
            yield word


def _is_base58check(word: str) -> bool:
    raw = base58.decode(word) if len(word) <= _LONGEST_BASE58 else None
    return raw is not None and base58.checked(raw) is not None
