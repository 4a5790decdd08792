import base64

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from travelrule.crypto.errors import InvalidPeerKey, SealError
from travelrule.crypto.sealing import SHARED_KEYS_KEPT, open_sealed, seal, shared_key
from travelrule.crypto.signing import SigningKey

NORTH, SOUTH = SigningKey(bytes([1] * 32)), SigningKey(bytes([2] * 32))
NONCE = bytes(range(24))


@settings(max_examples=50, deadline=None)
@given(plain=st.binary(max_size=400), nonce=st.binary(min_size=24, max_size=24))
def test_round_trip_both_ways_and_length(plain: bytes, nonce: bytes) -> None:
    payload = seal(NORTH, SOUTH.public_base64, plain, nonce)
    assert open_sealed(SOUTH, NORTH.public_base64, payload) == plain
    assert open_sealed(NORTH, SOUTH.public_base64, payload) == plain  # one shared key: auth.md 6
    assert len(base64.b64decode(payload)) == len(plain) + 40


@settings(max_examples=60, deadline=None)
@given(plain=st.binary(max_size=200), at=st.integers(0, 10**6), change=st.integers(1, 255))
def test_changing_any_byte_of_nonce_tag_or_text_fails(plain: bytes, at: int, change: int) -> None:
    sealed = bytearray(base64.b64decode(seal(NORTH, SOUTH.public_base64, plain, NONCE)))
    sealed[at % len(sealed)] ^= change
    with pytest.raises(SealError) as caught:
        open_sealed(SOUTH, NORTH.public_base64, base64.b64encode(bytes(sealed)).decode())
    assert caught.value.code == "INVALID_ENCRYPTED_BODY"


@pytest.mark.parametrize("plain", [b"", b"a", b"ab", b"abc"])
def test_changing_any_character_of_the_text_fails(plain: bytes) -> None:
    payload = seal(NORTH, SOUTH.public_base64, plain, NONCE)
    for at, letter in enumerate(payload):
        for other in "AQgw/=\n ":
            if other != letter:
                with pytest.raises(SealError):
                    open_sealed(SOUTH, NORTH.public_base64, payload[:at] + other + payload[at + 1 :])


@settings(max_examples=40, deadline=None)
@given(bit=st.integers(0, 254))
def test_a_changed_peer_key_fails(bit: int) -> None:
    payload = seal(NORTH, SOUTH.public_base64, b"secret", NONCE)
    changed = bytearray(NORTH.public)
    changed[bit // 8] ^= 1 << bit % 8
    with pytest.raises(SealError):
        open_sealed(SOUTH, base64.b64encode(bytes(changed)).decode(), payload)


def test_the_sign_bit_of_a_peer_key_is_lost_in_the_map() -> None:
    # X25519 knows no sign, so a key and its negative agree on the same box key. Only the owner of the one has
    # the other, but who sent is decided by comparing the whole key with the directory, not by the box.
    payload = seal(NORTH, SOUTH.public_base64, b"secret", NONCE)
    negative = base64.b64encode(NORTH.public[:31] + bytes([NORTH.public[31] ^ 0x80])).decode()
    assert open_sealed(SOUTH, negative, payload) == b"secret"


def test_a_third_party_cannot_open_it() -> None:
    payload = seal(NORTH, SOUTH.public_base64, b"secret", NONCE)
    with pytest.raises(SealError):
        open_sealed(SigningKey(bytes([3] * 32)), NORTH.public_base64, payload)


@pytest.mark.parametrize("payload", ["", "AAAA", base64.b64encode(bytes(39)).decode(), "é", "{}", "A" * 53])
def test_a_payload_that_cannot_be_one_is_refused(payload: str) -> None:
    with pytest.raises(SealError):
        open_sealed(SOUTH, NORTH.public_base64, payload)


@pytest.mark.parametrize(
    "public",
    [
        "",
        "AAAA",
        "x" * 44,
        base64.b64encode(bytes(32)).decode(),
        base64.b64encode(b"\x01" + bytes(31)).decode(),
    ],
    ids=["empty", "short", "not base64", "order 4", "neutral point"],
)
def test_a_bad_peer_key_is_named_on_both_ways(public: str) -> None:
    with pytest.raises(InvalidPeerKey):
        seal(NORTH, public, b"x", NONCE)
    with pytest.raises(SealError):
        open_sealed(NORTH, public, seal(NORTH, SOUTH.public_base64, b"x", NONCE))


def test_a_wrong_nonce_length_is_our_own_fault() -> None:
    with pytest.raises(ValueError, match="24 bytes"):
        seal(NORTH, SOUTH.public_base64, b"x", bytes(23))


def test_agreed_keys_are_kept_and_bounded() -> None:
    shared_key.cache_clear()
    for _ in range(3):
        seal(NORTH, SOUTH.public_base64, b"x", NONCE)
    info = shared_key.cache_info()
    assert (info.misses, info.hits, info.maxsize) == (1, 2, SHARED_KEYS_KEPT)


def test_errors_say_nothing_of_the_content() -> None:
    payload = seal(NORTH, SOUTH.public_base64, b"Anna Berg", NONCE)
    with pytest.raises(SealError) as caught:
        open_sealed(SOUTH, SOUTH.public_base64, payload)
    assert "Anna" not in str(caught.value)
    assert payload not in str(caught.value)
    assert caught.value.__cause__ is None
