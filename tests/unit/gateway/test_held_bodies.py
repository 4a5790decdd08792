"""Half bodies at the gateway: bounded, answered, and other requests go on."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import orjson
import pytest

from tests.support.gateway_scene import AUTHORIZATION, BTC, HEADERS, GatewayScene, beneficiary, box, transfer
from tests.support.raw_sockets import Door, open_door
from travelrule.gateway.app import create_gateway
from travelrule.gateway.request_reader import CLEAR_BODY_BYTES_MAX
from travelrule.listener.body_room import MIB, BodyLimits, BodyRoom
from travelrule.listener.limits import ListenerLimits

VERIFY = "/v1/beneficiary/VerifyAddress"
TRANSFER = "/v1/beneficiary/transfer"
REPORT = "/v1/beneficiary/transfer/txid"


@asynccontextmanager
async def served(
    scene: GatewayScene, limits: BodyLimits | None = None, **changes: Any
) -> AsyncIterator[tuple[Door, BodyRoom]]:
    room = BodyRoom(limits)
    # Deadlines are far away: what ends here is ended by room.
    given = {"bodies": room, "verify_deadline_s": 600, "deadline_s": 600, **changes}
    app: Any = create_gateway(scene.deps(**given))
    async with open_door(ListenerLimits(connections_per_source=1024, body_seconds=600), app=app) as door:
        yield door, room


def head(path: str, length: int, headers: dict[str, str] = HEADERS) -> bytes:
    sent = {"Host": "h", "Content-Type": "application/json", "Content-Length": str(length), **headers}
    lines = [f"POST {path} HTTP/1.1", *(f"{name}: {value}" for name, value in sent.items())]
    return "\r\n".join(lines).encode() + b"\r\n\r\n"


async def answered(door: Door, data: bytes) -> tuple[int, dict[str, Any]]:
    reader, writer = await door.knock()
    writer.write(data)
    async with asyncio.timeout(30):
        lines = (await reader.readuntil(b"\r\n\r\n")).lower().split(b"\r\n")
        length = next(int(line.partition(b":")[2]) for line in lines if line.startswith(b"content-length"))
        body = orjson.loads(await reader.readexactly(length))
    writer.transport.abort()
    return int(lines[0].split()[1]), body


async def verified(door: Door) -> str:
    body = orjson.dumps({"currency": "BTC", "payload": box(beneficiary(BTC))})
    return str((await answered(door, head(VERIFY, len(body)) + body))[1].get("result"))


async def test_200_half_bodies_hold_bounded_memory_and_keep_no_request_out(scene: GatewayScene) -> None:
    async with served(scene) as (door, room):
        most, writers = 0, []
        for number in range(240):
            size = 1_000_000 if number < 200 else 50_000
            _, writer = await door.knock()
            writer.write(head(TRANSFER, size) + b"x" * (size - 1))
            writers.append(writer)
            await asyncio.sleep(0)
            most = max(most, room.held_bytes)
        await door.until(lambda: room.held_bytes > room.limits.per_source - 2 * MIB)
        assert [await verified(door) for _ in range(10)] == ["valid"] * 10
        assert max(most, room.held_bytes) <= room.limits.per_source
        for writer in writers:
            writer.transport.abort()
        await door.until(lambda: room.held_bytes == 0)


@pytest.mark.parametrize(
    ("path", "length", "headers", "code"),
    [
        (TRANSFER, 1024 * 1024 + 1, HEADERS, "INVALID_MSG_FIELD_VALUE"),
        (REPORT, CLEAR_BODY_BYTES_MAX + 1, HEADERS, "INVALID_MSG_FIELD_VALUE"),
        (TRANSFER, 1000, {"X-Request-Origin": "code:north"}, "MISSING_HEADER_FIELD"),
        (REPORT, 1000, {}, "MISSING_HEADER_FIELD"),
        (REPORT, 1000, {**HEADERS, "X-Request-Origin": "north"}, "INVALID_MSG_FIELD_VALUE"),
    ],
)
async def test_what_the_headers_tell_is_answered_before_a_byte_of_the_body(
    scene: GatewayScene, path: str, length: int, headers: dict[str, str], code: str
) -> None:
    async with served(scene) as (door, room):
        status, body = await answered(door, head(path, length, headers))
        assert (status, body["errorType"]) == (503, code)
        assert room.held_bytes == 0


async def test_a_body_that_gives_way_is_answered(scene: GatewayScene) -> None:
    async with served(scene, BodyLimits(total=3 * MIB, per_source=2 * MIB)) as (door, room):
        half = head(TRANSFER, 900_000) + b"x" * 899_999
        first = asyncio.create_task(answered(door, half))
        await door.until(lambda: room.held_bytes == 899_999)
        others = [await door.knock() for _ in range(2)]
        for _, writer in others:
            writer.write(half)
        status, body = await first
        assert (status, body["errorType"]) == (503, "VASP_BACKEND_INTERNAL_ERROR")
        for _, writer in others:
            writer.transport.abort()


async def test_a_member_whose_requests_wait_holds_no_more_than_its_share(scene: GatewayScene) -> None:
    async with served(scene, BodyLimits(per_member=MIB)) as (door, room):
        scene.reads.gate = asyncio.Event()
        inner = {**transfer(), "note": "x" * 300_000}
        bodies = [orjson.dumps({**AUTHORIZATION, "transferId": f"t-{n}", "payload": box(inner)}) for n in range(3)]
        waiting = [await door.knock() for _ in range(2)]
        for (_, writer), body in zip(waiting, bodies, strict=False):
            writer.write(head(TRANSFER, len(body)) + body)
        held = len(bodies[0]) + len(bodies[1])
        await door.until(lambda: room.held_bytes == held and room._by_member["north"] == held)
        status, refusal = await answered(door, head(TRANSFER, len(bodies[2])) + bodies[2])
        assert (status, refusal["errorType"]) == (503, "VASP_BACKEND_INTERNAL_ERROR")
        scene.reads.gate.set()
        assert await verified(door) == "valid"
        for _, writer in waiting:
            writer.transport.abort()
