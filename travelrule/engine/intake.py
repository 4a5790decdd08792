"""Intake: many producers, one committer per process, batches as large as the moment allows.

Kafka deliveries and synchronous callers share the batches. The committer takes whatever is there (up to a limit),
applies it in one transaction, then acknowledges the deliveries in order of arrival and resolves the waiting
futures. A transaction costs as much as many inputs. So two of them begin at least ``GATHER_SECONDS`` apart, and one is
followed by a pause as long as itself, unless a batch is full: under load the batches become large by themselves, and
the busier the machine, the larger. At rest a single input is applied at once.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from travelrule import metrics
from travelrule.engine.input_outcome import InputOutcome
from travelrule.engine.periodic_job import Outage
from travelrule.engine.ports import Delivery
from travelrule.machine.input import Input, RawMessage, Rejected

MAX_BATCH = 200
GATHER_SECONDS = 0.02
PAUSE_SECONDS_MAX = 0.05
RECORDS_SHARE = 4
"""A quarter of a batch is for Kafka records if so many wait; the rest is first for those that wait for an answer."""
QUEUE_LIMIT = 1000
DATABASE_RETRY_SECONDS = 1.0
"""The longest pause: meanwhile callers that wait for an answer are refused."""

Read = Callable[[RawMessage], Input | Rejected]


class InputApplier(Protocol):
    """What the intake needs of the engine."""

    async def apply(self, items: Sequence[Input | Rejected]) -> list[InputOutcome]:
        """See ``Engine.apply``."""


@dataclass(slots=True)
class _Waiting:
    """A queued input, with the future of its caller; ``item`` None is a heartbeat, which has no effect."""

    item: Input | Rejected | None
    delivery: Delivery | None
    future: asyncio.Future[InputOutcome | None] | None
    after: asyncio.Future[InputOutcome | None] | None = None

    @property
    def overtakes(self) -> bool:
        """Whether what must come before it was not applied, or may not have been."""
        return self.after is not None and self.after.done() and not _applied(self.after)


class Intake:
    """The bounded queue in front of ``transaction`` and the single committer behind it.

    A stalled database stalls the queue (that is the intended back-pressure): nothing is acknowledged, the producers
    wait, and the committer tries again until the database answers or the process is ended by its liveness probe.
    """

    def __init__(
        self,
        engine: InputApplier,
        read: Read | None = None,
        *,
        database_failed: Callable[[BaseException], bool],
        max_batch: int = MAX_BATCH,
        gather_s: float = GATHER_SECONDS,
        on_progress: Callable[[], None] = lambda: None,
    ) -> None:
        self._engine = engine
        self._read = read
        self._database_failed = database_failed
        self._max_batch = max_batch
        self._on_progress = on_progress
        self._gather_s = gather_s
        self._records: asyncio.Queue[_Waiting] = asyncio.Queue(QUEUE_LIMIT)
        self._asked: asyncio.Queue[_Waiting] = asyncio.Queue(QUEUE_LIMIT)
        self._news = asyncio.Event()
        self._full = asyncio.Event()
        self._in_hand = 0
        self._outage = Outage("intake", pause_max=DATABASE_RETRY_SECONDS)

    async def put(self, delivery: Delivery) -> None:
        """Take one Kafka record; it is acknowledged after the commit, in order. Waits while the queue is full."""
        if self._read is None:
            raise RuntimeError("this intake was made without a reader of Kafka records")
        raw = RawMessage(
            delivery.topic,
            delivery.partition,
            delivery.offset,
            delivery.key,
            delivery.value,
            delivery.headers,
        )
        await self._records.put(_Waiting(self._read(raw), delivery, None))
        self._arrived()

    def submit(self, item: Input | Rejected) -> Awaitable[InputOutcome]:
        """Apply one input and wait for its outcome. If the database fails the waiter gets the error at once (a
        synchronous caller must answer within its deadline); Kafka records stay queued.
        """
        return self._submit(item)

    async def pass_heartbeat(self) -> None:
        """Wait until everything that was in the queue before this call is committed. Raise what the database raises."""
        await self._enqueued(self._records, None)

    async def submit_in_order(self, items: Sequence[Input | Rejected]) -> list[InputOutcome]:
        """Apply inputs and wait for their outcomes. If the database fails for one, those after it are not applied."""
        loop = asyncio.get_running_loop()
        futures: list[asyncio.Future[InputOutcome | None]] = [loop.create_future() for _ in items]
        try:
            for item, future, after in zip(items, futures, [None, *futures], strict=False):
                await self._asked.put(_Waiting(item, None, future, after))
                self._arrived()
            return [_of_input(outcome) for outcome in await asyncio.gather(*futures)]
        finally:
            for future in futures:
                future.cancel()

    async def _submit(self, item: Input | Rejected) -> InputOutcome:
        return _of_input(await self._enqueued(self._asked, item))

    async def _enqueued(self, queue: asyncio.Queue[_Waiting], item: Input | Rejected | None) -> InputOutcome | None:
        future: asyncio.Future[InputOutcome | None] = asyncio.get_running_loop().create_future()
        await queue.put(_Waiting(item, None, future))
        self._arrived()
        return await future

    def _arrived(self) -> None:
        self._news.set()
        if self._queued >= self._max_batch:
            self._full.set()

    @property
    def _queued(self) -> int:
        return self._records.qsize() + self._asked.qsize()

    @property
    def pending(self) -> int:
        """Inputs taken but not yet committed."""
        return self._queued + self._in_hand

    async def run(self) -> None:
        """The committer. Ends only by cancellation, or with the error that makes the process unable to go on."""
        loop = asyncio.get_running_loop()
        next_at = loop.time()
        metrics.INTAKE_PENDING.set(0)
        metrics.INTAKE_PENDING.set_function(lambda: self.pending)
        while True:
            await self._gather(next_at)
            began = loop.time()
            batch = self._take()
            self._in_hand = len(batch)
            await self._commit(batch)
            ended = loop.time()
            next_at = max(began + self._gather_s, ended + min(ended - began, PAUSE_SECONDS_MAX))
            self._in_hand = 0
            self._on_progress()

    async def _gather(self, not_before: float) -> None:
        """Wait for something to do, and then for more of it until the time has come or a batch is full."""
        while not self._queued:
            self._news.clear()
            await self._news.wait()
        self._full.clear()
        if self._queued < self._max_batch and not_before > asyncio.get_running_loop().time():
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout_at(not_before):
                    await self._full.wait()

    def _take(self) -> list[_Waiting]:
        records = min(self._records.qsize(), self._max_batch // RECORDS_SHARE)
        asked = min(self._asked.qsize(), self._max_batch - records)
        records = min(self._records.qsize(), self._max_batch - asked)
        return [
            *(self._asked.get_nowait() for _ in range(asked)),
            *(self._records.get_nowait() for _ in range(records)),
        ]

    async def _commit(self, batch: list[_Waiting]) -> None:
        batch = _without_overtaking(batch)
        while batch:
            try:
                outcomes = await self._engine.apply([waiting.item for waiting in batch if waiting.item is not None])
            except Exception as error:
                if not self._database_failed(error):
                    self._fail(batch, error)
                    raise
                pause = self._outage.record_failure(error)
                batch = self._fail(batch, error)
                if batch:
                    await self._pause(error, pause)
                continue
            self._outage.end()
            decided = iter(outcomes)
            for waiting in batch:
                outcome = next(decided) if waiting.item is not None else None
                if waiting.delivery is not None:
                    waiting.delivery.ack()
                if waiting.future is not None and not waiting.future.done():
                    waiting.future.set_result(outcome)
            return

    async def _pause(self, error: Exception, seconds: float) -> None:
        """Before records are tried again: the database does not announce its return. Inputs that arrive meanwhile
        with a waiting caller fail at once.
        """
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                while True:
                    self._fail([self._asked.get_nowait() for _ in range(self._asked.qsize())], error)
                    self._news.clear()
                    await self._news.wait()

    def _fail(self, batch: list[_Waiting], error: Exception) -> list[_Waiting]:
        """Fail the inputs with a waiting caller; return those from Kafka."""
        kept = []
        for waiting in batch:
            if waiting.future is None:
                kept.append(waiting)
            elif not waiting.future.done():
                waiting.future.set_exception(error)
        return kept


def _of_input(outcome: InputOutcome | None) -> InputOutcome:
    assert outcome is not None  # noqa: S101 -- only a heartbeat has none
    return outcome


def _applied(future: asyncio.Future[InputOutcome | None]) -> bool:
    return not future.cancelled() and future.exception() is None


def _without_overtaking(batch: list[_Waiting]) -> list[_Waiting]:
    """Cancel the inputs whose predecessor was not applied, and so on down the line."""
    kept = []
    for waiting in batch:
        if waiting.overtakes and waiting.future is not None:
            waiting.future.cancel()
        else:
            kept.append(waiting)
    return kept
