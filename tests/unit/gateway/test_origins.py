"""The alliance of ``X-Request-Origin``: compared without case, and another one than listed refuses nobody (D43)."""

from __future__ import annotations

import asyncio
from datetime import timedelta
from typing import Any

import pytest

from tests.support.gateway_scene import HEADERS, PEER, GatewayScene, key
from travelrule.gateway.member_alerts import REPEAT_S
from travelrule.machine.effects import Alert
from travelrule.policy.policy import HUB_ENTITY

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
async def test_the_case_of_an_alliance_counts_nowhere(scene: GatewayScene, listed: str, named: str) -> None:
    alerts = Alerts()
    scene.rules(accept_origins=(listed,))
    scene.open(alert=alerts)
    assert (await scene.verify(headers=sent_as(named)))["result"] == "valid"
    assert (await scene.authorize(headers=sent_as(named))).json()["result"] == "verified"
    assert (await scene.report(headers=sent_as(named))).json()["result"] == "normal"
    scene.sent()
    assert (await scene.search(headers=sent_as(named))).json()["result"] == "valid"
    assert (await scene.request_data(headers=sent_as(named))).json()["result"] == "normal"
    await settle()
    assert alerts.raised == []


async def test_the_case_of_an_entity_does_count(scene: GatewayScene) -> None:
    scene.rules(accept_origins=("code:North",))
    assert (await scene.verify())["reasonType"] == "UNKNOWN"


@pytest.mark.parametrize("accepted", [(), ("code:north",), ("gtr:north",)])
async def test_another_alliance_with_its_own_key_is_an_alert_and_no_refusal(scene: GatewayScene, accepted: Any) -> None:
    alerts = Alerts()
    scene.rules(accept_origins=accepted)
    scene.open(alert=alerts)
    misnamed = sent_as("gtr:north")
    assert (await scene.verify(headers=misnamed))["result"] == "valid"
    assert (await scene.authorize(headers=misnamed)).json()["result"] == "verified"
    scene.sent()
    assert (await scene.request_data(headers=misnamed)).json()["result"] == "normal"
    await settle()
    assert alerts.raised == [("vasp:north", Alert(MISMATCH, "warning", "north"))]


async def test_the_hub_itself_is_never_refused(scene: GatewayScene) -> None:
    alerts = Alerts()
    scene.directory.add(HUB_ENTITY, key(PEER))
    scene.rules(accept_origins=("code:east",))
    scene.open(alert=alerts)
    misnamed = sent_as(f"other:{HUB_ENTITY}")
    assert (await scene.verify(headers=misnamed))["result"] == "valid"
    assert (await scene.authorize(headers=misnamed)).json()["result"] == "verified"
    await settle()
    assert [subject for subject, _ in alerts.raised] == [f"vasp:{HUB_ENTITY}"]


async def test_one_alert_an_hour_and_entity(scene: GatewayScene) -> None:
    alerts = Alerts()
    scene.directory.add("east", key(PEER))
    scene.open(alert=alerts)
    for origin in ("gtr:north", "sygna:north", "gtr:north", "gtr:east"):
        scene.now += timedelta(minutes=1)
        await scene.verify(headers=sent_as(origin))
    await settle()
    assert [subject for subject, _ in alerts.raised] == ["vasp:north", "vasp:east"]
    scene.now += timedelta(seconds=REPEAT_S)
    await scene.verify(headers=sent_as("gtr:north"))
    await settle()
    assert [subject for subject, _ in alerts.raised][2:] == ["vasp:north"]


async def test_an_alert_that_cannot_be_raised_costs_no_answer_and_is_raised_by_the_next_request(
    scene: GatewayScene,
) -> None:
    alerts = Alerts(failures=1)
    scene.open(alert=alerts)
    for _ in range(2):
        assert (await scene.verify(headers=sent_as("gtr:north")))["result"] == "valid"
        await settle()
        scene.now += timedelta(minutes=1)
    assert [subject for subject, _ in alerts.raised] == ["vasp:north"]


async def test_a_claim_without_the_key_is_refused_as_before_and_no_alert(scene: GatewayScene) -> None:
    alerts = Alerts()
    scene.directory.add("east")
    scene.open(alert=alerts)
    assert (await scene.report(headers=sent_as("gtr:east"))).status_code == 503
    await settle()
    assert alerts.raised == []
