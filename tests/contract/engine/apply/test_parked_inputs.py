"""Inputs that wait for their subjects cost few queries, because their batch holds locks meanwhile."""

from __future__ import annotations

import pytest
from sqlalchemy import select

from tests.contract.store.statements import statements
from tests.support.toy_machine import told
from travelrule.engine.apply.engine import Engine
from travelrule.store import tables


async def parked(engine: Engine) -> list[tuple[str, str]]:
    async with engine.database.read() as connection:
        return sorted((row.subject, row.id) for row in (await connection.execute(select(tables.parked))).all())


async def of_one(engine: Engine) -> int:
    """How many statements a batch needs that parks one input."""
    with statements(engine.database) as seen:
        await engine.apply([told("mined", "first", input_id="first")])
    return len([one for one in seen if "FROM parked" in one])


@pytest.mark.parametrize("count", [2, 40])
async def test_many_that_park_ask_as_often_as_one(engine: Engine, count: int) -> None:
    alone = await of_one(engine)
    batch = [told("mined", f"w-{number % 7}", input_id=f"e-{number}") for number in range(count)]
    with statements(engine.database) as seen:
        outcomes = await engine.apply(batch)
    assert {one.status for one in outcomes} == {"parked"}
    assert len([one for one in seen if "FROM parked" in one]) == alone, seen
    with statements(engine.database) as seen:
        again = await engine.apply(batch)
    assert {one.status for one in again} == {"parked"}
    assert len([one for one in seen if "FROM parked" in one]) == 1, seen
    assert len(await parked(engine)) == count + 1


@pytest.mark.parametrize("count", [2, 12])
async def test_many_subjects_that_arrive_are_given_what_waited_in_one_look(engine: Engine, count: int) -> None:
    # Each gets another number: the toy names its exchange after it.
    waiting = [told("mined", f"w-{n}", input_id=f"e-{n}-{turn}") for n in range(count) for turn in range(n + 1)]
    await engine.apply(waiting)
    with statements(engine.database) as seen:
        outcomes = await engine.apply(
            [told("create", f"w-{number}", input_id=f"c-{number}") for number in range(count)]
        )
    assert {one.status for one in outcomes} == {"applied"}
    assert await parked(engine) == []
    assert len([one for one in seen if "FROM parked" in one and "SELECT" in one]) == 1, seen
    assert len([one for one in seen if "FROM inputs" in one]) == 2, "the batch's own, and those that waited"


async def test_an_id_that_waits_for_one_subject_is_a_conflict_for_another_in_any_order(engine: Engine) -> None:
    await engine.apply([told("mined", "w-1", input_id="one"), told("mined", "w-2", input_id="two")])
    batch = [
        told("mined", "w-3", input_id="three"),
        told("mined", "w-4", input_id="one"),
        told("mined", "w-4", input_id="three"),
        told("mined", "w-3", input_id="three"),
        told("mined", "w-1", input_id="one"),
    ]
    outcomes = await engine.apply(batch)
    assert [(one.status, one.code) for one in outcomes] == [
        ("parked", ""),
        ("rejected", "CONFLICT"),
        ("rejected", "CONFLICT"),
        ("parked", ""),
        ("parked", ""),
    ]
    assert await parked(engine) == [("withdrawal:w-1", "one"), ("withdrawal:w-2", "two"), ("withdrawal:w-3", "three")]
