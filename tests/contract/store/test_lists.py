"""Sanctions lists: a version is in force wholly or not at all, for every process at once."""

from __future__ import annotations

import asyncio
import sys
from dataclasses import replace
from typing import Any

import pytest
from sqlalchemy import func, select

from tests.contract.store.rows import NOW, after, read
from tests.services.process import ROOT
from travelrule.store import bulk, tables
from travelrule.store.database import Database
from travelrule.store.list_versions import (
    CHUNK_BYTES,
    CHUNKS_PER_STATEMENT,
    KEPT_VERSIONS,
    ListContentMissingError,
    ListRepository,
    ListVersion,
    ListVersionWatch,
)

FIRST = ListVersion("un", "a" * 64, "un-xml", 3, 7, 1, "{}", None, NOW)
SECOND = replace(FIRST, version="b" * 64, entries=4, published_at=after(5), imported_at=after(9))
LARGE = bytes(range(256)) * (CHUNK_BYTES // 256 * (CHUNKS_PER_STATEMENT + 2)) + b"tail"

IMPORTING = """
import asyncio, sys
from datetime import UTC, datetime
from travelrule.store import bulk
from travelrule.store.database import Database
from travelrule.store.list_versions import ListRepository, ListVersion

async def main(url, version, dies):
    database = Database(url)
    lists = ListRepository(database, "north")
    if dies:
        async def forget(connection, code):
            print("written", flush=True)
            await asyncio.Event().wait()
        lists._forget = forget
    row = ListVersion("un", version * 64, "un-xml", 1, 1, 0, "{}", None, datetime(2026, 11, 20, 10, tzinfo=UTC))
    print(await lists.activate(row, version.encode() * 600_000), flush=True)
    await database.dispose()

asyncio.run(main(sys.argv[1], sys.argv[2], sys.argv[3:] == ["dies"]))
"""


async def importing(url: str, *arguments: str) -> asyncio.subprocess.Process:
    return await asyncio.create_subprocess_exec(
        sys.executable, "-c", IMPORTING, url, *arguments, cwd=ROOT, stdout=asyncio.subprocess.PIPE
    )


async def test_none_first_then_the_last_imported(database: Database) -> None:
    lists = ListRepository(database, "north")
    assert await lists.active() == {}
    assert await lists.activate(FIRST, b"first")
    assert await lists.activate(SECOND, b"second")
    assert await lists.active() == {"un": SECOND}
    assert await lists.content("un", SECOND.version) == b"second"
    assert await lists.content("un", FIRST.version) == b"first"
    assert await lists.kept("un") == [SECOND, FIRST]
    assert (FIRST.dated, SECOND.dated) == (NOW, after(5))


async def test_lists_and_vasps_are_apart(database: Database) -> None:
    north, south = ListRepository(database, "north"), ListRepository(database, "south")
    own = replace(FIRST, code="own")
    await north.activate(FIRST, b"un")
    await north.activate(own, b"own")
    assert await north.active() == {"own": own, "un": FIRST}
    assert await south.active() == {}
    with pytest.raises(ListContentMissingError):
        await south.content("un", FIRST.version)


async def test_a_large_list_comes_back_byte_for_byte_from_bounded_rows(database: Database) -> None:
    lists = ListRepository(database, "north")
    await lists.activate(FIRST, LARGE)
    assert await lists.content("un", FIRST.version) == LARGE
    rows = await read(database, tables.list_chunks)
    assert len(rows) == CHUNKS_PER_STATEMENT + 3
    assert max(len(row.content) for row in rows) == CHUNK_BYTES


async def test_the_same_version_again_is_only_marked_and_an_old_one_may_come_back(database: Database) -> None:
    lists = ListRepository(database, "north")
    await lists.activate(FIRST, b"first")
    again = replace(FIRST, imported_at=after(60))
    assert not await lists.activate(again, b"first")
    assert (await lists.active())["un"].imported_at == after(60)
    await lists.activate(SECOND, b"second")
    assert await lists.activate(replace(FIRST, imported_at=after(90)), b"first")
    assert (await lists.active())["un"].version == FIRST.version
    assert await lists.content("un", FIRST.version) == b"first"
    assert len(await read(database, tables.lists)) == 2


async def test_old_versions_go_with_their_chunks_the_one_in_force_never(database: Database) -> None:
    lists = ListRepository(database, "north")
    other = replace(FIRST, code="own")
    await lists.activate(other, b"own")
    versions = [replace(FIRST, version=f"{number:064d}", imported_at=after(number)) for number in range(8)]
    for version in versions:
        await lists.activate(version, version.version.encode())
    early = replace(SECOND, imported_at=after(-3600))  # the clock of another machine is an hour late
    await lists.activate(early, b"early")
    assert (await lists.active())["un"] == early
    kept = await lists.kept("un")
    assert {version.version for version in kept} == {early.version, *(each.version for each in versions[4:])}
    assert len(kept) == KEPT_VERSIONS
    assert len(await read(database, tables.list_chunks)) == KEPT_VERSIONS + 1
    with pytest.raises(ListContentMissingError):
        await lists.content("un", versions[0].version)
    assert await lists.content("own", other.version) == b"own"


async def test_a_failed_import_leaves_the_old_version_in_force(database: Database, monkeypatch: Any) -> None:
    lists = ListRepository(database, "north")
    await lists.activate(FIRST, b"first")
    whole, calls = bulk.insert, []

    async def fails_at_the_second(*arguments: Any, **more: Any) -> None:
        calls.append(arguments)
        if len(calls) == 2:
            raise ConnectionResetError("planted")
        await whole(*arguments, **more)

    monkeypatch.setattr(bulk, "insert", fails_at_the_second)
    with pytest.raises(ConnectionResetError):
        await lists.activate(SECOND, LARGE)
    monkeypatch.undo()
    assert await lists.active() == {"un": FIRST}
    assert await lists.content("un", FIRST.version) == b"first"
    assert len(await read(database, tables.list_chunks)) == 1


async def test_an_importer_that_is_killed_leaves_the_old_version_in_force(
    database: Database, database_url: str
) -> None:
    lists = ListRepository(database, "north")
    await lists.activate(FIRST, b"first")
    process = await importing(database_url, "c", "dies")
    assert process.stdout is not None
    assert (await process.stdout.readline()).strip() == b"written"
    assert await lists.active() == {"un": FIRST}, "nothing of an open import is seen"
    process.kill()
    await process.wait()
    assert await lists.active() == {"un": FIRST}
    assert await lists.activate(SECOND, b"second"), "and the next import is not in its way"
    assert await lists.active() == {"un": SECOND}


async def test_importers_in_several_processes_end_with_one_whole_version(database: Database, database_url: str) -> None:
    processes = [await importing(database_url, letter) for letter in "cde"]
    outputs = [(await process.communicate())[0].strip() for process in processes]
    assert [process.returncode for process in processes] == [0, 0, 0]
    assert outputs == [b"True"] * 3
    lists = ListRepository(database, "north")
    active = (await lists.active())["un"]
    assert await lists.content("un", active.version) == active.version[0].encode() * 600_000
    async with database.read() as connection:
        query = select(func.count()).select_from(tables.lists).where(tables.lists.c.active)
        assert (await connection.execute(query)).scalar() == 1


async def test_a_running_process_learns_what_another_one_imported(database: Database, database_url: str) -> None:
    lists = ListRepository(database, "north")
    versions = ListVersionWatch(lists)
    assert await versions.poll() == frozenset()
    await lists.activate(FIRST, b"first")
    await lists.activate(replace(FIRST, code="own"), b"own")
    assert await versions.poll() == {"un", "own"}
    assert await versions.poll() == frozenset()
    process = await importing(database_url, "c")
    await process.communicate()
    assert await versions.poll() == {"un"}
    assert versions.current["un"].version == "c" * 64
    assert versions.current["own"].version == FIRST.version


async def test_content_that_lost_a_row_is_not_given_out(database: Database) -> None:
    lists = ListRepository(database, "north")
    await lists.activate(FIRST, LARGE)
    async with database.begin() as connection:
        await connection.execute(tables.list_chunks.delete().where(tables.list_chunks.c.number == 3))
    with pytest.raises(ListContentMissingError):
        await lists.content("un", FIRST.version)
