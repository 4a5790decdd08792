"""Whose key is it? The check against the directory, the one refresh, and how little a stranger can make us ask."""

from __future__ import annotations

import asyncio
from datetime import timedelta

import pytest

from travelrule.client.codes import error_of
from travelrule.client.errors import NoAnswer
from travelrule.gateway.refusals import Refused
from travelrule.gateway.request_origin import RequestOrigin
from travelrule.gateway.senders import REFRESHES_PER_MINUTE, Senders

from .conftest import OTHER, PEER, World, key


@pytest.fixture
def senders(world: World) -> Senders:
    return Senders(world.directory, world.refresh, lambda: world.now)


def caller(entity_id: str = "north", public_key: str | None = PEER.public_base64) -> RequestOrigin:
    return RequestOrigin("code", entity_id, public_key)


async def refusal(senders: Senders, who: RequestOrigin) -> str:
    with pytest.raises(Refused) as caught:
        await senders.check(who)
    return caught.value.code


async def test_a_listed_key_costs_one_look_for_a_while(world: World, senders: Senders) -> None:
    for _ in range(5):
        assert (await senders.check(caller())).listed
    assert (world.directory.looks, world.refreshed) == (1, [])
    world.now += timedelta(seconds=11)
    await senders.check(caller())
    assert world.directory.looks == 2


async def test_trust_ends_when_the_key_is_withdrawn(world: World, senders: Senders) -> None:
    await senders.check(caller())
    world.directory.add("north", key(OTHER))
    world.current["north"] = (key(OTHER),)
    world.now += timedelta(seconds=11)
    assert await refusal(senders, caller()) == "INVALID_HEADER_SIGNATURE"


async def test_a_rotated_key_is_accepted_after_one_question(world: World, senders: Senders) -> None:
    world.current["north"] = (key(OTHER),)
    assert (await senders.check(caller(public_key=OTHER.public_base64))).listed
    assert world.refreshed == ["north"]
    # Also while the stored list still has the old one only.
    world.now += timedelta(seconds=11)
    assert (await senders.check(caller(public_key=OTHER.public_base64))).listed
    assert world.refreshed == ["north"]


async def test_wrong_keys_ask_once_per_pause(world: World, senders: Senders) -> None:
    world.current["north"] = (key(PEER),)
    for _ in range(10):
        assert await refusal(senders, caller(public_key=OTHER.public_base64)) == "INVALID_HEADER_SIGNATURE"
    assert world.refreshed == ["north"]
    assert (await senders.check(caller())).listed
    world.now += timedelta(seconds=31)
    world.current["north"] = (key(OTHER),)
    assert (await senders.check(caller(public_key=OTHER.public_base64))).listed


async def test_parallel_wrong_keys_ask_once(world: World, senders: Senders) -> None:
    world.current["north"] = (key(OTHER),)
    found = await asyncio.gather(*(senders.check(caller(public_key=OTHER.public_base64)) for _ in range(20)))
    assert all(sender.listed for sender in found)
    assert world.refreshed == ["north"]


async def test_many_strangers_cannot_make_us_hammer_the_hub(world: World, senders: Senders) -> None:
    for number in range(REFRESHES_PER_MINUTE):
        assert not (await senders.check(caller(f"x{number}"))).listed
    assert await refusal(senders, caller("one-more")) == "VASP_BACKEND_INTERNAL_ERROR"
    assert len(world.refreshed) == REFRESHES_PER_MINUTE
    # Known senders are served all the time.
    assert (await senders.check(caller())).listed
    world.now += timedelta(seconds=61)
    assert not (await senders.check(caller("one-more"))).listed


async def test_an_unlisted_vasp_that_the_hub_knows_is_a_sender(world: World, senders: Senders) -> None:
    world.current["fresh"] = (key(OTHER),)
    sender = await senders.check(caller("fresh", OTHER.public_base64))
    assert (sender.listed, sender.entry) == (True, None)


async def test_a_vasp_that_left_the_list_is_an_outsider(world: World, senders: Senders) -> None:
    world.directory.add("gone", key(PEER), listed=False)
    assert not (await senders.check(caller("gone"))).listed
    assert not (await senders.check(caller("gone", None))).listed


async def test_while_the_hub_cannot_be_asked_nobody_is_judged(world: World, senders: Senders) -> None:
    world.current["north"] = NoAnswer("public-key", sent_maybe=True)
    assert await refusal(senders, caller(public_key=OTHER.public_base64)) == "VASP_BACKEND_INTERNAL_ERROR"


async def test_a_vasp_that_the_hub_does_not_know_is_an_outsider(world: World, senders: Senders) -> None:
    world.current["nobody"] = error_of("public-key", 422, "INVALID_TARGET_VASP_ID")
    assert not (await senders.check(caller("nobody"))).listed
    world.current["north"] = error_of("public-key", 422, "INVALID_ORIGIN")
    assert await refusal(senders, caller(public_key=OTHER.public_base64)) == "VASP_BACKEND_INTERNAL_ERROR"


async def test_the_hub_itself(world: World, senders: Senders) -> None:
    hub = caller("codevasp", OTHER.public_base64)
    assert (await senders.check(hub)).listed
    world.current["codevasp"] = NoAnswer("public-key", sent_maybe=True)
    world.now += timedelta(seconds=31)
    assert (await senders.check(hub)).listed
    world.directory.add("codevasp", key(PEER))
    world.current["codevasp"] = (key(PEER),)
    world.now += timedelta(seconds=31)
    assert await refusal(senders, hub) == "INVALID_HEADER_SIGNATURE"


async def test_one_callers_deadline_does_not_end_the_question_of_another(world: World) -> None:
    going = asyncio.Event()

    async def slow(_: str) -> tuple[object, ...]:
        await going.wait()
        return (key(OTHER),)

    senders = Senders(world.directory, slow, lambda: world.now)  # type: ignore[arg-type]
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


async def test_vouched_is_who_showed_a_key_of_its_own(world: World, senders: Senders) -> None:
    """Personal data go to nobody else, whatever may pass besides."""
    for _ in range(2):
        assert (await senders.check(caller())).vouched
        assert not (await senders.check(caller("codevasp", OTHER.public_base64))).vouched
        assert not (await senders.check(caller(public_key=None))).vouched
    world.current["west"] = (key(OTHER),)
    assert (await senders.check(caller("west", OTHER.public_base64))).vouched
    assert not (await senders.check(caller("nobody", OTHER.public_base64))).vouched
