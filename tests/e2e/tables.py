"""A database of the running installation, read from outside and row by row."""

from __future__ import annotations

from typing import Any

import asyncpg


class Tables:
    """Reads tables over a connection of its own. ``url`` as SQLAlchemy writes it."""

    def __init__(self, url: str) -> None:
        self._url = url.replace("postgresql+asyncpg://", "postgresql://")

    async def rows(self, statement: str, *values: object) -> list[asyncpg.Record]:
        """The rows of one query."""
        connection = await asyncpg.connect(self._url, timeout=10)
        try:
            return list(await connection.fetch(statement, *values))
        finally:
            await connection.close()

    async def count(self, table: str, where: str = "true") -> int:
        """How many rows of a table fit."""
        (row,) = await self.rows(f"SELECT count(*) AS n FROM {table} WHERE {where}")
        return int(row["n"])

    async def everything(self) -> dict[str, list[dict[str, Any]]]:
        """Every row of every table."""
        names = await self.rows("SELECT tablename FROM pg_tables WHERE schemaname = 'public'")
        tables = [str(row["tablename"]) for row in names]
        return {table: [dict(row) for row in await self.rows(f'SELECT * FROM "{table}"')] for table in tables}
