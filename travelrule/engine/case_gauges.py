"""Gauges of what waits, read from the database: for a verdict, for a person, for its turn."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import TextClause, bindparam, text

from travelrule import metrics
from travelrule.engine.periodic_job import PeriodicJob
from travelrule.store.database import Database
from travelrule.store.types import Instant

INTERVAL_SECONDS = 15.0
DEAD_LETTER_DAYS = 7
"""Older dead letters are not counted: not each is answered by a replay."""
AGE_SECONDS = {"1m": 60, "10m": 600, "1h": 3_600, "1d": 86_400}
"""The classes of ages, each up to so many seconds; the last class is ``more``."""


def _query(sql: str, *times: str) -> TextClause:
    return text(sql).bindparams(*(bindparam(name, type_=Instant()) for name in times))


_UNANSWERED = _query(
    "SELECT kind, count(*) AS number, min(requested_at) AS oldest,"
    " sum(CASE WHEN answer_due_at < :now THEN 1 ELSE 0 END) AS overdue"
    " FROM subjects WHERE vasp = :vasp AND answer_due_at IS NOT NULL"
    # A withdrawal that was sent without a verdict gets none; its alert is BROADCAST_WITHOUT_ALLOW.
    " AND NOT (kind = 'withdrawal' AND chain <> 'none') GROUP BY kind",
    "now",
).columns(oldest=Instant())
_HELD = _query(
    "SELECT kind, reason, count(*) AS number, min(coalesce(requested_at, created_at)) AS oldest"
    " FROM subjects WHERE vasp = :vasp AND verdict = 'hold' AND due_at IS NOT NULL GROUP BY kind, reason"
).columns(oldest=Instant())
_CALLS = _query(
    "SELECT CASE WHEN first_at > :over1m THEN '1m' WHEN first_at > :over10m THEN '10m'"
    " WHEN first_at > :over1h THEN '1h' WHEN first_at > :over1d THEN '1d' ELSE 'more' END AS age,"
    " count(*) AS number, min(first_at) AS oldest"
    " FROM calls WHERE vasp = :vasp AND first_at <= :now GROUP BY 1",
    "now",
    *(f"over{age}" for age in AGE_SECONDS),
).columns(oldest=Instant())
_QUEUES = _query(
    "SELECT (SELECT count(*) FROM parked WHERE vasp = :vasp) AS parked,"
    " (SELECT count(*) FROM tells WHERE vasp = :vasp) AS messages,"
    " (SELECT min(created_at) FROM tells WHERE vasp = :vasp) AS oldest_message,"
    " (SELECT count(*) FROM subjects WHERE vasp = :vasp AND due_at <= :now) AS timers,"
    " (SELECT min(due_at) FROM subjects WHERE vasp = :vasp AND due_at <= :now) AS oldest_timer,"
    " (SELECT count(*) FROM dead_letters WHERE vasp = :vasp AND replayed_at IS NULL AND failed_at > :since) AS letters,"
    " (SELECT min(failed_at) FROM dead_letters"
    " WHERE vasp = :vasp AND replayed_at IS NULL AND failed_at > :since) AS oldest_letter",
    "now",
    "since",
).columns(oldest_message=Instant(), oldest_timer=Instant(), oldest_letter=Instant())


class CaseGaugeJob:
    """Counts at intervals; each worker shows the same."""

    def __init__(self, database: Database, vasp: str, clock: Callable[[], datetime]) -> None:
        self._database = database
        self._vasp = vasp
        self._clock = clock

    async def run(self, database_failed: Callable[[BaseException], bool]) -> None:
        """Count until cancelled."""
        await PeriodicJob("case-gauges", self._step, interval=INTERVAL_SECONDS, failed=database_failed).run()

    async def _step(self) -> bool:
        await self.round()
        return False

    async def round(self) -> None:
        """Count once."""
        now = self._clock()
        since = now - timedelta(days=DEAD_LETTER_DAYS)
        over = {f"over{age}": now - timedelta(seconds=seconds) for age, seconds in AGE_SECONDS.items()}
        own = {"vasp": self._vasp}
        async with self._database.read() as connection:
            unanswered = (await connection.execute(_UNANSWERED, {**own, "now": now})).all()
            held = (await connection.execute(_HELD, own)).all()
            calls = (await connection.execute(_CALLS, {**own, "now": now, **over})).all()
            queues = (await connection.execute(_QUEUES, {**own, "now": now, "since": since})).one()
        _show_unanswered({row.kind: row for row in unanswered}, now)
        _show_held(held, now)
        _show_calls({row.age: row for row in calls}, now)
        _show_queues(queues, now)


def _show_unanswered(rows: dict[str, Any], now: datetime) -> None:
    for kind in metrics.VERDICT_KINDS:
        row = rows.get(kind)
        metrics.REQUESTS_UNANSWERED.labels(kind=kind).set(row.number if row else 0)
        metrics.REQUESTS_OVERDUE.labels(kind=kind).set(row.overdue if row else 0)
        metrics.OLDEST_UNANSWERED_SECONDS.labels(kind=kind).set(_age(row.oldest if row else None, now))


def _show_held(rows: Sequence[Any], now: datetime) -> None:
    metrics.HELD_SUBJECTS.clear()
    metrics.OLDEST_HELD_SECONDS.clear()
    for row in rows:
        metrics.HELD_SUBJECTS.labels(kind=row.kind, reason=row.reason).set(row.number)
        metrics.OLDEST_HELD_SECONDS.labels(kind=row.kind, reason=row.reason).set(_age(row.oldest, now))


def _show_calls(rows: dict[str, Any], now: datetime) -> None:
    for age in metrics.CALL_AGES:
        metrics.CALLS_WAITING.labels(age=age).set(rows[age].number if age in rows else 0)
    metrics.OLDEST_CALL_SECONDS.set(_age(min((row.oldest for row in rows.values()), default=None), now))


def _show_queues(row: Any, now: datetime) -> None:
    metrics.PARKED_INPUTS.set(row.parked)
    metrics.MESSAGES_WAITING.set(row.messages)
    metrics.OLDEST_MESSAGE_SECONDS.set(_age(row.oldest_message, now))
    metrics.TIMERS_OVERDUE.set(row.timers)
    metrics.OLDEST_TIMER_SECONDS.set(_age(row.oldest_timer, now))
    metrics.DEAD_LETTERS_UNRESOLVED.set(row.letters)
    metrics.OLDEST_DEAD_LETTER_SECONDS.set(_age(row.oldest_letter, now))


def _age(since: datetime | None, now: datetime) -> float:
    return max((now - since).total_seconds(), 0.0) if since is not None else 0.0
