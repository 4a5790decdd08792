"""The directory refresher: the VASP list at intervals, at once on demand, and often while somebody is down.

One process at a time fetches (a lease). Differences become inputs, and so alerts; a VASP that came back wakes the calls
that waited for it (design section 5, invariant 7).
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from datetime import datetime, timedelta

from travelrule import logs
from travelrule.client.errors import HubError
from travelrule.engine.counterparties import Counterparties
from travelrule.engine.outcome import Outcome
from travelrule.engine.periodic_job import PeriodicJob
from travelrule.exchange.decision import Alert
from travelrule.exchange.inputs import Input
from travelrule.policy.policy import HUB_ENTITY
from travelrule.store.leases import Leases
from travelrule.store.queues import Queues

LEASE = "directory"
LEASE_SECONDS = 30.0
LOOK_SECONDS = 1.0
WAITING_REFRESH_SECONDS = 5.0
FAILED_REFRESH_SECONDS = 5.0
DEMAND_SECONDS = 2.0
"""The least time between two fetches on demand."""

log = logs.get("directory")


class Refresher:
    """Keeps the stored directory fresh."""

    def __init__(
        self,
        counterparties: Counterparties,
        queues: Queues,
        leases: Leases,
        submit: Callable[[Input], Awaitable[Outcome]],
        alert: Callable[[str, Alert], Awaitable[None]],
        interval_seconds: float,
        clock: Callable[[], datetime],
    ) -> None:
        self._counterparties = counterparties
        self._queues = queues
        self._leases = leases
        self._submit = submit
        self._alert = alert
        self._interval = timedelta(seconds=interval_seconds)
        self._clock = clock
        self._fetched_at: datetime | None = None

    async def run(self, database_failed: Callable[[BaseException], bool]) -> None:
        """Refresh until cancelled."""
        await PeriodicJob("directory", self._step, interval=0, failed=database_failed).run()

    async def _step(self) -> bool:
        # What this process wants now it fetches itself: the owner of the lease does not know of it.
        if await self._leases.take(LEASE, LEASE_SECONDS) or self._counterparties.wanted.is_set():
            await self._look()
        await self._rest()
        return True

    async def _look(self) -> None:
        now = self._clock()
        waiting = await self._queues.deferred_targets()
        if not self._due(now, waiting=bool(waiting)):
            return
        self._counterparties.wanted.clear()
        self._fetched_at = now
        try:
            news = await self._counterparties.fetch()
        except HubError as error:
            log.warning("directory-not-refreshed", error=error)
            self._fetched_at = now - self._interval + timedelta(seconds=FAILED_REFRESH_SECONDS)
            return
        if news is None:
            return
        for item in news.differences:
            await self._submit(item)
        if news.networks_changed:
            await self._alert(f"vasp:{HUB_ENTITY}", Alert("DIRECTORY_NETWORKS_CHANGED"))
        await self._counterparties.store(news)
        for target in waiting:
            stored = await self._counterparties.get(target)
            if stored is not None and stored.up:
                await self._queues.wake_deferred(target, self._clock())

    def _due(self, now: datetime, *, waiting: bool) -> bool:
        if self._fetched_at is None:
            return True
        age = now - self._fetched_at
        if self._counterparties.wanted.is_set() and age >= timedelta(seconds=DEMAND_SECONDS):
            return True
        if waiting and age >= timedelta(seconds=WAITING_REFRESH_SECONDS):
            return True
        return age >= self._interval

    async def _rest(self) -> None:
        try:
            async with asyncio.timeout(LOOK_SECONDS):
                await self._counterparties.wanted.wait()
        except TimeoutError:
            return
        # Somebody wants a list that was fetched a moment ago: do not spin.
        await asyncio.sleep(LOOK_SECONDS / 4)
