"""Whose fault is a failed statement: the message's (then it is a dead letter), or the database's (then we wait)?"""

from __future__ import annotations

import asyncio
import stat
from datetime import timedelta
from pathlib import Path

import pytest
from sqlalchemy import select, text
from sqlalchemy.exc import DBAPIError, IntegrityError
from sqlalchemy.exc import TimeoutError as PoolTimeoutError

from tests.contract.store.rows import NOW, call, event, read, write
from tests.services import PostgresServer
from tests.services.ports import free_port
from travelrule.errors import ServiceUnavailable
from travelrule.store import bulk, tables
from travelrule.store.database import Database, is_infrastructure_failure, is_serialisation_failure

CONTENT = {
    "a lone surrogate": {"subject": "\ud800"},
    "a number too large": {"sequence": 2**63},
    "a missing value": {"type": None},
}


@pytest.mark.parametrize("what", CONTENT)
async def test_content_that_cannot_be_stored_is_not_the_databases_fault(database: Database, what: str) -> None:
    """Otherwise the message would be retried indefinitely, and everything behind it would wait."""
    with pytest.raises(Exception) as failed:  # noqa: PT011 - which one depends on the driver
        await write(database, tables.outbox, [event(**CONTENT[what])])
    assert not is_infrastructure_failure(failed.value)
    assert not is_serialisation_failure(failed.value)


@pytest.mark.services
async def test_postgresql_refuses_u0000_as_content(pg_database: str) -> None:
    database = Database(pg_database)
    with pytest.raises(DBAPIError) as failed:
        async with database.begin() as connection:
            await connection.execute(text("SELECT CAST(:text AS text)"), {"text": "a\x00b"})
    assert not is_infrastructure_failure(failed.value)
    await database.dispose()


async def test_error_texts_hold_no_values(database: Database) -> None:
    await write(database, tables.calls, [call("c-1")])
    with pytest.raises(IntegrityError) as failed:
        await write(database, tables.calls, [call("c-1", note="Planted Name")])
    assert "Planted" not in str(failed.value)


async def test_waiting_too_long_for_a_connection_is_the_databases_fault(database: Database) -> None:
    """With the database stalled all connections are taken; no message is to blame for that."""
    assert is_infrastructure_failure(PoolTimeoutError("QueuePool limit reached"))


@pytest.mark.services
async def test_a_deadlock_is_to_be_repeated_and_blames_no_message(pg_database: str) -> None:
    database = Database(pg_database)
    async with database.begin() as connection:
        await connection.execute(text("CREATE TABLE pair (id int PRIMARY KEY, n int)"))
        await connection.execute(text("INSERT INTO pair VALUES (1, 0), (2, 0)"))
    both = asyncio.Barrier(2)

    async def cross(first: int, second: int) -> None:
        async with database.begin() as connection:
            await connection.execute(text("SET LOCAL deadlock_timeout = '50ms'"))
            await connection.execute(text("UPDATE pair SET n = n + 1 WHERE id = :id"), {"id": first})
            await both.wait()
            await connection.execute(text("UPDATE pair SET n = n + 1 WHERE id = :id"), {"id": second})

    results = await asyncio.gather(cross(1, 2), cross(2, 1), return_exceptions=True)
    (error,) = [result for result in results if result is not None]
    assert is_serialisation_failure(error)
    assert is_infrastructure_failure(error), "a loop that meets one tries again; it does not end the process"
    await database.dispose()


async def test_a_locked_sqlite_file_is_to_be_repeated(tmp_path: Path) -> None:
    first, second = (Database(f"sqlite+aiosqlite:///{tmp_path / 'a.sqlite3'}") for _ in "ab")
    async with second.begin() as connection:
        await connection.execute(text("CREATE TABLE one (n int)"))
    async with first.begin() as holding:
        await holding.execute(text("SELECT 1"))
        with pytest.raises(DBAPIError) as failed:
            async with second.engine.connect() as other:
                await other.run_sync(
                    lambda sync: sync.connection.driver_connection._conn.execute("PRAGMA busy_timeout=1")
                )
                await other.execute(text("SELECT 1"))
    assert is_serialisation_failure(failed.value)
    assert is_infrastructure_failure(failed.value)
    await first.dispose()
    await second.dispose()


async def test_a_transaction_takes_the_write_lock_at_once(database: Database) -> None:
    """Read-modify-write of two tasks: on SQLite a transaction that began as a reader could not go on to write."""
    await write(database, tables.nonces, [{"origin": "o", "next": 0}])
    lock = " FOR UPDATE" if database.is_postgresql else ""

    async def add() -> None:
        async with database.begin() as connection:
            count = (await connection.execute(text("SELECT next FROM nonces" + lock))).scalar_one()
            await asyncio.sleep(0)
            await bulk.update(connection, tables.nonces, [{"origin": "o", "next": count + 1}])

    await asyncio.gather(*(add() for _ in range(10)))
    assert [row.next for row in await read(database, tables.nonces)] == [10]


async def test_an_exception_rolls_back(database: Database) -> None:
    with pytest.raises(ZeroDivisionError):
        async with database.begin() as connection:
            await bulk.insert(connection, tables.calls, [call("c-1")])
            raise ZeroDivisionError
    assert await read(database, tables.calls) == []


async def test_a_reader_keeps_nothing_and_does_not_wait_for_writers(database: Database) -> None:
    async with database.begin() as writing:
        await bulk.insert(writing, tables.calls, [call("c-1")])
        async with database.read() as connection:
            assert (await connection.execute(select(tables.calls))).all() == []
    assert len(await read(database, tables.calls)) == 1


async def test_check_says_yes(database: Database) -> None:
    assert await database.check() is None


async def test_nobody_listens(tmp_path: Path) -> None:
    nobody = Database(f"postgresql+asyncpg://nobody@127.0.0.1:{free_port()}/none")
    with pytest.raises(ServiceUnavailable):
        await nobody.check()
    with pytest.raises(Exception) as failed:  # noqa: PT011 - what the driver raises is what is tested
        await read(nobody, tables.calls)
    assert is_infrastructure_failure(failed.value)
    await nobody.dispose()


@pytest.mark.parametrize("place", ["file/store.sqlite3", "folder"])
async def test_a_place_where_no_sqlite_file_can_be(tmp_path: Path, place: str) -> None:
    (tmp_path / "file").write_text("")
    (tmp_path / "folder").mkdir()
    with pytest.raises(ServiceUnavailable):
        database = Database(f"sqlite+aiosqlite:///{tmp_path / place}")
        try:
            await database.check()
        finally:
            await database.dispose()


@pytest.mark.services
async def test_a_server_that_goes_down_in_the_middle(own_postgres: PostgresServer) -> None:
    database = Database(own_postgres.dsn(own_postgres.create_database()))
    async with database.begin() as connection:
        await connection.run_sync(tables.metadata.create_all)
    with pytest.raises(Exception) as cut:  # noqa: PT011 - what the driver raises is what is tested
        async with database.begin() as connection:
            await bulk.insert(connection, tables.calls, [call("c-1")])
            own_postgres.kill()
            await bulk.insert(connection, tables.calls, [call("c-2")])
    assert is_infrastructure_failure(cut.value)
    with pytest.raises(Exception) as down:  # noqa: PT011
        await write(database, tables.calls, [call("c-3")])
    assert is_infrastructure_failure(down.value)
    own_postgres.start()
    await write(database, tables.calls, [call("c-4", due_at=NOW + timedelta(1))])
    assert [row.id for row in await read(database, tables.calls)] == ["c-4"]
    await database.dispose()


async def test_the_files_of_sqlite_belong_to_their_owner_alone(tmp_path: Path) -> None:
    path = tmp_path / "new" / "store.sqlite3"
    for _ in range(2):
        opened = Database(f"sqlite+aiosqlite:///{path}")
        async with opened.begin() as connection:
            await connection.execute(text("CREATE TABLE IF NOT EXISTS kept (name TEXT)"))
            await connection.execute(text("INSERT INTO kept VALUES ('x')"))
            modes = {file.name: stat.S_IMODE(file.stat().st_mode) for file in path.parent.iterdir()}
        await opened.dispose()
        assert modes == dict.fromkeys(("store.sqlite3", "store.sqlite3-shm", "store.sqlite3-wal"), 0o600)
        path.chmod(0o644)  # an earlier installation
