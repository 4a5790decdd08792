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
from uuid import uuid4

from travelrule import logs, metrics
from travelrule.engine.breaker import Bulkheads
from travelrule.engine.calling import Attempt, Calling, Postpone
from travelrule.engine.outcome import Outcome
from travelrule.exchange.decision import Alert
from travelrule.exchange.inputs import Input
from travelrule.exchange.reports import CallReport
from travelrule.store.queues import CallItem, Queues

LEASE_SECONDS = 45.0
"""Longer than any request may take: nobody else sends a call that is still on its way."""
CONCURRENCY = 64
PER_COUNTERPARTY = 16
POLL_SECONDS = 0.5
UNPROCESSABLE_RETRY = timedelta(hours=1)

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

    async def round(self) -> int:
        """Claim what may run now and start it; gives the number of calls started."""
        self._wake.clear()
        free = self._concurrency - len(self._running)
        if free <= 0:
            await asyncio.wait(self._running, return_when=asyncio.FIRST_COMPLETED)
            return 1
        now = self._clock()
        busy = self._bulkheads.busy(now)
        until = now + timedelta(seconds=LEASE_SECONDS)
        claimed = await self._queues.claim_calls(free, self._per_counterparty, busy, now, until)
        for call in claimed:
            if self._bulkheads.free(call.target, now) <= 0:
                await self._postpone(call, Postpone(now))
                continue
            self._bulkheads.started(call.target)
            task = asyncio.create_task(self._run(call))
            self._running.add(task)
            task.add_done_callback(self._done)
        return len(claimed)

    async def drain(self) -> None:
        """Wait for the requests on their way (orderly shutdown)."""
        if self._running:
            await asyncio.wait(self._running)

    def _done(self, task: asyncio.Task[None]) -> None:
        self._running.discard(task)
        self._wake.set()
        if not task.cancelled() and (error := task.exception()) is not None:
            # The lease runs out and the call is tried again; the operator sees that something is wrong.
            log.error("call-crashed", error=error)

    async def _run(self, call: CallItem) -> None:
        attempt = Attempt(next_step=Postpone(self._clock()), reached=True)
        try:
            attempt = await self._calling.attempt(call, self._jitter.random())
        finally:
            self._bulkheads.ended(call.target, self._clock(), reached=attempt.reached)
        metrics.CALL_ATTEMPTS_TOTAL.labels(operation=call.operation, outcome=attempt.outcome).inc()
        if attempt.notice is not None:
            await self._submit(self._input(call, attempt.notice, f"{call.id}/{attempt.notice.outcome}/{call.tries}"))
        if isinstance(attempt.next_step, Postpone):
            await self._postpone(call, attempt.next_step)
            return
        outcome = await self._submit(self._input(call, attempt.next_step, call.id))
        if outcome.status == "rejected":
            # The result cannot be stored for its content. The call must not be repeated in a tight loop, nor be lost.
            await self._postpone(call, Postpone(self._clock() + UNPROCESSABLE_RETRY, tries=call.tries + 1))
            await self._alert(call.subject, Alert("CALL_RESULT_UNPROCESSABLE", "critical", call.target))

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
