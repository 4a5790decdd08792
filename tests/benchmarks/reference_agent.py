"""The reference of an accepted event: a Faust agent in the same set-up that only decodes.

The same application, topics, buffers and codec; each event is acknowledged when it is decoded. Writes the moments of
its progress into a file.
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from time import perf_counter
from typing import Any

import orjson
import uvloop

from agents import register_all
from streams.app import create_app
from streams.codec import reader
from streams.connection import connect
from streams.delivery import Inlet
from streams.progress import CommitProgress
from streams.topics import Topics
from streams.worker import FaustWorker
from travelrule.engine.ports import Delivery
from travelrule.machine.input import Input, RawMessage
from travelrule.settings import Settings


class Decoding:
    """Decodes and acknowledges; ``done`` is set after ``count`` events."""

    def __init__(self, count: int, first_at: Callable[[], None]) -> None:
        self._count = count
        self._first_at = first_at
        self._read = reader(lambda: datetime.now(UTC))
        self._seen = 0
        self.done = asyncio.Event()

    async def put(self, delivery: Delivery) -> None:
        """Take one record."""
        if not self._seen:
            self._first_at()
        raw = RawMessage(
            delivery.topic, delivery.partition, delivery.offset, delivery.key, delivery.value, delivery.headers
        )
        assert isinstance(self._read(raw), Input)
        delivery.ack()
        self._seen += 1
        if self._seen == self._count:
            self.done.set()


async def main(options: dict[str, Any]) -> None:
    """Decode all events of the topic, then write how long that took."""
    settings = Settings.load()
    connection = connect(settings)
    topics = Topics(settings.topic_prefix)
    app = create_app(settings, connection)
    worker = FaustWorker(app, connection, topics, CommitProgress())
    began: list[float] = []
    decoding = Decoding(options["count"], lambda: began.append(perf_counter()))
    register_all(app, topics, Inlet(topics, decoding.put, CommitProgress(), worker.fail))
    await worker.start()
    await decoding.done.wait()
    took = perf_counter() - began[0]
    Path(options["result"]).write_bytes(orjson.dumps({"seconds": took}))
    await worker.stop()


if __name__ == "__main__":
    uvloop.run(main(orjson.loads(sys.argv[1])))
