"""Due call rows become signed HTTP requests, and their results become inputs.

Personal data is sealed to the counterparty's current key here, at the moment of sending, after the allow-list and the
health of the counterparty were checked once more (design section 5, invariants 6 and 7). A result that ends the call
is the next input of its subject; a retry is a new due time. If the process is killed at any instruction, the lease
expires and another process continues.
"""

from __future__ import annotations

import asyncio
import os
import random
from collections import Counter
from collections.abc import Awaitable, Callable
from datetime import datetime, timedelta
from typing import Any
from uuid import uuid4

from travelrule import logs, metrics
from travelrule.engine.calls.attempt_metrics import count_attempt, count_completed, show_circuit
from travelrule.engine.calls.attempt_router import AttemptRouter
from travelrule.engine.calls.call_executor import AttemptResult, Postpone
from travelrule.engine.calls.circuit_breaker import Bulkheads
from travelrule.engine.calls.hub_watch import resume_calls
from travelrule.engine.calls.local_queue import LocalCallQueue
from travelrule.engine.calls.log_lines import call_fact
from travelrule.engine.committed_lines import write_facts
from travelrule.engine.input_outcome import InputOutcome
from travelrule.engine.periodic_job import PeriodicJob
from travelrule.engine.ports import CallContent
from travelrule.machine.effects import Alert
from travelrule.machine.input import Input
from travelrule.machine.internal_inputs import CallResult
from travelrule.machine.retry_table import is_of_hub
from travelrule.machine.sources import InternalSource, internal_input
from travelrule.store.call_rows import CallItem, CallRepository, call_item
from travelrule.store.database import is_infrastructure_failure

LEASE_SECONDS = 45.0
"""Longer than any request: no other process claims a call that is in flight."""
CONCURRENCY = 64
PER_COUNTERPARTY = 16
HELD = 512
"""The size of a worker's ``LocalCallQueue``."""
POLL_SECONDS = 0.5
DRAIN_SECONDS = 8.0
UNPROCESSABLE_RETRY = timedelta(hours=1)
SETTLED_OTHERWISE = {"CONFLICT", "ERASED"}
"""Refusals without consequence: another process has submitted a result, or the subject was erased."""

log = logs.get("caller")


class CallDispatcher:
    """Claims due calls and runs them with bounded concurrency in all and per counterparty."""

    def __init__(
        self,
        calls: CallRepository,
        router: AttemptRouter,
        submit: Callable[[Input], Awaitable[InputOutcome]],
        alert: Callable[[str, Alert], Awaitable[None]],
        wake: asyncio.Event,
        clock: Callable[[], datetime],
        *,
        concurrency: int = CONCURRENCY,
        per_counterparty: int = PER_COUNTERPARTY,
        held: int = 0,
    ) -> None:
        self._rows = calls
        self._router = router
        self._submit = submit
        self._alert = alert
        self._wake = wake
        self._clock = clock
        self._concurrency = concurrency
        self._bulkheads = Bulkheads(per_counterparty, show_circuit)
        self._per_counterparty = per_counterparty
        self._running: set[asyncio.Task[None]] = set()
        self._queue = LocalCallQueue(held)
        self._worth = max(1, held // 8)
        """The least number of calls of a claim, while other calls are queued."""
        self._preclaimed: Counter[str] = Counter()
        self._calling_now = 0
        self._freed = asyncio.Event()
        self._behind: set[str] = set()
        self._draining = False
        self._jitter = random.Random(os.urandom(8))  # noqa: S311 - spreads retries, protects nothing

    async def run(self, database_failed: Callable[[BaseException], bool]) -> None:
        """Make calls until cancelled; requests in flight are then cancelled, and their leases expire."""
        metrics.CALLS_RUNNING.set(0)
        metrics.CALLS_RUNNING.set_function(lambda: self._calling_now)
        job = PeriodicJob("calls", self._step, interval=POLL_SECONDS, failed=database_failed, wake=self._wake)
        try:
            await job.run()
        finally:
            self._draining = True
            for task in self._running:
                task.cancel()
            # Their database connections must be released before the pool is closed.
            await asyncio.gather(*self._running, return_exceptions=True)

    async def _step(self) -> bool:
        return await self.round() > 0

    async def round(self) -> int:
        """Claim calls that may run now or soon; return their number."""
        now = self._clock()
        self._bulkheads.close_quiet(now)
        await self._release_overdue(now)
        if self._draining:
            return 0
        room = self._room()
        if room < self._worth:
            if not self._calling_now:
                return 0  # every place is preclaimed for a transaction that is not committed
            self._freed.clear()
            await self._freed.wait()
            return 1
        most = self._per_counterparty + self._queue.room_for("")
        left = {target: self._worth_claiming(target, now) for target in self._known_targets()}
        until = now + timedelta(seconds=LEASE_SECONDS)
        claimed = await self._rows.claim(
            room, most, {target: places for target, places in left.items() if places < most}, now, until
        )
        passed_over = []
        for call in claimed:
            if self._room() <= 0 or self._room_for(call.target, now) <= 0:
                passed_over.append(call.id)  # its place was preclaimed during the claim
                continue
            self._queue.add(call, None, now)
            self._begin()
        await self._rows.release(passed_over)
        if len(claimed) < room:
            self._catch_up(Counter(call.target for call in claimed), left, most)
        return len(claimed)

    def preclaim(self, row: dict[str, Any], now: datetime) -> CallItem | None:
        """See ``ports.CallPreclaimer``. A counterparty with unclaimed calls in the store gets no place past them."""
        target = row["target"]
        if row["due_at"] > now or self._draining:
            return None
        if self._room() <= 0 or target in self._behind or self._room_for(target, now) <= 0:
            self._behind.add(target)
            return None
        row["lease_owner"] = self._rows.owner
        row["lease_until"] = now + timedelta(seconds=LEASE_SECONDS)
        self._preclaimed[target] += 1
        return call_item(row)

    def start(self, call: CallItem, content: CallContent) -> None:
        """See ``ports.CallPreclaimer``."""
        self._free_place(call.target)
        self._queue.add(call, content, self._clock())
        self._begin()

    def release(self, call: CallItem) -> None:
        """See ``ports.CallPreclaimer``."""
        self._free_place(call.target)

    def drop(self, subject: str, operations: tuple[str, ...]) -> None:
        """See ``ports.CallPreclaimer``."""
        self._queue.drop(subject, operations)

    async def drain(self) -> None:
        """Start no more calls and wait for the requests in flight (orderly shutdown)."""
        self._draining = True
        try:
            await self._release_overdue(self._clock())
        except Exception as error:
            if not is_infrastructure_failure(error):
                raise
            log.warning("database-unavailable", error=error)  # their leases expire
        if self._running:
            await asyncio.wait(self._running)

    def _free_place(self, target: str) -> None:
        self._preclaimed[target] -= 1
        if not self._preclaimed[target]:
            del self._preclaimed[target]

    def _room(self) -> int:
        """Return how many more calls may run or be queued."""
        return self._concurrency - self._calling_now + self._queue.room - self._preclaimed.total()

    def _room_for(self, target: str, now: datetime) -> int:
        """Return the same for one counterparty; 0 while its circuit is open."""
        places = self._bulkheads.free(target, now) - self._preclaimed[target]
        if self._bulkheads.is_closed(target):
            return places + self._queue.room_for(target)
        return places - self._queue.waiting(target)

    def _known_targets(self) -> set[str]:
        return {*self._bulkheads.known(), *self._queue.targets(), *self._preclaimed, *self._behind}

    def _worth_claiming(self, target: str, now: datetime) -> int:
        """Return how many calls to claim for a counterparty: 0 while there are too few places for a claim."""
        room = self._room_for(target, now)
        enough = self._worth if self._bulkheads.is_closed(target) else 1
        return room if room >= enough else 0

    def _begin(self) -> None:
        """Start queued calls while there are places."""
        now = self._clock()
        while self._queue and self._calling_now < self._concurrency and not self._draining:
            held = self._queue.pop(lambda target: self._bulkheads.free(target, now) > 0)
            if held is None:
                return
            self._bulkheads.begin(held.call.target)
            self._go(held.call, held.content)

    async def _release_overdue(self, now: datetime) -> None:
        """Release queued calls that are overdue, or that this process will not start."""
        overdue = self._queue.clear() if self._draining else self._queue.overdue(now)
        if not overdue:
            return
        self._behind |= {call.target for call in overdue}
        await self._rows.release([call.id for call in overdue])

    def _catch_up(self, claimed: Counter[str], asked_for: dict[str, int], most: int) -> None:
        """Keep the counterparties that got all calls that were requested: others have none left in the store."""
        self._behind = {target for target in self._behind if claimed[target] >= asked_for.get(target, most)}

    def _go(self, call: CallItem, content: CallContent | None) -> None:
        self._calling_now += 1
        task = asyncio.create_task(self._run(call, content))
        self._running.add(task)
        task.add_done_callback(self._done)

    def _done(self, task: asyncio.Task[None]) -> None:
        self._running.discard(task)
        if not task.cancelled() and (error := task.exception()) is not None:
            # Its lease expires, or it was postponed with an alert: it is tried again.
            log.error("call-crashed", error=error)

    async def _run(self, call: CallItem, content: CallContent | None) -> None:
        attempt = AttemptResult(next_step=Postpone(self._clock()), reached=True)
        try:
            attempt = await self._router.attempt(call, self._jitter.random(), content)
        except Exception as error:
            # The boundary to everything that a call touches. After a database outage the lease has expired.
            if is_infrastructure_failure(error):
                raise
            await self._set_aside(call, Alert("CALL_UNPROCESSABLE", "critical", call.target), call.tries)
            raise
        finally:
            self._ended(call, reached=attempt.reached)
        count_attempt(call.operation, attempt)
        if attempt.hub_back:
            await resume_calls(self._rows, self._clock(), self._jitter.random())
        if attempt.notice is not None:
            what = attempt.notice.code if is_of_hub(0, attempt.notice.code) else attempt.notice.outcome
            await self._submit(self._input(call, attempt.notice, f"{call.id}/{what}/{call.tries}"))
        if isinstance(attempt.next_step, Postpone):
            await self._postpone(call, attempt.next_step)
            self._log(call, attempt)
            return
        outcome = await self._submit(self._input(call, attempt.next_step, call.id))
        if outcome.status == "applied":  # the result of a call that another process made as well is logged there
            self._log(call, attempt)
            count_completed(call.operation, attempt)
        if outcome.status == "rejected" and outcome.code not in SETTLED_OTHERWISE:
            alert = Alert("CALL_RESULT_UNPROCESSABLE", "critical", call.target)
            await self._set_aside(call, alert, call.tries + 1)

    def _log(self, call: CallItem, attempt: AttemptResult) -> None:
        fact = call_fact(call, attempt, self._clock())
        write_facts([fact] if fact is not None else [])

    def _ended(self, call: CallItem, *, reached: bool | None) -> None:
        """Free the place of a finished request; its result is written after that."""
        self._bulkheads.end(call.target, self._clock(), reached=reached)
        self._calling_now -= 1
        if not self._draining:
            self._begin()
        self._freed.set()
        now = self._clock()
        if self._room() >= self._worth and any(self._worth_claiming(target, now) for target in self._behind):
            self._wake.set()

    async def _set_aside(self, call: CallItem, alert: Alert, tries: int) -> None:
        """Postpone a faulty call with an alert: it is neither repeated in a tight loop nor lost."""
        await self._postpone(call, Postpone(self._clock() + UNPROCESSABLE_RETRY, tries=tries))
        await self._alert(call.subject, alert)

    async def _postpone(self, call: CallItem, step: Postpone) -> None:
        await self._rows.postpone(
            call,
            step.due_at,
            tries=call.tries if step.tries is None else step.tries,
            key_refreshed=call.key_refreshed or step.key_refreshed,
            deferred=step.deferred,
            hub_held=step.hub_held,
            note=call.note if step.note is None else step.note,
        )

    def _input(self, call: CallItem, report: CallResult, input_id: str) -> Input:
        kind = f"call.{report.outcome}"
        return internal_input(
            InternalSource.HUB,
            input_id,
            kind,
            call.subject,
            report,
            at=self._clock(),
            salt=uuid4(),
            traceparent=call.traceparent,
        )
