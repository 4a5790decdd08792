"""Which events a VASP has stored: read from its database, because some of them have no other visible effect."""

from __future__ import annotations

import asyncio

import asyncpg

from tests.e2e.tables import Tables

LOOK_SECONDS = 0.2
UNREADABLE = (OSError, asyncpg.PostgresError, asyncpg.InterfaceError)
"""The errors of a database that is away."""

_STORED = "SELECT id FROM inputs WHERE source = '/platform' AND id = ANY($1)"


class Stored:
    """Waits for events of one VASP's platform, all of them with one query."""

    def __init__(self, tables: Tables) -> None:
        self._tables = tables
        self._awaited: dict[str, asyncio.Event] = {}

    async def until(self, event_id: str) -> None:
        """Wait until the event is stored; ``watch`` has to run."""
        await self._awaited.setdefault(event_id, asyncio.Event()).wait()

    async def watch(self) -> None:
        """Look again and again, until cancelled."""
        while True:
            if self._awaited:
                try:
                    rows = await self._tables.rows(_STORED, list(self._awaited))
                except UNREADABLE:
                    rows = []
                for row in rows:
                    self._awaited.pop(row["id"]).set()
            await asyncio.sleep(LOOK_SECONDS)
