"""Virtual time: a heap of due events. Nothing sleeps; weeks pass as fast as they can be computed."""

from __future__ import annotations

import asyncio
import heapq
import itertools
from collections.abc import Callable
from datetime import UTC, datetime, timedelta

START = datetime(2026, 3, 2, 8, 0, tzinfo=UTC)
SETTLE_TURNS = 3
"""Run the loop until every task that an event woke is at its next wait."""


class Clock:
    """The time, and what happens when. Things due at the same moment happen in the order in which they were planned."""

    def __init__(self, start: datetime = START) -> None:
        self.now = start
        self.steps = 0
        self.failures: list[BaseException] = []
        """The errors of tasks: the run ends with the first one."""
        self._due: list[tuple[datetime, int, Callable[[], object]]] = []
        self._numbers = itertools.count()
        self._stirred = False

    def __call__(self) -> datetime:
        return self.now

    def at(self, when: datetime, action: Callable[[], object]) -> None:
        heapq.heappush(self._due, (max(when, self.now), next(self._numbers), action))

    def after(self, seconds: float, action: Callable[[], object]) -> None:
        self.at(self.now + timedelta(seconds=seconds), action)

    def stir(self) -> None:
        """A task was started or woken: it must run before the next thing happens."""
        self._stirred = True

    async def run(self, until: datetime) -> None:
        """Run everything that is due until then."""
        while self._due and self._due[0][0] <= until:
            when, _, action = heapq.heappop(self._due)
            self.now = when
            self.steps += 1
            action()
            if self._stirred:
                self._stirred = False
                for _ in range(SETTLE_TURNS):
                    await asyncio.sleep(0)
                if self.failures:
                    raise self.failures[0]
        self.now = until
