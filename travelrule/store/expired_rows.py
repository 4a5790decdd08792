"""What retention finds and deletes, a bounded number of rows at a time.

Each ``old_*`` gives one page in the order of age, and each deletion is part of the caller's transaction. A page is
found again by where the last one ended, so a row that must stay does not keep the others waiting.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any

import orjson
from sqlalchemy import Row, TextClause, bindparam, delete, func, select, text, update
from sqlalchemy.ext.asyncio import AsyncConnection

from travelrule.store import bulk, tables
from travelrule.store.types import Instant

Place = tuple[datetime, str]
"""Where a page ended: the time and the name of its last row."""

# FOR UPDATE: nobody decides about these subjects meanwhile. Who is being decided about is not old: skipped. A
# registered wallet and a counterparty are in use as long as they are there; leaving them out saves opening them.
_SETTLED = """
SELECT s.subject, s.kind, s.sealed, k.wrapped FROM subjects s
JOIN data_keys k ON k.vasp = s.vasp AND k.subject = s.subject
WHERE s.vasp = :vasp AND s.subject IN {subjects} AND s.updated_at < :before AND s.due_at IS NULL AND s.parked = 0
  AND s.sealed IS NOT NULL AND s.kind <> 'vasp' AND s.status <> 'registered'
  AND NOT EXISTS (SELECT 1 FROM calls c WHERE c.vasp = s.vasp AND c.subject = s.subject)
  AND NOT EXISTS (SELECT 1 FROM tells t
                  WHERE t.vasp = s.vasp AND (t.from_subject = s.subject OR t.to_subject = s.subject))
ORDER BY s.subject{lock}"""
_STATES = """
SELECT s.subject, s.kind, s.sealed, s.due_at, s.parked, k.wrapped FROM subjects s
JOIN data_keys k ON k.vasp = s.vasp AND k.subject = s.subject
WHERE s.vasp = :vasp AND s.subject IN {subjects}"""
_NAMES = {
    "postgresql": "(SELECT * FROM unnest(CAST(:subjects AS text[])))",
    "sqlite": "(SELECT value FROM json_each(:subjects))",
}
_LOCK = {"postgresql": " FOR UPDATE OF s SKIP LOCKED", "sqlite": ""}


async def old_keys(
    connection: AsyncConnection, vasp: str, before: datetime, after: Place | None, count: int
) -> list[Place]:
    """Subjects that have a data key since before ``before``: whoever may be given up is among them."""
    table = tables.data_keys
    query = (
        select(table.c.created_at, table.c.subject)
        .where(table.c.vasp == vasp, table.c.created_at < before)
        .order_by(table.c.created_at, table.c.subject)
        .limit(count)
    )
    if after is not None:
        query = query.where(_behind(after, "subject"))
    return [(row.created_at, row.subject) for row in await connection.execute(query)]


async def settled(
    connection: AsyncConnection, vasp: str, subjects: Sequence[str], before: datetime
) -> Sequence[Row[Any]]:
    """Those of ``subjects`` that nothing happened to since ``before`` and nothing is on its way for, locked."""
    statement = _named(_SETTLED, connection).bindparams(bindparam("before", type_=Instant()))
    return (await connection.execute(statement, {**_names(connection, vasp, subjects), "before": before})).all()


async def states(connection: AsyncConnection, vasp: str, subjects: Sequence[str]) -> Sequence[Row[Any]]:
    """The states of those of ``subjects`` that are there and not erased."""
    return (await connection.execute(_named(_STATES, connection), _names(connection, vasp, subjects))).all()


async def give_up(connection: AsyncConnection, vasp: str, subjects: Sequence[str]) -> int:
    """Erase subjects: their data keys go, and whatever was sealed under them. Ids, fingerprints and outcomes of the
    inputs stay, so that none is taken for a new one; so do the audit records. Gives the number of inputs.
    """
    inputs, rows = tables.inputs, tables.subjects
    emptied = await connection.execute(
        update(inputs).where(inputs.c.vasp == vasp, inputs.c.subject.in_(subjects)).values(sealed=b"", reply=None)
    )
    audit = tables.audit
    found_by_another = (audit.c.vasp == vasp, audit.c.subject.in_(subjects), audit.c.sealed_before.is_not(None))
    await connection.execute(update(audit).where(*found_by_another).values(sealed_before=None))
    await connection.execute(update(rows).where(rows.c.vasp == vasp, rows.c.subject.in_(subjects)).values(sealed=None))
    await bulk.delete(connection, tables.data_keys, [{"vasp": vasp, "subject": subject} for subject in subjects])
    return emptied.rowcount


async def old_searches(
    connection: AsyncConnection, vasp: str, before: datetime, after: tuple[datetime, bytes] | None, count: int
) -> Sequence[Any]:
    """Searches (``token``, ``subject``, ``created_at``) that were made before ``before``."""
    table = tables.searches
    query = (
        select(table.c.created_at, table.c.token, table.c.subject)
        .where(table.c.vasp == vasp, table.c.created_at < before)
        .order_by(table.c.created_at, table.c.token)
        .limit(count)
    )
    if after is not None:
        query = query.where(_behind(after, "token", tables.searches))
    return (await connection.execute(query)).all()


async def delete_searches(connection: AsyncConnection, vasp: str, tokens: Sequence[bytes]) -> int:
    """Forget searches: a callback about them is not known any more."""
    table = tables.searches
    result = await connection.execute(delete(table).where(table.c.vasp == vasp, table.c.token.in_(tokens)))
    return result.rowcount


async def delete_events(connection: AsyncConnection, vasp: str, before: datetime, count: int) -> int:
    """Delete up to ``count`` events that Kafka confirmed before ``before``; what it refused stays."""
    table = tables.outbox
    query = (
        select(table.c.id)
        .where(table.c.vasp == vasp, table.c.created_at < before, table.c.sent_at < before, table.c.refused.is_(None))
        .order_by(table.c.created_at)
        .limit(count)
    )
    ids = (await connection.execute(query)).scalars().all()
    return (await connection.execute(delete(table).where(table.c.id.in_(ids)))).rowcount if ids else 0


async def delete_dead_letters(connection: AsyncConnection, vasp: str, before: datetime, count: int) -> int:
    """Delete up to ``count`` dead letters, with their data keys, that were replayed before ``before``, or failed before
    it and were never replayed.
    """
    table, keys = tables.dead_letters, tables.data_keys
    last = func.coalesce(table.c.replayed_at, table.c.failed_at, type_=Instant())
    query = select(table.c.id).where(table.c.vasp == vasp, last < before).order_by(table.c.id).limit(count)
    ids = (await connection.execute(query)).scalars().all()
    if not ids:
        return 0
    subjects = [f"deadletter:{letter_id}" for letter_id in ids]
    await connection.execute(delete(keys).where(keys.c.vasp == vasp, keys.c.subject.in_(subjects)))
    return (await connection.execute(delete(table).where(table.c.vasp == vasp, table.c.id.in_(ids)))).rowcount


async def delete_used_decisions(connection: AsyncConnection, vasp: str, now: datetime) -> None:
    """Delete the signed decisions that nothing accepts any more."""
    table = tables.used_decisions
    await connection.execute(delete(table).where(table.c.vasp == vasp, table.c.expires_at < now))


def _behind(after: tuple[datetime, Any], name: str, table: Any = tables.data_keys) -> Any:
    at, last = after
    return (table.c.created_at > at) | ((table.c.created_at == at) & (table.c[name] > last))


def _named(statement: str, connection: AsyncConnection) -> TextClause:
    dialect = connection.dialect.name
    return text(statement.format(subjects=_NAMES[dialect], lock=_LOCK[dialect]))


def _names(connection: AsyncConnection, vasp: str, subjects: Sequence[str]) -> dict[str, Any]:
    names = list(subjects) if connection.dialect.name == "postgresql" else orjson.dumps(list(subjects)).decode()
    return {"vasp": vasp, "subjects": names}
