"""A process that does one job on PostgreSQL and stops itself (SIGSTOP) right after a statement of it.

``python -m tests.contract.store.freezing_process URL JOB PATTERN``: it writes ``frozen`` when it is about to stop.
After SIGCONT it writes ``done``, or ``repeated N`` if the database ended its transaction and it began again, as the
program's loops do.
"""

from __future__ import annotations

import asyncio
import os
import re
import signal
import sys
from typing import Any

from sqlalchemy import event

from tests.contract.store.frozen_jobs import JOBS, QUICK
from travelrule.store.database import Database, is_infrastructure_failure

REPEATS_MAX = 5


def _freeze_after(database: Database, pattern: str) -> None:
    left = [re.compile(pattern)]

    @event.listens_for(database.engine.sync_engine, "after_cursor_execute")
    def stop(_connection: Any, _cursor: Any, statement: str, *_: Any) -> None:
        if left and left[0].search(statement):
            left.clear()
            _say("frozen")
            os.kill(os.getpid(), signal.SIGSTOP)


def _say(text: str) -> None:
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


async def main(url: str, job: str, pattern: str) -> None:
    database = Database(url, limits=QUICK)
    _freeze_after(database, pattern)
    for attempt in range(REPEATS_MAX):
        try:
            await JOBS[job](database, "frozen")
        except Exception as error:
            if not is_infrastructure_failure(error):
                raise
        else:
            _say(f"repeated {attempt}" if attempt else "done")
            break
    await database.dispose()


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
