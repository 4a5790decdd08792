"""Coins against the hub's table of networks, before anything is asked: the real caller, refresher and machines."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import aclosing
from typing import Any

import pytest

from schemas.hub.bodies import CoinNetworks
from tests.contract.engine.station import Station, robot
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
async def station(database: Database, vault: Vault) -> AsyncIterator[Station]:
    station = Station(database, vault, [robot()], world=world(TABLE))
    async with aclosing(station.hub), station.control:
        await station.listing()
        yield station


async def settled(station: Station, seconds: float = 12) -> None:
    """Let caller and refresher work for a while."""
    for _ in range(int(seconds)):
        await station.calls_all()
        await station.refresher.round()
        station.clock.forward(1)
    await station.calls_all()


async def empty_table(station: Station) -> None:
    await station.directory.store_networks(CoinNetworks.model_validate({"coinNetworks": []}), station.clock())


def asked(station: Station) -> list[str]:
    return [one for one in ("address-search", "wallet-search", "transfer-authorization") if station.seen(one)]


@pytest.mark.parametrize(
    ("currency", "network", "sent"),
    [("XRP", "xrp", "XRP"), ("XRP", None, "XRP"), ("USDT", "trx", "TRX"), ("USDT", None, None), ("xrp", "XRP", "XRP")],
)
async def test_what_the_table_lists_goes_on_in_its_spelling(
    station: Station, currency: str, network: str | None, sent: str | None
) -> None:
    await station.withdraw(currency=currency, network=network)
    await station.calls_all()
    assert await station.verdicts() == [ALLOWED]
    assert len(station.seen("coin-network")) == 1, "what is listed needs no fresh table"
    bodies = [body for _, path, body in station.wire.requests if "VerifyAddress" in path]
    assert all((b'"network":"%s"' % sent.encode() in body) if sent else b"network" not in body for body in bodies)
    assert bodies


@pytest.mark.parametrize(("currency", "network"), [("ZZZ", None), ("ZZZ", "XRP"), ("XRP", "DOGE")])
async def test_what_a_fresh_table_does_not_list_is_held_and_nothing_is_asked(
    station: Station, currency: str, network: str | None
) -> None:
    station.clock.forward(120)
    await station.withdraw(currency=currency, network=network)
    await station.calls_all()
    assert await station.verdicts() == [], "it may be newer than the table"
    await settled(station)
    assert await station.verdicts() == [HELD]
    assert asked(station) == []
    assert len(station.seen("coin-network")) == 2


async def test_a_search_for_the_vasp_is_not_made_either(station: Station) -> None:
    await station.withdraw(currency="ZZZ", network=None, destination={"kind": "unknown", "address": "a", "tag": "1"})
    await settled(station)
    assert await station.verdicts() == [HELD]
    assert asked(station) == []


async def test_a_coin_that_is_new_goes_on_with_the_fresh_table(
    station: Station, monkeypatch: pytest.MonkeyPatch
) -> None:
    station.clock.forward(120)
    fetch = station.hub.coin_networks

    async def grown() -> CoinNetworks:
        await fetch()
        return CoinNetworks.model_validate(world({**TABLE, "ZZZ": ["ZZZ"]}))

    monkeypatch.setattr(station.hub, "coin_networks", grown)
    await station.withdraw(currency="ZZZ", network=None)
    await settled(station)
    assert await station.verdicts() == [ALLOWED]


async def test_many_unlisted_coins_cost_one_fresh_table(station: Station) -> None:
    station.clock.forward(120)
    for number in range(10):
        await station.withdraw(f"w-{number}", currency=f"Z{number}", network=None)
    await settled(station, 30)
    assert await station.verdicts() == [HELD] * 10
    assert len(station.seen("coin-network")) == 2


async def test_a_table_that_cannot_be_fetched_decides_as_it_is(station: Station) -> None:
    station.clock.forward(120)
    await station.fault(operation="coin-network", fault="status", status=500)
    await station.withdraw(currency="ZZZ", network=None)
    await settled(station, WAIT_SECONDS - 5)
    assert await station.verdicts() == []
    await settled(station, 15)
    assert await station.verdicts() == [HELD]


async def test_an_empty_table_decides_nothing(station: Station) -> None:
    await empty_table(station)
    await station.counterparties.reload()
    await station.withdraw(currency="ZZZ", network=None)
    await station.calls_all()
    assert await station.verdicts() == [ALLOWED]


async def test_a_stale_table_decides_nothing(station: Station) -> None:
    await station.fault(operation="coin-network", fault="status", status=500)
    for _ in range(5):
        station.clock.forward(3600)
        await station.refresh()
    await station.withdraw(currency="ZZZ", network=None)
    await station.calls_all()
    assert await station.verdicts() == [ALLOWED]


async def test_the_policys_assets_decide_alone(station: Station) -> None:
    rules = Policy(sanctions="off", assets={"ZZZ": Asset()}).with_own(station.rules.current.own)
    station.rules.current = rules
    await station.withdraw(currency="ZZZ", network="anything")
    await station.withdraw("w-2", currency="XRP")
    await station.calls_all()
    assert await station.verdicts() == [("deny", "ASSET_NOT_SUPPORTED"), ALLOWED]
    assert len(station.seen("coin-network")) == 1


async def test_the_facts_travel_with_the_input(station: Station) -> None:
    await station.withdraw(currency="ZZZ", network="N")
    await settled(station)
    (report,) = [item.data for item in station.sent if getattr(item.data, "coin", None)]
    facts = report.coin  # type: ignore[attr-defined]
    assert (facts.currency, facts.network, facts.listed, facts.networks) == ("ZZZ", "N", False, ())
    assert facts.table_at <= station.clock()
