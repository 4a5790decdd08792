import base64
import hashlib
import hmac
import pickle

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from travelrule.crypto.blind_index import BlindIndex
from travelrule.crypto.errors import KeyTextError

KEY = bytes(range(32))
INDEX = BlindIndex(KEY)


def test_value_is_pinned() -> None:
    # Stored rows are found by it: a change of the construction would lose them all.
    message = b"travelrule/blind-index/1\x00\x00\x00\x00\x07address0xabc"
    assert INDEX.of("address", "0xabc") == hmac.new(KEY, message, hashlib.sha256).digest()[:16]


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(st.text(max_size=8), st.text(max_size=8)), min_size=2, max_size=6, unique=True))
def test_other_field_or_value_gives_another_index(pairs: list[tuple[str, str]]) -> None:
    pairs = [(field, value) for field, value in pairs if (field + value).isprintable()]
    assert len({INDEX.of(field, value) for field, value in pairs}) == len(pairs)


def test_the_border_between_field_and_value_counts() -> None:
    assert INDEX.of("ab", "c") != INDEX.of("a", "bc")
    assert INDEX.fingerprint(b"ab", b"c") != INDEX.fingerprint(b"a", b"bc")
    assert INDEX.fingerprint(b"", b"a") != INDEX.fingerprint(b"a")
    assert INDEX.fingerprint(b"a", b"b") != INDEX.fingerprint(b"b", b"a")
    assert INDEX.fingerprint(b"a") == BlindIndex(KEY).fingerprint(b"a")


def test_another_key_gives_another_index() -> None:
    assert BlindIndex(bytes(32)).of("address", "x") != INDEX.of("address", "x")


def test_setting_text() -> None:
    assert BlindIndex.from_base64(base64.b64encode(KEY).decode()).of("a", "b") == INDEX.of("a", "b")
    for text in ("", "no base64", base64.b64encode(bytes(31)).decode()):
        with pytest.raises(KeyTextError, match="32 random bytes"):
            BlindIndex.from_base64(text)


def test_key_is_never_shown_or_pickled() -> None:
    assert repr(INDEX) == str(INDEX) == "<BlindIndex>"
    with pytest.raises(TypeError):
        pickle.dumps(INDEX)
