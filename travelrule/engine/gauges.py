"""Gauges that are read from the database: backlog, age of the directory, open exchanges."""

from __future__ import annotations

import math
from collections.abc import Callable
from datetime import datetime

from sqlalchemy import bindparam, text

from travelrule import metrics
from travelrule.engine.periodic_job import PeriodicJob
from travelrule.store.database import Database
from travelrule.store.types import Instant

INTERVAL_SECONDS = 5.0

_BACKLOG = (
    text(
        "SELECT (SELECT count(*) FROM calls WHERE vasp = :vasp AND due_at <= :now) AS due,"
        " (SELECT count(*) FROM outbox WHERE vasp = :vasp AND sent_at IS NULL) AS unsent,"
        " (SELECT min(created_at) FROM outbox WHERE vasp = :vasp AND sent_at IS NULL) AS oldest,"
        " (SELECT count(*) FROM outbox WHERE vasp = :vasp AND refused IS NOT NULL) AS refused,"
        " (SELECT fetched_at FROM directory_fetches WHERE vasp = :vasp) AS listed"
    )
    .bindparams(bindparam("now", type_=Instant()))
    .columns(oldest=Instant(), listed=Instant())
)
_OPEN = text(
    "SELECT side, status, count(*) AS number FROM exchanges"
    " WHERE vasp = :vasp AND status NOT IN ('denied', 'canceled', 'confirmed') GROUP BY side, status"
)


class GaugeJob:
    """Reads the backlog at intervals."""

    def __init__(self, database: Database, vasp: str, clock: Callable[[], datetime]) -> None:
        self._database = database
        self._vasp = vasp
        self._clock = clock

    async def run(self, database_failed: Callable[[BaseException], bool]) -> None:
        """Count until cancelled."""
        await PeriodicJob("gauges", self._step, interval=INTERVAL_SECONDS, failed=database_failed).run()

    async def _step(self) -> bool:
        await self.round()
        return False

    async def round(self) -> None:
        """Count once."""
        now = self._clock()
        async with self._database.read() as connection:
            backlog = (await connection.execute(_BACKLOG, {"vasp": self._vasp, "now": now})).one()
            rows = (await connection.execute(_OPEN, {"vasp": self._vasp})).all()
        metrics.CALLS_DUE.set(backlog.due)
        metrics.OUTBOX_UNSENT.set(backlog.unsent)
        metrics.OUTBOX_REFUSED.set(backlog.refused)
        age = (now - backlog.oldest).total_seconds() if backlog.oldest is not None else 0.0
        metrics.OLDEST_UNSENT_SECONDS.set(max(age, 0.0))
        listed = (now - backlog.listed).total_seconds() if backlog.listed is not None else math.inf
        metrics.DIRECTORY_AGE_SECONDS.set(max(listed, 0.0))
        metrics.EXCHANGES_OPEN.clear()
        for row in rows:
            metrics.EXCHANGES_OPEN.labels(side=row.side, status=row.status).set(row.number)
