"""A worker in a process of its own that reports when its group rebalances, and stops on request.

``python -m tests.contract.streams.stopping_worker BOOTSTRAP PREFIX STOP_SECONDS``. It writes ``joined``, later
``rebalancing``, reads a line, stops its worker and writes ``stopped``.
"""

from __future__ import annotations

import asyncio
import os
import sys

from streams.connection import Connection
from streams.topics import Topics
from tests.contract.streams.worker import Committer, consuming
from tests.contract.streams.worker_processes import QUICK
from travelrule.settings import Settings


def _say(text: str) -> None:
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


async def main(bootstrap: str, prefix: str) -> None:
    settings = Settings(broker_url=f"kafka://{bootstrap}", topic_prefix=prefix, consumer_group=f"{prefix}group")
    committer, everything = Committer(), 4 * len(Topics(prefix).inputs())
    async with consuming(settings, Connection((bootstrap,)), committer, timing=QUICK) as worker:
        await committer.until(lambda: len(worker.assignment()) == everything)
        _say("joined")
        await committer.until(lambda: 0 < len(worker.assignment()) < everything and not worker._app.rebalancing)
        await committer.until(lambda: bool(worker._app.rebalancing), 120)
        _say("rebalancing")
        await asyncio.to_thread(sys.stdin.readline)
        await worker.stop()
        _say("stopped")
        os._exit(0)


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
