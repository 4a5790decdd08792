"""The intake: nothing is acknowledged before it is committed, nothing is lost, no caller waits indefinitely."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from uuid import UUID

import pytest

from schemas.events.txids import WithdrawalMined
from travelrule.engine import intake as module
from travelrule.engine.input_outcome import InputOutcome
from travelrule.engine.intake import QUEUE_LIMIT, Intake
from travelrule.machine.input import Input, RawMessage, Rejected


class DatabaseDown(Exception):
    """What the fake engine raises while its database is away."""


def database_failed(error: BaseException) -> bool:
    return isinstance(error, DatabaseDown)


def an_input(name: str) -> Input:
    data = WithdrawalMined(withdrawal_id=name)
    at = datetime(2026, 1, 1, tzinfo=UTC)
    return Input("/gateway", name, "withdrawal.mined.v1", f"withdrawal:{name}", at, data, b"{}", UUID(int=1))


@dataclass
class Record:
    """A Kafka delivery that notes its acknowledgement."""

    offset: int
    acknowledged: list[int]
    topic: str = "txids"
    partition: int = 0
    key: bytes | None = b"k"
    value: bytes | None = b"v"
    headers: tuple[tuple[str, bytes], ...] = ()

    def ack(self) -> None:
        self.acknowledged.append(self.offset)


@dataclass
class FakeEngine:
    """Applies what it gets while ``open`` is set; raises the next of ``failures`` first."""

    failures: list[Exception] = field(default_factory=list)
    batches: list[list[str]] = field(default_factory=list)
    open: asyncio.Event = field(default_factory=asyncio.Event)

    def __post_init__(self) -> None:
        self.open.set()

    async def apply(self, items: Sequence[Input | Rejected]) -> list[InputOutcome]:
        await self.open.wait()
        if self.failures:
            raise self.failures.pop(0)
        names = [item.id if isinstance(item, Input) else str(item.raw.offset) for item in items]
        self.batches.append(names)
        return [InputOutcome("applied", name) for name in names]

    @property
    def applied(self) -> list[str]:
        return [name for batch in self.batches for name in batch]


def read(raw: RawMessage) -> Rejected:
    return Rejected(raw, "UNREADABLE")


@asynccontextmanager
async def running(intake: Intake) -> AsyncIterator[asyncio.Task[None]]:
    task = asyncio.create_task(intake.run())
    try:
        yield task
    finally:
        task.cancel()
        with contextlib.suppress(asyncio.CancelledError, ZeroDivisionError):
            await task


async def until(condition: Callable[[], bool]) -> None:
    async with asyncio.timeout(60):
        while not condition():
            await asyncio.sleep(0)


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "DATABASE_RETRY_SECONDS", 0.01)


async def test_records_are_acknowledged_in_order_and_only_after_the_commit() -> None:
    engine, acknowledged = FakeEngine(), []
    engine.open.clear()
    intake = Intake(engine, read, database_failed=database_failed)
    async with running(intake):
        for offset in range(5):
            await intake.put(Record(offset, acknowledged))
        await asyncio.sleep(0.01)
        assert acknowledged == []
        assert intake.pending == 5
        engine.open.set()
        await until(lambda: len(acknowledged) == 5)
    assert acknowledged == [0, 1, 2, 3, 4]
    assert intake.pending == 0


async def test_the_record_reaches_the_reader_whole() -> None:
    seen: list[RawMessage] = []

    def keep(raw: RawMessage) -> Rejected:
        seen.append(raw)
        return Rejected(raw, "X")

    engine = FakeEngine()
    intake = Intake(engine, keep, database_failed=database_failed)
    headers = (("traceparent", b"\x00"),)
    await intake.put(Record(7, [], "wallets", 3, None, None, headers))
    assert seen == [RawMessage("wallets", 3, 7, None, None, headers)]


async def test_while_a_batch_runs_the_next_one_grows_up_to_its_limit() -> None:
    engine, acknowledged = FakeEngine(), []
    intake = Intake(engine, read, database_failed=database_failed, max_batch=4)
    async with running(intake):
        engine.open.clear()
        await intake.put(Record(0, acknowledged))
        await asyncio.sleep(0)
        for offset in range(1, 11):
            await intake.put(Record(offset, acknowledged))
        engine.open.set()
        await until(lambda: len(acknowledged) == 11)
    assert max(len(batch) for batch in engine.batches) == 4
    assert len(engine.batches) <= 4
    assert acknowledged == list(range(11))


async def test_waiters_and_records_share_batches_and_each_gets_its_own_outcome() -> None:
    engine, acknowledged = FakeEngine(), []
    engine.open.clear()
    intake = Intake(engine, read, database_failed=database_failed)
    async with running(intake):
        first = asyncio.ensure_future(intake.submit(an_input("a")))
        await asyncio.sleep(0)
        await intake.put(Record(1, acknowledged))
        second = asyncio.ensure_future(intake.submit(an_input("b")))
        await asyncio.sleep(0)
        engine.open.set()
        assert [(await first).code, (await second).code] == ["a", "b"]
    assert acknowledged == [1]


async def test_a_database_failure_keeps_the_records_in_order_and_tells_the_waiters_at_once() -> None:
    engine, acknowledged = FakeEngine(failures=[DatabaseDown(), DatabaseDown()]), []
    intake = Intake(engine, read, database_failed=database_failed)
    await intake.put(Record(0, acknowledged))
    waiter = asyncio.ensure_future(intake.submit(an_input("a")))
    await asyncio.sleep(0)
    await intake.put(Record(1, acknowledged))
    async with running(intake):
        with pytest.raises(DatabaseDown):
            await waiter
        assert acknowledged == []
        await intake.put(Record(2, acknowledged))
        await until(lambda: len(acknowledged) == 3)
    assert acknowledged == [0, 1, 2]
    assert engine.applied == ["0", "1", "2"], "the waiter was told no: its input must not be applied afterwards"


async def test_a_waiter_after_a_failure_does_not_wait_for_a_pause_that_serves_nobody(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The gateway has a second for its answer; with nothing left to try again there is nothing to pause for."""
    monkeypatch.setattr(module, "DATABASE_RETRY_SECONDS", 60)
    engine = FakeEngine(failures=[DatabaseDown()])
    intake = Intake(engine, database_failed=database_failed)
    async with running(intake), asyncio.timeout(60):
        with pytest.raises(DatabaseDown):
            await intake.submit(an_input("a"))
        assert (await intake.submit(an_input("b"))).code == "b"


async def test_nothing_of_an_order_is_applied_after_a_part_of_it_that_failed() -> None:
    """A database error takes the second of three batches; the third must not be applied without it."""
    engine = FakeEngine()
    batches = engine.apply

    async def second_fails(items: Sequence[Input | Rejected]) -> list[InputOutcome]:
        if len(engine.batches) == 1 and not failed:
            failed.append(items)
            raise DatabaseDown
        return await batches(items)

    failed: list[Sequence[Input | Rejected]] = []
    engine.apply = second_fails  # type: ignore[method-assign]
    intake = Intake(engine, database_failed=database_failed)
    items = [an_input(str(number)) for number in range(500)]
    async with running(intake):
        with pytest.raises(DatabaseDown):
            await intake.submit_in_order(items)
        assert (await intake.submit(an_input("another"))).code == "another", "others do not wait for them"
        assert engine.applied == [*(str(number) for number in range(200)), "another"]
        outcomes = await intake.submit_in_order(items[200:])
    assert [outcome.code for outcome in outcomes] == [str(number) for number in range(200, 500)]
    assert engine.applied[201:] == [str(number) for number in range(200, 500)]


async def test_what_followed_something_that_was_given_up_is_given_up_too() -> None:
    """Their waiter is gone: whether the first was stored is not known, so the rest must wait for a repetition."""
    engine = FakeEngine(failures=[DatabaseDown()])
    engine.open.clear()
    intake = Intake(engine, database_failed=database_failed, max_batch=1)
    async with running(intake):
        order = asyncio.ensure_future(intake.submit_in_order([an_input("a"), an_input("b")]))
        await asyncio.sleep(0)
        order.cancel()
        await asyncio.sleep(0)
        engine.open.set()
        assert (await intake.submit(an_input("c"))).code == "c"
    assert engine.applied == ["c"]


async def test_an_error_that_is_not_the_databases_ends_the_committer_and_reaches_the_waiters() -> None:
    engine, acknowledged = FakeEngine(failures=[ZeroDivisionError()]), []
    intake = Intake(engine, read, database_failed=database_failed)
    async with running(intake) as task:
        await intake.put(Record(0, acknowledged))
        with pytest.raises(ZeroDivisionError):
            await intake.submit(an_input("a"))
        with pytest.raises(ZeroDivisionError):
            await task
    assert acknowledged == [], "it is delivered again after the restart"


async def test_a_full_queue_holds_the_producers_back() -> None:
    engine, acknowledged = FakeEngine(), []
    engine.open.clear()
    intake = Intake(engine, read, database_failed=database_failed)

    async def produce() -> None:
        for offset in range(QUEUE_LIMIT + 500):
            await intake.put(Record(offset, acknowledged))

    async with running(intake):
        producer = asyncio.create_task(produce())
        await until(lambda: intake.pending >= QUEUE_LIMIT)
        for _ in range(1_000):
            await asyncio.sleep(0)
        assert not producer.done()
        assert intake.pending <= QUEUE_LIMIT + module.MAX_BATCH
        engine.open.set()
        await producer
        await until(lambda: len(acknowledged) == QUEUE_LIMIT + 500)
    assert acknowledged == list(range(QUEUE_LIMIT + 500))


async def test_a_waiter_that_gave_up_harms_nobody_and_its_input_is_still_applied() -> None:
    engine = FakeEngine()
    engine.open.clear()
    intake = Intake(engine, database_failed=database_failed)
    async with running(intake):
        impatient = asyncio.ensure_future(intake.submit(an_input("a")))
        patient = asyncio.ensure_future(intake.submit(an_input("b")))
        await asyncio.sleep(0)
        impatient.cancel()
        engine.open.set()
        assert (await patient).code == "b"
    assert engine.applied == ["a", "b"]


async def test_a_waiter_that_gave_up_before_a_database_failure_harms_nobody() -> None:
    engine = FakeEngine(failures=[DatabaseDown()])
    engine.open.clear()
    intake = Intake(engine, database_failed=database_failed)
    async with running(intake):
        impatient = asyncio.ensure_future(intake.submit(an_input("a")))
        await asyncio.sleep(0)
        impatient.cancel()
        await asyncio.sleep(0)
        engine.open.set()
        assert (await intake.submit(an_input("b"))).code == "b"


async def test_cancelled_between_two_batches_nothing_is_acknowledged_that_was_not_committed() -> None:
    engine, acknowledged = FakeEngine(), []
    engine.open.clear()
    intake = Intake(engine, read, database_failed=database_failed)
    async with running(intake):
        await intake.put(Record(0, acknowledged))
        await asyncio.sleep(0.01)
    assert acknowledged == []
    assert engine.batches == []


async def test_progress_is_told_after_each_batch() -> None:
    engine, ticks = FakeEngine(), []
    intake = Intake(engine, database_failed=database_failed, on_progress=lambda: ticks.append(intake.pending))
    async with running(intake):
        await intake.submit(an_input("a"))
        await intake.submit(an_input("b"))
        await until(lambda: len(ticks) == 2)
    assert ticks == [0, 0]


async def test_an_intake_without_reader_takes_no_records() -> None:
    with pytest.raises(RuntimeError, match="reader"):
        await Intake(FakeEngine(), database_failed=database_failed).put(Record(0, []))
