"""The in-memory state: what is forgotten, and when."""

from __future__ import annotations

from datetime import timedelta

from tests.support.hub import NOW, member
from travelrule.hub.runtime.memory_hub_state import ExpiringSet, MemoryHubState


def test_entries_are_forgotten_when_their_time_is_over() -> None:
    seen = ExpiringSet(100)
    for second in range(500):
        assert seen.add(second, NOW + timedelta(seconds=second))
    assert len(seen) == 100
    assert not seen.add(499, NOW + timedelta(seconds=500))
    assert seen.add(399, NOW + timedelta(seconds=500))


def test_a_clock_that_goes_back_forgets_nothing_early() -> None:
    seen = ExpiringSet(100)
    assert seen.add("a", NOW)
    assert seen.add("b", NOW - timedelta(seconds=50))
    assert not seen.add("a", NOW - timedelta(seconds=50))
    assert not seen.add("a", NOW + timedelta(seconds=99))


async def test_the_lenient_state_remembers_no_signatures() -> None:
    state = MemoryHubState([member("north")], tolerance_seconds=None)
    assert await state.first_use("north", 1, b"s", NOW)
    assert await state.first_use("north", 2, b"s", NOW)
    assert not await state.first_use("north", 2, b"t", NOW)


async def test_health_of_nobody_changes_nothing() -> None:
    state = MemoryHubState([member("north")], down={"north"})
    before = await state.revision()
    assert not await state.set_health("nobody", up=True)
    assert not await state.set_health("north", up=False)
    assert await state.revision() == before
    assert await state.set_health("north", up=True)
    assert await state.revision() != before
