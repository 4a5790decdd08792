"""An event loop whose time passes only while every task waits: hours take no time, counts are exact."""

from __future__ import annotations

import asyncio
import selectors
from collections.abc import Callable, Coroutine
from typing import Any


class _Selector(selectors.DefaultSelector):
    """Skips the time that the loop would wait."""

    def __init__(self, skip: Callable[[float], None]) -> None:
        super().__init__()
        self._skip = skip

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        ready = super().select(0)
        if not ready and timeout:
            self._skip(timeout)
        return ready


class ManualLoop(asyncio.SelectorEventLoop):
    """``time()`` starts at 0 and jumps to the next timer whenever nothing else is left to do."""

    def __init__(self) -> None:
        self._passed = 0.0
        super().__init__(_Selector(self._skip))

    def time(self) -> float:
        return self._passed

    def _skip(self, seconds: float) -> None:
        self._passed += seconds


def run(work: Coroutine[Any, Any, None]) -> None:
    """Run a coroutine in such a loop."""
    with asyncio.Runner(loop_factory=ManualLoop) as runner:
        runner.run(work)
