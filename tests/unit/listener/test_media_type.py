"""What counts as JSON in UTF-8."""

import pytest

from travelrule.listener.media_type import is_json

JSON = [
    "application/json",
    "Application/JSON",
    "application/json; charset=UTF-8",
    'application/json;charset="utf-8";v=1',
]
OTHER = ["", "text/plain", "text/json", "application/json, text/plain", "application/json; charset=utf-16"]


@pytest.mark.parametrize("content_type", JSON)
def test_json_in_utf8(content_type: str) -> None:
    assert is_json(content_type)


@pytest.mark.parametrize("content_type", OTHER)
def test_anything_else(content_type: str) -> None:
    assert not is_json(content_type)
