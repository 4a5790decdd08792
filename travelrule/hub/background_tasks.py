"""What goes on after an answer: searches, analyses and their callbacks, each a task that somebody waits for."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine


class BackgroundTasks:
    """The tasks of one hub. A task must not raise: nobody would hear of it."""

    def __init__(self) -> None:
        self._running: set[asyncio.Task[None]] = set()

    def start(self, work: Coroutine[None, None, None], name: str) -> None:
        """Begin a task."""
        task = asyncio.create_task(work, name=name)
        self._running.add(task)
        task.add_done_callback(self._running.discard)

    async def settled(self) -> None:
        """Wait until every task that runs now has ended."""
        while self._running:
            await asyncio.wait(self._running)

    async def aclose(self, grace_seconds: float) -> None:
        """End: what was accepted gets this long, then it is given up."""
        if self._running:
            await asyncio.wait(self._running, timeout=grace_seconds)
        for task in self._running:
            task.cancel()
        await asyncio.gather(*self._running, return_exceptions=True)
