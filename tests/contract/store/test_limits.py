"""The limits that every connection to PostgreSQL brings along, and what their errors mean to the program."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import AsyncIterator
from dataclasses import replace

import asyncpg
import pytest
from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncConnection

from travelrule.store.commit_listener import CommitListener
from travelrule.store.database import Database, is_infrastructure_failure, is_serialisation_failure
from travelrule.store.limits import LISTENING, LOST_PEER_SECONDS, MIGRATING, SERVING

pytestmark = pytest.mark.services

_SHOW = "SELECT current_setting('idle_in_transaction_session_timeout'), current_setting('lock_timeout')"


@pytest.fixture
async def database(pg_database: str) -> AsyncIterator[Database]:
    opened = Database(pg_database)
    async with opened.begin() as connection:
        await connection.execute(text("CREATE TABLE one (id int PRIMARY KEY)"))
        await connection.execute(text("INSERT INTO one VALUES (1)"))
    yield opened
    await opened.dispose()


async def test_a_lock_that_is_not_had_in_time_is_tried_again(database: Database, pg_database: str) -> None:
    impatient = Database(pg_database, limits=replace(SERVING, lock_s=0.2))
    async with database.begin() as connection:
        await connection.execute(text("SELECT id FROM one FOR UPDATE"))
        with pytest.raises(Exception, match="due to lock timeout") as refused:
            async with impatient.single() as waiting:
                await waiting.execute(text("UPDATE one SET id = 1"))
    assert is_serialisation_failure(refused.value)
    assert is_infrastructure_failure(refused.value)
    await impatient.dispose()


async def test_a_transaction_that_paused_too_long_was_ended_and_blames_no_message(
    database: Database, pg_database: str
) -> None:
    impatient = Database(pg_database, limits=replace(SERVING, idle_transaction_s=0.2))
    async with database.read() as watching:
        with pytest.raises(Exception) as ended:  # noqa: PT011 -- what the driver raises is what is tested
            async with impatient.begin() as connection:
                pid = (await connection.execute(text("SELECT pg_backend_pid() FROM one FOR UPDATE"))).scalar()
                await _until_not(watching, "SELECT 1 FROM pg_stat_activity WHERE pid = :pid", pid)
                await connection.execute(text("SELECT 1"))
    assert is_infrastructure_failure(ended.value)
    async with impatient.single() as connection:  # the pool has another connection
        assert (await connection.execute(text("SELECT id FROM one FOR UPDATE"))).scalar() == 1
    await impatient.dispose()


async def _until_not(watching: AsyncConnection, query: str, pid: object) -> None:
    async with asyncio.timeout(60):
        while (await watching.execute(text(query), {"pid": pid})).first() is not None:
            await asyncio.sleep(0.05)  # between two questions to the server


@pytest.mark.parametrize("end", ["pg_cancel_backend", "pg_terminate_backend"])
async def test_a_statement_that_the_server_ended_blames_no_message(
    database: Database, pg_database: str, end: str
) -> None:
    other = Database(pg_database)

    async def sleep(told: asyncio.Future[object]) -> None:
        async with other.begin() as connection:
            told.set_result((await connection.execute(text("SELECT pg_backend_pid()"))).scalar())
            await connection.execute(text("SELECT pg_sleep(600)"))

    told: asyncio.Future[object] = asyncio.get_running_loop().create_future()
    sleeping = asyncio.create_task(sleep(told))
    async with database.single() as watching:
        pid = await told
        idle = "SELECT 1 FROM pg_stat_activity WHERE pid = :pid AND query NOT LIKE '%pg_sleep%'"
        await _until_not(watching, idle, pid)
        await watching.execute(text(f"SELECT {end}(:pid)"), {"pid": pid})
    with pytest.raises(Exception) as ended:  # noqa: PT011 -- what the driver raises is what is tested
        await sleeping
    assert is_infrastructure_failure(ended.value)
    await other.dispose()


@pytest.mark.parametrize("code", ["55P03", "25P03", "25P04", "57014", "57P01", "40001", "40P01", "53300", "25006"])
async def test_codes_that_blame_no_message(database: Database, code: str) -> None:
    with pytest.raises(Exception) as raised:  # noqa: PT011 -- what the driver raises is what is tested
        async with database.begin() as connection:
            await connection.exec_driver_sql(f"DO $$ BEGIN RAISE EXCEPTION 'made' USING ERRCODE = '{code}'; END $$")
    assert is_infrastructure_failure(raised.value)


@pytest.mark.parametrize("code", ["22021", "23505", "22P02", "23514", "25P02"])
async def test_codes_that_content_may_cause(database: Database, code: str) -> None:
    with pytest.raises(Exception) as raised:  # noqa: PT011
        async with database.begin() as connection:
            await connection.exec_driver_sql(f"DO $$ BEGIN RAISE EXCEPTION 'made' USING ERRCODE = '{code}'; END $$")
    assert not is_infrastructure_failure(raised.value)


async def test_every_connection_of_the_program_has_its_limits(pg_database: str) -> None:
    for limits, wanted in ((SERVING, ("10s", "5s")), (MIGRATING, ("1min", "30s"))):
        database = Database(pg_database, limits=limits)
        for opened in (database.begin, database.single, database.read, database.snapshot):
            async with opened() as connection:
                assert tuple((await connection.execute(text(_SHOW))).one()) == wanted
        await database.dispose()
    assert LISTENING.connect_arguments()["server_settings"]["tcp_keepalives_idle"] == "10"


async def test_both_ends_give_up_a_silent_peer(pg_database: str, monkeypatch: pytest.MonkeyPatch) -> None:
    database = Database(pg_database)
    made: list[asyncpg.Connection] = []
    connect = asyncpg.connect

    async def remember(*arguments: object, **options: object) -> asyncpg.Connection:
        made.append(await connect(*arguments, **options))
        return made[-1]

    monkeypatch.setattr(asyncpg, "connect", remember)
    listening = asyncio.create_task(CommitListener(database, lambda _: None).listen())
    async with asyncio.timeout(60), database.read() as connection:
        raw = (await connection.get_raw_connection()).driver_connection
        while not made:
            await asyncio.sleep(0.01)  # until the listener has connected
        for one in (raw, made[0]):
            kept = one._transport.get_extra_info("socket")
            assert kept.getsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE) == 1
            assert kept.getsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT) == LOST_PEER_SECONDS * 1000
            assert await one.fetchval("SELECT current_setting('tcp_user_timeout')") == str(LOST_PEER_SECONDS * 1000)
    listening.cancel()
    await asyncio.gather(listening, return_exceptions=True)
    await database.dispose()
