"""Work that continues after an answer: searches, analyses and their callbacks, each a task of its own."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine


class BackgroundTasks:
    """The tasks of one hub. A task must not raise: the error would not be logged."""

    def __init__(self) -> None:
        self._running: set[asyncio.Task[None]] = set()

    def start(self, work: Coroutine[None, None, None], name: str) -> None:
        """Start a task."""
        task = asyncio.create_task(work, name=name)
        self._running.add(task)
        task.add_done_callback(self._running.discard)

    async def settled(self) -> None:
        """Wait until no task runs."""
        while self._running:
            await asyncio.wait(self._running)

    async def aclose(self, grace_seconds: float) -> None:
        """Wait ``grace_seconds`` for the running tasks, then cancel them."""
        if self._running:
            await asyncio.wait(self._running, timeout=grace_seconds)
        for task in self._running:
            task.cancel()
        await asyncio.gather(*self._running, return_exceptions=True)
