import base64
import copy
import pickle

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from travelrule.crypto.errors import KeyTextError
from travelrule.crypto.signing import KeyRing, SigningKey, signed_bytes, verify

SEED = bytes(range(32))
KEY = SigningKey(SEED)
OTHER = SigningKey(bytes(range(1, 33)))
AT = "2026-11-20T09:00:00Z"


def flipped(raw: bytes, bit: int) -> bytes:
    bit %= len(raw) * 8
    changed = bytearray(raw)
    changed[bit // 8] ^= 1 << bit % 8
    return bytes(changed)


@settings(max_examples=60, deadline=None)
@given(body=st.binary(min_size=1, max_size=300), nonce=st.integers(0, 2**32 - 1), bit=st.integers(0, 10**6))
def test_flipping_any_bit_breaks_the_signature(body: bytes, nonce: int, bit: int) -> None:
    signature = KEY.sign(AT, body, nonce)
    assert verify(KEY.public_base64, AT, body, nonce, signature)
    assert not verify(KEY.public_base64, AT, flipped(body, bit), nonce, signature)
    assert not verify(KEY.public_base64, AT, body, nonce ^ (1 << bit % 32), signature)
    at_flipped = flipped(AT.encode(), bit - bit % 8 + bit % 7).decode()  # bits 0..6: stays ASCII
    assert not verify(KEY.public_base64, at_flipped, body, nonce, signature)
    changed = base64.b64encode(flipped(base64.b64decode(signature), bit)).decode()
    assert not verify(KEY.public_base64, AT, body, nonce, changed)
    other_key = base64.b64encode(flipped(KEY.public, bit)).decode()
    assert not verify(other_key, AT, body, nonce, signature)


def test_changing_any_character_of_signature_or_key_text_breaks_it() -> None:
    # Base64 texts have unused bits at the end; a lax decoder accepts 16 texts for one signature.
    body, nonce = b'{"currency":"XRP"}', 7
    signature = KEY.sign(AT, body, nonce)
    alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/= \n"
    for at in (0, 40, len(signature) - 3, len(signature) - 2, len(signature) - 1):
        for letter in alphabet.replace(signature[at], ""):
            assert not verify(KEY.public_base64, AT, body, nonce, signature[:at] + letter + signature[at + 1 :])
    for letter in alphabet.replace(KEY.public_base64[-2], ""):
        assert not verify(KEY.public_base64[:-2] + letter + "=", AT, body, nonce, signature)


@pytest.mark.parametrize(
    ("public", "at", "nonce", "signature"),
    [
        ("", AT, 1, "AAAA"),
        ("not base64", AT, 1, "AAAA"),
        (KEY.public_base64, AT, 1, ""),
        (KEY.public_base64, AT, 1, "é" * 88),
        (KEY.public_base64, "\ud800", 1, base64.b64encode(bytes(64)).decode()),
        (KEY.public_base64, AT, -1, base64.b64encode(bytes(64)).decode()),
        (KEY.public_base64, AT, 2**32, base64.b64encode(bytes(64)).decode()),
        (base64.b64encode(bytes(32)).decode(), AT, 1, base64.b64encode(bytes(64)).decode()),
        (
            base64.b64encode(b"\x01" + bytes(31)).decode(),
            AT,
            1,
            base64.b64encode(b"\x01" + bytes(63)).decode(),
        ),
    ],
)
def test_what_a_peer_sends_never_raises(public: str, at: str, nonce: int, signature: str) -> None:
    assert verify(public, at, b"", nonce, signature) is False


@pytest.mark.parametrize("nonce", [-1, 2**32])
def test_own_nonce_out_of_range_is_refused(nonce: int) -> None:
    with pytest.raises(ValueError, match=r"0\.\.4294967295"):
        signed_bytes(AT, b"", nonce)


def test_expanded_key_means_the_same_pair() -> None:
    expanded = base64.b64encode(SEED + KEY.public).decode()
    assert SigningKey.from_base64(f" {expanded}\n") == KEY
    assert SigningKey.from_base64(base64.b64encode(SEED).decode()).sign(AT, b"x", 1) == KEY.sign(AT, b"x", 1)


@pytest.mark.parametrize(
    "text", ["", "abc", base64.b64encode(bytes(31)).decode(), base64.b64encode(bytes(33)).decode()]
)
def test_a_bad_seed_is_refused_without_being_shown(text: str) -> None:
    with pytest.raises(KeyTextError, match="keys generate") as caught:
        SigningKey.from_base64(text)
    assert not text or text not in str(caught.value)
    with pytest.raises(KeyTextError, match="32 bytes"):
        SigningKey(bytes(16))


def test_ring_picks_the_key_a_request_was_addressed_to() -> None:
    ring = KeyRing([KEY, OTHER])
    assert ring.signing is KEY
    assert ring.for_public(OTHER.public_base64) == [OTHER]
    assert ring.for_public(None) == [KEY, OTHER]
    assert ring.for_public("") == [KEY, OTHER]
    assert ring.for_public(SigningKey(bytes(32)).public_base64) == []
    assert ring.for_public("no key at all") == []
    assert ring.publics == (KEY.public_base64, OTHER.public_base64)


def test_ring_reads_the_setting() -> None:
    seeds = [base64.b64encode(bytes(range(start, start + 32))).decode() for start in (0, 1)]
    ring = KeyRing.from_text(f"{seeds[0]}, {seeds[1]},")
    assert ring.for_public(None) == [KEY, OTHER]
    with pytest.raises(KeyTextError, match="no signing key"):
        KeyRing.from_text(" ,")


@pytest.mark.parametrize("holder", [KEY, KeyRing([KEY, OTHER])], ids=["key", "ring"])
def test_key_material_is_never_shown_or_pickled(holder: object) -> None:
    shown = f"{holder!r} {holder} {[holder]}"
    for secret in (SEED, KEY.exchange_secret()):
        assert base64.b64encode(secret).decode() not in shown
        assert secret.hex() not in shown
        assert repr(secret) not in shown
    for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
        with pytest.raises(TypeError, match="never pickled"):
            pickle.dumps(holder, protocol)
    assert copy.deepcopy(holder) is holder
    assert copy.copy(holder) is holder
    assert not hasattr(holder, "__dict__")
