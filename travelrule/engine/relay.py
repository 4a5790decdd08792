"""The relay: outbox rows become Kafka messages, each subject's in order, with any number of relays.

An event that the broker does not take (its topic is missing, it is too large) keeps its successors waiting, nobody
else: what is not acknowledged soon is left on its way, while the others are marked and the next ones claimed.
"""

from __future__ import annotations

import asyncio
import base64
from collections.abc import Callable
from datetime import datetime, timedelta

from travelrule import logs
from travelrule.engine.ports import Publisher
from travelrule.store.queues import OutboxItem, Queues

LEASE_SECONDS = 30.0
PUBLISH_SECONDS = 10.0
"""Shorter than the lease: what this relay still publishes, no other relay can have claimed."""
SOON_SECONDS = 0.1
"""How long a round waits for the slowest acknowledgement before it goes on without it."""
FAILED_SECONDS = 2.0
"""How long an event rests after the broker did not take it."""
CLAIM = 500
POLL_SECONDS = 1.0

log = logs.get("relay")


class Relay:
    """Publishes what the outbox holds. ``wake`` is set by commits of this process; other processes' commits reach it
    by NOTIFY or, at the latest, by the next poll.
    """

    def __init__(
        self, queues: Queues, publisher: Publisher, wake: asyncio.Event, clock: Callable[[], datetime]
    ) -> None:
        self._queues = queues
        self._publisher = publisher
        self._wake = wake
        self._clock = clock
        self._on_their_way: dict[asyncio.Task[bool], int] = {}

    async def run(self, database_failed: Callable[[BaseException], bool]) -> None:
        """Publish until cancelled. Broker down: rows wait. Database down: try again each second."""
        try:
            while True:
                try:
                    sent = await self.round()
                except Exception as error:
                    if not database_failed(error):
                        raise
                    log.warning("database-unavailable", error=error)
                    sent = 0
                if sent == 0:
                    await _wait(self._wake, POLL_SECONDS)
        finally:
            for task in self._on_their_way:
                task.cancel()
            await asyncio.gather(*self._on_their_way, return_exceptions=True)

    async def round(self) -> int:
        """Claim, publish, mark: gives the number of events that the broker acknowledged."""
        self._wake.clear()
        now = self._clock()
        free = CLAIM - len(self._on_their_way)
        items = await self._queues.claim_outbox(free, now, now + timedelta(seconds=LEASE_SECONDS)) if free > 0 else []
        for item in items:
            self._on_their_way[asyncio.create_task(self._publish(item))] = item.id
        if not self._on_their_way:
            return 0
        done, slow = await asyncio.wait(self._on_their_way, timeout=SOON_SECONDS)
        for task in slow:
            task.add_done_callback(self._acknowledged_late)
        results = {self._on_their_way.pop(task): task.result() for task in done}
        sent = [row_id for row_id, ok in results.items() if ok]
        failed = [row_id for row_id, ok in results.items() if not ok]
        if sent:
            await self._queues.mark_sent(sent, self._clock())
        if failed:
            log.warning("publish-failed", count=len(failed))
            await self._queues.postpone_outbox(failed, self._clock() + timedelta(seconds=FAILED_SECONDS))
        return len(sent)

    def _acknowledged_late(self, _task: asyncio.Task[bool]) -> None:
        self._wake.set()

    async def _publish(self, item: OutboxItem) -> bool:
        headers = [(name, base64.b64decode(value)) for name, value in item.headers]
        try:
            async with asyncio.timeout(PUBLISH_SECONDS):
                await self._publisher.publish(item.topic, item.record_key, item.value, headers)
        except Exception as error:  # noqa: BLE001
            # The boundary to the broker: whatever its client raises means "not acknowledged"; the row stays unsent.
            log.warning("publish-error", error=error, topic=item.topic)
            return False
        return True


async def _wait(event: asyncio.Event, seconds: float) -> None:
    try:
        async with asyncio.timeout(seconds):
            await event.wait()
    except TimeoutError:
        return
