"""The bodies that are held: within their limits whatever comes, and nothing is left when all requests are over."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import ExitStack, suppress
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from travelrule.listener.body_room import BodyLimits, BodyRoom, Disconnected, HeldBody, NoRoom, TooLarge

LIMITS = BodyLimits(total=100, per_source=60, per_member=50, incomplete=5)
STEPS = st.lists(
    st.tuples(
        st.sampled_from(["open", "piece", "whole", "own", "close"]),
        st.integers(0, 9),
        st.integers(0, 40),
        st.sampled_from(["a", "b", "c"]),
    ),
    max_size=80,
)


@given(STEPS)
def test_every_limit_holds_at_every_step(steps: list[tuple[str, int, int, str]]) -> None:
    room = BodyRoom(LIMITS)
    places: dict[int, tuple[ExitStack, HeldBody]] = {}
    for kind, number, size, name in steps:
        if kind == "open" and number not in places:
            stack = ExitStack()
            held = stack.enter_context(room.place(name))
            places[number] = (stack, held)
            with suppress(NoRoom):
                room.begin(held)
        elif number in places:
            stack, held = places[number]
            with suppress(NoRoom):
                if kind == "piece" and not held.displaced:
                    room.add(held, size)
                elif kind == "whole":
                    room.complete(held)
                elif kind == "own" and not held.member:
                    room.assign(held, name)
            if kind == "close":
                stack.close()
                del places[number]
        open_now = [held for _, held in places.values()]
        assert room.held_bytes == sum(held.size for held in open_now) <= LIMITS.total
        assert room.incomplete <= LIMITS.incomplete
        for source in "abc":
            assert sum(held.size for held in open_now if held.source == source) <= LIMITS.per_source
    for stack, _ in places.values():
        stack.close()
    assert room.held_bytes == room.incomplete == 0
    assert not room._by_source
    assert not room._by_member


def sending(*parts: bytes) -> Callable[[], Any]:
    """An ASGI ``receive`` that returns the parts and then waits indefinitely."""
    waiting = list(parts)

    async def receive() -> dict[str, Any]:
        if not waiting:
            await asyncio.Event().wait()
        return {"type": "http.request", "body": waiting.pop(0), "more_body": True}

    return receive


def whole(body: bytes) -> Callable[[], Any]:
    async def receive() -> dict[str, Any]:
        return {"type": "http.request", "body": body}

    return receive


async def until(condition: Callable[[], bool]) -> None:
    async with asyncio.timeout(30):
        while not condition():
            await asyncio.sleep(0)


async def test_the_oldest_that_is_incomplete_gives_way_and_one_that_is_whole_does_not() -> None:
    room = BodyRoom(LIMITS)
    with room.place("a") as answering, room.place("b") as oldest, room.place("c") as newer, room.place("c") as newest:
        assert await answering.read((), whole(b"x" * 40), 50) == b"x" * 40
        first = asyncio.create_task(oldest.read((), sending(b"x" * 30), 50))
        await until(lambda: room.held_bytes == 70)
        second = asyncio.create_task(newer.read((), sending(b"x" * 20), 50))
        await until(lambda: room.held_bytes == 90)
        assert await newest.read((), whole(b"x" * 40), 50) == b"x" * 40
        with pytest.raises(NoRoom):
            await first
        assert not second.done()
        assert (answering.size, oldest.size, newer.size, newest.size) == (40, 0, 20, 40)
        second.cancel()


async def test_a_source_that_floods_displaces_its_own_bodies_and_not_those_of_others() -> None:
    room = BodyRoom(LIMITS)
    with ExitStack() as stack:
        member, *flood = [stack.enter_context(room.place(source)) for source in ("member", *["flood"] * 20)]
        room.begin(member)
        room.add(member, 20)
        for held in flood:
            with suppress(NoRoom):
                room.begin(held)
                room.add(held, 15)
        assert not member.displaced
        assert sum(not held.displaced for held in flood) == LIMITS.incomplete - 1


async def test_the_memory_of_all_is_made_room_for_at_the_source_that_has_most() -> None:
    room = BodyRoom(LIMITS)
    with ExitStack() as stack:
        member, *flood = [stack.enter_context(room.place(source)) for source in ("member", "b", "b", "c", "c")]
        for held, size in zip((member, *flood), (20, 25, 25, 25, 25), strict=True):
            room.begin(held)
            room.add(held, size)
        assert [held.displaced for held in (member, *flood)] == [False, True, False, False, False]


async def test_the_addresses_of_one_ipv6_host_are_one_source() -> None:
    room = BodyRoom(LIMITS)
    with room.place("2001:db8:0:1::1") as one, room.place("2001:db8:0:1:ffff::2") as other:
        await one.read((), whole(b"x" * 40), 50)
        with pytest.raises(NoRoom):
            await other.read((), whole(b"x" * 40), 50)
        with room.place("2001:db8:0:2::1") as elsewhere:
            await elsewhere.read((), whole(b"x" * 40), 50)


async def test_where_all_are_whole_a_new_one_has_no_room() -> None:
    room = BodyRoom(LIMITS)
    with room.place("a") as one, room.place("b") as other, room.place("c") as late:
        for held in (one, other):
            await held.read((), whole(b"x" * 50), 50)
        with pytest.raises(NoRoom):
            await late.read((), whole(b"x"), 50)
    assert room.held_bytes == 0


async def test_a_body_that_is_announced_as_too_large_is_not_read() -> None:
    async def receive() -> Any:
        raise AssertionError("read")

    with BodyRoom().place("a") as held, pytest.raises(TooLarge):
        await held.read([(b"content-length", b"51")], receive, 50)


async def test_a_peer_that_goes_away_leaves_nothing() -> None:
    async def gone() -> Any:
        return {"type": "http.disconnect"}

    room = BodyRoom(LIMITS)
    with pytest.raises(Disconnected), room.place("a") as held:
        await held.read((), gone, 50)
    with pytest.raises(TimeoutError), room.place("a") as held:
        async with asyncio.timeout(0):
            await held.read((), sending(b"x"), 50)
    assert room.held_bytes == room.incomplete == 0
