"""Timers: subjects whose ``due_at`` has passed get a ``timer.due`` input.

One process at a time polls (a lease); what it submits takes the path of every input. A timer input is identified by the
subject and the due time, so inputs of two processes have one effect. A due timer that cannot be applied is postponed
with an alert: it neither becomes due at once nor blocks the others.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from datetime import datetime, timedelta
from uuid import uuid4

from sqlalchemy import bindparam, text

from travelrule import logs
from travelrule.engine.input_outcome import InputOutcome
from travelrule.engine.periodic_job import PeriodicJob
from travelrule.machine.effects import Alert
from travelrule.machine.input import Input
from travelrule.machine.internal_inputs import TimerDue
from travelrule.machine.sources import InternalSource, internal_input
from travelrule.store.database import Database, is_infrastructure_failure
from travelrule.store.leases import LeaseRepository
from travelrule.store.types import Instant, instant_text

LEASE = "timers"
LEASE_SECONDS = 10.0
POLL_SECONDS = 0.5
CLAIM = 500
UNPROCESSABLE_RETRY = timedelta(hours=1)

_DUE = (
    text(
        "SELECT subject, due_at, due_timer, traceparent FROM subjects WHERE vasp = :vasp AND due_at <= :now"
        " ORDER BY due_at LIMIT :count"
    )
    .bindparams(bindparam("now", type_=Instant()))
    .columns(due_at=Instant())
)

_STILL_DUE = text("SELECT 1 FROM subjects WHERE vasp = :vasp AND subject = :subject AND due_at = :due_at").bindparams(
    bindparam("due_at", type_=Instant())
)
_PUT_OFF = text(
    "UPDATE subjects SET due_at = :later WHERE vasp = :vasp AND subject = :subject AND due_at = :due_at"
).bindparams(bindparam("due_at", type_=Instant()), bindparam("later", type_=Instant()))

log = logs.get("timers")


class TimerJob:
    """Submits due timers; ``submit`` is ``Intake.submit``."""

    def __init__(
        self,
        database: Database,
        vasp: str,
        leases: LeaseRepository,
        submit: Callable[[Input], Awaitable[InputOutcome]],
        alert: Callable[[str, Alert], Awaitable[None]],
        clock: Callable[[], datetime],
    ) -> None:
        self._database = database
        self._vasp = vasp
        self._leases = leases
        self._submit = submit
        self._alert = alert
        self._clock = clock

    async def run(self, database_failed: Callable[[BaseException], bool]) -> None:
        """Submit due timers until cancelled."""
        await PeriodicJob(
            "timers",
            self._step,
            interval=POLL_SECONDS,
            failed=database_failed,
            lease=lambda: self._leases.take(LEASE, LEASE_SECONDS),
        ).run()

    async def _step(self) -> bool:
        return await self.round() >= CLAIM

    async def round(self) -> int:
        """Submit every timer that is due now; return their number."""
        now = self._clock()
        async with self._database.read() as connection:
            rows = (await connection.execute(_DUE, {"vasp": self._vasp, "now": now, "count": CLAIM})).all()
        inputs = [self._input(row.subject, row.due_timer, row.due_at, row.traceparent) for row in rows]
        outcomes = await asyncio.gather(*(self._submit(item) for item in inputs))
        for item, outcome in zip(inputs, outcomes, strict=True):
            if outcome.status != "applied":
                await self._put_off(item, now)
        return len(rows)

    async def _put_off(self, item: Input, now: datetime) -> None:
        """Postpone a timer that is still due: it was refused, or its input was known. An applied one is gone."""
        which = {"vasp": self._vasp, "subject": item.subject, "due_at": item.at}
        async with self._database.read() as connection:
            if (await connection.execute(_STILL_DUE, which)).first() is None:
                return
        failure = await self._failure_to_alert(item.subject)
        async with self._database.begin() as connection:
            await connection.execute(_PUT_OFF, {**which, "later": now + UNPROCESSABLE_RETRY})
        if failure is not None:
            log.error("timer-unprocessable", subject=item.subject, error=failure)

    async def _failure_to_alert(self, subject: str) -> Exception | None:
        try:
            await self._alert(subject, Alert("TIMER_UNPROCESSABLE", "critical"))
        except Exception as error:
            # The boundary of one unreadable subject: without its row no alert can be raised, so the failure is logged.
            if is_infrastructure_failure(error):
                raise
            return error
        return None

    def _input(self, subject: str, name: str, due_at: datetime, traceparent: str | None) -> Input:
        data = TimerDue(name=name, due_at=due_at)
        input_id = f"{subject}/{name}/{instant_text(due_at)}"
        return internal_input(
            InternalSource.TIMERS,
            input_id,
            "timer.due",
            subject,
            data,
            at=due_at,
            salt=uuid4(),
            traceparent=traceparent,
        )
