"""A withdrawal that ends before its authorization could be sent: nothing about its customer leaves."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import aclosing

import pytest

from tests.support.events import cancelled
from tests.support.installation import EngineInstallation, robot
from travelrule.engine.vault import Vault
from travelrule.store import tables
from travelrule.store.database import Database

SUBJECT = "withdrawal:w-1"


@pytest.fixture
async def north(database: Database, vault: Vault) -> AsyncIterator[EngineInstallation]:
    made = EngineInstallation(database, vault, [robot()])
    async with aclosing(made.hub), made.control:
        await made.listing()
        yield made


async def seconds(north: EngineInstallation, count: int) -> None:
    for _ in range(count):
        north.clock.forward(1)
        await north.refresher.round()
        await north.calls_all()
        await north.fire_timers()


async def cancel(north: EngineInstallation) -> None:
    said = cancelled().model_copy(update={"withdrawal_id": "w-1"})
    assert (await north.tell(said, SUBJECT)).status == "applied"


async def until_the_authorization_waits(north: EngineInstallation) -> None:
    """The address is verified, then the hub is away."""
    await north.withdraw()
    await north.call()
    north.wire.down = True
    await seconds(north, 8)
    (row,) = await north.rows(tables.calls)
    assert row.operation == "transfer-authorization"


async def test_the_hub_is_away_and_comes_back(north: EngineInstallation) -> None:
    await until_the_authorization_waits(north)
    await cancel(north)
    north.wire.down = False
    await seconds(north, 400)
    assert north.seen("transfer-authorization") == []
    assert await north.rows(tables.calls) == []
    assert (await north.verdicts())[-1] == ("deny", "CANCELLED")
    assert [said["status"] for said in await north.said("exchanges")][-1] == "canceled"
    assert await north.alerts() == []


async def test_the_end_comes_while_another_process_is_about_to_make_the_call(north: EngineInstallation) -> None:
    """Its lease expired without a try that reached anybody: the next process reads the row as it is now."""
    await until_the_authorization_waits(north)
    await cancel(north)
    north.wire.down = False
    other = north.another_caller("p2")
    for _ in range(5):
        await north.call(other)
    assert north.seen("transfer-authorization") == []


async def test_an_authorization_that_may_have_arrived_is_made_until_it_is_answered_and_then_finished(
    north: EngineInstallation,
) -> None:
    north.wire.lost["/v1/code/transfer/south"] = 1
    await north.withdraw()
    await north.calls_all()
    await cancel(north)
    await seconds(north, 60)
    assert len(north.seen("transfer-authorization")) == 2
    assert [entry["status"] for entry in north.seen("finish")] == [200]
