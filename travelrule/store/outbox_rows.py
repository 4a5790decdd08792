"""The outbox: events are claimed under a lease, published, and marked as sent, refused or postponed.

Any number of processes share the table. The lease of a process that died expires; the next claimer takes its rows.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

import orjson
from sqlalchemy import RowMapping, bindparam, text

from travelrule.store import bulk, tables
from travelrule.store.database import Database
from travelrule.store.types import Instant

# Only the first unsent row of a (topic, key) may be claimed. This alone guarantees order for any number of relays
# (design section 4, "Order").
_CLAIM = """
UPDATE outbox SET lease_owner = :owner, lease_until = :until WHERE id IN (
  SELECT o.id FROM outbox o
  WHERE o.vasp = :vasp AND o.sent_at IS NULL AND (o.lease_until IS NULL OR o.lease_until < :now)
    AND o.id = (SELECT min(p.id) FROM outbox p WHERE p.vasp = o.vasp AND p.topic = o.topic AND p.key = o.key
                AND p.sent_at IS NULL)
  ORDER BY o.id LIMIT :count{lock}
) RETURNING id, topic, key, record_key, subject, value, headers"""

_LOCK = {"postgresql": " FOR UPDATE OF o SKIP LOCKED", "sqlite": ""}


@dataclass(frozen=True, slots=True)
class OutboxItem:
    """One event to publish."""

    id: int
    topic: str
    key: str
    record_key: bytes
    subject: str
    value: bytes = field(repr=False)
    headers: tuple[tuple[str, str], ...]


def outbox_item(row_id: int, row: Mapping[str, Any] | RowMapping) -> OutboxItem:
    """The event of a row of ``outbox``."""
    return OutboxItem(
        id=row_id,
        topic=row["topic"],
        key=row["key"],
        record_key=bytes(row["record_key"] or b""),
        subject=row["subject"],
        value=bytes(row["value"]),
        headers=tuple((name, value) for name, value in orjson.loads(row["headers"])),
    )


class OutboxRepository:
    """The outbox of one VASP."""

    def __init__(self, database: Database, vasp: str, owner: str) -> None:
        self._database = database
        self.vasp = vasp
        self.owner = owner
        dialect = "postgresql" if database.is_postgresql else "sqlite"
        self._claim = text(_CLAIM.format(lock=_LOCK[dialect])).bindparams(
            bindparam("now", type_=Instant()), bindparam("until", type_=Instant())
        )

    async def claim(self, count: int, now: datetime, until: datetime) -> list[OutboxItem]:
        """The first unsent event of up to ``count`` (topic, key) pairs, leased until ``until``."""
        parameters = {"vasp": self.vasp, "owner": self.owner, "now": now, "until": until, "count": count}
        async with self._database.single() as connection:
            rows = (await connection.execute(self._claim, parameters)).all()
        items = [outbox_item(row.id, row._mapping) for row in rows]  # noqa: SLF001 - the public name of a row as a mapping
        return sorted(items, key=lambda item: item.id)

    async def mark_sent(self, ids: Sequence[int], now: datetime) -> None:
        """Mark events as acknowledged by the broker."""
        async with self._database.single() as connection:
            await bulk.update(connection, tables.outbox, [{"id": i, "sent_at": now, "lease_until": None} for i in ids])

    async def mark_refused(self, ids: Sequence[int], code: str, now: datetime) -> None:
        """Mark events that the broker refuses permanently. They are kept; the next events of their keys are sent."""
        rows = [{"id": i, "sent_at": now, "refused": code, "lease_until": None} for i in ids]
        async with self._database.single() as connection:
            await bulk.update(connection, tables.outbox, rows)

    async def postpone(self, ids: Sequence[int], until: datetime) -> None:
        """Lease these events until ``until``: the broker did not accept them now."""
        async with self._database.single() as connection:
            await bulk.update(connection, tables.outbox, [{"id": i, "lease_until": until} for i in ids])
