"""Many rows in one statement: every column type and NULL mean the same on both databases."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime, timedelta, timezone
from decimal import Decimal

import pytest
from sqlalchemy import BigInteger, Boolean, Column, DateTime, Integer, LargeBinary, MetaData, Table, Text, func, select
from sqlalchemy.exc import IntegrityError

from tests.contract.store.rows import NOW, after, call, event, read, write
from travelrule.store import bulk, bulk_sql, tables
from travelrule.store.database import Database
from travelrule.store.types import Amount, Instant

metadata = MetaData()
every = Table(
    "every",
    metadata,
    Column("id", Text, primary_key=True),
    Column("part", Integer, primary_key=True),
    Column("text", Text),
    Column("bytes", LargeBinary),
    Column("flag", Boolean),
    Column("small", Integer),
    Column("large", BigInteger),
    Column("amount", Amount),
    Column("at", Instant),
    Column("created_at", Instant),
    Column("order", Text),
)
strange = Table("strange", MetaData(), Column("id", Text, primary_key=True), Column("at", DateTime))
FULL = {
    "id": "a",
    "part": 1,
    "text": "Größe '\"; -- 서울 \U0001f600",
    "bytes": bytes(range(256)),
    "flag": True,
    "small": -(2**31),
    "large": 2**63 - 1,
    "amount": Decimal("0.1"),
    "at": NOW,
    "created_at": NOW,
    "order": "a keyword",
}
NULLS = {**dict.fromkeys(FULL), "id": "b", "part": 2}


@pytest.fixture
async def table(database: Database) -> Table:
    async with database.begin() as connection:
        await connection.run_sync(metadata.create_all)
    return every


async def stored(database: Database) -> list[dict[str, object]]:
    return [dict(row._mapping) for row in await read(database, every, order=every.c.id)]


async def test_every_type_and_null_come_back_as_they_were(database: Database, table: Table) -> None:
    await write(database, table, [FULL, NULLS])
    first, second = await stored(database)
    assert first == FULL
    assert isinstance(first["amount"], Decimal)
    assert isinstance(first["flag"], bool)
    assert second == NULLS


async def test_update_sets_every_type_and_null_and_only_the_named_rows(database: Database, table: Table) -> None:
    await write(database, table, [FULL, NULLS, {**FULL, "part": 9}])
    async with database.begin() as connection:
        await bulk.update(connection, table, [{**NULLS, "id": "a", "part": 1}, {**FULL, "id": "b", "part": 2}])
    rows = {(row["id"], row["part"]): row for row in await stored(database)}
    assert rows["a", 1] == {**NULLS, "id": "a", "part": 1}
    assert rows["b", 2] == {**FULL, "id": "b", "part": 2}
    assert rows["a", 9] == {**FULL, "part": 9}


async def test_update_leaves_other_columns_alone(database: Database, table: Table) -> None:
    await write(database, table, [FULL])
    async with database.begin() as connection:
        await bulk.update(connection, table, [{"id": "a", "part": 1, "text": "new"}])
    assert await stored(database) == [{**FULL, "text": "new"}]


async def test_an_update_of_a_row_that_is_gone_changes_nothing(database: Database, table: Table) -> None:
    await write(database, table, [FULL])
    async with database.begin() as connection:
        await bulk.update(connection, table, [{"id": "a", "part": 2, "text": "new"}])
    assert await stored(database) == [FULL]


async def test_delete_by_any_columns(database: Database, table: Table) -> None:
    await write(database, table, [FULL, {**FULL, "part": 2}, {**FULL, "id": "c", "part": 2}])
    async with database.begin() as connection:
        await bulk.delete(connection, table, [{"part": 2, "id": "a"}, {"part": 7, "id": "c"}])
    assert [(row["id"], row["part"]) for row in await stored(database)] == [("a", 1), ("c", 2)]
    async with database.begin() as connection:
        await bulk.delete(connection, table, [{"text": FULL["text"]}])
    assert await stored(database) == []


async def test_nothing_is_no_statement(database: Database) -> None:
    async with database.begin() as connection:
        for work in (bulk.insert, bulk.update, bulk.delete):
            await work(connection, strange, [])  # the table does not even exist
    assert await read(database, tables.outbox) == []


async def test_on_conflict_fail_keep_or_overwrite(database: Database, table: Table) -> None:
    await write(database, table, [FULL])
    newer = {**FULL, "text": "newer", "flag": None, "created_at": after(60)}
    with pytest.raises(IntegrityError):
        await write(database, table, [newer])
    async with database.begin() as connection:
        await bulk.insert(connection, table, [newer, {**FULL, "part": 2}], conflict="nothing")
    assert [row["text"] for row in await stored(database)] == [FULL["text"], FULL["text"]]
    async with database.begin() as connection:
        await bulk.insert(connection, table, [newer], conflict="update")
    row = next(row for row in await stored(database) if row["part"] == 1)
    assert row == {**newer, "created_at": NOW}, "the first time a row was written stays"


async def test_a_failed_batch_writes_nothing(database: Database, table: Table) -> None:
    with pytest.raises(IntegrityError):
        await write(database, table, [{**FULL, "part": 7}, FULL, FULL])
    assert await stored(database) == []


@pytest.mark.parametrize("column", ["at", "created_at"])
async def test_a_naive_time_is_refused_not_taken_for_local_time(database: Database, table: Table, column: str) -> None:
    naive = datetime(2026, 1, 1)  # noqa: DTZ001 - the mistake that is tested
    with pytest.raises(ValueError, match="naive"):
        await write(database, table, [FULL, {**FULL, "part": 2, column: naive}])
    assert await stored(database) == []


async def test_a_column_type_without_array_form_is_a_fault_of_ours(database: Database) -> None:
    if not database.is_postgresql:
        assert bulk_sql.column_type(every.c.amount) == "numeric"
        return
    async with database.begin() as connection:
        with pytest.raises(TypeError, match="at"):
            await bulk.insert(connection, strange, [{"id": "a", "at": NOW}])


AMOUNTS = [
    "0.000000000000000000000000000000000001",
    "999999999999999999999999999999.999999999999999999999999999999999999",
    "123456789012345678901234567890",
    "0.1",
    "250.50",
    "1E+5",
    "1E-36",
    "-1.5",
    "0",
]


async def test_amounts_are_exact_to_36_decimals(database: Database, table: Table) -> None:
    rows = [{**FULL, "part": number, "amount": Decimal(text)} for number, text in enumerate(AMOUNTS)]
    await write(database, table, rows)
    back = await read(database, table, order=table.c.part)
    assert [row.amount for row in back] == [Decimal(text) for text in AMOUNTS]
    assert all(type(row.amount) is Decimal for row in back)


async def test_sql_through_sqlalchemy_writes_the_same_amounts_and_times(database: Database, table: Table) -> None:
    """Not everything goes through ``bulk``: the column types themselves must convert alike."""
    async with database.begin() as connection:
        await connection.execute(table.insert(), [{**FULL, "amount": Decimal(AMOUNTS[1])}])
    found = await read(database, table, table.c.amount == Decimal(AMOUNTS[1]), table.c.at == NOW)
    assert [row.amount for row in found] == [Decimal(AMOUNTS[1])]
    with pytest.raises(Exception, match="naive datetime"):
        await read(database, table, table.c.at == datetime(2026, 1, 1))  # noqa: DTZ001


MOMENTS = [
    datetime(2, 1, 1, tzinfo=UTC),
    datetime(999, 12, 31, 23, 59, 59, 999999, tzinfo=UTC),
    datetime(1969, 12, 31, 23, 59, 59, 1, tzinfo=UTC),
    datetime(2026, 3, 29, 1, 0, tzinfo=timezone(timedelta(hours=2))),
    datetime(2026, 3, 29, 0, 0, tzinfo=UTC),
    datetime(2026, 3, 29, 0, 0, 0, 1, tzinfo=UTC),
    datetime(2026, 3, 28, 20, 0, 1, tzinfo=timezone(timedelta(hours=-5))),
    datetime(9998, 12, 31, 23, 59, 59, 999999, tzinfo=UTC),
]


async def test_times_come_back_in_utc_and_sort_as_times(database: Database, table: Table) -> None:
    assert sorted(MOMENTS) == MOMENTS
    rows = [{**FULL, "part": number, "at": at} for number, at in enumerate(reversed(MOMENTS))]
    await write(database, table, rows)
    back = await read(database, table, order=table.c.at)
    assert [row.at for row in back] == MOMENTS
    assert {row.at.utcoffset() for row in back} == {timedelta(0)}
    earlier = await read(database, table, table.c.at < MOMENTS[5], order=table.c.at)
    assert [row.at for row in earlier] == MOMENTS[:5]


async def test_ids_of_the_outbox_stand_in_the_order_of_the_rows(database: Database) -> None:
    """The relay publishes by id: the order of one statement's rows must be the order of their ids."""
    await write(database, tables.outbox, [event("w-1", number) for number in range(1, 301)])
    rows = await read(database, tables.outbox, order=tables.outbox.c.id)
    assert [row.sequence for row in rows] == list(range(1, 301))


async def test_existing_tells_known_ids_of_this_vasp_only(database: Database) -> None:
    letter = {
        "topic": "withdrawals",
        "partition": 0,
        "offset": 2**40,
        "code": "UNREADABLE",
        "field": "",
        "fix": "",
        "sealed": b"s",
        "failed_at": NOW,
    }
    rows = [{"vasp": "north", "id": "a", **letter}, {"vasp": "south", "id": "b", **letter}]
    await write(database, tables.dead_letters, rows)
    async with database.read() as connection:
        assert await bulk.existing(connection, tables.dead_letters, "north", ["a", "b", "c"]) == {"a"}
        assert await bulk.existing(connection, tables.dead_letters, "north", []) == set()


async def test_two_writers_at_once_lose_nothing(database: Database) -> None:
    async def add(name: str) -> None:
        for number in range(5):
            await write(database, tables.calls, [call(f"{name}-{number}-{part}") for part in range(20)])

    await asyncio.gather(*(add(name) for name in "abc"))
    async with database.read() as connection:
        count = (await connection.execute(select(func.count()).select_from(tables.calls))).scalar_one()
    assert count == 300
