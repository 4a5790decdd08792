"""``apply()``: the only path by which anything changes (design section 2).

A batch of inputs is one SQL transaction. A transaction that lost a race is repeated. One that fails for its content is
bisected until the one faulty input is found and dead-lettered. If the database fails, no input is at fault and the
error is raised.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from typing import TypeVar

from travelrule import logs, metrics
from travelrule.engine.apply.batch_rows import BatchRows
from travelrule.engine.apply.commit_signal import CommitSignal
from travelrule.engine.apply.dead_letter_rows import DeadLetterHeaders
from travelrule.engine.apply.observations import count_observations
from travelrule.engine.apply.preclaimed import PreclaimedCalls, PreclaimedEvents
from travelrule.engine.apply.subject_loader import SubjectLoader
from travelrule.engine.apply.transaction import BatchTransaction, write_rows
from travelrule.engine.committed_lines import write_facts
from travelrule.engine.input_outcome import InputOutcome
from travelrule.engine.ports import CallPreclaimer, EventPreclaimer
from travelrule.engine.vault import Vault
from travelrule.machine.effects import Alert
from travelrule.machine.input import Input, Rejected
from travelrule.machine.port import Machine
from travelrule.policy.policy import Policy
from travelrule.store.database import Database, is_infrastructure_failure, is_lost_race, is_serialisation_failure

MAX_REPEATS = 10
MAX_LOST_RACES = 3
"""Another process inserted the same new key first: a repetition finds its rows. A batch that loses this often, however
many other collisions lie between, is at fault by its content.
"""
REPEAT_DELAY_SECONDS = 0.02

_Result = TypeVar("_Result")

log = logs.get("engine")


class Engine:
    """Applies batches for one VASP. Safe to run in any number of processes against one database."""

    def __init__(
        self,
        vasp: str,
        database: Database,
        machines: dict[str, Machine],
        vault: Vault,
        policy: Callable[[], Policy],
        dead_letter_headers: DeadLetterHeaders,
        *,
        deadletter_plain: bool = False,
        clock: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        self.vasp = vasp
        self.database = database
        self.vault = vault
        self.policy = policy
        self.clock = clock
        self.committed = CommitSignal()
        self.calls: CallPreclaimer | None = None
        """The dispatcher of this process's calls, if it runs one."""
        self.events: EventPreclaimer | None = None
        """The relay of this process's events, if it runs one."""
        self._machines = machines
        self.loader = SubjectLoader(vasp, vault, machines)
        self._dead_letter_headers = dead_letter_headers
        self._deadletter_plain = deadletter_plain

    async def apply(self, items: Sequence[Input | Rejected]) -> list[InputOutcome]:
        """Apply ``items`` in order and return the outcome of each. Raise only if the database fails."""
        if not items:
            return []
        try:
            return await self._repeatedly(lambda: self._apply_once(items))
        except Exception as error:
            # The boundary between "this content cannot be stored" and "the database is gone".
            if is_infrastructure_failure(error) or is_serialisation_failure(error):
                raise
            if len(items) > 1:
                middle = len(items) // 2
                return [*await self.apply(items[:middle]), *await self.apply(items[middle:])]
            return [await self._give_up_on(items[0], error)]

    async def alert(self, subject: str, alert: Alert) -> None:
        """Raise an operator alert that no input led to, for example about a call result that cannot be stored."""
        batch = await self._repeatedly(lambda: self._alert_once(subject, alert))
        _report(batch)
        self.committed.announce("outbox")

    async def _alert_once(self, subject: str, alert: Alert) -> BatchRows:
        batch = self._new_batch()
        async with self.database.begin() as connection:
            subjects = await self.loader.lock(connection, [subject], {subject})
            batch.events.alert(subjects[subject], None, alert)
            await write_rows(connection, batch, subjects, self._machines, PreclaimedEvents(None))
        return batch

    async def _repeatedly(self, step: Callable[[], Awaitable[_Result]]) -> _Result:
        """Run a transaction until it does not collide with one of another process."""
        lost_races = 0
        for repeat in range(MAX_REPEATS):
            try:
                return await step()
            except Exception as error:
                lost_races += is_lost_race(error)
                repeatable = lost_races < MAX_LOST_RACES if is_lost_race(error) else is_serialisation_failure(error)
                if not repeatable or repeat == MAX_REPEATS - 1:
                    raise
                # Two batches collided. The delay grows, so that they do not collide again.
                await asyncio.sleep(REPEAT_DELAY_SECONDS * (repeat + 1))
        raise AssertionError

    async def _give_up_on(self, item: Input | Rejected, error: Exception) -> InputOutcome:
        code = "UNPROCESSABLE"
        log.error("input-unprocessable", subject=item.subject, error=error, type=item.type or "rejected")
        if item.raw is None:
            return InputOutcome("rejected", code)
        fix = "the message was kept; report it with its dead-letter id"
        rejected = Rejected(item.raw, code, "", fix, item.subject, item.type, item.event)
        try:
            await self._apply_once([rejected])
        except Exception as failure:
            # The boundary of one faulty subject: if it cannot be read, the message is kept without an alert about it.
            if is_infrastructure_failure(failure) or is_serialisation_failure(failure):
                raise
            log.error("subject-unreadable", subject=item.subject, error=failure)  # noqa: TRY400 - our own log, which must not hold the text
            await self._apply_once([replace(rejected, subject="", type="")])
        return InputOutcome("rejected", code)

    async def _apply_once(self, items: Sequence[Input | Rejected]) -> list[InputOutcome]:
        policy = self.policy()
        batch = self._new_batch()
        calls = PreclaimedCalls(self.calls)
        events = PreclaimedEvents(self.events if self.database.is_postgresql else None)
        with calls, _measured(len(items)):
            async with self.database.begin() as connection:
                transaction = BatchTransaction(connection, self.loader, self._machines, policy, batch)
                outcomes = await transaction.apply(items)
                announced = await transaction.write(calls, events)
        events.publish()
        self.loader.recent.add(transaction.subjects.values(), batch.now)
        _report(batch)
        self.committed.announce(announced)
        return outcomes

    def _new_batch(self) -> BatchRows:
        return BatchRows(
            self.vasp,
            self.vault,
            self.clock(),
            self._dead_letter_headers,
            deadletter_plain=self._deadletter_plain,
        )


@contextmanager
def _measured(inputs: int) -> Iterator[None]:
    began = time.perf_counter()
    try:
        yield
    finally:
        metrics.BATCH_DURATION_SECONDS.observe(time.perf_counter() - began)
    metrics.BATCH_INPUTS.observe(inputs)
    metrics.LAST_BATCH_TIMESTAMP_SECONDS.set(time.time())


def _report(batch: BatchRows) -> None:
    """Count and log the facts of a committed batch."""
    count_observations(batch.observations)
    write_facts(batch.facts.committed(batch.letters.rows))
