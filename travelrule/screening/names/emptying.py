"""Emptying large containers in steps: the interpreter frees what one holds without a pause."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import repeat
from typing import Any

_PER_STEP = 5_000


def emptying(container: dict[Any, Any] | list[Any]) -> Iterator[None]:
    """Take everything out, a bounded number of items per step."""
    take = container.popitem if isinstance(container, dict) else container.pop
    while container:
        for _ in repeat(None, min(_PER_STEP, len(container))):
            take()
        yield
