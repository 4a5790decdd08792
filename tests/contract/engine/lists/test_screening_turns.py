"""Many names of one request are screened in turns of the event loop: each is short alone, together they are not."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from schemas.limits import NAME_IDENTIFIERS_MAX, NAMES_MAX
from tests.contract.engine.lists.test_active import House, entry
from travelrule.messages.assessment import Party
from travelrule.screening.names.name_index import NameIndex
from travelrule.store.database import Database


@pytest.fixture
def house(database: Database) -> House:
    return House(database)


@pytest.mark.parametrize("names_of_one", [1, 3 * NAME_IDENTIFIERS_MAX])
async def test_the_loop_has_its_turn_between_names(
    house: House, monkeypatch: pytest.MonkeyPatch, names_of_one: int
) -> None:
    await house.put("own", *(entry(f"Ivan Przyklad{number}", number) for number in range(50)))
    await house.active.start()
    since_turn = at_once = total = 0
    searching = NameIndex.search_in_steps

    def counted(index: NameIndex, *arguments: Any, **more: Any) -> Any:
        nonlocal since_turn, at_once, total
        total += 1
        since_turn += 1
        at_once = max(at_once, since_turn)
        return searching(index, *arguments, **more)

    async def others() -> None:
        nonlocal since_turn
        while True:
            since_turn = 0
            await asyncio.sleep(0)

    # No slice of time is ever over: what counts here are names.
    monkeypatch.setattr("travelrule.engine.lists.active_lists.SLICE_SECONDS", 3600.0)
    monkeypatch.setattr(NameIndex, "search_in_steps", counted)
    beside = asyncio.create_task(others())
    names = [f"Marta Beispiel {chr(ord('a') + number % 26) * (number // 26 + 2)}" for number in range(NAMES_MAX)]
    parties = [
        Party(names=tuple(names[start : start + names_of_one]), kind="person")
        for start in range(0, NAMES_MAX, names_of_one)
    ]
    try:
        await house.ask(*parties)
    finally:
        beside.cancel()
    assert total == NAMES_MAX
    assert at_once <= 3
