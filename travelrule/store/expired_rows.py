"""Rows that retention finds and deletes, a bounded number at a time.

Each ``old_*`` returns one page, oldest first; each deletion is part of the caller's transaction. A page starts after
the last row of the earlier one, so a row that must stay does not block the others.
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

# FOR UPDATE: no process decides on these subjects meanwhile. A subject locked by a decision is not old and is skipped.
# Registered wallets and counterparties are always in use; excluding them avoids opening their states.
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
    """Subjects whose data key was created before ``before``; all subjects that may be erased are among them."""
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


async def lock_settled(
    connection: AsyncConnection, vasp: str, subjects: Sequence[str], before: datetime
) -> Sequence[Row[Any]]:
    """Lock and return those of ``subjects`` that are unchanged since ``before`` and have no pending call or message."""
    statement = _named(_SETTLED, connection).bindparams(bindparam("before", type_=Instant()))
    return (await connection.execute(statement, {**_names(connection, vasp, subjects), "before": before})).all()


async def states(connection: AsyncConnection, vasp: str, subjects: Sequence[str]) -> Sequence[Row[Any]]:
    """The states of those of ``subjects`` that exist and are not erased."""
    return (await connection.execute(_named(_STATES, connection), _names(connection, vasp, subjects))).all()


async def erase_subjects(connection: AsyncConnection, vasp: str, subjects: Sequence[str]) -> int:
    """Erase subjects: delete their data keys and everything sealed under them. Return the number of inputs emptied.

    The audit records stay, and so do ids, fingerprints and outcomes of the inputs, so that a repeated input is
    recognized.
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
    """Searches (``token``, ``subject``, ``created_at``) older than ``before``."""
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
    """Delete searches; later callbacks about them are unknown."""
    table = tables.searches
    result = await connection.execute(delete(table).where(table.c.vasp == vasp, table.c.token.in_(tokens)))
    return result.rowcount


async def delete_events(connection: AsyncConnection, vasp: str, before: datetime, count: int) -> int:
    """Delete up to ``count`` events that Kafka confirmed before ``before``; refused ones stay."""
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
    """Delete the records of signed decisions that have expired."""
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
