"""The hub calls that wait: claimed under a lease, and released, postponed or resumed.

Any number of processes share the table. The lease of a process that died expires; the next claimer takes its rows.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

import orjson
from sqlalchemy import Boolean, RowMapping, TextClause, bindparam, select, text

from travelrule import logs
from travelrule.store import bulk, tables
from travelrule.store.database import Database
from travelrule.store.types import Instant

# At most :per_target calls of one counterparty: one slow VASP must not use all connections (design section 6). A call
# without a free place is not changed and keeps its position.
_CLAIM = """
UPDATE calls SET lease_owner = :owner, lease_until = :until WHERE id IN (
  SELECT c.id FROM calls c JOIN (
    SELECT id, target, row_number() OVER (PARTITION BY target ORDER BY due_at, id) AS place FROM calls
    WHERE vasp = :vasp AND due_at <= :now AND (lease_until IS NULL OR lease_until < :now)
      AND target NOT IN (SELECT f.target FROM {left} f WHERE f.places <= 0)
  ) ranked ON ranked.id = c.id
  WHERE ranked.place <= COALESCE((SELECT f.places FROM {left} f WHERE f.target = ranked.target), :per_target)
    AND c.due_at <= :now AND (c.lease_until IS NULL OR c.lease_until < :now)
  ORDER BY c.due_at LIMIT :count{lock}
) RETURNING id, subject, operation, target, transfer_id, sealed, first_at, tries, key_refreshed, deferred, hub_held,
  ends_unsent, note, traceparent,
  (SELECT k.wrapped FROM data_keys k WHERE k.vasp = calls.vasp AND k.subject = calls.subject) AS wrapped{previous}"""

_LEFT = {
    "postgresql": "(SELECT * FROM unnest(CAST(:targets AS text[]), CAST(:places AS int[])) AS u(target, places))",
    "sqlite": "(SELECT json_extract(value, '$[0]') AS target, json_extract(value, '$[1]') AS places"
    " FROM json_each(:places))",
}
# A subquery of RETURNING sees the row as it was before on PostgreSQL, as it is now on SQLite.
_PREVIOUS = ", (SELECT p.lease_owner FROM calls p WHERE p.id = calls.id AND p.lease_until IS NOT NULL) AS previous"
_RAN_OUT = "SELECT id, lease_owner FROM calls WHERE vasp = :vasp AND lease_until < :now"
_LOCK = {"postgresql": " FOR UPDATE OF c SKIP LOCKED", "sqlite": ""}

log = logs.get("calls")


@dataclass(frozen=True, slots=True)
class CallItem:
    """One claimed call. ``sealed`` is opened with the subject's data key, ``wrapped`` (None: erased)."""

    id: str
    subject: str
    operation: str
    target: str
    correlation_id: str
    sealed: bytes = field(repr=False)
    first_at: datetime
    tries: int
    key_refreshed: bool
    deferred: bool
    hub_held: bool
    ends_unsent: bool
    note: str
    traceparent: str | None
    wrapped: bytes | None = field(default=None, repr=False)


def call_item(row: Mapping[str, Any] | RowMapping) -> CallItem:
    """The call of a row of ``calls``."""
    return CallItem(
        id=row["id"],
        subject=row["subject"],
        operation=row["operation"],
        target=row["target"],
        correlation_id=row["transfer_id"],
        sealed=bytes(row["sealed"]),
        first_at=row["first_at"],
        tries=row["tries"],
        key_refreshed=row["key_refreshed"],
        deferred=row["deferred"],
        hub_held=row["hub_held"],
        ends_unsent=row["ends_unsent"],
        note=row["note"],
        traceparent=row["traceparent"],
        wrapped=row.get("wrapped"),
    )


class CallRepository:
    """The waiting calls of one VASP."""

    def __init__(self, database: Database, vasp: str, owner: str) -> None:
        self._database = database
        self.vasp = vasp
        self.owner = owner
        dialect = "postgresql" if database.is_postgresql else "sqlite"
        previous = _PREVIOUS if database.is_postgresql else ""
        self._claim = _typed(_CLAIM.format(left=_LEFT[dialect], lock=_LOCK[dialect], previous=previous))
        self._ran_out = _typed(_RAN_OUT)

    async def claim(
        self, count: int, per_target: int, left: Mapping[str, int], now: datetime, until: datetime
    ) -> list[CallItem]:
        """Claim up to ``count`` due calls, oldest first: at most ``per_target`` of each counterparty, or the number in
        ``left`` for counterparties with fewer places left.
        """
        parameters: dict[str, Any] = {
            "vasp": self.vasp,
            "owner": self.owner,
            "now": now,
            "until": until,
            "count": count,
            "per_target": per_target,
        }
        if self._database.is_postgresql:
            parameters |= {"targets": list(left), "places": list(left.values())}
        else:
            parameters["places"] = orjson.dumps(list(left.items())).decode()
        previous: dict[str, str | None] = {}
        async with self._database.single() as connection:
            if not self._database.is_postgresql:
                ran_out = await connection.execute(self._ran_out, {"vasp": self.vasp, "now": now})
                previous = {row.id: row.lease_owner for row in ran_out}
            rows = (await connection.execute(self._claim, parameters)).all()
        if self._database.is_postgresql:
            previous = {row.id: row.previous for row in rows}
        calls = [call_item(row._mapping) for row in rows]  # noqa: SLF001 - the public name of a row as a mapping
        for call in calls:
            self._log_taken_over(call, previous.get(call.id))
        return calls

    def _log_taken_over(self, call: CallItem, previous: str | None) -> None:
        if previous in (None, self.owner):
            return
        log.warning(
            "lease-taken-over",
            lease="call",
            previous=previous,
            subject=call.subject,
            operation=call.operation,
            counterparty=call.target,
            call_id=call.id,
        )

    async def release(self, ids: Sequence[str]) -> None:
        """Release the leases of claimed calls that are not made now; they keep their position."""
        if not ids:
            return
        async with self._database.single() as connection:
            await bulk.update(connection, tables.calls, [{"id": call_id, "lease_until": None} for call_id in ids])

    async def postpone(
        self,
        call: CallItem,
        due_at: datetime,
        *,
        tries: int,
        key_refreshed: bool,
        deferred: bool,
        note: str,
        hub_held: bool = False,
    ) -> None:
        """Make this call due at ``due_at``, and release its lease."""
        row = {
            "id": call.id,
            "due_at": due_at,
            "tries": tries,
            "key_refreshed": key_refreshed,
            "deferred": deferred,
            "hub_held": hub_held,
            "note": note,
            "lease_until": None,
        }
        async with self._database.single() as connection:
            await bulk.update(connection, tables.calls, [row])

    async def wake_deferred(self, target: str, now: datetime) -> None:
        """Make the calls to a counterparty that is up again due now."""
        statement = _typed(
            "UPDATE calls SET due_at = :now WHERE vasp = :vasp AND target = :target AND deferred AND due_at > :now"
        )
        async with self._database.single() as connection:
            await connection.execute(statement, {"vasp": self.vasp, "target": target, "now": now})

    async def resume_hub_held(self, now: datetime, per_second: float, jitter: float) -> int:
        """Make the calls that wait for the hub due in their order, ``per_second`` a second. Return how many moved.

        ``jitter`` in 0..1 shifts all of them by less than the distance between two.
        """
        table = tables.calls
        waiting = select(table.c.id, table.c.due_at).where(
            table.c.vasp == self.vasp, table.c.hub_held, table.c.due_at > now, table.c.lease_until.is_(None)
        )
        async with self._database.begin() as connection:
            rows = (await connection.execute(waiting.order_by(table.c.first_at, table.c.id))).all()
            moved = []
            for place, row in enumerate(rows):
                due_at = now + timedelta(seconds=(place + jitter) / per_second)
                if due_at < row.due_at:
                    moved.append({"id": row.id, "due_at": due_at})
            await bulk.update(connection, table, moved)
        return len(moved)

    async def deferred_targets(self) -> list[str]:
        """The counterparties that deferred calls wait for."""
        statement = text("SELECT DISTINCT target FROM calls WHERE vasp = :vasp AND deferred")
        async with self._database.read() as connection:
            return list((await connection.execute(statement, {"vasp": self.vasp})).scalars())


def _typed(sql: str) -> TextClause:
    """Text SQL with the column types that SQLite needs."""
    clause = text(sql)
    names = [name for name in ("now", "until") if f":{name}" in sql]
    clause = clause.bindparams(*(bindparam(name, type_=Instant()) for name in names))
    if "first_at" in sql:
        flags = {"key_refreshed": Boolean(), "deferred": Boolean(), "hub_held": Boolean()}
        return clause.columns(first_at=Instant(), **flags)  # type: ignore[return-value]
    return clause
