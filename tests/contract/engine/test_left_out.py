"""A hub asks only members that are up, and says nothing of the others: that is no answer from them."""

from __future__ import annotations

import pytest

from tests.contract.engine.recorded import Record
from tests.contract.engine.station import ADDRESS, robot
from travelrule.store import tables

UNKNOWN = {"kind": "unknown", "address": ADDRESS, "tag": "77001"}


async def search(record: Record) -> str:
    """Search for the VASP of an address that nobody has; gives the timer that the withdrawal waits for."""
    station = record.station
    await station.withdraw("w-9", destination=UNKNOWN)
    await station.calls_all()
    await station.sandbox.tasks.settled()
    await station.forward(13)
    assert [data["outcome"] for data in await station.said("callbacks")] == ["not-found"]
    row = await record.one(tables.subjects, tables.subjects.c.subject == "withdrawal:w-9")
    return str(row.due_timer)


async def test_a_member_that_was_down_is_searched_again(record: Record) -> None:
    assert await search(record) == "search-again"


async def test_when_all_were_asked_nobody_has_it(record: Record) -> None:
    await record.station.put(robot("west", b"w"))
    assert await search(record) == "held"


@pytest.mark.parametrize(
    ("asked", "expected"),
    [({"south"}, True), ({"south", "west"}, False), (set[str](), True), (None, False)],
    ids=["west", "nobody", "everybody", "not said"],
)
async def test_whom_a_search_left_out(record: Record, asked: set[str] | None, expected: bool) -> None:
    assert await record.station.counterparties.left_out(asked, "north") is expected
