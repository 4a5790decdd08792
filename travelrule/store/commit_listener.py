"""PostgreSQL NOTIFY: commits of other processes wake this process's loops at once; polling is the fallback."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from travelrule import logs
from travelrule.store.database import Database
from travelrule.store.limits import LISTENING

CHANNEL = "travelrule"

log = logs.get("notify")


class CommitListener:
    """Listens on its own connection; ``woken(names)`` receives the names that a commit announces, comma-separated."""

    def __init__(self, database: Database, woken: Callable[[str], None]) -> None:
        self._database = database
        self._woken = woken

    async def listen(self) -> None:
        """Listen until the connection is lost. Raise OSError or asyncpg's errors."""
        connection = await self._database.open_connection(LISTENING)
        closed = asyncio.Event()
        connection.add_termination_listener(lambda _: closed.set())
        try:
            await connection.add_listener(CHANNEL, lambda *args: self._woken(str(args[3])))
            await closed.wait()
            log.warning("listener-lost")
        finally:
            await connection.close(timeout=1)
