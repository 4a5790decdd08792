"""Queries for dead letters, by the filters of operators."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, Row, func, select
from sqlalchemy.ext.asyncio import AsyncConnection

from travelrule.store import tables

_TABLE = tables.dead_letters


@dataclass(frozen=True, slots=True)
class DeadLetterFilter:
    """The conditions on dead letters; empty fields match all. ``waiting``: not replayed yet."""

    codes: tuple[str, ...] = ()
    topics: tuple[str, ...] = ()
    subject: str = ""
    since: datetime | None = None
    until: datetime | None = None
    waiting: bool = False

    def conditions(self, vasp: str) -> list[ColumnElement[bool]]:
        """The conditions as SQL."""
        found: list[ColumnElement[bool]] = [_TABLE.c.vasp == vasp]
        if self.codes:
            found.append(_TABLE.c.code.in_(self.codes))
        if self.topics:
            found.append(_TABLE.c.topic.in_(self.topics))
        if self.subject:
            found.append(_TABLE.c.subject == self.subject)
        if self.since is not None:
            found.append(_TABLE.c.failed_at >= self.since)
        if self.until is not None:
            found.append(_TABLE.c.failed_at < self.until)
        if self.waiting:
            found.append(_TABLE.c.replayed_at.is_(None))
        return found


async def find(
    connection: AsyncConnection, vasp: str, wanted: DeadLetterFilter, limit: int | None = None, *, newest: bool = False
) -> Sequence[Row[Any]]:
    """The matching dead letters, oldest first; with a limit only the oldest, or the newest, of them."""
    query = select(_TABLE).where(*wanted.conditions(vasp)).limit(limit)
    if not newest:
        return (await connection.execute(query.order_by(_TABLE.c.failed_at, _TABLE.c.id))).all()
    rows = (await connection.execute(query.order_by(_TABLE.c.failed_at.desc(), _TABLE.c.id.desc()))).all()
    return rows[::-1]


async def counts(connection: AsyncConnection, vasp: str, wanted: DeadLetterFilter) -> dict[str, int]:
    """The number of matching dead letters by code."""
    number = func.count()
    query = select(_TABLE.c.code, number).where(*wanted.conditions(vasp)).group_by(_TABLE.c.code)
    rows = (await connection.execute(query.order_by(number.desc(), _TABLE.c.code))).all()
    return {row.code: row[1] for row in rows}


async def ids_with_prefix(connection: AsyncConnection, vasp: str, prefix: str, limit: int) -> list[str]:
    """The first ids with this prefix."""
    condition = _TABLE.c.id.startswith(prefix, autoescape=True)
    query = select(_TABLE.c.id).where(_TABLE.c.vasp == vasp, condition).order_by(_TABLE.c.id).limit(limit)
    return list((await connection.execute(query)).scalars())
