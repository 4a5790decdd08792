"""The caller: due call rows become signed HTTP requests, and their results become inputs.

Personal data is sealed to the counterparty's current key here, at the moment of sending, after the allow-list and the
health of the counterparty were checked once more (design section 5, invariants 6 and 7). A result that ends the call
is the next input of its subject; a repeat is only a new due time. Killed at any instruction, the lease runs out and
another process goes on.
"""

from __future__ import annotations

import asyncio
import os
import random
from collections.abc import Awaitable, Callable
from datetime import datetime, timedelta
from typing import Any
from uuid import uuid4

from travelrule import logs, metrics
from travelrule.engine.breaker import Bulkheads
from travelrule.engine.calling import Attempt, Calling, Postpone
from travelrule.engine.outcome import Outcome
from travelrule.engine.ports import CallContent
from travelrule.exchange.decision import Alert
from travelrule.exchange.inputs import Input
from travelrule.exchange.reports import CallReport
from travelrule.store.database import is_infrastructure_failure
from travelrule.store.queues import CallItem, Queues, call_item

LEASE_SECONDS = 45.0
"""Longer than any request may take: nobody else sends a call that is still on its way."""
CONCURRENCY = 64
PER_COUNTERPARTY = 16
POLL_SECONDS = 0.5
UNPROCESSABLE_RETRY = timedelta(hours=1)
SETTLED_OTHERWISE = {"CONFLICT", "ERASED"}
"""Refusals that ask for nothing: another process was faster with a result, or the subject is no more."""

log = logs.get("caller")


class Caller:
    """Claims due calls and runs them with bounded concurrency in all and per counterparty."""

    def __init__(
        self,
        queues: Queues,
        calling: Calling,
        submit: Callable[[Input], Awaitable[Outcome]],
        alert: Callable[[str, Alert], Awaitable[None]],
        wake: asyncio.Event,
        clock: Callable[[], datetime],
        *,
        concurrency: int = CONCURRENCY,
        per_counterparty: int = PER_COUNTERPARTY,
    ) -> None:
        self._queues = queues
        self._calling = calling
        self._submit = submit
        self._alert = alert
        self._wake = wake
        self._clock = clock
        self._concurrency = concurrency
        self._bulkheads = Bulkheads(per_counterparty)
        self._per_counterparty = per_counterparty
        self._running: set[asyncio.Task[None]] = set()
        self._taken = 0
        self._calling_now = 0
        self._freed = asyncio.Event()
        self._behind: set[str] = set()
        self._draining = False
        self._jitter = random.Random(os.urandom(8))  # noqa: S311 - spreads retries, protects nothing

    async def run(self, database_failed: Callable[[BaseException], bool]) -> None:
        """Call until cancelled; requests on their way are then given up (their leases run out)."""
        try:
            while True:
                try:
                    started = await self.round()
                except Exception as error:
                    if not database_failed(error):
                        raise
                    log.warning("database-unavailable", error=error)
                    started = 0
                if started == 0:
                    await self._rest()
        finally:
            for task in self._running:
                task.cancel()
            # Their connections to the database must be given back before anybody closes it.
            await asyncio.gather(*self._running, return_exceptions=True)

    async def round(self) -> int:
        """Claim what may run now and start it; gives the number of calls started."""
        self._wake.clear()
        if self._draining:
            return 0
        free = self._free()
        if free <= 0:
            if not self._calling_now:
                return 0  # every place belongs to calls whose transaction is not committed yet
            self._freed.clear()
            await self._freed.wait()
            return 1
        now = self._clock()
        left = self._bulkheads.left(now)
        until = now + timedelta(seconds=LEASE_SECONDS)
        claimed = await self._queues.claim_calls(free, self._per_counterparty, left, now, until)
        passed_over = []
        for call in claimed:
            if self._free() <= 0 or self._bulkheads.free(call.target, now) <= 0:
                passed_over.append(call.id)  # its place was taken meanwhile
                continue
            self._bulkheads.started(call.target)
            self._go(call, None)
        await self._queues.release_calls(passed_over)
        self._catch_up(claimed, free, now)
        return len(claimed)

    def take(self, row: dict[str, Any], now: datetime) -> CallItem | None:
        """See ``ports.CallTaker``. A counterparty whose calls already wait in the store gets none past them."""
        target = row["target"]
        if row["due_at"] > now or self._draining:
            return None
        if self._free() <= 0 or target in self._behind or self._bulkheads.free(target, now) <= 0:
            self._behind.add(target)
            return None
        row["lease_owner"] = self._queues.owner
        row["lease_until"] = now + timedelta(seconds=LEASE_SECONDS)
        self._bulkheads.started(target)
        self._taken += 1
        return call_item(row)

    def start(self, call: CallItem, content: CallContent) -> None:
        """See ``ports.CallTaker``."""
        self._taken -= 1
        self._go(call, content)

    def give_back(self, call: CallItem) -> None:
        """See ``ports.CallTaker``."""
        self._taken -= 1
        self._bulkheads.withdrawn(call.target)

    async def drain(self) -> None:
        """Begin no more calls and wait for the requests on their way (orderly shutdown)."""
        self._draining = True
        if self._running:
            await asyncio.wait(self._running)

    def _free(self) -> int:
        return self._concurrency - self._calling_now - self._taken

    def _catch_up(self, claimed: list[CallItem], asked_for: int, now: datetime) -> None:
        """Whoever has nothing left in the store is not behind any more."""
        if len(claimed) < asked_for:
            full = {call.target for call in claimed if self._bulkheads.free(call.target, now) <= 0}
            self._behind = {target for target in self._behind if target in full or target in self._bulkheads.busy(now)}

    def _go(self, call: CallItem, content: CallContent | None) -> None:
        self._calling_now += 1
        task = asyncio.create_task(self._run(call, content))
        self._running.add(task)
        task.add_done_callback(self._done)

    def _done(self, task: asyncio.Task[None]) -> None:
        self._running.discard(task)
        if not task.cancelled() and (error := task.exception()) is not None:
            # Its lease runs out, or it was set aside with an alert: it is tried again.
            log.error("call-crashed", error=error)

    async def _run(self, call: CallItem, content: CallContent | None) -> None:
        attempt = Attempt(next_step=Postpone(self._clock()), reached=True)
        try:
            attempt = await self._calling.attempt(call, self._jitter.random(), content)
        except Exception as error:
            # The boundary to everything that a call touches. A database that is away mends itself: the lease runs out.
            if is_infrastructure_failure(error):
                raise
            await self._set_aside(call, Alert("CALL_UNPROCESSABLE", "critical", call.target), call.tries)
            raise
        finally:
            self._ended(call, reached=attempt.reached)
        metrics.CALL_ATTEMPTS_TOTAL.labels(operation=call.operation, outcome=attempt.outcome).inc()
        if attempt.notice is not None:
            await self._submit(self._input(call, attempt.notice, f"{call.id}/{attempt.notice.outcome}/{call.tries}"))
        if isinstance(attempt.next_step, Postpone):
            await self._postpone(call, attempt.next_step)
            return
        outcome = await self._submit(self._input(call, attempt.next_step, call.id))
        if outcome.status == "rejected" and outcome.code not in SETTLED_OTHERWISE:
            alert = Alert("CALL_RESULT_UNPROCESSABLE", "critical", call.target)
            await self._set_aside(call, alert, call.tries + 1)

    def _ended(self, call: CallItem, *, reached: bool) -> None:
        """The request is over; its place is free while its result is still being written."""
        self._bulkheads.ended(call.target, self._clock(), reached=reached)
        self._calling_now -= 1
        self._freed.set()
        if self._behind:
            self._wake.set()

    async def _set_aside(self, call: CallItem, alert: Alert, tries: int) -> None:
        """Something is wrong with this call alone. It must not be repeated in a tight loop, nor be lost."""
        await self._postpone(call, Postpone(self._clock() + UNPROCESSABLE_RETRY, tries=tries))
        await self._alert(call.subject, alert)

    async def _postpone(self, call: CallItem, step: Postpone) -> None:
        await self._queues.postpone_call(
            call,
            step.due_at,
            tries=call.tries if step.tries is None else step.tries,
            key_refreshed=call.key_refreshed or step.key_refreshed,
            deferred=step.deferred,
            note=call.note if step.note is None else step.note,
        )

    def _input(self, call: CallItem, report: CallReport, input_id: str) -> Input:
        return Input(
            source="/hub",
            id=input_id,
            type=f"call.{report.outcome}",
            subject=call.subject,
            at=self._clock(),
            data=report,
            content=report.model_dump_json(by_alias=True).encode(),
            salt=uuid4(),
            traceparent=call.traceparent,
        )

    async def _rest(self) -> None:
        try:
            async with asyncio.timeout(POLL_SECONDS):
                await self._wake.wait()
        except TimeoutError:
            return
