"""The directory as processes see it: fetched by one, wanted by any, differences told before they are stored."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import aclosing
from typing import Any

import pytest

from tests.contract.engine.station import Station, robot, seconds
from tests.contract.store.rows import call, write
from tests.unit.sandbox.kit import ROBOT
from travelrule.client.errors import HubError
from travelrule.crypto.signing import SigningKey
from travelrule.engine.directory import refresher as module
from travelrule.engine.directory.counterparties import COPY_SECONDS, KEY_REFRESH_SECONDS
from travelrule.engine.input_outcome import InputOutcome
from travelrule.engine.vault import Vault
from travelrule.machine.input import Input
from travelrule.store import tables
from travelrule.store.database import Database

OTHER = SigningKey(b"z" * 32)


@pytest.fixture
async def station(database: Database, vault: Vault) -> AsyncIterator[Station]:
    made = Station(database, vault, [robot(), robot("west", b"w", health="down")])
    async with aclosing(made.hub), made.control:
        yield made


async def pubkeys(station: Station, name: str = "south") -> list[str]:
    stored = await station.directory.get(name)
    assert stored is not None
    return [key.pubkey for key in stored.entry.pubkeys]


async def test_the_first_list_is_no_news(station: Station) -> None:
    await station.listing()
    assert sorted(await station.directory.all()) == ["codevasp", "north", "south", "west"]
    assert await station.alerts() == []


async def test_what_changed_becomes_alerts_once(station: Station) -> None:
    await station.listing()
    await station.put(robot(seed=b"z"))
    await station.put(robot("west", b"w"))
    await station.put(robot("east", b"e"))
    for _ in range(3):
        await station.refresh()
    assert sorted(await station.alerts()) == ["DIRECTORY_KEY_CHANGED", "DIRECTORY_VASP_NEW", "DIRECTORY_VASP_UP"]


async def test_a_vasp_that_vanishes_and_comes_back(station: Station, monkeypatch: pytest.MonkeyPatch) -> None:
    await station.listing()
    whole = station.hub.vasp_list

    async def without_south() -> Any:
        listed = await whole()
        return listed.model_copy(update={"vasps": tuple(v for v in listed.vasps if v.vasp_entity_id != "south")})

    monkeypatch.setattr(station.hub, "vasp_list", without_south)
    await station.refresh()
    stored = await station.counterparties.get("south")
    assert stored is not None
    assert not stored.up
    monkeypatch.undo()
    await station.refresh()
    assert await station.alerts() == ["DIRECTORY_VASP_GONE", "DIRECTORY_VASP_NEW"]
    assert (await station.directory.all())["south"].up


async def test_a_process_that_dies_before_it_stored_the_list_loses_no_alert(station: Station) -> None:
    """A changed key is how a thief would get at personal data: the alert must not hang on one process's life."""
    await station.listing()
    await station.put(robot(seed=b"z"))
    told: list[Input] = []

    async def die(item: Input) -> InputOutcome:
        told.append(item)
        raise asyncio.CancelledError

    station.refresher._submit = die
    with pytest.raises(asyncio.CancelledError):
        await station.refresh()
    assert len(told) == 1
    assert await pubkeys(station) == [ROBOT.public_base64]
    station.refresher._submit = station.submit
    await station.refresh()
    assert await station.alerts() == ["DIRECTORY_KEY_CHANGED"]


async def test_keys_that_a_refused_call_found_changed_are_told_too(station: Station) -> None:
    await station.listing()
    station.counterparties.tell = station.submit
    await station.withdraw()
    await station.put(robot(seed=b"z"))
    await station.calls_all()
    await station.refresh()
    assert await station.alerts() == ["DIRECTORY_KEY_CHANGED"]
    assert await pubkeys(station) == [OTHER.public_base64]


async def test_keys_are_asked_for_once_in_a_while_however_often_they_are_wanted(station: Station) -> None:
    await station.listing()
    await station.put(robot(seed=b"z"))
    results = await asyncio.gather(*(station.counterparties.refresh_keys("south") for _ in range(10)))
    assert {keys[0].pubkey for keys in results} == {OTHER.public_base64}
    assert len(station.seen("public-key")) == 1
    station.clock.forward(KEY_REFRESH_SECONDS + 1)
    await station.counterparties.refresh_keys("south")
    assert len(station.seen("public-key")) == 2


async def test_keys_of_a_vasp_that_the_hub_does_not_know(station: Station) -> None:
    await station.listing()
    assert await station.counterparties.refresh_keys("nobody") == ()
    assert await station.directory.get("nobody") is None


async def test_a_hub_that_does_not_give_the_keys_is_an_error_for_whoever_asks(station: Station) -> None:
    await station.listing()
    await station.fault(operation="public-key", fault="status", status=500)
    with pytest.raises(HubError):
        await station.counterparties.refresh_keys("south")
    assert await pubkeys(station) == [ROBOT.public_base64]


async def test_an_empty_list_is_not_believed(station: Station, monkeypatch: pytest.MonkeyPatch) -> None:
    await station.listing()
    listed = await station.hub.vasp_list()

    async def empty() -> Any:
        return listed.model_copy(update={"vasps": ()})

    monkeypatch.setattr(station.hub, "vasp_list", empty)
    await station.refresh()
    assert (await station.directory.all())["south"].up
    assert await station.alerts() == []


async def test_networks_that_could_not_be_fetched_stay_as_they_were(station: Station) -> None:
    from schemas.hub.bodies import CoinNetworks

    await station.listing()
    coins = [{"coin": "USDT", "networkList": [{"network": "ETH"}]}]
    await station.directory.store_networks(CoinNetworks.model_validate({"coinNetworks": coins}), station.clock())
    station.clock.forward(3600)
    await station.fault(operation="coin-network", fault="status", status=500)
    await station.put(robot("east", b"e"))
    await station.refresh()
    assert await station.directory.networks() == {"USDT": ("ETH",)}
    assert "east" in await station.directory.all()
    await station.clear_faults()
    await station.refresh()
    assert await station.directory.networks() == {"USDT": ("ETH",)}, "they are not asked for with every list"
    station.clock.forward(module.NETWORKS_AGAIN_SECONDS)
    await station.refresh()
    assert await station.directory.networks() == {}
    assert await station.alerts() == ["DIRECTORY_VASP_NEW", "DIRECTORY_NETWORKS_CHANGED"]


async def test_the_copy_is_as_old_as_allowed_and_many_askers_cost_one_look(station: Station) -> None:
    await station.listing()
    looks = []
    whole = station.directory.all

    async def counted() -> Any:
        looks.append(1)
        return await whole()

    station.directory.all = counted  # type: ignore[method-assign]
    await station.directory.store_keys("south", (), station.clock())
    assert len((await station.counterparties.get("south")).entry.pubkeys) == 1  # type: ignore[union-attr]
    station.clock.forward(COPY_SECONDS + 1)
    found = await asyncio.gather(*(station.counterparties.get("south") for _ in range(20)))
    assert {len(stored.entry.pubkeys) for stored in found if stored} == {0}
    assert len(looks) == 1


async def test_a_fetch_happens_at_its_interval_and_not_between(station: Station) -> None:
    for wait in (0, 1, 15, 1, 17):
        station.clock.forward(wait)
        await station.refresher.round()
    assert len(station.seen("vasp-list")) == 3


async def test_the_coin_networks_have_their_own_longer_interval(station: Station) -> None:
    for _ in range(60):
        await station.refresher.round()
        station.clock.forward(60)
    assert len(station.seen("vasp-list")) == 60
    assert len(station.seen("coin-network")) == 1
    await station.refresher.round()
    assert len(station.seen("coin-network")) == 2


async def test_on_demand_but_not_more_often_than_allowed(station: Station) -> None:
    await station.refresher.round()
    for _ in range(11):
        station.counterparties.wanted.set()
        station.clock.forward(1)
        await station.refresher.round()
    assert len(station.seen("vasp-list")) == 3


async def test_while_calls_wait_for_somebody_the_list_is_fetched_at_its_interval(station: Station) -> None:
    """Who waits for a VASP that is down may wait for long: that is no reason to ask the hub more often."""
    await station.refresher.round()
    await write(station.database, tables.calls, [call("c", "west", deferred=True)])
    for _ in range(16):
        station.clock.forward(1)
        await station.refresher.round()
    assert len(station.seen("vasp-list")) == 1


async def test_a_failed_fetch_is_tried_again_soon(station: Station) -> None:
    await station.fault(operation="vasp-list", fault="status", status=500, count=1)
    await station.refresher.round()
    station.clock.forward(4)
    await station.refresher.round()
    assert await station.directory.all() == {}
    station.clock.forward(1)
    await station.refresher.round()
    assert "south" in await station.directory.all()


async def test_a_process_without_the_lease_gets_the_list_it_wants_from_the_one_that_has_it(station: Station) -> None:
    """An unknown VASP is asked for in whichever process has the call; the owner of the lease fetches for it."""
    other = station.another_refresher("p2", station.another_view())
    await other.round()
    await station.put(robot("east", b"e"))
    station.counterparties.wanted.set()
    await station.refresher.round()
    assert not station.counterparties.wanted.is_set()
    assert len(station.seen("vasp-list")) == 1, "it does not fetch itself"
    station.clock.forward(4)
    await other.round()
    assert len(station.seen("vasp-list")) == 1, "not yet: the last fetch is a moment ago"
    station.clock.forward(1)
    await other.round()
    assert len(station.seen("vasp-list")) == 2
    station.clock.forward(COPY_SECONDS + 1)
    assert await station.counterparties.get("east") is not None


async def test_a_demand_wakes_the_loop_and_demands_without_pause_do_not_make_it_spin(
    station: Station, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "LOOK_SECONDS", 600)
    rounds = asyncio.Queue[int]()
    station.refresher.round = noted(rounds, station.refresher.round)  # type: ignore[method-assign]
    pauses: list[float] = []
    real_sleep = asyncio.sleep

    async def sleep(seconds: float) -> None:
        pauses.append(seconds)
        await real_sleep(0)

    monkeypatch.setattr(module.asyncio, "sleep", sleep)
    task = asyncio.create_task(station.refresher.run(lambda _: False))
    try:
        async with asyncio.timeout(60):
            await rounds.get()
            for _ in range(3):
                station.counterparties.wanted.set()
                await rounds.get()
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
    assert len(station.seen("vasp-list")) == 1
    assert pauses.count(150.0) == 3


def noted(rounds: asyncio.Queue[int], step: Callable[[], Awaitable[None]]) -> Callable[[], Awaitable[None]]:
    async def round_() -> None:
        await step()
        rounds.put_nowait(1)

    return round_


async def test_the_loop_outlives_a_database_failure_and_nothing_else(
    station: Station, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "LOOK_SECONDS", 0.01)
    failures: list[BaseException] = [ConnectionResetError(), ZeroDivisionError()]

    async def fail(*_: Any) -> bool:
        raise failures.pop(0)

    monkeypatch.setattr(station.refresher._leases, "take", fail)
    with pytest.raises(ZeroDivisionError):
        await station.refresher.run(lambda error: isinstance(error, OSError))
    assert failures == []


async def test_what_waits_for_a_vasp_that_is_still_down_is_not_woken(station: Station) -> None:
    await station.listing()
    due = station.clock() + seconds(600)
    rows = [call("c", "west", deferred=True, due_at=due), call("d", "gone", deferred=True, due_at=due)]
    await write(station.database, tables.calls, rows)
    await station.refresh()
    assert {row.due_at for row in await station.rows(tables.calls)} == {due}
