"""Retention: what the policy no longer keeps is deleted, in small transactions.

One process at a time runs it (a lease), with a page per transaction: after a crash complete pages are deleted, and the
next pass continues with the rest. What an open subject needs is never deleted (``eligibility``). A subject is erased,
not removed: its data key and all sealed content are deleted, its chain of audit records and the fingerprints of its
inputs stay. The chain can still be verified, and an input that is delivered again is recognized.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy.ext.asyncio import AsyncConnection

from travelrule import logs, metrics
from travelrule.engine.periodic_job import PeriodicJob
from travelrule.engine.retention.eligibility import ELIGIBILITY
from travelrule.engine.vault import Vault
from travelrule.machine.port import Machine
from travelrule.policy.policy import Policy
from travelrule.store import expired_rows
from travelrule.store.database import Database
from travelrule.store.leases import LeaseRepository

LEASE = "retention"
LEASE_SECONDS = 120.0
INTERVAL_SECONDS = 3600.0
PAGE = 200

log = logs.get("retention")


@dataclass(slots=True)
class RetentionCounts:
    """The counts of one pass: erased subjects with their inputs, and deleted rows."""

    subjects: int = 0
    inputs: int = 0
    searches: int = 0
    events: int = 0
    dead_letters: int = 0

    @property
    def total(self) -> int:
        """The sum of all counts."""
        return self.subjects + self.inputs + self.searches + self.events + self.dead_letters


class RetentionJob:
    """Applies ``[retention]`` of the policy in force. Without that section it deletes nothing."""

    def __init__(
        self,
        database: Database,
        vasp: str,
        vault: Vault,
        machines: Mapping[str, Machine],
        leases: LeaseRepository,
        policy: Callable[[], Policy],
        clock: Callable[[], datetime],
    ) -> None:
        self._database = database
        self._vasp = vasp
        self._vault = vault
        self._machines = machines
        self._leases = leases
        self._policy = policy
        self._clock = clock

    async def run(self, database_failed: Callable[[BaseException], bool]) -> None:
        """Delete at intervals until cancelled."""
        await PeriodicJob("retention", self._step, interval=INTERVAL_SECONDS, failed=database_failed).run()

    async def _step(self) -> bool:
        await self.round()
        return False

    async def round(self) -> RetentionCounts:
        """Delete everything that is due, while this process holds the lease."""
        rules = self._policy().retention
        removed = RetentionCounts()
        passes: tuple[tuple[int, Callable[[datetime, RetentionCounts], Awaitable[None]]], ...] = (
            (rules.subjects, self._subjects),
            (rules.searches, self._searches),
            (rules.events, self._events),
            (rules.dead_letters, self._dead_letters),
        )
        for days, delete in passes:
            if days:
                await delete(self._clock() - timedelta(days=days), removed)
        if await self._mine():
            async with self._database.begin() as connection:
                await expired_rows.delete_used_decisions(connection, self._vasp, self._clock())
        for what, number in asdict(removed).items():
            metrics.RETENTION_REMOVED_TOTAL.labels(what=what).inc(number)
        if removed.total:
            log.info(
                "retention-applied",
                subjects=removed.subjects,
                inputs=removed.inputs,
                searches=removed.searches,
                events=removed.events,
                dead_letters=removed.dead_letters,
            )
        return removed

    async def _mine(self) -> bool:
        return await self._leases.take(LEASE, LEASE_SECONDS)

    async def _subjects(self, before: datetime, removed: RetentionCounts) -> None:
        last: expired_rows.Place | None = None
        while await self._mine():
            async with self._database.begin() as connection:
                page = await expired_rows.old_keys(connection, self._vasp, before, last, PAGE)
                rows = await expired_rows.lock_settled(connection, self._vasp, [subject for _, subject in page], before)
                over = await self._over(connection, rows)
                if over:
                    removed.inputs += await expired_rows.erase_subjects(connection, self._vasp, over)
            removed.subjects += len(over)
            if len(page) < PAGE:
                return
            last = page[-1]

    async def _searches(self, before: datetime, removed: RetentionCounts) -> None:
        last: tuple[datetime, bytes] | None = None
        while await self._mine():
            async with self._database.begin() as connection:
                page = await expired_rows.old_searches(connection, self._vasp, before, last, PAGE)
                needed = await self._open(connection, {row.subject for row in page})
                tokens = [bytes(row.token) for row in page if row.subject not in needed]
                removed.searches += await expired_rows.delete_searches(connection, self._vasp, tokens) if tokens else 0
            if len(page) < PAGE:
                return
            last = page[-1].created_at, bytes(page[-1].token)

    async def _events(self, before: datetime, removed: RetentionCounts) -> None:
        while await self._mine():
            async with self._database.begin() as connection:
                deleted = await expired_rows.delete_events(connection, self._vasp, before, PAGE)
            removed.events += deleted
            if not deleted:
                return

    async def _dead_letters(self, before: datetime, removed: RetentionCounts) -> None:
        while await self._mine():
            async with self._database.begin() as connection:
                deleted = await expired_rows.delete_dead_letters(connection, self._vasp, before, PAGE)
            removed.dead_letters += deleted
            if not deleted:
                return

    async def _over(self, connection: AsyncConnection, rows: Sequence[Any]) -> list[str]:
        """The subjects that are concluded and that no open subject needs."""
        serves: dict[str, tuple[str, ...]] = {}
        for row in rows:
            state = self._state(row)
            if state is not None and ELIGIBILITY[row.kind].is_concluded(state):
                serves[row.subject] = ELIGIBILITY[row.kind].needed_by(state)
        still_open = await self._open(connection, {served for some in serves.values() for served in some})
        return [subject for subject, some in serves.items() if still_open.isdisjoint(some)]

    async def _open(self, connection: AsyncConnection, subjects: set[str]) -> set[str]:
        """The subjects that exist, are not erased and not concluded."""
        if not subjects:
            return set()
        rows = await expired_rows.states(connection, self._vasp, sorted(subjects))
        return {row.subject for row in rows if not self._is_over(row)}

    def _is_over(self, row: Any) -> bool:
        if row.due_at is not None or row.parked:
            return False
        state = self._state(row)
        return state is not None and ELIGIBILITY[row.kind].is_concluded(state)

    def _state(self, row: Any) -> Any:
        """The opened state; None if this version cannot read it, so that it is kept."""
        if row.sealed is None or row.kind not in ELIGIBILITY or row.kind not in self._machines:
            return None
        try:
            key = self._vault.unwrap(row.subject, bytes(row.wrapped))
            return self._machines[row.kind].load(self._vault.open(key, "state", row.subject, bytes(row.sealed)))
        except Exception as error:  # noqa: BLE001
            # The boundary of one unreadable subject: it stays, and does not stop the deletion of others.
            log.warning("retention-unreadable", error=error, kind=row.kind)
            return None
