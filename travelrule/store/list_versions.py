"""Sanctions lists in the database: every process of an installation screens with the same versions.

An import writes all chunks of the new version and puts it in force in one transaction; until it commits the old version
is in force. The last replaced versions are kept, so that the list of a verdict can be inspected and an import undone.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from types import MappingProxyType
from typing import Any

from sqlalchemy import Row, select, text
from sqlalchemy.ext.asyncio import AsyncConnection

from travelrule.store import bulk, tables
from travelrule.store.database import Database

CHUNK_BYTES = 256 * 1024
CHUNKS_PER_STATEMENT = 16
KEPT_VERSIONS = 5
"""Versions of a list that are kept, including the one in force."""


class ListContentMissingError(LookupError):
    """A version of a list is not, or not completely, in the database: it was replaced long ago."""


@dataclass(frozen=True, slots=True)
class ListVersion:
    """One version of one list. ``version`` is the SHA-256 of its content; ``report`` is JSON, for people.

    ``published_at`` is None if the file has no date; ``imported_at`` is the time of the last import.
    """

    code: str
    version: str
    format: str
    entries: int
    names: int
    addresses: int
    report: str
    published_at: datetime | None
    imported_at: datetime

    @property
    def dated(self) -> datetime:
        """The time that its age counts from."""
        return self.published_at or self.imported_at


class ListRepository:
    """The lists of one VASP's installation."""

    def __init__(self, database: Database, vasp: str) -> None:
        self._database = database
        self._vasp = vasp

    async def active(self) -> dict[str, ListVersion]:
        """The version in force of every list, by its code."""
        table = tables.lists
        query = select(table).where(table.c.vasp == self._vasp, table.c.active).order_by(table.c.code)
        async with self._database.read() as connection:
            rows = (await connection.execute(query)).all()
        return {row.code: _version(row) for row in rows}

    async def kept(self, code: str) -> list[ListVersion]:
        """The versions of a list that are in the database, last imported first."""
        table = tables.lists
        query = select(table).where(table.c.vasp == self._vasp, table.c.code == code)
        async with self._database.read() as connection:
            rows = (await connection.execute(query.order_by(table.c.imported_at.desc(), table.c.version))).all()
        return [_version(row) for row in rows]

    async def content(self, code: str, version: str) -> bytes:
        """The stored content of a version. Raise ``ListContentMissingError``."""
        table, chunks = tables.lists, tables.list_chunks
        here = (table.c.vasp == self._vasp, table.c.code == code, table.c.version == version)
        there = (chunks.c.vasp == self._vasp, chunks.c.code == code, chunks.c.version == version)
        async with self._database.snapshot() as connection:
            found = (await connection.execute(select(table.c.chunks, table.c.size).where(*here))).first()
            query = select(chunks.c.content).where(*there).order_by(chunks.c.number)
            parts = (await connection.execute(query)).scalars().all()
        content = b"".join(parts)
        if found is None or len(parts) != found.chunks or len(content) != found.size:
            raise ListContentMissingError(f"list {code}: this version is not in the database any more")
        return content

    async def activate(self, given: ListVersion, content: bytes) -> bool:
        """Write a version and put it in force for all processes. Return False if it already was in force.

        A version in force is only marked as imported again; without a date of publication its age restarts.
        """
        table = tables.lists
        async with self._database.begin() as connection:
            await self._lock(connection, given.code)
            query = select(table.c.version, table.c.active).where(
                table.c.vasp == self._vasp, table.c.code == given.code
            )
            known: dict[str, bool] = {row.version: row.active for row in await connection.execute(query)}
            row = {"vasp": self._vasp, **_columns(given), "size": len(content), "chunks": _count(content)}
            if not known.get(given.version, False):
                replace = table.update().where(table.c.vasp == self._vasp, table.c.code == given.code, table.c.active)
                await connection.execute(replace.values(active=False))
            if given.version not in known:
                await self._write_chunks(connection, given, content)
            await bulk.insert(connection, table, [row], conflict="update")
            await self._forget(connection, given.code)
        return not known.get(given.version, False)

    async def _lock(self, connection: AsyncConnection, code: str) -> None:
        """Allow one import of a list at a time; on SQLite the transaction is the lock."""
        if self._database.is_postgresql:
            key = {"key": f"travelrule list {self._vasp} {code}"}
            await connection.execute(text("SELECT pg_advisory_xact_lock(hashtextextended(:key, 0))"), key)

    async def _write_chunks(self, connection: AsyncConnection, given: ListVersion, content: bytes) -> None:
        step = CHUNK_BYTES * CHUNKS_PER_STATEMENT
        for start in range(0, len(content), step):
            rows = [
                {
                    "vasp": self._vasp,
                    "code": given.code,
                    "version": given.version,
                    "number": place // CHUNK_BYTES,
                    "content": content[place : place + CHUNK_BYTES],
                }
                for place in range(start, min(start + step, len(content)), CHUNK_BYTES)
            ]
            await bulk.insert(connection, tables.list_chunks, rows)

    async def _forget(self, connection: AsyncConnection, code: str) -> None:
        table = tables.lists
        query = (
            select(table.c.version)
            .where(table.c.vasp == self._vasp, table.c.code == code)
            .order_by(table.c.active.desc(), table.c.imported_at.desc(), table.c.version)
            .offset(KEPT_VERSIONS)
        )
        rows = [
            {"vasp": self._vasp, "code": code, "version": version}
            for version in (await connection.execute(query)).scalars().all()
        ]
        await bulk.delete(connection, tables.list_chunks, rows)
        await bulk.delete(connection, table, rows)


class ListVersionWatch:
    """The versions in force, as of the last ``poll``: one small query, for every few seconds."""

    def __init__(self, lists: ListRepository) -> None:
        self._lists = lists
        self._current: Mapping[str, ListVersion] = MappingProxyType({})

    @property
    def current(self) -> Mapping[str, ListVersion]:
        """The versions in force at the last poll, by code."""
        return self._current

    async def poll(self) -> frozenset[str]:
        """Read the versions in force. Return the codes whose version changed since the last poll, or that are gone."""
        before, now = self._current, await self._lists.active()
        self._current = MappingProxyType(now)
        return frozenset(
            code
            for code in {*before, *now}
            if code not in now or code not in before or before[code].version != now[code].version
        )


def _count(content: bytes) -> int:
    return -(-len(content) // CHUNK_BYTES)


def _columns(given: ListVersion) -> dict[str, Any]:
    return {
        "code": given.code,
        "version": given.version,
        "format": given.format,
        "entries": given.entries,
        "names": given.names,
        "addresses": given.addresses,
        "report": given.report,
        "published_at": given.published_at,
        "imported_at": given.imported_at,
        "active": True,
    }


def _version(row: Row[Any]) -> ListVersion:
    return ListVersion(
        row.code,
        row.version,
        row.format,
        row.entries,
        row.names,
        row.addresses,
        row.report,
        row.published_at,
        row.imported_at,
    )
