"""Work in steps that are short enough for an event loop: a generator yields between steps and returns the result."""

from __future__ import annotations

from collections.abc import Generator, Iterator
from itertools import repeat
from typing import Any, TypeVar

_REMOVED_PER_STEP = 5_000

_Result = TypeVar("_Result")


def run_steps(steps: Generator[None, None, _Result]) -> _Result:
    """Run all steps and return their result; for commands and threads of their own."""
    while True:
        try:
            next(steps)
        except StopIteration as end:
            result: _Result = end.value
            return result


def empty_in_steps(container: dict[Any, Any] | list[Any]) -> Iterator[None]:
    """Remove every item, a bounded number per step, so that the interpreter frees a large container without a pause."""
    remove = container.popitem if isinstance(container, dict) else container.pop
    while container:
        for _ in repeat(None, min(_REMOVED_PER_STEP, len(container))):
            remove()
        yield
