"""Rows for tests of the store."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

from sqlalchemy import Table, select

from travelrule.store import bulk, tables
from travelrule.store.database import Database

NOW = datetime(2026, 11, 20, 9, 0, 0, 123456, tzinfo=UTC)


def after(seconds: float) -> datetime:
    return NOW + timedelta(seconds=seconds)


async def read(database: Database, table: Table, *where: Any, order: Any = None) -> list[Any]:
    query = select(table).where(*where)
    async with database.read() as connection:
        return list((await connection.execute(query if order is None else query.order_by(order))).all())


async def write(database: Database, table: Table, rows: list[dict[str, Any]]) -> None:
    async with database.begin() as connection:
        await bulk.insert(connection, table, rows)


def event(key: str = "w-1", sequence: int = 1, **changes: Any) -> dict[str, Any]:
    """An outbox row."""
    return {
        "vasp": "north",
        "topic": "verdicts",
        "key": key,
        "record_key": key.encode(),
        "subject": f"withdrawal:{key}",
        "type": "withdrawal.verdict.v1",
        "sequence": sequence,
        "value": f"{key}#{sequence}".encode(),
        "headers": '[["content-type","YQ=="]]',
        "created_at": NOW,
        **changes,
    }


def call(call_id: str, target: str = "south", due: float = 0, **changes: Any) -> dict[str, Any]:
    """A call row."""
    return {
        "id": call_id,
        "vasp": "north",
        "subject": "withdrawal:w-1",
        "operation": "finish",
        "target": target,
        "transfer_id": "t-1",
        "sealed": b"sealed",
        "due_at": after(due),
        "first_at": after(due),
        "tries": 0,
        "key_refreshed": False,
        "deferred": False,
        "hub_held": False,
        "ends_unsent": False,
        "note": "",
        "traceparent": None,
        "created_at": NOW,
        **changes,
    }


async def fill_outbox(database: Database, rows: list[dict[str, Any]]) -> None:
    """Insert one by one, so that the ids are in the order of the list."""
    await write(database, tables.outbox, rows)
