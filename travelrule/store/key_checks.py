"""Check values of keys, and the rows that prove a key without a check value."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any, Literal

from sqlalchemy import inspect, select, text
from sqlalchemy.ext.asyncio import AsyncConnection

from travelrule.store import bulk, tables

Purpose = Literal["storage", "index"]
ID_FROM, ID_BYTES = 2, 8
"""Where a wrapped data key names the storage key, counted as SQL does."""

_LOCK = text("SELECT pg_advisory_xact_lock(hashtext(:name))")
_USED = text(f"SELECT DISTINCT substr(wrapped, {ID_FROM}, {ID_BYTES}) FROM data_keys WHERE vasp = :vasp")  # noqa: S608
_WRAPPED_BY = text(
    "SELECT subject, wrapped FROM data_keys"  # noqa: S608
    f" WHERE vasp = :vasp AND substr(wrapped, {ID_FROM}, {ID_BYTES}) = :key_id LIMIT :count"
)
_STATES = text(
    "SELECT s.subject, s.sealed, k.wrapped, a.body FROM subjects s"
    " JOIN data_keys k ON k.vasp = s.vasp AND k.subject = s.subject"
    " JOIN audit a ON a.vasp = s.vasp AND a.subject = s.subject AND a.record = s.records"
    " WHERE s.vasp = :vasp AND s.sealed IS NOT NULL LIMIT :count"
)


class KeyCheckRepository:
    """The check values of one VASP, read and written on a given connection."""

    def __init__(self, connection: AsyncConnection, vasp: str) -> None:
        self._connection = connection
        self._vasp = vasp

    async def lock(self) -> None:
        """Keep other processes from reading and writing check values until the transaction ends. SQLite needs no lock:
        its write transaction is the only one.
        """
        if self._connection.dialect.name == "postgresql":
            await self._connection.execute(_LOCK, {"name": f"key-checks/{self._vasp}"})

    async def has_table(self, name: str) -> bool:
        """Whether the database has this table."""
        return await self._connection.run_sync(lambda connection: inspect(connection).has_table(name))

    async def stored(self) -> dict[tuple[str, bytes], bytes]:
        """Purpose and key id to check value."""
        table = tables.key_checks
        query = select(table.c.purpose, table.c.key_id, table.c.value).where(table.c.vasp == self._vasp)
        rows = (await self._connection.execute(query)).all()
        return {(row.purpose, bytes(row.key_id)): bytes(row.value) for row in rows}

    async def add(self, values: dict[tuple[Purpose, bytes], bytes], now: datetime) -> None:
        """Store check values."""
        rows = [
            {"vasp": self._vasp, "purpose": purpose, "key_id": key_id, "value": value, "created_at": now}
            for (purpose, key_id), value in values.items()
        ]
        await bulk.insert(self._connection, tables.key_checks, rows)

    async def used(self) -> set[bytes]:
        """The ids of all storage keys that wrap data keys; reads the whole table."""
        return {bytes(found) for found in (await self._connection.execute(_USED, {"vasp": self._vasp})).scalars()}

    async def wrapped_by(self, key_id: bytes, count: int) -> Sequence[Any]:
        """Some data keys (subject, wrapped) of this storage key."""
        parameters = {"vasp": self._vasp, "key_id": key_id, "count": count}
        return (await self._connection.execute(_WRAPPED_BY, parameters)).all()

    async def states(self, count: int) -> Sequence[Any]:
        """Some subjects with their sealed state, and the audit record (body) that holds the state's fingerprint."""
        return (await self._connection.execute(_STATES, {"vasp": self._vasp, "count": count})).all()
