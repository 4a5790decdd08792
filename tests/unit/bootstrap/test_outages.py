"""Every periodic task of a process during two minutes without database: few attempts, one log line per outage."""

from __future__ import annotations

import asyncio
import logging
from collections import Counter
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest
from sqlalchemy.ext.asyncio import AsyncConnection

from streams.connection import Connection
from tests.support import manual_time
from tests.support.command_line import environment
from travelrule.bootstrap import installation
from travelrule.bootstrap.worker_role import WorkerRole
from travelrule.engine.intake import Intake
from travelrule.machine.input import Rejected
from travelrule.policy.policy import Policy
from travelrule.settings import Settings
from travelrule.store.database import Database, is_infrastructure_failure

OUTAGE_SECONDS = 120
ATTEMPTS_MAX = 30
"""Of one task in two minutes, with a pause that doubles from half a second to five."""
ANNOUNCED_MAX = OUTAGE_SECONDS + 5
"""Of a task that commits of another process wake each second, however that one reaches the database."""
COMMITTER_MAX = 125
"""The committer pauses for a second at most: requests that wait for an answer are then refused."""
TOO_MANY = 10_000
"""A task that never waits would keep the test from ending."""


KEEPS = "[retention]\nsubjects = 30\n"


@dataclass
class Record:
    """A message that was taken from Kafka and waits to be committed."""

    topic: str = "withdrawals"
    partition: int = 0
    offset: int = 0
    key: bytes | None = b"w-1"
    value: bytes | None = b"{}"
    headers: tuple[tuple[str, bytes], ...] = ()

    def ack(self) -> None:
        raise AssertionError("nothing was committed")


class Unreachable(Database):
    """A database whose server is gone; counts who tries to reach it."""

    def __init__(self, folder: Path) -> None:
        super().__init__(f"sqlite+aiosqlite:///{folder / 'x.sqlite3'}")
        self.attempts: Counter[str] = Counter()

    @asynccontextmanager
    async def _refuse(self) -> AsyncIterator[AsyncConnection]:
        task = asyncio.current_task()
        name = task.get_name() if task else ""
        self.attempts[name] += 1
        if self.attempts[name] > TOO_MANY:
            raise RuntimeError(f"{name} does not wait")
        await asyncio.sleep(0)
        raise ConnectionRefusedError
        yield

    begin = read = single = snapshot = _refuse


class Process:
    """The parts of a worker, put together as ``serve`` does; nothing is connected."""

    def __init__(self, folder: Path) -> None:
        settings = Settings.load(environment(folder))
        self.database = Unreachable(folder)
        self.opened = installation._assemble(settings, installation.load_profile(settings), self.database)
        self.hub = installation.open_hub(self.opened)
        self.lists = installation.open_lists(self.opened)
        self.opened.policy._current = Policy.from_toml(KEEPS)
        self.intake = Intake(
            self.opened.engine, lambda raw: Rejected(raw, "UNREADABLE"), database_failed=is_infrastructure_failure
        )
        worker = WorkerRole(
            self.opened,
            Connection(("127.0.0.1:9",)),
            self.hub,
            installation.open_counterparties(self.opened, self.hub),
            self.intake,
            self.lists,
        )
        self.loops = [
            self.intake.run(),
            self.opened.policy.run(is_infrastructure_failure),
            self.lists.run(is_infrastructure_failure),
            *worker.background(),
        ]

    def commit(self) -> None:
        """What a commit of another process, or one just before the outage, announces here."""
        self.opened.engine.committed.announce("outbox,calls,tells,wallets")


async def played(process: Process, each_second: Callable[[], None]) -> None:
    await process.intake.put(Record())
    tasks = [asyncio.create_task(loop, name=loop.__qualname__) for loop in process.loops]
    for _ in range(OUTAGE_SECONDS):
        await asyncio.sleep(1)
        each_second()
    assert [task.get_name() for task in tasks if task.done()] == []
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    await process.hub.aclose()


@pytest.mark.parametrize("announced", ["before the outage", "each second"])
def test_no_task_presses_a_database_that_is_gone(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, announced: str
) -> None:
    process: list[Process] = []

    async def outage() -> None:
        process.append(Process(tmp_path))
        process[0].commit()
        await played(process[0], process[0].commit if announced == "each second" else lambda: None)

    manual_time.run(outage())
    attempts = process[0].database.attempts
    assert set(attempts) == {loop.__qualname__ for loop in process[0].loops} - {"WorkerRole._watch_lag"}
    assert attempts.pop("Intake.run") <= COMMITTER_MAX
    most = ANNOUNCED_MAX if announced == "each second" else ATTEMPTS_MAX
    assert {name: count for name, count in attempts.items() if count > most} == {}
    lines = Counter(record.getMessage() for record in caplog.records if record.levelno >= logging.WARNING)
    assert lines == {"database-unavailable": len(attempts) + 1}, "one line per task and outage"
