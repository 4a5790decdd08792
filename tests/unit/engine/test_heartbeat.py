"""A heartbeat passes behind every queued record, and fails with the database."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from datetime import UTC, datetime

import pytest

from travelrule import metrics
from travelrule.engine.heartbeat import HeartbeatJob
from travelrule.engine.input_outcome import InputOutcome
from travelrule.engine.intake import Intake
from travelrule.machine.input import Input, RawMessage, Rejected

REJECTED = Rejected(RawMessage("deposits", 0, 0, b"k", b"v", ()), "INVALID", "", "")


class Engine:
    """Applies nothing until it may; fails while its database is away."""

    def __init__(self) -> None:
        self.may = asyncio.Event()
        self.applied: list[int] = []
        self.failure: Exception | None = None

    async def apply(self, items: Sequence[Input | Rejected]) -> list[InputOutcome]:
        await self.may.wait()
        if self.failure is not None:
            raise self.failure
        self.applied.append(len(items))
        return [InputOutcome("rejected") for _ in items]


def beaten() -> float | None:
    return metrics.REGISTRY.get_sample_value("travelrule_heartbeat_timestamp_seconds")


class Table:
    def __init__(self) -> None:
        self.rows = 0

    async def write(self) -> None:
        self.rows += 1


async def test_a_heartbeat_arrives_after_the_records_before_it_are_committed_and_a_row_is_written() -> None:
    engine, table = Engine(), Table()
    intake = Intake(engine, lambda _: REJECTED, database_failed=lambda error: isinstance(error, OSError))
    at = datetime(2026, 11, 22, tzinfo=UTC).timestamp()
    job = HeartbeatJob(intake, table.write, lambda: at)
    committer = asyncio.create_task(intake.run())
    try:
        submitted = asyncio.ensure_future(intake.submit(REJECTED))
        beating = asyncio.create_task(job.round())
        while intake.pending < 2:
            await asyncio.sleep(0)
        assert (beaten() == at, table.rows) == (False, 0)
        engine.may.set()
        await beating
        assert (beaten(), table.rows) == (at, 1)
        assert submitted.done()
        assert sum(engine.applied) == 1, "a heartbeat is no input"
    finally:
        committer.cancel()
        await asyncio.gather(committer, return_exceptions=True)


async def test_a_heartbeat_fails_with_the_batch_that_it_is_in() -> None:
    engine, table = Engine(), Table()
    intake = Intake(engine, lambda _: REJECTED, database_failed=lambda error: isinstance(error, OSError))
    engine.failure = ConnectionResetError()
    engine.may.set()
    committer = asyncio.create_task(intake.run())
    try:
        before = beaten()
        submitted = asyncio.ensure_future(intake.submit(REJECTED))
        with pytest.raises(ConnectionResetError):
            await HeartbeatJob(intake, table.write).round()
        assert (beaten(), table.rows) == (before, 0)
        with pytest.raises(ConnectionResetError):
            await submitted
    finally:
        committer.cancel()
        await asyncio.gather(committer, return_exceptions=True)
