"""The directory of many processes: one fetches, any may demand it, differences raise alerts before they are stored."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import aclosing
from typing import Any

import pytest

from tests.contract.store.rows import call, write
from tests.support.installation import EngineInstallation, robot, seconds
from tests.support.sandbox import ROBOT
from travelrule.client.errors import HubError
from travelrule.crypto.signing import SigningKey
from travelrule.engine.directory import refresher as module
from travelrule.engine.directory.counterparties import COPY_SECONDS, KEY_REFRESH_SECONDS
from travelrule.engine.input_outcome import InputOutcome
from travelrule.engine.vault import Vault
from travelrule.machine.input import Input
from travelrule.metrics import REGISTRY
from travelrule.store import tables
from travelrule.store.database import Database

OTHER = SigningKey(b"z" * 32)


@pytest.fixture
async def north(database: Database, vault: Vault) -> AsyncIterator[EngineInstallation]:
    made = EngineInstallation(database, vault, [robot(), robot("west", b"w", health="down")])
    async with aclosing(made.hub), made.control:
        yield made


async def pubkeys(north: EngineInstallation, name: str = "south") -> list[str]:
    stored = await north.directory.get(name)
    assert stored is not None
    return [key.pubkey for key in stored.entry.pubkeys]


async def test_the_first_list_is_no_news(north: EngineInstallation) -> None:
    await north.listing()
    assert sorted(await north.directory.all()) == ["codevasp", "north", "south", "west"]
    assert await north.alerts() == []


async def test_what_changed_becomes_alerts_once(north: EngineInstallation) -> None:
    await north.listing()
    await north.put(robot(seed=b"z"))
    await north.put(robot("west", b"w"))
    await north.put(robot("east", b"e"))
    before = {change: _counted(change) for change in ("keys", "added", "up", "removed")}
    for _ in range(3):
        await north.refresh()
    assert sorted(await north.alerts()) == ["DIRECTORY_KEY_CHANGED", "DIRECTORY_VASP_NEW", "DIRECTORY_VASP_UP"]
    more = {change: _counted(change) - number for change, number in before.items()}
    assert more == {"keys": 1, "added": 1, "up": 1, "removed": 0}


def _counted(change: str) -> float:
    return REGISTRY.get_sample_value("travelrule_directory_changes_total", {"change": change}) or 0.0


async def test_a_vasp_that_vanishes_and_comes_back(north: EngineInstallation, monkeypatch: pytest.MonkeyPatch) -> None:
    await north.listing()
    whole = north.hub.vasp_list

    async def without_south() -> Any:
        listed = await whole()
        return listed.model_copy(update={"vasps": tuple(v for v in listed.vasps if v.vasp_entity_id != "south")})

    monkeypatch.setattr(north.hub, "vasp_list", without_south)
    await north.refresh()
    stored = await north.counterparties.get("south")
    assert stored is not None
    assert not stored.up
    monkeypatch.undo()
    await north.refresh()
    assert await north.alerts() == ["DIRECTORY_VASP_GONE", "DIRECTORY_VASP_NEW"]
    assert (await north.directory.all())["south"].up


async def test_a_process_that_dies_before_it_stored_the_list_loses_no_alert(north: EngineInstallation) -> None:
    """A changed key is how a thief would get at personal data: the alert must not hang on one process's life."""
    await north.listing()
    await north.put(robot(seed=b"z"))
    told: list[Input] = []

    async def die(item: Input) -> InputOutcome:
        told.append(item)
        raise asyncio.CancelledError

    north.refresher._submit = die
    with pytest.raises(asyncio.CancelledError):
        await north.refresh()
    assert len(told) == 1
    assert await pubkeys(north) == [ROBOT.public_base64]
    north.refresher._submit = north.submit
    await north.refresh()
    assert await north.alerts() == ["DIRECTORY_KEY_CHANGED"]


async def test_keys_that_a_refused_call_found_changed_are_told_too(north: EngineInstallation) -> None:
    await north.listing()
    north.counterparties.tell = north.submit
    await north.withdraw()
    await north.put(robot(seed=b"z"))
    await north.calls_all()
    await north.refresh()
    assert await north.alerts() == ["DIRECTORY_KEY_CHANGED"]
    assert await pubkeys(north) == [OTHER.public_base64]


async def test_keys_are_asked_for_once_in_a_while_however_often_they_are_wanted(north: EngineInstallation) -> None:
    await north.listing()
    await north.put(robot(seed=b"z"))
    results = await asyncio.gather(*(north.counterparties.refresh_keys("south") for _ in range(10)))
    assert {keys[0].pubkey for keys in results} == {OTHER.public_base64}
    assert len(north.seen("public-key")) == 1
    north.clock.forward(KEY_REFRESH_SECONDS + 1)
    await north.counterparties.refresh_keys("south")
    assert len(north.seen("public-key")) == 2


async def test_keys_of_a_vasp_that_the_hub_does_not_know(north: EngineInstallation) -> None:
    await north.listing()
    assert await north.counterparties.refresh_keys("nobody") == ()
    assert await north.directory.get("nobody") is None


async def test_a_hub_that_does_not_give_the_keys_is_an_error_for_whoever_asks(north: EngineInstallation) -> None:
    await north.listing()
    await north.fault(operation="public-key", fault="status", status=500)
    with pytest.raises(HubError):
        await north.counterparties.refresh_keys("south")
    assert await pubkeys(north) == [ROBOT.public_base64]


async def test_an_empty_list_is_not_believed(north: EngineInstallation, monkeypatch: pytest.MonkeyPatch) -> None:
    await north.listing()
    listed = await north.hub.vasp_list()

    async def empty() -> Any:
        return listed.model_copy(update={"vasps": ()})

    monkeypatch.setattr(north.hub, "vasp_list", empty)
    await north.refresh()
    assert (await north.directory.all())["south"].up
    assert await north.alerts() == []


async def test_networks_that_could_not_be_fetched_stay_as_they_were(north: EngineInstallation) -> None:
    from schemas.hub.bodies import CoinNetworks

    await north.listing()
    coins = [{"coin": "USDT", "networkList": [{"network": "ETH"}]}]
    await north.directory.store_networks(CoinNetworks.model_validate({"coinNetworks": coins}), north.clock())
    north.clock.forward(3600)
    await north.fault(operation="coin-network", fault="status", status=500)
    await north.put(robot("east", b"e"))
    await north.refresh()
    assert await north.directory.networks() == {"USDT": ("ETH",)}
    assert "east" in await north.directory.all()
    await north.clear_faults()
    await north.refresh()
    assert await north.directory.networks() == {"USDT": ("ETH",)}, "they are not asked for with every list"
    north.clock.forward(module.NETWORKS_AGAIN_SECONDS)
    await north.refresh()
    assert await north.directory.networks() == {}
    assert await north.alerts() == ["DIRECTORY_VASP_NEW", "DIRECTORY_NETWORKS_CHANGED"]


async def test_the_copy_is_as_old_as_allowed_and_many_askers_cost_one_look(north: EngineInstallation) -> None:
    await north.listing()
    looks = []
    whole = north.directory.all

    async def counted() -> Any:
        looks.append(1)
        return await whole()

    north.directory.all = counted  # type: ignore[method-assign]
    await north.directory.store_keys("south", (), north.clock())
    assert len((await north.counterparties.get("south")).entry.pubkeys) == 1  # type: ignore[union-attr]
    north.clock.forward(COPY_SECONDS + 1)
    found = await asyncio.gather(*(north.counterparties.get("south") for _ in range(20)))
    assert {len(stored.entry.pubkeys) for stored in found if stored} == {0}
    assert len(looks) == 1


async def test_a_fetch_happens_at_its_interval_and_not_between(north: EngineInstallation) -> None:
    for wait in (0, 1, 15, 1, 17):
        north.clock.forward(wait)
        await north.refresher.round()
    assert len(north.seen("vasp-list")) == 3


async def test_the_coin_networks_have_their_own_longer_interval(north: EngineInstallation) -> None:
    for _ in range(60):
        await north.refresher.round()
        north.clock.forward(60)
    assert len(north.seen("vasp-list")) == 60
    assert len(north.seen("coin-network")) == 1
    await north.refresher.round()
    assert len(north.seen("coin-network")) == 2


async def test_on_demand_but_not_more_often_than_allowed(north: EngineInstallation) -> None:
    await north.refresher.round()
    for _ in range(11):
        north.counterparties.wanted.set()
        north.clock.forward(1)
        await north.refresher.round()
    assert len(north.seen("vasp-list")) == 3


async def test_while_calls_wait_for_somebody_the_list_is_fetched_at_its_interval(north: EngineInstallation) -> None:
    """Who waits for a VASP that is down may wait for long: that is no reason to ask the hub more often."""
    await north.refresher.round()
    await write(north.database, tables.calls, [call("c", "west", deferred=True)])
    for _ in range(16):
        north.clock.forward(1)
        await north.refresher.round()
    assert len(north.seen("vasp-list")) == 1


async def test_a_failed_fetch_is_tried_again_soon(north: EngineInstallation) -> None:
    await north.fault(operation="vasp-list", fault="status", status=500, count=1)
    await north.refresher.round()
    north.clock.forward(4)
    await north.refresher.round()
    assert await north.directory.all() == {}
    north.clock.forward(1)
    await north.refresher.round()
    assert "south" in await north.directory.all()


async def test_a_process_without_the_lease_gets_the_list_it_wants_from_the_one_that_has_it(
    north: EngineInstallation,
) -> None:
    """An unknown VASP is asked for in whichever process has the call; the owner of the lease fetches for it."""
    other = north.another_refresher("p2", north.another_view())
    await other.round()
    await north.put(robot("east", b"e"))
    north.counterparties.wanted.set()
    await north.refresher.round()
    assert not north.counterparties.wanted.is_set()
    assert len(north.seen("vasp-list")) == 1, "it does not fetch itself"
    north.clock.forward(4)
    await other.round()
    assert len(north.seen("vasp-list")) == 1, "not yet: the last fetch is a moment ago"
    north.clock.forward(1)
    await other.round()
    assert len(north.seen("vasp-list")) == 2
    north.clock.forward(COPY_SECONDS + 1)
    assert await north.counterparties.get("east") is not None


async def test_a_demand_wakes_the_loop_and_demands_without_pause_do_not_make_it_spin(
    north: EngineInstallation, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "LOOK_SECONDS", 600)
    rounds = asyncio.Queue[int]()
    north.refresher.round = noted(rounds, north.refresher.round)  # type: ignore[method-assign]
    pauses: list[float] = []
    real_sleep = asyncio.sleep

    async def sleep(seconds: float) -> None:
        pauses.append(seconds)
        await real_sleep(0)

    monkeypatch.setattr(module.asyncio, "sleep", sleep)
    task = asyncio.create_task(north.refresher.run(lambda _: False))
    try:
        async with asyncio.timeout(60):
            await rounds.get()
            for _ in range(3):
                north.counterparties.wanted.set()
                await rounds.get()
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
    assert len(north.seen("vasp-list")) == 1
    assert pauses.count(150.0) == 3


def noted(rounds: asyncio.Queue[int], step: Callable[[], Awaitable[None]]) -> Callable[[], Awaitable[None]]:
    async def round_() -> None:
        await step()
        rounds.put_nowait(1)

    return round_


async def test_the_loop_outlives_a_database_failure_and_nothing_else(
    north: EngineInstallation, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "LOOK_SECONDS", 0.01)
    failures: list[BaseException] = [ConnectionResetError(), ZeroDivisionError()]

    async def fail(*_: Any) -> bool:
        raise failures.pop(0)

    monkeypatch.setattr(north.refresher._leases, "take", fail)
    with pytest.raises(ZeroDivisionError):
        await north.refresher.run(lambda error: isinstance(error, OSError))
    assert failures == []


async def test_what_waits_for_a_vasp_that_is_still_down_is_not_woken(north: EngineInstallation) -> None:
    await north.listing()
    due = north.clock() + seconds(600)
    rows = [call("c", "west", deferred=True, due_at=due), call("d", "gone", deferred=True, due_at=due)]
    await write(north.database, tables.calls, rows)
    await north.refresh()
    assert {row.due_at for row in await north.rows(tables.calls)} == {due}
