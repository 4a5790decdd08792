"""NOTIFY wakes other processes at once, and again after the server was restarted."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
from sqlalchemy import text

from tests.services import PostgresServer
from travelrule.bootstrap import worker_role
from travelrule.bootstrap.worker_role import follow_commits
from travelrule.store.database import Database

pytestmark = pytest.mark.services


class Heard:
    def __init__(self) -> None:
        self.words: list[str] = []
        self._news = asyncio.Condition()
        self._tasks: set[asyncio.Task[None]] = set()

    def __call__(self, what: str) -> None:
        self.words.append(what)
        task = asyncio.ensure_future(self._tell())
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _tell(self) -> None:
        async with self._news:
            self._news.notify_all()

    async def until(self, what: str) -> None:
        async with self._news:
            await self._news.wait_for(lambda: what in self.words)


@asynccontextmanager
async def listening(database: Database, heard: Heard) -> AsyncIterator[asyncio.Task[None]]:
    task = asyncio.create_task(follow_commits(database, heard))
    try:
        yield task
    finally:
        task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await task
        await database.dispose()


async def say_until_heard(database: Database, heard: Heard, what: str) -> None:
    """A listener cannot report that it listens: repeat until it is notified."""
    async with asyncio.timeout(60):
        while what not in heard.words:
            with contextlib.suppress(Exception):  # the server may be starting
                async with database.begin() as connection:
                    await connection.execute(text("SELECT pg_notify('travelrule', :what)"), {"what": what})
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(0.1):
                    await heard.until(what)


async def test_what_others_commit_is_heard_and_only_that(pg_database: str) -> None:
    database, heard = Database(pg_database), Heard()
    async with listening(database, heard):
        await say_until_heard(database, heard, "outbox,calls")
        with contextlib.suppress(ZeroDivisionError):
            async with database.begin() as connection:
                await connection.execute(text("SELECT pg_notify('travelrule', 'rolled back')"))
                raise ZeroDivisionError
        await say_until_heard(database, heard, "outbox")
        assert "rolled back" not in heard.words


async def test_the_listener_comes_back_after_a_restart_of_the_server(
    own_postgres: PostgresServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(worker_role, "RECONNECT_SECONDS", 0.1)
    database, heard = Database(own_postgres.dsn("postgres")), Heard()
    async with listening(database, heard) as task:
        await say_until_heard(database, heard, "before")
        await asyncio.to_thread(own_postgres.kill)
        await asyncio.to_thread(own_postgres.start)
        await say_until_heard(database, heard, "after")
        assert not task.done()
