"""Storage and index keys are those of the database, or nothing is touched."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import delete, func, select, update

from tests.support.command_line import environment, key, withdraw
from travelrule.bootstrap.installation import Installation, open_installation
from travelrule.errors import ConfigurationError
from travelrule.settings import Settings
from travelrule.store import tables
from travelrule.store.database import Database

STORAGE, INDEX = "TRAVELRULE_STORAGE_KEYS", "TRAVELRULE_INDEX_KEY"


class House:
    """One database, opened with whatever keys."""

    def __init__(self, url: str, folder: Path) -> None:
        self.url = url
        self.folder = folder

    def settings(self, storage: str = "k", index: str = "i") -> Settings:
        keys = ",".join(key(letter) for letter in storage)
        return Settings.load(environment(self.folder, DATABASE_URL=self.url, STORAGE_KEYS=keys, INDEX_KEY=key(index)))

    async def opened(self, storage: str = "k", index: str = "i", work: Any = None) -> None:
        installation = await open_installation(self.settings(storage, index))
        try:
            if work is not None:
                await work(installation)
        finally:
            await installation.close()

    async def refused(self, storage: str = "k", index: str = "i") -> str:
        """Open with these keys, which fails and changes nothing; return the setting that the error names."""
        before = await self.content()
        with pytest.raises(ConfigurationError) as refusal:
            await self.opened(storage, index)
        assert await self.content() == before
        assert key(storage[0]) not in str(refusal.value)
        assert refusal.value.exit_code == 2
        assert refusal.value.fix
        return refusal.value.name

    async def content(self) -> dict[str, Any]:
        """Every row of every table."""
        database = Database(self.url)
        try:
            async with database.read() as connection:
                return {
                    table.name: sorted(map(repr, (await connection.execute(select(table))).all()))
                    for table in tables.metadata.sorted_tables
                }
        finally:
            await database.dispose()

    async def change(self, *statements: Any) -> None:
        database = Database(self.url)
        try:
            async with database.begin() as connection:
                for statement in statements:
                    await connection.execute(statement)
        finally:
            await database.dispose()

    async def forget_checks(self) -> None:
        """As a database of an earlier version is."""
        await self.change(delete(tables.key_checks))

    async def checks(self) -> dict[str, int]:
        database = Database(self.url)
        try:
            async with database.read() as connection:
                query = select(tables.key_checks.c.purpose, func.count()).group_by(tables.key_checks.c.purpose)
                return {row[0]: row[1] for row in (await connection.execute(query)).all()}
        finally:
            await database.dispose()


@pytest.fixture
def house(database_url: str, tmp_path: Path) -> House:
    return House(database_url, tmp_path)


async def one_withdrawal(opened: Installation) -> None:
    await withdraw(opened, "w-1")


async def another_withdrawal(opened: Installation) -> None:
    await withdraw(opened, "w-2")


async def test_other_keys_than_those_of_the_database_are_refused_by_name(house: House) -> None:
    await house.opened(work=one_withdrawal)
    assert await house.refused(storage="x") == STORAGE
    assert await house.refused(index="x") == INDEX
    assert await house.refused("x", "x") == STORAGE
    await house.opened(work=another_withdrawal)
    assert await house.checks() == {"storage": 1, "index": 1}


async def test_the_keys_of_an_empty_database_are_those_of_the_first_process(house: House) -> None:
    """Two processes that start with different keys would each write what the other cannot read."""
    await house.opened()
    assert await house.refused(storage="x") == STORAGE
    assert await house.refused(index="x") == INDEX


async def test_a_new_storage_key_before_the_old_one_is_a_rotation(house: House) -> None:
    await house.opened(work=one_withdrawal)
    await house.opened("nk", work=another_withdrawal)
    assert (await house.checks())["storage"] == 2
    assert await house.refused("n") == STORAGE, "the first withdrawal needs the old one"
    assert await house.refused("k") == STORAGE, "the second one needs the new one"
    assert await house.refused("xn") == STORAGE
    await house.opened("kn")


async def test_an_old_storage_key_may_go_when_no_row_needs_it(house: House) -> None:
    await house.opened(work=one_withdrawal)
    await house.opened("nk", work=another_withdrawal)
    await house.change(delete(tables.data_keys).where(tables.data_keys.c.subject == "withdrawal:w-1"))
    await house.opened("n")
    assert await house.refused("x") == STORAGE
    assert await house.refused("k") == STORAGE


@pytest.mark.parametrize(("storage", "index", "named"), [("x", "i", STORAGE), ("k", "x", INDEX), ("xy", "x", STORAGE)])
async def test_before_a_check_value_is_written_an_existing_row_must_open(
    house: House, storage: str, index: str, named: str
) -> None:
    await house.opened(work=one_withdrawal)
    await house.forget_checks()
    assert await house.refused(storage, index) == named
    await house.opened("nk")
    assert await house.checks() == {"storage": 2, "index": 1}


async def test_all_storage_keys_that_rows_need_must_be_there_at_the_first_check(house: House) -> None:
    await house.opened(work=one_withdrawal)
    await house.opened("nk", work=another_withdrawal)
    await house.forget_checks()
    assert await house.refused("n") == STORAGE
    assert await house.refused("k") == STORAGE
    await house.opened("kn")


async def test_one_damaged_row_does_not_accuse_the_right_keys(house: House) -> None:
    await house.opened(work=one_withdrawal)
    await house.opened(work=another_withdrawal)
    await house.forget_checks()
    spoilt = update(tables.subjects).where(tables.subjects.c.subject == "withdrawal:w-1").values(sealed=b"spoilt")
    broken = update(tables.data_keys).where(tables.data_keys.c.subject == "withdrawal:w-1")
    await house.change(spoilt, broken.values(wrapped=func.substr(tables.data_keys.c.wrapped, 1, 40)))
    await house.opened()
    assert await house.checks() == {"storage": 1, "index": 1}


async def test_a_database_in_which_all_was_erased_takes_the_keys_as_they_are(house: House) -> None:
    await house.opened(work=one_withdrawal)
    await house.forget_checks()
    await house.change(delete(tables.data_keys))
    await house.opened()
    assert await house.refused(storage="x") == STORAGE


async def test_a_check_value_that_was_changed_is_noticed(house: House) -> None:
    await house.opened(work=one_withdrawal)
    for purpose, named in (("storage", STORAGE), ("index", INDEX)):
        stored = (await house.content())["key_checks"]
        await house.change(
            update(tables.key_checks).where(tables.key_checks.c.purpose == purpose).values(value=b"another")
        )
        assert await house.refused() == named
        assert len(stored) == 2
        await house.forget_checks()
        await house.opened()


@pytest.mark.parametrize("known", [False, True], ids=["an empty database", "a database without check values"])
@pytest.mark.parametrize("others", [("x", "i"), ("k", "x")], ids=["storage key", "index key"])
async def test_of_two_processes_that_start_at_once_with_different_keys_one_is_refused(
    house: House, others: tuple[str, str], known: bool
) -> None:
    if known:
        await house.opened(work=one_withdrawal)
        await house.forget_checks()
    outcomes = await asyncio.gather(*(house.opened(*keys) for keys in [("k", "i"), others] * 3), return_exceptions=True)
    refused = [isinstance(outcome, ConfigurationError) for outcome in outcomes]
    assert {type(outcome) for outcome in outcomes} == {type(None), ConfigurationError}
    assert refused in ([False, True] * 3, [True, False] * 3), "all of one kind"
    if known:
        assert refused == [False, True] * 3
    assert await house.checks() == {"storage": 1, "index": 1}


async def test_many_processes_that_start_at_once_with_the_right_keys_all_start(house: House) -> None:
    await asyncio.gather(*(house.opened("nk") for _ in range(6)))
    assert await house.checks() == {"storage": 2, "index": 1}
