"""The texts of bulk statements. They depend on the written columns and never on values, so they are few and cached."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Literal

from sqlalchemy import BigInteger, Boolean, Column, Integer, LargeBinary, Table, Text, TextClause, text

from travelrule.store.types import Amount, Instant

Kind = Literal["insert", "update", "delete"]
Conflict = Literal["error", "nothing", "update"]

_TYPES: tuple[tuple[type, str], ...] = (
    (Text, "text"),
    (LargeBinary, "bytea"),
    (Boolean, "boolean"),
    (BigInteger, "bigint"),
    (Integer, "integer"),
    (Amount, "numeric"),
    (Instant, "timestamptz"),
)


@dataclass(frozen=True, slots=True)
class StatementShape:
    """The parameters of a statement's text. Columns in ``shared`` have one value for all rows.

    ``null_if`` names columns of an insert that stay NULL where a condition holds; ``{name}`` in it is the row's value
    of a column. ``returning`` names columns of the written rows. Both are for PostgreSQL only.
    """

    kind: Kind
    table: Table
    columns: tuple[str, ...]
    conflict: Conflict = "error"
    shared: frozenset[str] = frozenset()
    null_if: tuple[tuple[str, str], ...] = ()
    returning: tuple[str, ...] = ()

    @property
    def keys(self) -> list[str]:
        """The columns of the primary key."""
        return [column.name for column in self.table.primary_key.columns]


@lru_cache(maxsize=1024)
def postgresql(shapes: tuple[StatementShape, ...]) -> str:
    """One statement for all ``shapes``. Its parameters are their columns in turn: an array, or a shared value."""
    statements = []
    number = 1
    for shape in shapes:
        statements.append(_postgresql(shape, number))
        number += len(shape.columns)
    parts = [f"w{place} AS ({statement})" for place, statement in enumerate(statements[:-1])]
    return f"WITH {', '.join(parts)} {statements[-1]}" if parts else statements[-1]


def _postgresql(shape: StatementShape, number: int) -> str:
    parameters = {name: _parameter(shape, name, number + place) for place, name in enumerate(shape.columns)}
    arrays = [name for name in shape.columns if name not in shape.shared]
    source = f"unnest({', '.join(parameters[name] for name in arrays)}) AS v({_names(arrays)})"
    value = {name: parameters[name] if name in shape.shared else f'v."{name}"' for name in shape.columns}
    table = f'"{shape.table.name}"'
    # The names below are those of our own tables; values are parameters.
    if shape.kind == "insert":
        for name, condition in shape.null_if:
            value[name] = f"CASE WHEN {condition.format(**value)} THEN NULL ELSE {value[name]} END"
        values = ", ".join(value[name] for name in shape.columns)
        tail = _on_conflict(shape) + (f" RETURNING {_names(shape.returning)}" if shape.returning else "")
        return f"INSERT INTO {table} ({_names(shape.columns)}) SELECT {values} FROM {source}{tail}"  # noqa: S608
    keys = shape.keys if shape.kind == "update" else list(shape.columns)
    where = " AND ".join(f't."{name}" = {value[name]}' for name in keys)
    if shape.kind == "delete":
        return f"DELETE FROM {table} t USING {source} WHERE {where}"  # noqa: S608
    sets = ", ".join(f'"{name}" = {value[name]}' for name in shape.columns if name not in keys)
    return f"UPDATE {table} t SET {sets} FROM {source} WHERE {where}"  # noqa: S608


@lru_cache(maxsize=512)
def sqlite(shape: StatementShape) -> TextClause:
    """A statement for one row, with the columns as named parameters."""
    table = f'"{shape.table.name}"'
    if shape.kind == "insert":
        values = ", ".join(f":{name}" for name in shape.columns)
        return text(f"INSERT INTO {table} ({_names(shape.columns)}) VALUES ({values}){_on_conflict(shape)}")  # noqa: S608
    keys = shape.keys if shape.kind == "update" else list(shape.columns)
    where = " AND ".join(f'"{name}" = :{name}' for name in keys)
    if shape.kind == "delete":
        return text(f"DELETE FROM {table} WHERE {where}")  # noqa: S608
    sets = ", ".join(f'"{name}" = :{name}' for name in shape.columns if name not in keys)
    return text(f"UPDATE {table} SET {sets} WHERE {where}")  # noqa: S608


def _on_conflict(shape: StatementShape) -> str:
    if shape.conflict == "nothing":
        return " ON CONFLICT DO NOTHING"
    if shape.conflict == "error":
        return ""
    keys = shape.keys
    changed = ", ".join(f'"{n}" = excluded."{n}"' for n in shape.columns if n not in keys and n != "created_at")
    return f" ON CONFLICT ({_names(keys)}) DO UPDATE SET {changed}"


def _names(columns: list[str] | tuple[str, ...]) -> str:
    return ", ".join(f'"{name}"' for name in columns)


def _parameter(shape: StatementShape, name: str, number: int) -> str:
    array = "" if name in shape.shared else "[]"
    return f"CAST(${number} AS {column_type(shape.table.c[name])}{array})"


def column_type(column: Column[Any]) -> str:
    """PostgreSQL's name of a column's type. Raise TypeError for a type that our tables do not use."""
    for python_type, name in _TYPES:
        if isinstance(column.type, python_type):
            return name
    raise TypeError(f"no PostgreSQL type for column {column.name}")
