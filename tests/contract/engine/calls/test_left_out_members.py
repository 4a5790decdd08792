"""A hub searches only members that are up and omits the others: an omission is no answer from them."""

from __future__ import annotations

import pytest

from tests.contract.engine.recorded_history import Record
from tests.support.installation import ADDRESS, robot
from travelrule.store import tables

UNKNOWN = {"kind": "unknown", "address": ADDRESS, "tag": "77001"}


async def search(record: Record) -> str:
    """Search for the VASP of an address that no VASP has; return the timer that the withdrawal waits for."""
    north = record.north
    await north.withdraw("w-9", destination=UNKNOWN)
    await north.calls_all()
    await north.sandbox.tasks.settled()
    await north.forward(13)
    assert [data["outcome"] for data in await north.said("callbacks")] == ["not-found"]
    row = await record.one(tables.subjects, tables.subjects.c.subject == "withdrawal:w-9")
    return str(row.due_timer)


async def test_a_member_that_was_down_is_searched_again(record: Record) -> None:
    assert await search(record) == "search-again"


async def test_when_all_were_asked_nobody_has_it(record: Record) -> None:
    await record.north.put(robot("west", b"w"))
    assert await search(record) == "held"


@pytest.mark.parametrize(
    ("asked", "expected"),
    [({"south"}, True), ({"south", "west"}, False), (set[str](), True), (None, False)],
    ids=["west", "nobody", "everybody", "not said"],
)
async def test_whom_a_search_left_out(record: Record, asked: set[str] | None, expected: bool) -> None:
    assert await record.north.counterparties.left_out(asked, "north") is expected
