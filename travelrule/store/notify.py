"""PostgreSQL NOTIFY: commits of other processes wake this one's relay and caller at once; polling is the fallback."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

import asyncpg

from travelrule import logs
from travelrule.store.database import Database

CHANNEL = "travelrule"
RECONNECT_SECONDS = 2.0

log = logs.get("notify")


class Listener:
    """Listens on a connection of its own; ``woken(what)`` gets the names that a commit announces, comma-separated."""

    def __init__(self, database: Database, woken: Callable[[str], None]) -> None:
        self._url = database.url
        self._woken = woken

    async def run(self) -> None:
        """Listen until cancelled; a lost connection is made anew."""
        while True:
            try:
                await self._listen()
            except (OSError, asyncpg.PostgresError, asyncpg.InterfaceError) as error:
                log.warning("listener-lost", error=error)
            await asyncio.sleep(RECONNECT_SECONDS)

    async def _listen(self) -> None:
        connection = await asyncpg.connect(self._url.set(drivername="postgresql").render_as_string(hide_password=False))
        closed = asyncio.Event()
        connection.add_termination_listener(lambda _: closed.set())
        try:
            await connection.add_listener(CHANNEL, lambda *args: self._woken(str(args[3])))
            await closed.wait()
        finally:
            await connection.close(timeout=1)
