"""The hunt itself: it finds people in whatever form they are written."""

from __future__ import annotations

import base64

import pytest

from tests.e2e import planted_people

NAME = "Quillfeather"


@pytest.mark.parametrize(
    "content",
    [
        b"a name in capitals: " + NAME.upper().encode(),
        b"x" + base64.b64encode(b"ab" + NAME.encode() + b"cd"),
        b"x" + base64.b64encode(b"a" + NAME.encode()),
        '{"a":"깃펜"}'.encode(),
        b'{"a":"\\uae43\\ud39c"}',
        b"%EA%B9%83%ED%8E%9C",
        planted_people.OWNER_CUSTOMER.encode().hex().encode(),
        planted_people.hashes("1961-07-19")[0],
    ],
)
def test_a_piece_is_found(content: bytes) -> None:
    assert len(planted_people.Hunt().found(content)) == 1


def test_nothing_is_found_where_nothing_is() -> None:
    assert planted_people.Hunt().found(b"quill, feather, 1961") == set()
