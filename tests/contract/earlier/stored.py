"""The kept database of an earlier tree, unpacked for a test: a SQLite file, or its rows in a PostgreSQL."""

from __future__ import annotations

import lzma
import sqlite3
from collections.abc import Callable, Sequence
from datetime import datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import orjson
from sqlalchemy import Boolean, Column, Connection, DateTime, Integer, MetaData, Numeric, Table, insert, text
from sqlalchemy.types import LargeBinary

from tests.services.process import ROOT
from travelrule.store import schema_version
from travelrule.store.database import Database

FOLDER = ROOT / "tests" / "data" / "earlier"
KEPT: dict[str, Any] = orjson.loads((FOLDER / "a39284f.json").read_bytes())
UNTIL = datetime.fromisoformat(KEPT["until"])
"""The last second of the old tree's story."""


def sqlite_file(folder: Path) -> Path:
    """The database as it was written."""
    path = folder / "earlier.sqlite3"
    path.write_bytes(lzma.decompress((FOLDER / "a39284f.sqlite3.xz").read_bytes()))
    return path


async def fill_postgresql(url: str, folder: Path) -> None:
    """Put the same rows into the tables that the old tree's migrations make."""
    database = Database(url)

    def fill(connection: Connection) -> None:
        config = schema_version._config()
        config.attributes["connection"] = connection
        schema_version.command.upgrade(config, KEPT["schema"])
        metadata = MetaData()
        metadata.reflect(connection)
        with sqlite3.connect(sqlite_file(folder)) as old:
            for table in metadata.sorted_tables:
                if table.name != "alembic_version":
                    _copy(old, connection, table)
        old.close()

    async with database.begin() as connection:
        await connection.run_sync(fill)
    await database.dispose()


def _copy(old: sqlite3.Connection, connection: Connection, table: Table) -> None:
    columns = list(table.columns)
    names = ", ".join(f'"{column.name}"' for column in columns)
    reads = [_reader(column) for column in columns]
    rows: Sequence[Any] = old.execute(f'SELECT {names} FROM "{table.name}"').fetchall()
    if not rows:
        return
    values = [
        {
            column.name: None if value is None else read(value)
            for column, read, value in zip(columns, reads, row, strict=True)
        }
        for row in rows
    ]
    connection.execute(insert(table), values)
    for column in columns:
        if column.autoincrement is True or column.identity is not None or "nextval" in str(column.server_default):
            arguments = {"table": table.name, "column": column.name, "value": max(one[column.name] for one in values)}
            connection.execute(text("SELECT setval(pg_get_serial_sequence(:table, :column), :value)"), arguments)


def _reader(column: Column[Any]) -> Callable[[Any], Any]:
    """How a value of SQLite's becomes one of PostgreSQL's."""
    kinds: list[tuple[type[Any], Callable[[Any], Any]]] = [
        (DateTime, datetime.fromisoformat),
        (Numeric, Decimal),
        (Boolean, bool),
        (Integer, int),
        (LargeBinary, bytes),
    ]
    return next((read for kind, read in kinds if isinstance(column.type, kind)), str)
