"""Many rows in one statement, on both databases.

PostgreSQL takes columns as arrays (``unnest``): one plan, one round trip, a few microseconds a row. SQLite has no
network between, so ``executemany`` is already as fast as it gets. Nothing else in the store knows the difference.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any, Literal

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    Integer,
    LargeBinary,
    Table,
    Text,
    TextClause,
    select,
    text,
)
from sqlalchemy.ext.asyncio import AsyncConnection

from travelrule.store.types import Amount, Instant, instant_text

Rows = Sequence[Mapping[str, Any]]
Conflict = Literal["error", "nothing", "update"]

_ARRAY_TYPES: tuple[tuple[type, str], ...] = (
    (Text, "text"),
    (LargeBinary, "bytea"),
    (Boolean, "boolean"),
    (BigInteger, "bigint"),
    (Integer, "integer"),
    (Amount, "numeric"),
    (Instant, "timestamptz"),
)


async def insert(connection: AsyncConnection, table: Table, rows: Rows, conflict: Conflict = "error") -> None:
    """Insert ``rows`` (all with the same keys). On a primary-key conflict: fail, keep the old row, or overwrite it."""
    if not rows:
        return
    columns = tuple(rows[0])
    await _run(connection, _insert_sql(connection.dialect.name, table, columns, conflict), table, columns, rows)


async def update(connection: AsyncConnection, table: Table, rows: Rows) -> None:
    """Update ``rows`` by primary key; each mapping holds the key columns and the columns to set."""
    if not rows:
        return
    columns = tuple(rows[0])
    await _run(connection, _update_sql(connection.dialect.name, table, columns), table, columns, rows)


async def delete(connection: AsyncConnection, table: Table, rows: Rows) -> None:
    """Delete the rows whose columns equal the given ones."""
    if not rows:
        return
    columns = tuple(rows[0])
    await _run(connection, _delete_sql(connection.dialect.name, table, columns), table, columns, rows)


async def _run(
    connection: AsyncConnection, statement: TextClause, table: Table, columns: tuple[str, ...], rows: Rows
) -> None:
    if connection.dialect.name == "postgresql":
        await connection.execute(statement, {name: [row[name] for row in rows] for name in columns})
        return
    converted = [{name: _sqlite_value(table.c[name], row[name]) for name in columns} for row in rows]
    await connection.execute(statement, converted)


def _sqlite_value(column: Column[Any], value: Any) -> Any:
    if value is None:
        return None
    if isinstance(column.type, Instant):
        return instant_text(value)
    if isinstance(column.type, Amount):
        return format(value, "f")
    return value


@lru_cache(maxsize=256)
def _insert_sql(dialect: str, table: Table, columns: tuple[str, ...], conflict: Conflict) -> TextClause:
    names = ", ".join(f'"{name}"' for name in columns)
    keys = [column.name for column in table.primary_key.columns]
    tail = ""
    if conflict == "nothing":
        tail = " ON CONFLICT DO NOTHING"
    elif conflict == "update":
        changed = ", ".join(f'"{n}" = excluded."{n}"' for n in columns if n not in keys and n != "created_at")
        tail = f" ON CONFLICT ({', '.join(keys)}) DO UPDATE SET {changed}"
    return text(f'INSERT INTO "{table.name}" ({names}) {_source(dialect, table, columns)}{tail}')


@lru_cache(maxsize=256)
def _update_sql(dialect: str, table: Table, columns: tuple[str, ...]) -> TextClause:
    keys = [column.name for column in table.primary_key.columns]
    changed = [name for name in columns if name not in keys]
    if dialect == "postgresql":
        names = ", ".join(f'"{name}"' for name in columns)
        sets = ", ".join(f'"{name}" = v."{name}"' for name in changed)
        where = " AND ".join(f't."{name}" = v."{name}"' for name in keys)
        return text(f'UPDATE "{table.name}" t SET {sets} FROM {_unnest(table, columns)} AS v({names}) WHERE {where}')  # noqa: S608
    sets = ", ".join(f'"{name}" = :{name}' for name in changed)
    where = " AND ".join(f'"{name}" = :{name}' for name in keys)
    return text(f'UPDATE "{table.name}" SET {sets} WHERE {where}')  # noqa: S608


@lru_cache(maxsize=64)
def _delete_sql(dialect: str, table: Table, columns: tuple[str, ...]) -> TextClause:
    if dialect == "postgresql":
        names = ", ".join(f'"{name}"' for name in columns)
        where = " AND ".join(f't."{name}" = v."{name}"' for name in columns)
        return text(f'DELETE FROM "{table.name}" t USING {_unnest(table, columns)} AS v({names}) WHERE {where}')  # noqa: S608
    where = " AND ".join(f'"{name}" = :{name}' for name in columns)
    return text(f'DELETE FROM "{table.name}" WHERE {where}')  # noqa: S608


def _source(dialect: str, table: Table, columns: tuple[str, ...]) -> str:
    if dialect == "postgresql":
        return f"SELECT * FROM {_unnest(table, columns)}"  # noqa: S608 - names come from our own tables
    return f"VALUES ({', '.join(':' + name for name in columns)})"


def _unnest(table: Table, columns: tuple[str, ...]) -> str:
    return f"unnest({', '.join(f'CAST(:{name} AS {_array_type(table.c[name])}[])' for name in columns)})"


def _array_type(column: Column[Any]) -> str:
    for python_type, name in _ARRAY_TYPES:
        if isinstance(column.type, python_type):
            return name
    raise TypeError(f"no array type for column {column.name}")


async def existing(connection: AsyncConnection, table: Table, vasp: str, ids: Sequence[str]) -> set[str]:
    """Which of ``ids`` stand in the table's ``id`` column for this VASP."""
    result = await connection.execute(select(table.c.id).where(table.c.vasp == vasp, table.c.id.in_(ids)))
    return set(result.scalars())
