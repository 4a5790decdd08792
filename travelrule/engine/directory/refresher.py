"""The directory refresh: fetches the VASP list for all processes, at its interval and on demand.

One process at a time fetches (a lease). ``fetch_schedule`` decides when, on facts that all processes share through the
store, so demands of many processes lead to one fetch. Differences become inputs and alerts. When a VASP is up again,
the calls that waited for it become due (design section 5, invariant 7).
"""

from __future__ import annotations

import asyncio
import os
import random
from collections.abc import Awaitable, Callable
from datetime import datetime, timedelta
from http import HTTPStatus

from travelrule import logs
from travelrule.client.errors import HubError, NoAnswer
from travelrule.engine.calls.hub_watch import HubWatch, resume_calls
from travelrule.engine.directory.counterparties import CounterpartyDirectory, FetchedDirectory
from travelrule.engine.directory.fetch_schedule import back_off, is_due, is_outdated, tried_at
from travelrule.engine.input_outcome import InputOutcome
from travelrule.engine.periodic_job import PeriodicJob
from travelrule.machine.alert_codes import AlertCode
from travelrule.machine.effects import Alert
from travelrule.machine.input import Input
from travelrule.machine.retry_table import is_of_hub
from travelrule.policy.policy import HUB_ENTITY
from travelrule.store.call_rows import CallRepository
from travelrule.store.directory_fetches import DirectoryFetchRepository, FetchState
from travelrule.store.leases import LeaseRepository

LEASE = "directory"
LEASE_SECONDS = 5.0
LOOK_SECONDS = 1.0
MEASURE_EVERY = timedelta(seconds=5)
FETCH_SECONDS = 15.0
NETWORKS_AGAIN_SECONDS = 300.0
"""When the coin networks are fetched again after a failure."""
STALE_AGAIN = timedelta(hours=1)
HUB_SUBJECT = f"vasp:{HUB_ENTITY}"

log = logs.get("directory")


class DirectoryRefreshJob:
    """Keeps the stored directory fresh."""

    def __init__(
        self,
        counterparties: CounterpartyDirectory,
        fetches: DirectoryFetchRepository,
        calls: CallRepository,
        leases: LeaseRepository,
        submit: Callable[[Input], Awaitable[InputOutcome]],
        alert: Callable[[str, Alert], Awaitable[None]],
        clock: Callable[[], datetime],
        *,
        interval_seconds: float,
        networks_seconds: float,
        watch: HubWatch | None = None,
    ) -> None:
        self._counterparties = counterparties
        self._fetches = fetches
        self._rows = calls
        self._leases = leases
        self._submit = submit
        self._alert = alert
        self._clock = clock
        self._interval = timedelta(seconds=interval_seconds)
        self._networks_interval = timedelta(seconds=networks_seconds)
        self._watch = watch or HubWatch()
        self._jitter = random.Random(os.urandom(8))  # noqa: S311 - spreads calls, protects nothing
        self._started_at = clock()
        self._stale_told_at: datetime | None = None
        self._measured_at: datetime | None = None

    async def run(self, database_failed: Callable[[BaseException], bool]) -> None:
        """Refresh until cancelled."""
        await PeriodicJob("directory", self._step, interval=0, failed=database_failed).run()

    async def _step(self) -> bool:
        await self.round()
        await self._rest()
        return True

    async def round(self) -> None:
        """Store this process's demand; fetch if a fetch is due and this process holds the lease."""
        await self._store_demand()
        await self._measure()
        if not await self._leases.take(LEASE, LEASE_SECONDS):
            await self._watch_another()
            return
        now = self._clock()
        state = await self._fetches.read()
        if is_due(state, now, self._interval) and await self._fetches.begin(state, tried_at(state, now)):
            await self._fetch(state, now)
            state = await self._fetches.read()
        await self._watch_age(state)

    async def _watch_another(self) -> None:
        """End an outage that the process that fetches no longer sees."""
        if not self._watch.up:
            fetched_at = (await self._fetches.read()).fetched_at
            if fetched_at is not None:
                self._watch.record_answer_to_another(fetched_at)

    async def _measure(self) -> None:
        now = self._clock()
        if self._measured_at is None or now - self._measured_at >= MEASURE_EVERY:
            self._measured_at = now
            await self._counterparties.measure()

    async def _store_demand(self) -> None:
        wanted = self._counterparties.wanted
        if not wanted.is_set():
            return
        wanted.clear()
        try:
            if self._counterparties.networks_wanted:
                await self._want_networks()
            await self._fetches.want(self._clock())
        except BaseException:
            wanted.set()  # the demand was not stored: keep it
            raise

    async def _want_networks(self) -> None:
        """Make the coin networks due with the next fetch, unless they already are."""
        now = self._clock()
        due_at = (await self._fetches.read()).networks_due_at
        if due_at is not None and due_at > now:
            await self._fetches.networks_due(now)
        self._counterparties.networks_wanted = False

    async def _fetch(self, state: FetchState, now: datetime) -> None:
        networks = state.networks_due_at is None or now >= state.networks_due_at
        try:
            async with asyncio.timeout(FETCH_SECONDS):
                news = await self._counterparties.fetch(networks=networks)
        except TimeoutError:
            await self._failed(state, NoAnswer("vasp-list", sent_maybe=True))
            return
        except HubError as error:
            await self._failed(state, error)
            return
        back = self._watch.record_answer()
        if news is None:
            await self._failed(state, None)
            return
        await self._take(news)
        if back or self._was_outdated(state, now):
            await resume_calls(self._rows, self._clock(), self._jitter.random())
        if networks:
            wait = self._networks_interval if news.networks is not None else timedelta(seconds=NETWORKS_AGAIN_SECONDS)
            await self._fetches.networks_due(now + min(wait, self._networks_interval))

    async def _take(self, news: FetchedDirectory) -> None:
        for item in news.differences:
            await self._submit(item)
        if news.networks_changed:
            await self._alert(HUB_SUBJECT, Alert("DIRECTORY_NETWORKS_CHANGED"))
        await self._counterparties.store(news)
        for target in await self._rows.deferred_targets():
            stored = await self._counterparties.get(target)
            if stored is not None and stored.up:
                await self._rows.wake_deferred(target, self._clock())

    def _was_outdated(self, state: FetchState, now: datetime) -> bool:
        return is_outdated(state.fetched_at, now, self._interval)

    async def _failed(self, state: FetchState, error: HubError | None) -> None:
        if error is not None:
            log.warning(
                "directory-not-refreshed",
                operation=error.operation,
                code=error.error_code or None,
                http_status=error.status or None,
                error=error,
            )
            if is_of_hub(error.status, error.error_code) and error.status != HTTPStatus.TOO_MANY_REQUESTS:
                self._watch.record_failure(self._clock())
        limited = error is not None and error.status == HTTPStatus.TOO_MANY_REQUESTS
        failures = state.failures + 1
        wait = back_off(
            failures, self._interval, limited=limited, retry_after=error.retry_after_s if error is not None else None
        )
        await self._fetches.failed(failures, self._clock() + wait)

    async def _watch_age(self, state: FetchState) -> None:
        """Raise an alert when the list is too old to rely on, and repeat it while it stays so."""
        now = self._clock()
        if not is_outdated(state.fetched_at or self._started_at, now, self._interval):
            self._stale_told_at = None
        elif self._stale_told_at is None or now - self._stale_told_at >= STALE_AGAIN:
            await self._alert(HUB_SUBJECT, Alert(AlertCode.DIRECTORY_STALE, "critical"))
            self._stale_told_at = now

    async def _rest(self) -> None:
        try:
            async with asyncio.timeout(LOOK_SECONDS):
                await self._counterparties.wanted.wait()
        except TimeoutError:
            return
        # Each call may set the demand: do not spin.
        await asyncio.sleep(LOOK_SECONDS / 4)
