"""Sealed payloads of our own are recognized by their nonce, in every process that has the index key."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from travelrule.crypto import exact_base64
from travelrule.crypto.blind_index import BlindIndex
from travelrule.crypto.nonce_marks import RANDOM_BYTES, is_own, marked_nonce
from travelrule.crypto.sealing import open_sealed, seal
from travelrule.crypto.signing import SigningKey

NORTH, SOUTH = SigningKey(b"n" * 32), SigningKey(b"s" * 32)
OURS, THEIRS = BlindIndex(b"i" * 32), BlindIndex(b"j" * 32)


@given(st.binary(min_size=RANDOM_BYTES, max_size=RANDOM_BYTES), st.binary(max_size=40))
def test_what_we_sealed_is_ours_and_what_the_peer_sealed_is_not(random16: bytes, plain: bytes) -> None:
    sent = seal(NORTH, SOUTH.public_base64, plain, marked_nonce(OURS, random16))
    answer = seal(SOUTH, NORTH.public_base64, plain, marked_nonce(THEIRS, random16))
    assert open_sealed(NORTH, SOUTH.public_base64, sent) == open_sealed(NORTH, SOUTH.public_base64, answer) == plain
    assert (is_own(OURS, sent), is_own(OURS, answer)) == (True, False)
    assert is_own(BlindIndex(b"i" * 32), sent), "another process of the installation"


@given(st.integers(0, 23), st.integers(1, 255))
def test_a_changed_nonce_is_not_ours_and_opens_nothing(at: int, change: int) -> None:
    raw = bytearray(exact_base64.decode(seal(NORTH, SOUTH.public_base64, b"x", marked_nonce(OURS, b"r" * 16))) or b"")
    raw[at] ^= change
    assert not is_own(OURS, exact_base64.encode(bytes(raw)))


def test_nonces_differ_with_their_random_part() -> None:
    assert marked_nonce(OURS, b"a" * 16)[:16] == b"a" * 16
    assert marked_nonce(OURS, b"a" * 16)[16:] != marked_nonce(OURS, b"b" * 16)[16:]


@pytest.mark.parametrize("text", ["", "!", "YQ==", "á"])
def test_what_is_no_payload_is_not_ours(text: str) -> None:
    assert not is_own(OURS, text)


def test_a_nonce_is_made_of_16_random_bytes() -> None:
    with pytest.raises(ValueError, match="16"):
        marked_nonce(OURS, b"a" * 15)
