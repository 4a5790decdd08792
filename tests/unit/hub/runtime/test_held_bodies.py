"""Half bodies that strangers send in a member's name: they hold bounded memory, and keep no honest call out."""

from __future__ import annotations

import asyncio
import base64
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest

from tests.support.hub import AUTHORIZATION, SOUTH, HubUnderTest, hub_under_test, signed
from tests.support.raw_sockets import Door, open_door
from travelrule.hub.runtime.app import BODY_BYTES_MAX, create_hub
from travelrule.listener.body_room import MIB, BodyLimits, BodyRoom
from travelrule.listener.limits import ListenerLimits

PATH = "/v1/code/transfer/south"
SMALL = BodyLimits(total=3 * MIB, per_source=2 * MIB, per_member=MIB, incomplete=64)


@asynccontextmanager
async def served(limits: BodyLimits | None = None) -> AsyncIterator[tuple[Door, BodyRoom, HubUnderTest]]:
    under_test, room = hub_under_test(), BodyRoom(limits)
    app: Any = create_hub(under_test.hub.service, bodies=room)
    async with open_door(ListenerLimits(connections_per_source=1024, body_seconds=600), app=app) as door:
        yield door, room, under_test


def head(headers: dict[str, str], length: int | None) -> bytes:
    lines = [f"POST {PATH} HTTP/1.1", "Host: h", *(f"{name}: {value}" for name, value in headers.items())]
    lines.append("Transfer-Encoding: chunked" if length is None else f"Content-Length: {length}")
    return "\r\n".join(lines).encode() + b"\r\n\r\n"


def unsigned(**changes: str | None) -> dict[str, str]:
    """Headers that name north and are in order, but for the signature, which only north could make."""
    headers = signed(b"", remote=SOUTH) | {"X-Code-Req-Signature": base64.b64encode(bytes(64)).decode()} | changes
    return {name: value for name, value in headers.items() if value is not None}


async def knock(door: Door, source: str = "127.0.0.1") -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    return await asyncio.open_connection("127.0.0.1", door.port, local_addr=(source, 0))


async def honest(door: Door, nonce: int, source: str = "127.0.0.1") -> int:
    """A call of north's; its status."""
    body = json.dumps(AUTHORIZATION).encode()
    reader, writer = await knock(door, source)
    writer.write(head(signed(body, nonce=nonce, remote=SOUTH) | {"Connection": "close"}, len(body)) + body)
    answer = await reader.read()
    writer.close()
    return int(answer.split()[1])


async def answered(door: Door, data: bytes) -> tuple[int, dict[str, Any]]:
    """What a request that stays incomplete is answered."""
    reader, writer = await knock(door)
    writer.write(data)
    async with asyncio.timeout(30):
        head_of = await reader.readuntil(b"\r\n\r\n")
        lines = head_of.lower().split(b"\r\n")
        length = next(int(line.partition(b":")[2]) for line in lines if line.startswith(b"content-length"))
        body = json.loads(await reader.readexactly(length))
    writer.transport.abort()
    return int(head_of.split()[1]), body


@pytest.mark.parametrize("sources", [("127.0.0.1",), ("127.0.0.1", "127.0.0.2", "127.0.0.3", "127.0.0.4")])
async def test_200_half_bodies_hold_bounded_memory_and_keep_no_call_out(sources: tuple[str, ...]) -> None:
    async with served() as (door, room, under_test):
        under_test.south.says(result="denied", transferId=AUTHORIZATION["transferId"])
        most = 0
        writers = []
        for number in range(240):
            # The small ones fill what the large ones leave.
            size = 1_000_000 if number < 200 else 50_000
            _, writer = await knock(door, sources[number % len(sources)])
            writer.write(head(unsigned(), size) + b"x" * (size - 1))
            writers.append(writer)
            await asyncio.sleep(0)
            most = max(most, room.held_bytes)
        await door.until(lambda: room.held_bytes > room.limits.per_source - 2 * MIB)
        assert [await honest(door, nonce) for nonce in range(100, 110)] == [200] * 10
        most = max(most, room.held_bytes)
        assert most <= (room.limits.per_source if len(sources) == 1 else room.limits.total)
        for writer in writers:
            writer.transport.abort()
        await door.until(lambda: room.held_bytes == 0)


async def test_a_body_that_gives_way_is_answered() -> None:
    async with served(SMALL) as (door, room, _):
        size = 900_000
        first = asyncio.create_task(answered(door, head(unsigned(), size) + b"x" * (size - 1)))
        await door.until(lambda: room.held_bytes == size - 1)
        others = [await knock(door) for _ in range(2)]
        for _, writer in others:
            writer.write(head(unsigned(), size) + b"x" * (size - 1))
        status, body = await first
        assert (status, body["errorType"]) == (429, "TOO_MANY_REQUESTS")
        for _, writer in others:
            writer.transport.abort()


@pytest.mark.parametrize(
    ("headers", "length", "code"),
    [
        (unsigned(**{"X-Code-Req-Signature": "no base64"}), 900_000, "INVALID_HEADER_SIGNATURE"),
        (
            unsigned(**{"X-Code-Req-Signature": "AAAA"}),
            900_000,
            "INVALID_HEADER_SIGNATURE",
        ),
        (unsigned(**{"X-Code-Req-Signature": None}), 900_000, "MISSING_HEADER_FIELD"),
        (unsigned(**{"X-Request-Origin": "code:unknown"}), 900_000, "INVALID_ORIGIN"),
        (unsigned(**{"X-Code-Req-Remote-PubKey": None}), 900_000, "MISSING_HEADER_FIELD"),
        (unsigned(), BODY_BYTES_MAX + 1, "INVALID_MSG_FIELD_VALUE"),
    ],
)
async def test_what_the_headers_tell_is_answered_before_a_byte_of_the_body(
    headers: dict[str, str], length: int, code: str
) -> None:
    async with served() as (door, room, _):
        status, body = await answered(door, head(headers, length))
        assert (status, body["errorType"]) == (422, code)
        assert room.held_bytes == 0


async def test_a_source_over_its_rate_is_told_before_its_body_is_read() -> None:
    under_test, room = hub_under_test(rate_limit_per_minute=1), BodyRoom()
    app: Any = create_hub(under_test.hub.service, bodies=room)
    async with open_door(app=app) as door:
        search = json.dumps({"txid": "ab", "beneficiaryAddress": "x", "requestId": "r"}).encode()

        def of(headers: dict[str, str], length: int) -> bytes:
            return head(headers, length).replace(PATH.encode(), b"/v1/code/verification/tx")

        assert (await answered(door, of(signed(search), len(search)) + search))[0] == 200
        status, body = await answered(door, of(unsigned(**{"X-Code-Req-Nonce": "9"}), 900_000))
        assert (status, body["errorType"]) == (429, "TOO_MANY_REQUESTS")


async def test_an_endless_chunked_body_is_refused_at_the_limit() -> None:
    async with served() as (door, room, _):
        chunk = b"10000\r\n" + b"x" * 0x10000 + b"\r\n"
        status, body = await answered(door, head(unsigned(), None) + chunk * 17)
        assert (status, body["errorType"]) == (422, "INVALID_MSG_FIELD_VALUE")
        await door.until(lambda: room.held_bytes == 0)


async def test_a_member_whose_calls_wait_holds_no_more_than_its_share() -> None:
    """Its own signed bodies, at a target that does not answer; others go on."""
    async with served(SMALL) as (door, room, under_test):
        under_test.south.hangs = True
        large = json.dumps(AUTHORIZATION | {"payload": base64.b64encode(bytes(300_000)).decode()}).encode()
        waiting = []
        for nonce in (1, 2):
            _, writer = await knock(door)
            writer.write(head(signed(large, nonce=nonce, remote=SOUTH), len(large)) + large)
            waiting.append(writer)
        await door.until(lambda: len(under_test.south.calls) == 2)
        status, body = await answered(door, head(signed(large, nonce=3, remote=SOUTH), len(large)) + large)
        assert (status, body["errorType"]) == (429, "TOO_MANY_REQUESTS")
        assert len(under_test.south.calls) == 2
        assert room.held_bytes == 2 * len(large)
        for writer in waiting:
            writer.transport.abort()
