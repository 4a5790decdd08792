"""A process that is frozen while it holds a lock stops the others for a bounded time, and wakes up harmless."""

from __future__ import annotations

import asyncio
import signal
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, suppress

import psutil
import pytest

from tests.contract.store.databases import url_of
from tests.contract.store.frozen_jobs import JOBS, QUICK, engine
from tests.services.process import ROOT
from tests.support.toy_machine import told
from travelrule.store import schema_version, tables
from travelrule.store.database import Database, is_infrastructure_failure

pytestmark = pytest.mark.services

PATIENCE_SECONDS = 90
"""For a slow machine. Without limits in the server the others would wait until the process wakes: here, never."""

AT_ONCE = {
    "lease": "INSERT INTO leases",
    "nonces": "INSERT INTO nonces",
    "profile": "profiles",
    "claims": "UPDATE outbox",
}
"""Locks of one statement: no process waits, and the statement of the frozen process is committed."""
IN_TRANSACTIONS = {
    "subject": "FOR UPDATE",
    "list": "pg_advisory_xact_lock",
    "audit log": "pg_advisory_xact_lock",
    "migration": "pg_advisory_xact_lock",
    "keys": "pg_advisory_xact_lock",
    "directory": "UPDATE directory_fetches",
}
"""Locks of a transaction of several statements: the server ends it, and the process begins again."""


@pytest.fixture
def database_url(request: pytest.FixtureRequest, tmp_path: object) -> Iterator[str]:
    yield from url_of("postgresql", request, tmp_path)  # type: ignore[arg-type]


@pytest.fixture
async def database(database_url: str) -> AsyncIterator[Database]:
    opened = Database(database_url, limits=QUICK)
    await engine(opened).apply([told("first", "w-1", input_id="first"), told("emit", "w-9", input_id="emits")])
    yield opened
    await opened.dispose()


@asynccontextmanager
async def frozen(url: str, job: str, pattern: str) -> AsyncIterator[asyncio.subprocess.Process]:
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        "tests.contract.store.freezing_process",
        url,
        job,
        pattern,
        cwd=ROOT,
        stdout=asyncio.subprocess.PIPE,
    )
    try:
        assert await line(process) == "frozen"
        async with asyncio.timeout(PATIENCE_SECONDS):
            while psutil.Process(process.pid).status() != psutil.STATUS_STOPPED:
                await asyncio.sleep(0.01)  # between its word and its stop
        yield process
    finally:
        with suppress(ProcessLookupError):
            process.kill()
        await process.wait()


async def line(process: asyncio.subprocess.Process) -> str:
    assert process.stdout is not None
    async with asyncio.timeout(PATIENCE_SECONDS):
        return (await process.stdout.readline()).decode().strip()


async def repeatedly(database: Database, job: str) -> int:
    """Do the job as the program does: again after a failure of the database. Gives the number of failures."""
    failures = 0
    async with asyncio.timeout(PATIENCE_SECONDS):
        while True:
            try:
                await JOBS[job](database, "awake")
            except Exception as error:
                if not is_infrastructure_failure(error):
                    raise
                failures += 1
            else:
                return failures


@pytest.mark.parametrize("job", AT_ONCE)
async def test_a_lock_of_one_statement_is_not_held_by_a_frozen_process(
    database: Database, database_url: str, job: str
) -> None:
    async with frozen(database_url, job, AT_ONCE[job]) as process:
        assert await repeatedly(database, job) == 0
        process.send_signal(signal.SIGCONT)
        assert await line(process) == "done"


@pytest.mark.parametrize("job", IN_TRANSACTIONS)
async def test_a_frozen_transaction_is_ended_and_begun_again(database: Database, database_url: str, job: str) -> None:
    async with frozen(database_url, job, IN_TRANSACTIONS[job]) as process:
        await repeatedly(database, job)
        process.send_signal(signal.SIGCONT)
        assert (await line(process)).startswith("repeated")
    assert await schema_version.stored_revision(database) == schema_version.newest_revision()


async def test_both_processes_decided_once_about_the_subject_and_nothing_is_a_dead_letter(
    database: Database, database_url: str
) -> None:
    async with frozen(database_url, "subject", "FOR UPDATE") as process:
        await repeatedly(database, "subject")
        process.send_signal(signal.SIGCONT)
        assert (await line(process)).startswith("repeated")
    async with database.read() as connection:
        assert (await connection.execute(tables.dead_letters.select())).all() == []
        rows = (await connection.execute(tables.subjects.select())).all()
        inputs = (await connection.execute(tables.inputs.select())).all()
    assert {row.subject: row.records for row in rows} == {"withdrawal:w-1": 3, "withdrawal:w-9": 1}
    assert sorted(row.id for row in inputs) == ["awake", "emits", "first", "frozen"]
    (outcome,) = await engine(database).apply([told("frozen", "w-1", input_id="frozen")])
    assert outcome.status == "duplicate"


async def test_the_lists_of_both_processes_are_whole(database: Database, database_url: str) -> None:
    async with frozen(database_url, "list", "pg_advisory_xact_lock") as process:
        await repeatedly(database, "list")
        process.send_signal(signal.SIGCONT)
        assert (await line(process)).startswith("repeated")
    async with database.read() as connection:
        lists = (await connection.execute(tables.lists.select())).all()
    assert sorted((row.version[0], row.active) for row in lists) == [("a", False), ("f", True)]
