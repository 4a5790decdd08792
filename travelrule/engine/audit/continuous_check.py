"""The continuous check of the audit: every subject and the signed log, in small rounds, pass after pass.

``audit verify`` proves everything at once, on demand. This job proves the same in a working process, within a small
share of its time, so that a broken chain is noticed. One process at a time checks (a lease); a pass restarts when the
lease moves to another process. What one pass found counts until the next one ends.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from datetime import datetime, timedelta

from sqlalchemy import select, text

from travelrule import logs, metrics
from travelrule.crypto.audit_chain import verify_root
from travelrule.crypto.merkle import Frontier
from travelrule.engine.audit.log import leaf
from travelrule.engine.audit.verifier import AuditVerifier
from travelrule.engine.periodic_job import PeriodicJob
from travelrule.store import tables
from travelrule.store.database import Database, is_infrastructure_failure
from travelrule.store.leases import LeaseRepository

LEASE = "audit-check"
LEASE_SECONDS = 60.0
INTERVAL_SECONDS = 2.0
ROUND_SECONDS = 0.05
"""The time of a round, less its last step: some 2 percent of the process's time."""
PASS_PAUSE = timedelta(seconds=60)
PAGE = 100

_LEAVES = text(
    "SELECT l.subject, l.record, l.head, a.hash, s.subject AS stored FROM audit_log l"
    " LEFT JOIN audit a ON a.vasp = l.vasp AND a.subject = l.subject AND a.record = l.record"
    " LEFT JOIN subjects s ON s.vasp = l.vasp AND s.subject = l.subject"
    " WHERE l.vasp = :vasp AND l.leaf >= :begin AND l.leaf < :end ORDER BY l.leaf"
)

log = logs.get("audit")


class AuditCheckJob:
    """Checks in rounds. ``verifier`` makes the verifier of one pass; ``audit_public`` is the public key of
    ``AUDIT_KEY``, base64.
    """

    def __init__(
        self,
        database: Database,
        vasp: str,
        verifier: Callable[[], AuditVerifier],
        audit_public: str,
        leases: LeaseRepository,
        clock: Callable[[], datetime],
    ) -> None:
        self._database = database
        self._vasp = vasp
        self._new_verifier = verifier
        self._audit_public = audit_public
        self._leases = leases
        self._clock = clock
        self._begin_pass(clock())
        self._known: set[str] = set()

    def _begin_pass(self, at: datetime) -> None:
        self._verifier = self._new_verifier()
        self._found: set[str] = set()
        self._page: list[str] = []
        self._after: str | None = ""
        self._frontier = Frontier()
        self._next_pass_at = at

    async def run(self, database_failed: Callable[[BaseException], bool]) -> None:
        """Check until cancelled."""
        job = PeriodicJob(
            "audit-check", self._step, interval=INTERVAL_SECONDS, failed=database_failed, lease=self._holds_lease
        )
        await job.run()

    async def _holds_lease(self) -> bool:
        held = await self._leases.take(LEASE, LEASE_SECONDS)
        if not held and (self._known or self._found or self._after != ""):
            self._known = set()
            self._begin_pass(self._clock())
            self._show()
        return held

    async def _step(self) -> bool:
        await self.round()
        return False

    async def round(self) -> bool:
        """Check for ``ROUND_SECONDS``; return True if that completed a pass."""
        if self._clock() < self._next_pass_at:
            return False
        began = time.perf_counter()
        while time.perf_counter() - began < ROUND_SECONDS:
            if not await self._advance():
                self._known = self._found
                self._begin_pass(self._clock() + PASS_PAUSE)
                self._show()
                metrics.AUDIT_VERIFIED_TIMESTAMP_SECONDS.set(self._clock().timestamp())
                return True
        self._show()
        return False

    async def _advance(self) -> bool:
        """Check the next subject, or, after the last one, the next signed root; return False at the end of both."""
        if not self._page and self._after is not None:
            self._page = await self._subjects_after(self._after)
            self._after = self._page[0] if self._page else None
        if self._page:
            await self._check_subject(self._page.pop())
            return True
        return await self._check_root()

    async def _subjects_after(self, name: str) -> list[str]:
        """Return the next names, last one first."""
        table = tables.subjects
        query = select(table.c.subject).where(table.c.vasp == self._vasp, table.c.subject > name)
        async with self._database.read() as connection:
            found = await connection.execute(query.order_by(table.c.subject).limit(PAGE))
        return list(found.scalars().all())[::-1]

    async def _check_subject(self, subject: str) -> None:
        try:
            fault = await self._verifier.fault_of(subject)
        except Exception as error:
            # The boundary of one subject: whatever was planted in its rows is a fault, and stops no other check.
            if is_infrastructure_failure(error):
                raise
            fault = type(error).__name__
        metrics.AUDIT_CHECKED_TOTAL.inc()
        if fault is not None:
            self._report(subject)

    async def _check_root(self) -> bool:
        """Check the next signed root and the leaves that it adds; return False if there is none."""
        roots, done = tables.audit_roots, self._frontier.size
        query = select(roots).where(roots.c.vasp == self._vasp, roots.c.size > done).order_by(roots.c.size).limit(1)
        async with self._database.snapshot() as connection:
            row = (await connection.execute(query)).first()
            end = row.size if row is not None else done + 1
            leaves = (await connection.execute(_LEAVES, {"vasp": self._vasp, "begin": done, "end": end})).all()
        for one in leaves:
            if one.stored is None or one.hash is None or bytes(one.hash) != bytes(one.head):
                self._report(one.subject)
        if row is None:
            if leaves:  # behind the last signed root
                self._report(f"audit:{self._vasp}")
            return False
        self._frontier = self._frontier.appended(leaf(one.subject, one.record, bytes(one.head)) for one in leaves)
        fits = self._frontier.size == row.size and self._frontier.root() == bytes(row.root)
        if not fits or not verify_root(self._audit_public, row.size, bytes(row.root), row.at, row.signature):
            self._report(f"audit:{self._vasp}")
            return False  # no later root fits either
        return True

    def _report(self, subject: str) -> None:
        if subject not in self._known and subject not in self._found:
            log.error("audit-fault", subject=subject)
        self._found.add(subject)

    def _show(self) -> None:
        metrics.AUDIT_FAULTS.set(len(self._known | self._found))
