"""Many rows in one statement, on both databases.

PostgreSQL receives columns as arrays (``unnest``): one plan, one round trip, a few microseconds a row. ``write`` joins
the changes of several tables into one statement, because a round trip costs more than many rows. SQLite has no network
in between, so ``executemany`` is used. No other module depends on the difference.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Column, Row, Table, select
from sqlalchemy.ext.asyncio import AsyncConnection

from travelrule.store.bulk_sql import Conflict, Kind, StatementShape, postgresql, sqlite
from travelrule.store.types import Amount, Instant, aware, instant_text

Rows = Sequence[Mapping[str, Any]]

_SHARED = frozenset(
    {
        "vasp",
        "at",
        "created_at",
        "first_at",
        "lease_owner",
        "lease_until",
        "parked_at",
        "received_at",
        "sent_at",
        "updated_at",
    }
)
"""Columns that usually hold one value for a whole batch; it is sent once, not once per row."""


@dataclass(frozen=True, slots=True)
class BulkWrite:
    """One kind of change to one table. All ``rows`` have the same keys; no rows: nothing to do.

    ``null_if`` and ``returning``: see ``bulk_sql.Shape``; only the last change of a call may return something.
    """

    kind: Kind
    table: Table
    rows: Rows
    conflict: Conflict = "error"
    null_if: tuple[tuple[str, str], ...] = ()
    returning: tuple[str, ...] = ()


async def write(connection: AsyncConnection, writes: Sequence[BulkWrite]) -> Sequence[Row[Any]]:
    """Make all changes. Return the rows of the last one.

    No change may touch a row that another one of the same call touches: on PostgreSQL all of them see the tables as
    they were before, and their order is open.
    """
    wanted = [one for one in writes if one.rows]
    if not wanted:
        return ()
    if connection.dialect.name == "postgresql":
        shapes, arguments = [], []
        for one in wanted:
            shape = _shape(one)
            shapes.append(shape)
            arguments += [_argument(one.rows, name, shape) for name in shape.columns]
        result = await connection.exec_driver_sql(postgresql(tuple(shapes)), tuple(arguments))
        return result.all() if wanted[-1].returning else ()
    for one in wanted:
        columns = tuple(one.rows[0])
        statement = sqlite(StatementShape(one.kind, one.table, columns, one.conflict))
        converted = [{name: _sqlite_value(one.table.c[name], row[name]) for name in columns} for row in one.rows]
        await connection.execute(statement, converted)
    return ()


async def insert(connection: AsyncConnection, table: Table, rows: Rows, conflict: Conflict = "error") -> None:
    """Insert ``rows`` (all with the same keys). On a primary-key conflict: fail, keep the old row, or overwrite it."""
    await write(connection, [BulkWrite("insert", table, rows, conflict)])


async def update(connection: AsyncConnection, table: Table, rows: Rows) -> None:
    """Update ``rows`` by primary key; each mapping holds the key columns and the columns to set."""
    await write(connection, [BulkWrite("update", table, rows)])


async def delete(connection: AsyncConnection, table: Table, rows: Rows) -> None:
    """Delete the rows whose columns equal the given ones."""
    await write(connection, [BulkWrite("delete", table, rows)])


def _shape(one: BulkWrite) -> StatementShape:
    columns = tuple(one.rows[0])
    shared = frozenset(name for name in columns if name in _SHARED and _is_one(one.rows, name))
    return StatementShape(one.kind, one.table, columns, one.conflict, shared, one.null_if, one.returning)


def _is_one(rows: Rows, name: str) -> bool:
    first = rows[0][name]
    return all(row[name] is first for row in rows)


def _argument(rows: Rows, name: str, shape: StatementShape) -> Any:
    values = [rows[0][name]] if name in shape.shared else [row[name] for row in rows]
    if isinstance(shape.table.c[name].type, Instant):
        values = [value if value is None else aware(value) for value in values]
    return values[0] if name in shape.shared else values


def _sqlite_value(column: Column[Any], value: Any) -> Any:
    if value is None:
        return None
    if isinstance(column.type, Instant):
        return instant_text(value)
    if isinstance(column.type, Amount):
        return format(value, "f")
    return value


async def existing(connection: AsyncConnection, table: Table, vasp: str, ids: Sequence[str]) -> set[str]:
    """The ``ids`` that exist in the table's ``id`` column for this VASP."""
    result = await connection.execute(select(table.c.id).where(table.c.vasp == vasp, table.c.id.in_(ids)))
    return set(result.scalars())
