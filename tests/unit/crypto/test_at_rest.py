import base64
import pickle
from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from travelrule.crypto.at_rest import KeyEncryptionKeys, open_record, seal_record
from travelrule.crypto.errors import AtRestError, KeyTextError, UnknownStorageKey

OLD, NEW = (base64.b64encode(bytes([n] * 32)).decode() for n in (1, 2))
DATA_KEY = bytes(range(32))
NONCE = bytes(range(12))
CONTEXT = b"withdrawal:1/inputs"


def changed(raw: bytes, at: int, change: int) -> bytes:
    copy = bytearray(raw)
    copy[at % len(copy)] ^= change
    return bytes(copy)


@settings(max_examples=60, deadline=None)
@given(plain=st.binary(max_size=200), at=st.integers(0, 10**6), change=st.integers(1, 255))
def test_changing_any_byte_of_record_context_or_key_fails(plain: bytes, at: int, change: int) -> None:
    sealed = seal_record(DATA_KEY, plain, NONCE, CONTEXT)
    assert open_record(DATA_KEY, sealed, CONTEXT) == plain
    for key, record, context in (
        (DATA_KEY, changed(sealed, at, change), CONTEXT),
        (DATA_KEY, sealed[: at % len(sealed)], CONTEXT),
        (DATA_KEY, sealed, changed(CONTEXT, at, change)),
        (DATA_KEY, sealed, CONTEXT + b"x"),
        (changed(DATA_KEY, at, change), sealed, CONTEXT),
    ):
        with pytest.raises(AtRestError):
            open_record(key, record, context)


@settings(max_examples=60, deadline=None)
@given(at=st.integers(0, 10**6), change=st.integers(1, 255))
def test_changing_any_byte_of_a_wrapped_key_or_its_context_fails(at: int, change: int) -> None:
    keys = KeyEncryptionKeys([NEW, OLD])
    wrapped = keys.wrap(DATA_KEY, NONCE, CONTEXT)
    assert keys.unwrap(wrapped, CONTEXT) == DATA_KEY
    for record, context in (
        (changed(wrapped, at, change), CONTEXT),
        (wrapped[: at % len(wrapped)], CONTEXT),
        (wrapped, changed(CONTEXT, at, change)),
    ):
        with pytest.raises(AtRestError):
            keys.unwrap(record, context)


def test_rotation_first_wraps_all_unwrap() -> None:
    before, during, after = KeyEncryptionKeys([OLD]), KeyEncryptionKeys([NEW, OLD]), KeyEncryptionKeys([NEW])
    wrapped = before.wrap(DATA_KEY, NONCE, CONTEXT)
    again = during.wrap(during.unwrap(wrapped, CONTEXT), bytes(12), CONTEXT)
    assert after.unwrap(again, CONTEXT) == DATA_KEY
    with pytest.raises(UnknownStorageKey, match="STORAGE_KEYS") as caught:
        after.unwrap(wrapped, CONTEXT)
    assert caught.value.code == "STORAGE_KEY_UNKNOWN"
    assert wrapped[1:9].hex() in str(caught.value)


def test_a_wrapped_key_is_not_taken_for_a_record() -> None:
    keys = KeyEncryptionKeys([NEW])
    wrapped = keys.wrap(DATA_KEY, NONCE, CONTEXT)
    with pytest.raises(AtRestError):
        open_record(bytes([2] * 32), wrapped, CONTEXT)


@pytest.mark.parametrize("texts", [[], [""], ["short"], [base64.b64encode(bytes(31)).decode()], [NEW, "x"]])
def test_bad_keys_are_refused(texts: list[str]) -> None:
    with pytest.raises(KeyTextError):
        KeyEncryptionKeys(texts)


def test_wrong_lengths_are_our_own_fault() -> None:
    keys = KeyEncryptionKeys([NEW])
    calls: tuple[Callable[[], bytes], ...] = (
        lambda: keys.wrap(bytes(31), NONCE, b""),
        lambda: keys.wrap(DATA_KEY, bytes(11), b""),
        lambda: seal_record(bytes(16), b"", NONCE, b""),
        lambda: seal_record(DATA_KEY, b"", bytes(13), b""),
        lambda: open_record(bytes(16), bytes(40), b""),
    )
    for call in calls:
        with pytest.raises(ValueError, match="32 bytes"):
            call()


def test_keys_are_never_shown_or_pickled() -> None:
    keys = KeyEncryptionKeys([NEW])
    assert repr(keys) == str(keys) == "<KeyEncryptionKeys>"
    with pytest.raises(TypeError):
        pickle.dumps(keys)
    wrapped = keys.wrap(DATA_KEY, NONCE, CONTEXT)
    assert bytes([2] * 8) not in wrapped


def test_errors_hold_no_content() -> None:
    sealed = seal_record(DATA_KEY, b"Anna Berg", NONCE, b"withdrawal:77")
    with pytest.raises(AtRestError) as caught:
        open_record(DATA_KEY, sealed, b"withdrawal:78")
    assert "restore" in str(caught.value)
    assert not any(word in str(caught.value) for word in ("Anna", "77", "78"))
