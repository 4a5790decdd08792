"""The relay: outbox rows become Kafka messages, each subject's in order, with any number of relays.

An event that the broker does not take now (its topic is missing, no leader) keeps its successors waiting, nobody else:
what is not acknowledged soon is left on its way, while the others are marked and the next ones claimed. One that the
broker will never take (it is too large) is kept aside with an alert, and its successors go on.
"""

from __future__ import annotations

import asyncio
import base64
from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from schemas.registry import SUBJECT_KINDS
from travelrule import logs
from travelrule.engine.periodic_job import PeriodicJob
from travelrule.engine.ports import Publisher
from travelrule.machine.effects import Alert
from travelrule.store.database import is_infrastructure_failure
from travelrule.store.outbox_rows import OutboxItem, OutboxRepository

LEASE_SECONDS = 30.0
PUBLISH_SECONDS = 10.0
"""Shorter than the lease: what this relay still publishes, no other relay can have claimed."""
SOON_SECONDS = 0.1
"""How long a round waits for the slowest acknowledgement before it goes on without it."""
FAILED_SECONDS = 2.0
"""How long an event rests after the broker did not take it."""
CLAIM = 500
POLL_SECONDS = 1.0

ALERTS = "alerts"
REFUSED = "RECORD_REFUSED"

log = logs.get("relay")


@dataclass(frozen=True, slots=True)
class PublishResult:
    """What became of one event: acknowledged, refused for good, or neither."""

    sent: bool = False
    refused: bool = False
    error: Exception | None = None


SENT = PublishResult(sent=True)
BEHIND = PublishResult()
"""It was not tried: the one before it was not acknowledged, or the lease might not last."""


class Relay:
    """Publishes what the outbox holds. ``wake`` is set by commits of this process; other processes' commits reach it
    by NOTIFY or, at the latest, by the next poll.
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
        self._on_their_way: dict[asyncio.Task[PublishResult], OutboxItem] = {}
        self._taken: dict[asyncio.Task[None], int] = {}
        self._look_again = False
        self._ended = False

    async def run(self, database_failed: Callable[[BaseException], bool]) -> None:
        """Publish until cancelled. Broker down: rows wait."""
        job = PeriodicJob("relay", self._step, interval=POLL_SECONDS, failed=database_failed, wake=self._wake)
        try:
            await job.run()
        finally:
            self._ended = True
            await _cancelled(self._taken)
            await _cancelled(self._on_their_way)

    async def _step(self) -> bool:
        return await self.round() > 0

    def lease(self, count: int, now: datetime) -> tuple[str, datetime] | None:
        """See ``ports.EventPreclaimer``."""
        if self._ended or count > CLAIM - len(self._on_their_way) - sum(self._taken.values()):
            return None
        return self._rows.owner, now + timedelta(seconds=LEASE_SECONDS)

    def publish_soon(self, items: Sequence[OutboxItem], until: datetime) -> None:
        """See ``ports.EventPreclaimer``."""
        if self._ended:
            return  # committed while this process ends: another one publishes them when the lease has run out
        task = asyncio.create_task(self._publish_taken(items, until))
        self._taken[task] = len(items)
        task.add_done_callback(self._taken_done)

    async def _publish_taken(self, items: Sequence[OutboxItem], until: datetime) -> None:
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
            self._on_their_way[task] = tasks[task]
            task.add_done_callback(self._acknowledged_late)
        await self._settle([(tasks[task], task.result()) for task in done])

    async def _publish_in_turn(
        self, before: asyncio.Task[PublishResult] | None, item: OutboxItem, until: datetime
    ) -> PublishResult:
        """An event whose predecessor was not acknowledged is not sent, nor one whose lease might not last."""
        if before is not None:
            await asyncio.wait({before})
            if before.cancelled() or before.result() is not SENT:
                return BEHIND
        if self._clock() + timedelta(seconds=PUBLISH_SECONDS) > until:
            return BEHIND
        return await self._publish(item)

    def _taken_done(self, task: asyncio.Task[None]) -> None:
        del self._taken[task]
        if self._look_again:
            self._wake.set()
        if not task.cancelled() and (error := task.exception()) is not None:
            # They were perhaps published, but are not marked: when their leases run out, they are published again.
            if is_infrastructure_failure(error):
                log.warning("database-unavailable", error=error)
            else:
                log.error("relay-crashed", error=error)

    async def round(self) -> int:
        """Claim, publish, mark: gives the number of events that the broker acknowledged."""
        now = self._clock()
        free = CLAIM - len(self._on_their_way)
        # An event that comes after a taken one cannot be claimed before that one is marked.
        self._look_again = bool(self._taken)
        items = await self._rows.claim(free, now, now + timedelta(seconds=LEASE_SECONDS)) if free > 0 else []
        for item in items:
            self._on_their_way[asyncio.create_task(self._publish(item))] = item
        if not self._on_their_way:
            return 0
        done, slow = await asyncio.wait(self._on_their_way, timeout=SOON_SECONDS)
        for task in slow:
            task.add_done_callback(self._acknowledged_late)
        return await self._settle([(self._on_their_way.pop(task), task.result()) for task in done])

    async def _settle(self, results: Sequence[tuple[OutboxItem, PublishResult]]) -> int:
        """Mark what was acknowledged, keep aside what never will be, let the others rest; gives the first number."""
        sent = [item.id for item, fate in results if fate.sent]
        refused = [(item, fate) for item, fate in results if fate.refused]
        failed = [(item, fate) for item, fate in results if not fate.sent and not fate.refused]
        if sent:
            await self._rows.mark_sent(sent, self._clock())
        for item, fate in refused:
            await self._keep_aside(item, fate)
        if failed:
            error = next((fate.error for _, fate in failed if fate.error is not None), None)
            log.warning("publish-failed", count=len(failed), error=error)
            later = self._clock() + timedelta(seconds=FAILED_SECONDS)
            await self._rows.postpone([item.id for item, _ in failed], later)
        return len(sent) + len(refused)

    async def _keep_aside(self, item: OutboxItem, fate: PublishResult) -> None:
        """The alert comes first: killed in between, it is raised twice, which is better than never."""
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
        try:
            async with asyncio.timeout(PUBLISH_SECONDS):
                await self._publisher.publish(item.topic, item.record_key, item.value, headers)
        except Exception as error:  # noqa: BLE001
            # The boundary to the broker: whatever its client raises means "not acknowledged"; the row stays unsent.
            return PublishResult(error=error, refused=not getattr(error, "again", True))
        return SENT


async def _cancelled(tasks: Iterable[asyncio.Task[Any]]) -> None:
    ending = list(tasks)
    for task in ending:
        task.cancel()
    await asyncio.gather(*ending, return_exceptions=True)
