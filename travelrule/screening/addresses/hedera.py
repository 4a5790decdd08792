"""Hedera account ids ``0.0.n``, with or without the checksum of HIP-15."""

from __future__ import annotations

import re

from travelrule.screening.addresses.address_form import AddressForm

_TEXT = re.compile(r"(0\.0\.(?:0|[1-9]\d{0,18}))(?:-([a-z]{5}))?")
_LONGEST = 30
_LETTERS = "abcdefghijklmnopqrstuvwxyz"
_P3, _P5 = 26**3, 26**5
_MULTIPLIER, _WEIGHT, _SUMS = 1_000_003, 31, 11
_MAINNET = bytes(7)
"""The ledger id of the main network, one byte, followed by six zeros."""


def read(text: str) -> AddressForm | None:
    """Return the form of an id; its checksum is part of the spelling and not of the key."""
    if len(text) > _LONGEST:
        return None
    found = _TEXT.fullmatch(text)
    if found is None:
        return None
    account, sent = found.groups()
    flaws = () if sent is None or sent == checksum(account) else ("wrong HIP-15 checksum",)
    return AddressForm("Hedera", "hedera", (f"hedera:{account}",), flaws)


def checksum(account: str) -> str:
    """Return the five letters of an id on the main network."""
    digits = [10 if letter == "." else int(letter) for letter in account]
    rolled = 0
    for digit in digits:
        rolled = (rolled * _WEIGHT + digit) % _P3
    ledger = 0
    for byte in _MAINNET:
        ledger = (ledger * _WEIGHT + byte) % _P5
    even, odd = sum(digits[::2]) % _SUMS, sum(digits[1::2]) % _SUMS
    number = (((len(account) % 5 * _SUMS + even) * _SUMS + odd) * _P3 + rolled + ledger) % _P5
    number = number * _MULTIPLIER % _P5
    letters = ""
    for _ in range(5):
        number, digit = divmod(number, len(_LETTERS))
        letters = _LETTERS[digit] + letters
    return letters
