"""Outbox rows become Kafka records, those of one key in order, with any number of relays.

An event that the broker does not accept now (missing topic, no leader) delays only the later events of its key: it
stays in flight while acknowledged ones are marked and others are claimed. An event that the broker will never accept
(too large) is marked as refused with an alert, and the later events of its key are published.
"""

from __future__ import annotations

import asyncio
import base64
import time
from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from schemas.registry import SUBJECT_KINDS
from travelrule import logs, metrics
from travelrule.engine.periodic_job import PeriodicJob
from travelrule.engine.ports import Publisher
from travelrule.machine.effects import Alert
from travelrule.store.database import is_infrastructure_failure
from travelrule.store.outbox_rows import OutboxItem, OutboxRepository

LEASE_SECONDS = 30.0
PUBLISH_SECONDS = 10.0
"""Shorter than the lease: no other relay can claim an event that this one is publishing."""
SOON_SECONDS = 0.1
"""How long a round waits for acknowledgements."""
FAILED_SECONDS = 2.0
"""The delay before an event is published again that the broker did not accept."""
CLAIM = 500
POLL_SECONDS = 1.0

ALERTS = "alerts"
REFUSED = "RECORD_REFUSED"

log = logs.get("relay")


@dataclass(frozen=True, slots=True)
class PublishResult:
    """The result for one event: acknowledged, refused permanently, or neither."""

    sent: bool = False
    refused: bool = False
    error: Exception | None = None


SENT = PublishResult(sent=True)
BEHIND = PublishResult()
"""Not sent: its predecessor was not acknowledged, or the lease may expire too soon."""


class Relay:
    """Publishes the events of the outbox. Commits of this process set ``wake``, those of other processes by NOTIFY; the
    next poll finds the rest.
    """

    def __init__(
        self,
        outbox: OutboxRepository,
        publisher: Publisher,
        wake: asyncio.Event,
        clock: Callable[[], datetime],
        alert: Callable[[str, Alert], Awaitable[None]],
    ) -> None:
        self._rows = outbox
        self._publisher = publisher
        self._wake = wake
        self._clock = clock
        self._alert = alert
        self._in_flight: dict[asyncio.Task[PublishResult], OutboxItem] = {}
        self._preclaimed: dict[asyncio.Task[None], int] = {}
        self._look_again = False
        self._ended = False

    async def run(self, database_failed: Callable[[BaseException], bool]) -> None:
        """Publish until cancelled. While the broker is down, rows stay unsent."""
        job = PeriodicJob("relay", self._step, interval=POLL_SECONDS, failed=database_failed, wake=self._wake)
        try:
            await job.run()
        finally:
            self._ended = True
            await _cancelled(self._preclaimed)
            await _cancelled(self._in_flight)

    async def _step(self) -> bool:
        return await self.round() > 0

    def lease(self, count: int, now: datetime) -> tuple[str, datetime] | None:
        """See ``ports.EventPreclaimer``."""
        if self._ended or count > CLAIM - len(self._in_flight) - sum(self._preclaimed.values()):
            return None
        return self._rows.owner, now + timedelta(seconds=LEASE_SECONDS)

    def publish_soon(self, items: Sequence[OutboxItem], until: datetime) -> None:
        """See ``ports.EventPreclaimer``."""
        if self._ended:
            return  # this process ends: another one publishes them after the lease has expired
        task = asyncio.create_task(self._publish_preclaimed(items, until))
        self._preclaimed[task] = len(items)
        task.add_done_callback(self._preclaimed_done)

    async def _publish_preclaimed(self, items: Sequence[OutboxItem], until: datetime) -> None:
        before: dict[tuple[str, str], asyncio.Task[PublishResult]] = {}
        tasks: dict[asyncio.Task[PublishResult], OutboxItem] = {}
        for item in items:
            place = item.topic, item.key
            before[place] = asyncio.create_task(self._publish_in_turn(before.get(place), item, until))
            tasks[before[place]] = item
        try:
            done, slow = await asyncio.wait(tasks, timeout=SOON_SECONDS)
        except asyncio.CancelledError:
            await _cancelled(tasks)
            raise
        for task in slow:
            self._in_flight[task] = tasks[task]
            task.add_done_callback(self._acknowledged_late)
        await self._settle([(tasks[task], task.result()) for task in done])

    async def _publish_in_turn(
        self, before: asyncio.Task[PublishResult] | None, item: OutboxItem, until: datetime
    ) -> PublishResult:
        """Publish an event after its predecessor was acknowledged, if the lease lasts long enough."""
        if before is not None:
            await asyncio.wait({before})
            if before.cancelled() or before.result() is not SENT:
                return BEHIND
        if self._clock() + timedelta(seconds=PUBLISH_SECONDS) > until:
            return BEHIND
        return await self._publish(item)

    def _preclaimed_done(self, task: asyncio.Task[None]) -> None:
        del self._preclaimed[task]
        if self._look_again:
            self._wake.set()
        if not task.cancelled() and (error := task.exception()) is not None:
            # They may be published, but are not marked: after their leases have expired, they are published again.
            if is_infrastructure_failure(error):
                log.warning("database-unavailable", error=error)
            else:
                log.error("relay-crashed", error=error)

    async def round(self) -> int:
        """Claim, publish and mark events; return the number of those acknowledged or refused."""
        now = self._clock()
        free = CLAIM - len(self._in_flight)
        # An event behind a preclaimed one cannot be claimed before that one is marked.
        self._look_again = bool(self._preclaimed)
        items = await self._rows.claim(free, now, now + timedelta(seconds=LEASE_SECONDS)) if free > 0 else []
        for item in items:
            self._in_flight[asyncio.create_task(self._publish(item))] = item
        if not self._in_flight:
            return 0
        done, slow = await asyncio.wait(self._in_flight, timeout=SOON_SECONDS)
        for task in slow:
            task.add_done_callback(self._acknowledged_late)
        return await self._settle([(self._in_flight.pop(task), task.result()) for task in done])

    async def _settle(self, results: Sequence[tuple[OutboxItem, PublishResult]]) -> int:
        """Mark acknowledged and refused events, postpone the others; return the number of those marked."""
        for item, fate in results:
            outcome = "sent" if fate.sent else "refused" if fate.refused else "failed"
            metrics.PUBLISHED_TOTAL.labels(topic=item.topic, outcome=outcome).inc()
        sent = [item.id for item, fate in results if fate.sent]
        refused = [(item, fate) for item, fate in results if fate.refused]
        failed = [(item, fate) for item, fate in results if not fate.sent and not fate.refused]
        if sent:
            await self._rows.mark_sent(sent, self._clock())
        for item, fate in refused:
            await self._set_refused(item, fate)
        if failed:
            error = next((fate.error for _, fate in failed if fate.error is not None), None)
            log.warning("publish-failed", count=len(failed), error=error)
            later = self._clock() + timedelta(seconds=FAILED_SECONDS)
            await self._rows.postpone([item.id for item, _ in failed], later)
        return len(sent) + len(refused)

    async def _set_refused(self, item: OutboxItem, fate: PublishResult) -> None:
        """Mark a refused event. The alert is raised first: if the process dies in between, it is raised twice."""
        log.error("event-refused", subject=item.subject, topic=item.topic, size=len(item.value), error=fate.error)
        if item.topic != ALERTS:  # an alert about an alert would be refused as well
            known = item.subject.partition(":")[0] in SUBJECT_KINDS  # an audit root or a dead letter has no subject
            subject = item.subject if known else f"vasp:{self._rows.vasp}"
            await self._alert(subject, Alert("EVENT_REFUSED", "critical"))
        await self._rows.mark_refused([item.id], REFUSED, self._clock())

    def _acknowledged_late(self, _task: asyncio.Task[PublishResult]) -> None:
        self._wake.set()

    async def _publish(self, item: OutboxItem) -> PublishResult:
        headers = [(name, base64.b64decode(value)) for name, value in item.headers]
        began = time.perf_counter()
        try:
            async with asyncio.timeout(PUBLISH_SECONDS):
                await self._publisher.publish(item.topic, item.record_key, item.value, headers)
        except Exception as error:  # noqa: BLE001
            # The boundary to the broker: whatever its client raises means "not acknowledged"; the row stays unsent.
            return PublishResult(error=error, refused=not getattr(error, "again", True))
        metrics.PUBLISH_DURATION_SECONDS.labels(topic=item.topic).observe(time.perf_counter() - began)
        return SENT


async def _cancelled(tasks: Iterable[asyncio.Task[Any]]) -> None:
    ending = list(tasks)
    for task in ending:
        task.cancel()
    await asyncio.gather(*ending, return_exceptions=True)
