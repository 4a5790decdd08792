from __future__ import annotations

from typing import Any

import pytest

from schemas.nesting_depth import is_nested_deeper, levels


def test_levels_come_outermost_first_and_scalars_are_a_level() -> None:
    assert list(levels({"a": [1], "b": 2})) == [[{"a": [1], "b": 2}], [[1], 2], [1]]


@pytest.mark.parametrize(("value", "depth"), [(1, 1), ([], 1), ([1], 2), ({"a": {"b": []}}, 3), ([[[]], 1], 3)])
def test_the_limit_is_the_number_of_levels(value: Any, depth: int) -> None:
    assert not is_nested_deeper(value, depth)
    assert is_nested_deeper(value, depth - 1)


def test_a_hostile_depth_needs_no_stack() -> None:
    value: Any = 1
    for _ in range(100_000):
        value = [value]
    assert is_nested_deeper(value)
