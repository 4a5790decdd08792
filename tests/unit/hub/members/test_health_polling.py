"""Health of members: what keeps one up and what sets it down."""

from __future__ import annotations

import asyncio

import pytest

from tests.support.hub import HandClock, RecordingMember, Records, hub_under_test, member
from travelrule.hub.hub_answer import HubFault
from travelrule.hub.members.health_polling import HealthPollingJob
from travelrule.hub.members.member import HUB_ENTITY, Member
from travelrule.hub.ports import MemberAnswer, NoMemberAnswer
from travelrule.hub.runtime.memory_hub_state import MemoryHubState


async def _health(state: MemoryHubState) -> dict[str, bool]:
    return {entry.entity_id: up for entry, up in await state.members()}


@pytest.mark.parametrize(
    ("answer", "up"),
    [
        (MemberAnswer(200, b"whatever"), True),
        (MemberAnswer(204, b""), False),
        (MemberAnswer(503, b"{}"), False),
        (NoMemberAnswer(reached=False), False),
        (HubFault(503, "VASP_BACKEND_INTERNAL_ERROR", "a fault"), False),
        (RuntimeError("a fault of ours"), False),
    ],
)
async def test_200_means_up_and_anything_else_down(answer: MemberAnswer | Exception, up: bool) -> None:
    hub = hub_under_test()
    hub.south.answer = answer
    for before in (True, False):
        await hub.hub.state.set_health("south", up=before)
        await hub.hub.polling.poll()
        health = {entry.entity_id: state for entry, state in await hub.hub.state.members()}
        assert health == {HUB_ENTITY: True, "north": up, "south": up}


async def test_a_hanging_member_is_down_and_delays_nobody() -> None:
    class OneHangs(RecordingMember):
        async def forward(self, member: Member, _: object) -> MemberAnswer:
            if member.entity_id == "south":
                await asyncio.Event().wait()
            return MemberAnswer(200, b"")

    state = MemoryHubState([member("north"), member("south")])
    polling = HealthPollingJob(state, OneHangs(), HandClock(), interval_seconds=60, timeout_seconds=0.02)
    await polling.poll()
    assert await _health(state) == {"north": True, "south": False}


async def test_polls_are_recorded_and_the_hub_is_not_asked() -> None:
    hub = hub_under_test()
    await hub.hub.polling.poll()
    assert sorted(record.target for record in hub.records.kept) == ["north", "south"]
    assert {(record.operation, record.caller, record.status) for record in hub.records.kept} == {
        ("health", HUB_ENTITY, 200)
    }
    assert "X-Code-Req-Signature" not in hub.south.calls[0].headers


async def test_polling_repeats_at_its_interval_and_when_woken() -> None:
    polls = asyncio.Queue[None]()

    class Counting(RecordingMember):
        async def forward(self, *_: object) -> MemberAnswer:
            polls.put_nowait(None)
            return MemberAnswer(200, b"")

    state = MemoryHubState([member("south")])
    polling = HealthPollingJob(
        state, Counting(), HandClock(), interval_seconds=3600, timeout_seconds=1, journal=Records()
    )
    task = asyncio.create_task(polling.run())
    await asyncio.wait_for(polls.get(), 60)
    polling.wake()
    await asyncio.wait_for(polls.get(), 60)
    task.cancel()
    assert isinstance((await asyncio.gather(task, return_exceptions=True))[0], asyncio.CancelledError)

    often = HealthPollingJob(state, Counting(), HandClock(), interval_seconds=0.01, timeout_seconds=1)
    task = asyncio.create_task(often.run())
    for _ in range(3):
        await asyncio.wait_for(polls.get(), 60)
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)
