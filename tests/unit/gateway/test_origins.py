"""The alliance of ``X-Request-Origin``: compared without case, and another one than listed refuses nobody (D43)."""

from __future__ import annotations

import asyncio
from datetime import timedelta
from typing import Any

import pytest

from travelrule.gateway.misnamed import TOLD_AGAIN_S
from travelrule.machine.effects import Alert
from travelrule.policy.policy import HUB_ENTITY

from .conftest import HEADERS, PEER, World, key

MISMATCH = "ORIGIN_ALLIANCE_MISMATCH"


class Alerts:
    """What was raised; the first ``failures`` are not taken."""

    def __init__(self, failures: int = 0) -> None:
        self.raised: list[tuple[str, Alert]] = []
        self.failures = failures

    async def __call__(self, subject: str, alert: Alert) -> None:
        await asyncio.sleep(0)
        if self.failures:
            self.failures -= 1
            raise ConnectionError
        self.raised.append((subject, alert))


async def settle() -> None:
    for _ in range(5):
        await asyncio.sleep(0)


def sent_as(origin: str, **more: str) -> dict[str, str]:
    return {**HEADERS, "X-Request-Origin": origin, **more}


@pytest.mark.parametrize("listed", ["code:north", "CODE:north", "Code:north", "north"])
@pytest.mark.parametrize("named", ["code:north", "CODE:north", "cOdE:north"])
async def test_the_case_of_an_alliance_counts_nowhere(world: World, listed: str, named: str) -> None:
    alerts = Alerts()
    world.rules(accept_origins=(listed,))
    world.open(alert=alerts)
    assert (await world.verify(headers=sent_as(named)))["result"] == "valid"
    assert (await world.authorize(headers=sent_as(named))).json()["result"] == "verified"
    assert (await world.report(headers=sent_as(named))).json()["result"] == "normal"
    world.sent()
    assert (await world.search(headers=sent_as(named))).json()["result"] == "valid"
    assert (await world.request_data(headers=sent_as(named))).json()["result"] == "normal"
    await settle()
    assert alerts.raised == []


async def test_the_case_of_an_entity_does_count(world: World) -> None:
    world.rules(accept_origins=("code:North",))
    assert (await world.verify())["reasonType"] == "UNKNOWN"


@pytest.mark.parametrize("accepted", [(), ("code:north",), ("gtr:north",)])
async def test_another_alliance_with_its_own_key_is_an_alert_and_no_refusal(world: World, accepted: Any) -> None:
    alerts = Alerts()
    world.rules(accept_origins=accepted)
    world.open(alert=alerts)
    misnamed = sent_as("gtr:north")
    assert (await world.verify(headers=misnamed))["result"] == "valid"
    assert (await world.authorize(headers=misnamed)).json()["result"] == "verified"
    world.sent()
    assert (await world.request_data(headers=misnamed)).json()["result"] == "normal"
    await settle()
    assert alerts.raised == [("vasp:north", Alert(MISMATCH, "warning", "north"))]


async def test_the_hub_itself_is_never_refused(world: World) -> None:
    alerts = Alerts()
    world.directory.add(HUB_ENTITY, key(PEER))
    world.rules(accept_origins=("code:east",))
    world.open(alert=alerts)
    misnamed = sent_as(f"other:{HUB_ENTITY}")
    assert (await world.verify(headers=misnamed))["result"] == "valid"
    assert (await world.authorize(headers=misnamed)).json()["result"] == "verified"
    await settle()
    assert [subject for subject, _ in alerts.raised] == [f"vasp:{HUB_ENTITY}"]


async def test_one_alert_an_hour_and_entity(world: World) -> None:
    alerts = Alerts()
    world.directory.add("east", key(PEER))
    world.open(alert=alerts)
    for origin in ("gtr:north", "sygna:north", "gtr:north", "gtr:east"):
        world.now += timedelta(minutes=1)
        await world.verify(headers=sent_as(origin))
    await settle()
    assert [subject for subject, _ in alerts.raised] == ["vasp:north", "vasp:east"]
    world.now += timedelta(seconds=TOLD_AGAIN_S)
    await world.verify(headers=sent_as("gtr:north"))
    await settle()
    assert [subject for subject, _ in alerts.raised][2:] == ["vasp:north"]


async def test_an_alert_that_cannot_be_raised_costs_no_answer_and_is_raised_by_the_next_request(world: World) -> None:
    alerts = Alerts(failures=1)
    world.open(alert=alerts)
    for _ in range(2):
        assert (await world.verify(headers=sent_as("gtr:north")))["result"] == "valid"
        await settle()
        world.now += timedelta(minutes=1)
    assert [subject for subject, _ in alerts.raised] == ["vasp:north"]


async def test_a_claim_without_the_key_is_refused_as_before_and_no_alert(world: World) -> None:
    alerts = Alerts()
    world.directory.add("east")
    world.open(alert=alerts)
    assert (await world.report(headers=sent_as("gtr:east"))).status_code == 503
    await settle()
    assert alerts.raised == []
