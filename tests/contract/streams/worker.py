"""A worker as bootstrap wires it, with a committer that tests can hold up."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress

from agents import register_all
from streams.app import Timing, create_app
from streams.connection import Connection
from streams.delivery import Inlet
from streams.progress import CommitProgress
from streams.topics import Topics
from streams.worker import FaustWorker
from travelrule.engine.ports import Delivery
from travelrule.settings import Settings


class Committer:
    """Takes deliveries like the engine's intake: a queue, then acknowledgement in order, while ``open`` is set."""

    def __init__(self) -> None:
        self.queue: asyncio.Queue[Delivery] = asyncio.Queue(1000)
        self.seen: list[Delivery] = []
        self.acknowledged: list[Delivery] = []
        self.open = asyncio.Event()
        self.open.set()
        self._moved = asyncio.Condition()

    async def put(self, delivery: Delivery) -> None:
        self.seen.append(delivery)
        await self.queue.put(delivery)
        async with self._moved:
            self._moved.notify_all()

    async def run(self) -> None:
        while True:
            delivery = await self.queue.get()
            await self.open.wait()
            delivery.ack()
            self.acknowledged.append(delivery)
            async with self._moved:
                self._moved.notify_all()

    async def until(self, condition: Callable[[], bool], seconds: float = 60) -> None:
        """Wait for a condition that a record, an acknowledgement or mere time may bring about."""
        async with asyncio.timeout(seconds), self._moved:
            while not condition():
                with suppress(TimeoutError):
                    await asyncio.wait_for(self._moved.wait(), 0.1)


@asynccontextmanager
async def consuming(
    settings: Settings,
    connection: Connection,
    committer: Committer,
    stall_s: float = 120,
    timing: Timing | None = None,
) -> AsyncIterator[FaustWorker]:
    topics, progress = Topics(settings.topic_prefix), CommitProgress()
    app = create_app(settings, connection, timing)
    worker = FaustWorker(app, connection, topics, progress, stall_s=stall_s, stop_s=5)
    register_all(app, topics, Inlet(topics, committer.put, progress, worker.fail))
    await worker.start()
    task = asyncio.create_task(committer.run())
    try:
        yield worker
    finally:
        await worker.stop()
        task.cancel()
