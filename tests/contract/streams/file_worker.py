"""A worker in a process of its own, to be killed: its database is a file that it appends to.

``python -m tests.contract.streams.file_worker BOOTSTRAP PREFIX FILE COMMIT_SECONDS``. Each committed record is a
line ``PID PARTITION OFFSET VALUE``, synced to disk before the record is acknowledged.
"""

from __future__ import annotations

import asyncio
import os
import sys

from agents import register_all
from streams.app import Timing, create_app
from streams.connection import connect
from streams.delivery import Inlet
from streams.progress import CommitProgress
from streams.topics import Topics
from streams.worker import FaustWorker
from travelrule.engine.ports import Delivery
from travelrule.settings import Settings

TIMING = Timing(commit_interval_s=0.2, heartbeat_s=0.5, session_s=3.0, rebalance_s=10.0)


async def commit(queue: asyncio.Queue[Delivery], file: int, seconds: float) -> None:
    """Batches like the engine's: take what is there, write it at once, then acknowledge in order."""
    while True:
        batch = [await queue.get()]
        while len(batch) < 50 and not queue.empty():
            batch.append(queue.get_nowait())
        await asyncio.sleep(seconds)  # the work of the transaction
        lines = b"".join(b"%d %d %d %b\n" % (os.getpid(), d.partition, d.offset, d.value or b"") for d in batch)
        os.write(file, lines)
        os.fsync(file)
        for delivery in batch:
            delivery.ack()


async def main(bootstrap: str, prefix: str, path: str, seconds: str) -> None:
    settings = Settings(broker_url=f"kafka://{bootstrap}", topic_prefix=prefix, consumer_group=f"{prefix}group")
    topics, progress = Topics(prefix), CommitProgress()
    connection = connect(settings)
    queue: asyncio.Queue[Delivery] = asyncio.Queue(100)
    app = create_app(settings, connection, TIMING)
    worker = FaustWorker(app, connection, topics, progress)
    register_all(app, topics, Inlet(topics, queue.put, progress, worker.fail))
    file = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
    committing = asyncio.create_task(commit(queue, file, float(seconds)))
    await worker.start()
    sys.stdout.write("started\n")
    sys.stdout.flush()
    await asyncio.wait({committing, asyncio.create_task(worker.failure())}, return_when=asyncio.FIRST_COMPLETED)
    os._exit(1)


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
