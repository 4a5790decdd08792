"""Whose key is it? The check against the directory, the one refresh, and how little a stranger can make us ask."""

from __future__ import annotations

import asyncio
from datetime import timedelta

import pytest

from tests.support.gateway_scene import OTHER, PEER, GatewayScene, key
from travelrule.client.codes import error_of
from travelrule.client.errors import NoAnswer
from travelrule.gateway.refusals import Refused
from travelrule.gateway.request_origin import RequestOrigin
from travelrule.gateway.senders import REFRESHES_PER_MINUTE, Senders


@pytest.fixture
def senders(scene: GatewayScene) -> Senders:
    return Senders(scene.directory, scene.refresh, lambda: scene.now)


def caller(entity_id: str = "north", public_key: str | None = PEER.public_base64) -> RequestOrigin:
    return RequestOrigin("code", entity_id, public_key)


async def refusal(senders: Senders, who: RequestOrigin) -> str:
    with pytest.raises(Refused) as caught:
        await senders.check(who)
    return caught.value.code


async def test_a_listed_key_costs_one_look_for_a_while(scene: GatewayScene, senders: Senders) -> None:
    for _ in range(5):
        assert (await senders.check(caller())).listed
    assert (scene.directory.looks, scene.refreshed) == (1, [])
    scene.now += timedelta(seconds=11)
    await senders.check(caller())
    assert scene.directory.looks == 2


async def test_trust_ends_when_the_key_is_withdrawn(scene: GatewayScene, senders: Senders) -> None:
    await senders.check(caller())
    scene.directory.add("north", key(OTHER))
    scene.current["north"] = (key(OTHER),)
    scene.now += timedelta(seconds=11)
    assert await refusal(senders, caller()) == "INVALID_HEADER_SIGNATURE"


async def test_a_rotated_key_is_accepted_after_one_question(scene: GatewayScene, senders: Senders) -> None:
    scene.current["north"] = (key(OTHER),)
    assert (await senders.check(caller(public_key=OTHER.public_base64))).listed
    assert scene.refreshed == ["north"]
    # Also while the stored list still has the old one only.
    scene.now += timedelta(seconds=11)
    assert (await senders.check(caller(public_key=OTHER.public_base64))).listed
    assert scene.refreshed == ["north"]


async def test_wrong_keys_ask_once_per_pause(scene: GatewayScene, senders: Senders) -> None:
    scene.current["north"] = (key(PEER),)
    for _ in range(10):
        assert await refusal(senders, caller(public_key=OTHER.public_base64)) == "INVALID_HEADER_SIGNATURE"
    assert scene.refreshed == ["north"]
    assert (await senders.check(caller())).listed
    scene.now += timedelta(seconds=31)
    scene.current["north"] = (key(OTHER),)
    assert (await senders.check(caller(public_key=OTHER.public_base64))).listed


async def test_parallel_wrong_keys_ask_once(scene: GatewayScene, senders: Senders) -> None:
    scene.current["north"] = (key(OTHER),)
    found = await asyncio.gather(*(senders.check(caller(public_key=OTHER.public_base64)) for _ in range(20)))
    assert all(sender.listed for sender in found)
    assert scene.refreshed == ["north"]


async def test_many_strangers_cannot_make_us_hammer_the_hub(scene: GatewayScene, senders: Senders) -> None:
    for number in range(REFRESHES_PER_MINUTE):
        assert not (await senders.check(caller(f"x{number}"))).listed
    assert await refusal(senders, caller("one-more")) == "VASP_BACKEND_INTERNAL_ERROR"
    assert len(scene.refreshed) == REFRESHES_PER_MINUTE
    # Known senders are served all the time.
    assert (await senders.check(caller())).listed
    scene.now += timedelta(seconds=61)
    assert not (await senders.check(caller("one-more"))).listed


async def test_an_unlisted_vasp_that_the_hub_knows_is_a_sender(scene: GatewayScene, senders: Senders) -> None:
    scene.current["fresh"] = (key(OTHER),)
    sender = await senders.check(caller("fresh", OTHER.public_base64))
    assert (sender.listed, sender.entry) == (True, None)


async def test_a_vasp_that_left_the_list_is_an_outsider(scene: GatewayScene, senders: Senders) -> None:
    scene.directory.add("gone", key(PEER), listed=False)
    assert not (await senders.check(caller("gone"))).listed
    assert not (await senders.check(caller("gone", None))).listed


async def test_while_the_hub_cannot_be_asked_nobody_is_judged(scene: GatewayScene, senders: Senders) -> None:
    scene.current["north"] = NoAnswer("public-key", sent_maybe=True)
    assert await refusal(senders, caller(public_key=OTHER.public_base64)) == "VASP_BACKEND_INTERNAL_ERROR"


async def test_a_vasp_that_the_hub_does_not_know_is_an_outsider(scene: GatewayScene, senders: Senders) -> None:
    scene.current["nobody"] = error_of("public-key", 422, "INVALID_TARGET_VASP_ID")
    assert not (await senders.check(caller("nobody"))).listed
    scene.current["north"] = error_of("public-key", 422, "INVALID_ORIGIN")
    assert await refusal(senders, caller(public_key=OTHER.public_base64)) == "VASP_BACKEND_INTERNAL_ERROR"


async def test_the_hub_itself(scene: GatewayScene, senders: Senders) -> None:
    hub = caller("codevasp", OTHER.public_base64)
    assert (await senders.check(hub)).listed
    scene.current["codevasp"] = NoAnswer("public-key", sent_maybe=True)
    scene.now += timedelta(seconds=31)
    assert (await senders.check(hub)).listed
    scene.directory.add("codevasp", key(PEER))
    scene.current["codevasp"] = (key(PEER),)
    scene.now += timedelta(seconds=31)
    assert await refusal(senders, hub) == "INVALID_HEADER_SIGNATURE"


async def test_one_callers_deadline_does_not_end_the_question_of_another(scene: GatewayScene) -> None:
    going = asyncio.Event()

    async def slow(_: str) -> tuple[object, ...]:
        await going.wait()
        return (key(OTHER),)

    senders = Senders(scene.directory, slow, lambda: scene.now)  # type: ignore[arg-type]
    who = caller(public_key=OTHER.public_base64)
    first = asyncio.create_task(senders.check(who))
    second = asyncio.create_task(senders.check(who))
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    first.cancel()
    await asyncio.sleep(0)
    going.set()
    assert (await second).listed
    with pytest.raises(asyncio.CancelledError):
        await first


async def test_vouched_is_who_showed_a_key_of_its_own(scene: GatewayScene, senders: Senders) -> None:
    """Personal data go to nobody else, whatever may pass besides."""
    for _ in range(2):
        assert (await senders.check(caller())).vouched
        assert not (await senders.check(caller("codevasp", OTHER.public_base64))).vouched
        assert not (await senders.check(caller(public_key=None))).vouched
    scene.current["west"] = (key(OTHER),)
    assert (await senders.check(caller("west", OTHER.public_base64))).vouched
    assert not (await senders.check(caller("nobody", OTHER.public_base64))).vouched
