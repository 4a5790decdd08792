"""Alerts for sanctions lists that are too old, or missing although the policy requires them.

A list does not contain parties that were listed after its publication. One process at a time checks (a lease). The
policy defines the age (``time_limits.list_age``). Each alert is repeated daily while its cause lasts.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from datetime import datetime, timedelta

from travelrule.engine.periodic_job import PeriodicJob
from travelrule.machine.alert_codes import AlertCode
from travelrule.machine.effects import Alert
from travelrule.policy.policy import Policy
from travelrule.store.leases import LeaseRepository
from travelrule.store.list_versions import ListRepository

LEASE = "lists"
LEASE_SECONDS = 60.0
LOOK_SECONDS = 20.0
AGAIN = timedelta(days=1)
NONE = "list:-"
"""The subject of the alert for no list."""


class ListAgeJob:
    """Checks the age of the lists in force at intervals."""

    def __init__(
        self,
        lists: ListRepository,
        leases: LeaseRepository,
        policy: Callable[[], Policy],
        alert: Callable[[str, Alert], Awaitable[None]],
        clock: Callable[[], datetime],
    ) -> None:
        self._lists = lists
        self._leases = leases
        self._policy = policy
        self._alert = alert
        self._clock = clock
        self._told: dict[str, datetime] = {}

    async def run(self, database_failed: Callable[[BaseException], bool]) -> None:
        """Check until cancelled."""
        await PeriodicJob(
            "list-age",
            self._step,
            interval=LOOK_SECONDS,
            failed=database_failed,
            lease=lambda: self._leases.take(LEASE, LEASE_SECONDS),
        ).run()

    async def _step(self) -> bool:
        await self.round()
        return False

    async def round(self) -> None:
        """Check once."""
        now = self._clock()
        limit = timedelta(seconds=self._policy().time_limits.list_age)
        active = await self._lists.active()
        if active or self._policy().sanctions == "off":
            self._told.pop(NONE, None)
        elif NONE not in self._told or now - self._told[NONE] >= AGAIN:
            await self._alert(NONE, Alert(AlertCode.LISTS_UNAVAILABLE, "critical"))
            self._told[NONE] = now
        for code, version in active.items():
            if now - version.dated <= limit:
                self._told.pop(code, None)
            elif code not in self._told or now - self._told[code] >= AGAIN:
                await self._alert(f"list:{code}", Alert("LIST_STALE"))
                self._told[code] = now
