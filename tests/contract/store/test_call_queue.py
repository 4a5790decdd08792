"""Claiming due calls: once while the lease holds, fairly between counterparties, with everything a repeat needs."""

from __future__ import annotations

import asyncio
from datetime import datetime, timedelta
from typing import Any

import pytest

from tests.contract.store.rows import NOW, after, call, read, write
from travelrule.store import tables
from travelrule.store.call_rows import CallItem, CallRepository
from travelrule.store.database import Database

AS_IT_WAS: dict[str, Any] = {"tries": 0, "key_refreshed": False, "deferred": False, "note": ""}


@pytest.fixture
def queues(database: Database) -> CallRepository:
    return CallRepository(database, "north", "caller-1")


async def claim(
    queues: CallRepository, count: int = 100, per_target: int = 100, now: datetime = NOW, **left: int
) -> list[CallItem]:
    return await queues.claim(count, per_target, left, now, now + timedelta(seconds=45))


def ids(items: list[CallItem]) -> list[str]:
    return sorted(item.id for item in items)


async def test_a_claimed_call_carries_everything(database: Database, queues: CallRepository) -> None:
    row = call(
        "c", key_refreshed=True, deferred=True, tries=4, note="1,0,1,0", sealed=b"\x00\xff", traceparent="00-ab-cd-01"
    )
    await write(database, tables.calls, [row])
    (item,) = await claim(queues)
    assert {name: getattr(item, name) for name in row if hasattr(item, name)} == {
        name: value for name, value in row.items() if hasattr(item, name)
    }
    assert isinstance(item.first_at, datetime)
    assert item.first_at.tzinfo is not None
    assert item.key_refreshed is True
    assert item.deferred is True
    assert "sealed" not in repr(item)


async def test_only_what_is_due_and_ours(database: Database, queues: CallRepository) -> None:
    await write(database, tables.calls, [call("now"), call("later", due=0.001), call("theirs", vasp="south")])
    assert ids(await claim(queues)) == ["now"]
    assert ids(await claim(queues, now=after(1))) == ["later"]


async def test_nobody_gets_a_call_twice_while_its_lease_holds(database: Database, queues: CallRepository) -> None:
    other = CallRepository(database, "north", "caller-2")
    await write(database, tables.calls, [call("c")])
    assert ids(await claim(queues)) == ["c"]
    assert await claim(other, now=after(45)) == []
    assert ids(await claim(other, now=after(46))) == ["c"], "the first owner is dead"


async def test_callers_at_once_never_get_the_same_call(database: Database) -> None:
    await write(database, tables.calls, [call(f"c{number}", f"t{number % 7}") for number in range(60)])
    callers = [CallRepository(database, "north", f"caller-{number}") for number in range(4)]
    claims = await asyncio.gather(*(claim(caller, 9, 3) for caller in callers for _ in range(3)))
    taken = [item.id for items in claims for item in items]
    assert len(taken) == len(set(taken)) > 0


async def test_one_counterparty_does_not_take_all(database: Database, queues: CallRepository) -> None:
    slow = [call(f"slow-{number:02}", "slow", due=-100 + number) for number in range(20)]
    await write(database, tables.calls, [*slow, call("fast", "fast", due=-1)])
    assert ids(await claim(queues, 6, 4)) == ["fast", "slow-00", "slow-01", "slow-02", "slow-03"]


async def test_the_oldest_go_first_also_within_a_counterparty(database: Database, queues: CallRepository) -> None:
    rows = [call("new", "a", due=-1), call("old", "a", due=-9), call("older", "b", due=-20), call("mid", "b", due=-5)]
    await write(database, tables.calls, rows)
    assert ids(await claim(queues, 2, 1)) == ["old", "older"]
    assert ids(await claim(queues, 1, 1)) == ["mid"]


async def test_busy_counterparties_are_left_out(database: Database, queues: CallRepository) -> None:
    await write(database, tables.calls, [call("a", "it's"), call("b", 'say "b"'), call("c", "c")])
    assert ids(await claim(queues, **{"it's": 0, 'say "b"': 0})) == ["c"]
    assert ids(await claim(queues)) == ["a", "b"]


async def test_a_counterparty_gets_as_many_as_it_has_places_left_and_the_rest_keeps_its_turn(
    database: Database, queues: CallRepository
) -> None:
    await write(database, tables.calls, [call(f"{target}{n}", target, due=-9 + n) for target in "ab" for n in range(4)])
    assert ids(await claim(queues, 100, 3, a=1)) == ["a0", "b0", "b1", "b2"]
    rows = {row.id: row for row in await read(database, tables.calls)}
    assert (rows["a1"].lease_until, rows["a1"].due_at) == (None, after(-8))
    assert ids(await claim(queues, 100, 3, a=1, b=0)) == ["a1"]


async def test_a_call_that_is_not_made_after_all_keeps_its_turn(database: Database, queues: CallRepository) -> None:
    await write(database, tables.calls, [call("a", due=-5), call("b", due=-4)])
    items = await claim(queues)
    await queues.release([])
    await queues.release([item.id for item in items if item.id == "a"])
    (again,) = await claim(queues)
    assert again.id == "a"
    assert {row.id: row.due_at for row in await read(database, tables.calls)} == {"a": after(-5), "b": after(-4)}


async def test_postponing_gives_up_the_lease_and_keeps_what_a_repeat_must_know(
    database: Database, queues: CallRepository
) -> None:
    await write(database, tables.calls, [call("c")])
    (item,) = await claim(queues)
    await queues.postpone(item, after(5), tries=2, key_refreshed=True, deferred=True, note="0,1,0,1")
    assert await claim(queues, now=after(4)) == []
    (again,) = await claim(queues, now=after(5))
    assert (again.tries, again.key_refreshed, again.deferred, again.note) == (2, True, True, "0,1,0,1")
    assert again.first_at == NOW, "time limits count from the first try"


async def test_postponing_a_call_that_was_dropped_meanwhile_brings_it_not_back(
    database: Database, queues: CallRepository
) -> None:
    await write(database, tables.calls, [call("c")])
    (item,) = await claim(queues)
    async with database.begin() as connection:
        await connection.execute(tables.calls.delete())
    await queues.postpone(item, NOW, **AS_IT_WAS)
    assert await read(database, tables.calls) == []


async def test_a_counterparty_that_is_up_again_wakes_what_waits_for_it_and_nothing_else(
    database: Database, queues: CallRepository
) -> None:
    rows = [
        call("waits", "south", due=600, deferred=True),
        call("repeats", "south", due=600),
        call("other", "west", due=600, deferred=True),
        call("theirs", "south", due=600, deferred=True, vasp="south"),
        call("due", "south", due=-60, deferred=True),
    ]
    await write(database, tables.calls, rows)
    assert sorted(await queues.deferred_targets()) == ["south", "west"]
    await queues.wake_deferred("south", NOW)
    due = {row.id: row.due_at for row in await read(database, tables.calls)}
    assert due == {
        "waits": NOW,
        "repeats": after(600),
        "other": after(600),
        "theirs": after(600),
        "due": after(-60),
    }
    assert ids(await claim(queues)) == ["due", "waits"]
