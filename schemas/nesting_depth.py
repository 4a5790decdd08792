"""The nesting depth of JSON from outside. Values are visited level by level, so depth costs no stack."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import Any, Final

DEPTH_MAX: Final = 64
"""IVMS101 needs ten levels and the deepest event seven; orjson cannot write more than 254."""


def levels(value: Any) -> Iterator[list[Any]]:
    """Yield the values of each level, the outermost first."""
    level = [value]
    while level:
        yield level
        level = [inner for outer in level for inner in _inside(outer)]


def is_nested_deeper(value: Any, limit: int = DEPTH_MAX) -> bool:
    """Whether a value has more than ``limit`` levels; texts and numbers count as a level of their own."""
    return next(islice(levels(value), limit, None), None) is not None


def _inside(value: Any) -> list[Any]:
    if isinstance(value, dict):
        return list(value.values())
    return value if isinstance(value, list) else []
