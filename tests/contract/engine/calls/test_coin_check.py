"""Coins against the hub's table of networks, before anything is asked: the real caller, refresher and machines."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import aclosing
from typing import Any

import pytest

from schemas.hub.bodies import CoinNetworks
from tests.support.installation import EngineInstallation, robot
from travelrule.engine.calls.coin_check import WAIT_SECONDS
from travelrule.engine.vault import Vault
from travelrule.policy.policy import Policy
from travelrule.policy.sections import Asset
from travelrule.store.database import Database

TABLE = {"XRP": ["XRP"], "USDT": ["ETH", "TRX"]}
HELD = ("hold", "ASSET_NOT_SUPPORTED")
ALLOWED = ("allow", "VERIFIED")


def world(table: dict[str, list[str]]) -> dict[str, Any]:
    coins = [{"coin": coin, "networkList": [{"network": one} for one in names]} for coin, names in table.items()]
    return {"coinNetworks": coins}


@pytest.fixture
async def north(database: Database, vault: Vault) -> AsyncIterator[EngineInstallation]:
    north = EngineInstallation(database, vault, [robot()], world=world(TABLE))
    async with aclosing(north.hub), north.control:
        await north.listing()
        yield north


async def settled(north: EngineInstallation, seconds: float = 12) -> None:
    """Let caller and refresher work for a while."""
    for _ in range(int(seconds)):
        await north.calls_all()
        await north.refresher.round()
        north.clock.forward(1)
    await north.calls_all()


async def empty_table(north: EngineInstallation) -> None:
    await north.directory.store_networks(CoinNetworks.model_validate({"coinNetworks": []}), north.clock())


def asked(north: EngineInstallation) -> list[str]:
    return [one for one in ("address-search", "wallet-search", "transfer-authorization") if north.seen(one)]


@pytest.mark.parametrize(
    ("currency", "network", "sent"),
    [("XRP", "xrp", "XRP"), ("XRP", None, "XRP"), ("USDT", "trx", "TRX"), ("USDT", None, None), ("xrp", "XRP", "XRP")],
)
async def test_what_the_table_lists_goes_on_in_its_spelling(
    north: EngineInstallation, currency: str, network: str | None, sent: str | None
) -> None:
    await north.withdraw(currency=currency, network=network)
    await north.calls_all()
    assert await north.verdicts() == [ALLOWED]
    assert len(north.seen("coin-network")) == 1, "what is listed needs no fresh table"
    bodies = [body for _, path, body in north.wire.requests if "VerifyAddress" in path]
    assert all((b'"network":"%s"' % sent.encode() in body) if sent else b"network" not in body for body in bodies)
    assert bodies


@pytest.mark.parametrize(("currency", "network"), [("ZZZ", None), ("ZZZ", "XRP"), ("XRP", "DOGE")])
async def test_what_a_fresh_table_does_not_list_is_held_and_nothing_is_asked(
    north: EngineInstallation, currency: str, network: str | None
) -> None:
    north.clock.forward(120)
    await north.withdraw(currency=currency, network=network)
    await north.calls_all()
    assert await north.verdicts() == [], "it may be newer than the table"
    await settled(north)
    assert await north.verdicts() == [HELD]
    assert asked(north) == []
    assert len(north.seen("coin-network")) == 2


async def test_a_search_for_the_vasp_is_not_made_either(north: EngineInstallation) -> None:
    await north.withdraw(currency="ZZZ", network=None, destination={"kind": "unknown", "address": "a", "tag": "1"})
    await settled(north)
    assert await north.verdicts() == [HELD]
    assert asked(north) == []


async def test_a_coin_that_is_new_goes_on_with_the_fresh_table(
    north: EngineInstallation, monkeypatch: pytest.MonkeyPatch
) -> None:
    north.clock.forward(120)
    fetch = north.hub.coin_networks

    async def grown() -> CoinNetworks:
        await fetch()
        return CoinNetworks.model_validate(world({**TABLE, "ZZZ": ["ZZZ"]}))

    monkeypatch.setattr(north.hub, "coin_networks", grown)
    await north.withdraw(currency="ZZZ", network=None)
    await settled(north)
    assert await north.verdicts() == [ALLOWED]


async def test_many_unlisted_coins_cost_one_fresh_table(north: EngineInstallation) -> None:
    north.clock.forward(120)
    for number in range(10):
        await north.withdraw(f"w-{number}", currency=f"Z{number}", network=None)
    await settled(north, 30)
    assert await north.verdicts() == [HELD] * 10
    assert len(north.seen("coin-network")) == 2


async def test_a_table_that_cannot_be_fetched_decides_as_it_is(north: EngineInstallation) -> None:
    north.clock.forward(120)
    await north.fault(operation="coin-network", fault="status", status=500)
    await north.withdraw(currency="ZZZ", network=None)
    await settled(north, WAIT_SECONDS - 5)
    assert await north.verdicts() == []
    await settled(north, 15)
    assert await north.verdicts() == [HELD]


async def test_an_empty_table_decides_nothing(north: EngineInstallation) -> None:
    await empty_table(north)
    await north.counterparties.reload()
    await north.withdraw(currency="ZZZ", network=None)
    await north.calls_all()
    assert await north.verdicts() == [ALLOWED]


async def test_a_stale_table_decides_nothing(north: EngineInstallation) -> None:
    await north.fault(operation="coin-network", fault="status", status=500)
    for _ in range(5):
        north.clock.forward(3600)
        await north.refresh()
    await north.withdraw(currency="ZZZ", network=None)
    await north.calls_all()
    assert await north.verdicts() == [ALLOWED]


async def test_the_policys_assets_decide_alone(north: EngineInstallation) -> None:
    rules = Policy(sanctions="off", assets={"ZZZ": Asset()}).with_own(north.rules.current.own)
    north.rules.current = rules
    await north.withdraw(currency="ZZZ", network="anything")
    await north.withdraw("w-2", currency="XRP")
    await north.calls_all()
    assert await north.verdicts() == [("deny", "ASSET_NOT_SUPPORTED"), ALLOWED]
    assert len(north.seen("coin-network")) == 1


async def test_the_facts_travel_with_the_input(north: EngineInstallation) -> None:
    await north.withdraw(currency="ZZZ", network="N")
    await settled(north)
    (report,) = [item.data for item in north.sent if getattr(item.data, "coin", None)]
    facts = report.coin  # type: ignore[attr-defined]
    assert (facts.currency, facts.network, facts.listed, facts.networks) == ("ZZZ", "N", False, ())
    assert facts.table_at <= north.clock()
