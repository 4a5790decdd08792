"""The earlier tree's database behind the same tests on both kinds, migrated by this tree."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import aclosing
from pathlib import Path

import pytest

from tests.contract.earlier.installation import Installation
from tests.contract.earlier.stored import fill_postgresql, sqlite_file
from travelrule.store import schema_version
from travelrule.store.database import Database


@pytest.fixture(params=["sqlite", pytest.param("postgresql", marks=pytest.mark.services)])
def earlier_url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """The database as the earlier tree left it."""
    if request.param == "sqlite":
        return f"sqlite+aiosqlite:///{sqlite_file(tmp_path)}"
    url = str(request.getfixturevalue("pg_database"))
    with ThreadPoolExecutor(1) as thread:
        thread.submit(asyncio.run, fill_postgresql(url, tmp_path)).result()
    return url


@pytest.fixture
async def installation(earlier_url: str) -> AsyncIterator[Installation]:
    """The processes of this tree on it."""
    database = Database(earlier_url)
    assert await schema_version.upgrade(database) == schema_version.newest_revision()
    made = Installation(database)
    async with aclosing(made.north.hub), made.north.control:
        await made.start()
        yield made
    await database.dispose()
