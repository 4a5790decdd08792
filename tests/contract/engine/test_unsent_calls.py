"""A withdrawal that ends before its authorization could be sent: nothing about its customer leaves."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import aclosing

import pytest

from tests.contract.engine.station import Station, robot
from tests.unit.exchange.originator.scene import cancelled
from travelrule.engine.vault import Vault
from travelrule.store import tables
from travelrule.store.database import Database

SUBJECT = "withdrawal:w-1"


@pytest.fixture
async def station(database: Database, vault: Vault) -> AsyncIterator[Station]:
    made = Station(database, vault, [robot()])
    async with aclosing(made.hub), made.control:
        await made.listing()
        yield made


async def seconds(station: Station, count: int) -> None:
    for _ in range(count):
        station.clock.forward(1)
        await station.refresher.round()
        await station.calls_all()
        await station.fire_timers()


async def cancel(station: Station) -> None:
    said = cancelled().model_copy(update={"withdrawal_id": "w-1"})
    assert (await station.tell(said, SUBJECT)).status == "applied"


async def until_the_authorization_waits(station: Station) -> None:
    """The address is verified, then the hub is away."""
    await station.withdraw()
    await station.call()
    station.wire.down = True
    await seconds(station, 8)
    (row,) = await station.rows(tables.calls)
    assert row.operation == "transfer-authorization"


async def test_the_hub_is_away_and_comes_back(station: Station) -> None:
    await until_the_authorization_waits(station)
    await cancel(station)
    station.wire.down = False
    await seconds(station, 400)
    assert station.seen("transfer-authorization") == []
    assert await station.rows(tables.calls) == []
    assert (await station.verdicts())[-1] == ("deny", "CANCELLED")
    assert [said["status"] for said in await station.said("exchanges")][-1] == "canceled"
    assert await station.alerts() == []


async def test_the_end_comes_while_another_process_is_about_to_make_the_call(station: Station) -> None:
    """Its lease has run out without a try that reached anybody: the next process reads what the row says now."""
    await until_the_authorization_waits(station)
    await cancel(station)
    station.wire.down = False
    other = station.another_caller("p2")
    for _ in range(5):
        await station.call(other)
    assert station.seen("transfer-authorization") == []


async def test_an_authorization_that_may_have_arrived_is_made_until_it_is_answered_and_then_finished(
    station: Station,
) -> None:
    station.wire.lost["/v1/code/transfer/south"] = 1
    await station.withdraw()
    await station.calls_all()
    await cancel(station)
    await seconds(station, 60)
    assert len(station.seen("transfer-authorization")) == 2
    assert [entry["status"] for entry in station.seen("finish")] == [200]
