"""Several processes apply retention, and one of them is killed in the middle of a transaction."""

from __future__ import annotations

import asyncio
import sys
from datetime import timedelta
from pathlib import Path

import pytest

from tests.contract.engine.retention.aged_subjects import LATE, given_up, keys, put, retention, sent
from tests.contract.store.rows import read
from travelrule.engine.retention import job as module
from travelrule.engine.retention.job import RetentionCounts
from travelrule.engine.vault import Vault
from travelrule.store.database import Database
from travelrule.store.leases import LeaseRepository

PROCESS = Path(__file__).with_name("retention_process.py")


async def another(url: str, name: str, stop_at: int = 0) -> asyncio.subprocess.Process:
    arguments = (str(PROCESS), url, name, LATE.isoformat(), str(stop_at))
    return await asyncio.create_subprocess_exec(sys.executable, *arguments, stdout=asyncio.subprocess.PIPE)


async def test_killed_in_the_middle_whole_pages_are_done_and_the_next_goes_on(
    database_url: str, database: Database, vault: Vault
) -> None:
    await put(database, vault, {f"withdrawal:w-{n:02}": sent(f"w-{n:02}") for n in range(30)})
    process = await another(database_url, module.LEASE, stop_at=3)
    assert process.stdout is not None
    assert await asyncio.wait_for(process.stdout.readline(), 60) == b"in the middle\n"
    process.kill()
    await process.wait()
    assert len(await given_up(database)) == 10
    assert (await retention(database, vault, LATE).round()).total == 0, "the dead one still has the lease"
    later = LATE + timedelta(seconds=module.LEASE_SECONDS + 1)
    async with asyncio.timeout(60):  # PostgreSQL may take a moment to see that the other side is gone
        while (await read(database, keys)) != []:
            await retention(database, vault, later).round()
    assert len(await given_up(database)) == 30


async def test_two_processes_at_once_give_up_each_subject_once(
    database_url: str, database: Database, vault: Vault
) -> None:
    """Each has a lease of its own here, so that only the locks keep them apart."""
    await put(database, vault, {f"withdrawal:w-{n:02}": sent(f"w-{n:02}") for n in range(40)})
    processes = [await another(database_url, name) for name in ("one", "two")]
    outputs = [await asyncio.wait_for(process.communicate(), 60) for process in processes]
    assert [process.returncode for process in processes] == [0, 0]
    counted = sum(int(output) for output, _ in outputs)
    counted += (await retention(database, vault, LATE).round()).subjects
    assert counted == 40
    assert len(await given_up(database)) == 40


async def test_the_loop_outlives_a_database_failure_and_nothing_else(
    database: Database, vault: Vault, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "INTERVAL_SECONDS", 0)
    task = retention(database, vault, LATE)
    failures: list[BaseException] = [ConnectionResetError(), ZeroDivisionError()]

    async def fail() -> RetentionCounts:
        raise failures.pop(0)

    monkeypatch.setattr(task, "round", fail)
    with pytest.raises(ZeroDivisionError):
        await task.run(lambda error: isinstance(error, OSError))
    assert failures == []


async def test_only_who_has_the_lease_deletes(database: Database, vault: Vault) -> None:
    await put(database, vault, {"withdrawal:w-1": sent()})
    assert await LeaseRepository(database, "north", "other", lambda: LATE).take(module.LEASE, 60)
    assert (await retention(database, vault, LATE).round()).total == 0
    assert (await retention(database, vault, LATE + timedelta(seconds=61)).round()).subjects == 1
