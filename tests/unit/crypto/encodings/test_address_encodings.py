"""Encodings of addresses, judged by the vectors of their specifications."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.unit.screening.addresses.spellings import BITCOIN, CHARSET, RIPPLE, fives
from tests.unit.screening.addresses.spellings import base58 as write_base58
from tests.unit.screening.addresses.vectors import vectors
from travelrule.crypto.encodings import base32, base58, bech32
from travelrule.crypto.encodings.keccak import keccak256
from travelrule.crypto.encodings.polynomial import eight_bits


@pytest.mark.parametrize("variant", ["bech32", "bech32m"])
def test_valid_texts_have_their_one_checksum(variant: str) -> None:
    for text in vectors()["bech32"][variant]:
        decoded = bech32.decode(text.lower())
        assert decoded is not None
        assert decoded.variant == variant, text


@pytest.mark.parametrize("text", vectors()["bech32"]["neither"])
def test_broken_texts_have_none(text: str) -> None:
    # The two in upper case carry a checksum over the prefix in upper case.
    assert bech32.decode(text.lower()) is None


@settings(max_examples=60, deadline=None)
@given(st.binary(min_size=1, max_size=60))
def test_letters_give_their_bytes_back(raw: bytes) -> None:
    letters = "".join(CHARSET[value] for value in fives(raw))
    assert eight_bits(letters) == raw
    spare = len(letters) * 5 - len(raw) * 8
    if spare:
        last = CHARSET[CHARSET.index(letters[-1]) | 1]
        assert eight_bits(letters[:-1] + last) is None
    if spare + 5 < 8:  # else the zeros of one more letter make a byte
        assert eight_bits(letters + "q") is None


@settings(max_examples=60, deadline=None)
@given(st.binary(max_size=80), st.sampled_from([(BITCOIN, base58.BITCOIN), (RIPPLE, base58.RIPPLE)]))
def test_base58_gives_its_bytes_back(raw: bytes, alphabet: tuple[str, base58.Alphabet]) -> None:
    assert base58.decode(write_base58(raw, alphabet[0]), alphabet[1]) == raw


@pytest.mark.parametrize("text", ["0", "O", "I", "l", "1 1", "1" * 257])
def test_what_is_no_base58(text: str) -> None:
    assert base58.decode(text) is None


def test_base32_tells_spare_bits() -> None:
    assert base32.decode("ME") == (b"a", True)
    assert base32.decode("MF") == (b"a", False)
    assert base32.decode("M1") is None
    assert base32.decode("") is None


def test_keccak_is_not_sha3() -> None:
    for text, expected in vectors()["keccak256"]["vectors"].items():
        assert keccak256(bytes.fromhex(text)).hex() == expected
