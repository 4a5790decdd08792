"""How much a piece of work does, counted in lines of Python that it runs: the same on every machine, however busy."""

from __future__ import annotations

import sys
from collections.abc import Callable, Generator
from types import FrameType
from typing import Any


def lines_of(work: Callable[[], Any]) -> int:
    """Run ``work`` and count the lines; each turn of a loop counts, what C does inside of one line does not."""
    count = 0

    def trace(_frame: FrameType, event: str, _argument: Any) -> Any:
        nonlocal count
        count += event == "line"
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        work()
    finally:
        sys.settrace(before)
    return count


def lines_of_steps(steps: Generator[None, None, Any]) -> list[int]:
    """The lines of each step of a generator, to its end."""
    counts: list[int] = []
    ended = False

    def step() -> None:
        nonlocal ended
        try:
            next(steps)
        except StopIteration:
            ended = True

    while not ended:
        counts.append(lines_of(step))
    return counts
