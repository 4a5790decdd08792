"""Chunked bodies: what is no body in them is bounded, and trailers are no headers."""

from __future__ import annotations

import asyncio

import pytest

from tests.support.raw_sockets import Echo, open_door, pour
from travelrule.listener.limits import ListenerLimits

HEAD = b"POST /x HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n"
MEGABYTE = 1_000_000


@pytest.mark.parametrize(
    ("first", "piece"),
    [
        (b"0\r\n", b"a: b\r\n" * 1_000),
        (b"0\r\nX: ", b"a" * 65_536),
        (b"3\r\nabc\r\n0\r\nX", b"a" * 65_536),
        (b"3;x=", b"a" * 65_536),
    ],
    ids=["trailers", "one trailer", "name of a trailer", "extension"],
)
async def test_what_is_no_body_has_a_limit(first: bytes, piece: bytes) -> None:
    async with open_door(ListenerLimits(body_seconds=600)) as door:
        sent, answer = await pour(door.port, HEAD + first, piece, 8 * MEGABYTE)
        assert sent < 8 * MEGABYTE
        assert answer == b"" or b" 400 " in answer, "nothing, where the reset came before the answer was read"
        assert door.app.seen == []


async def test_trailers_are_no_headers() -> None:
    seen: list[list[tuple[bytes, bytes]]] = []

    class Headers(Echo):
        async def __call__(self, scope, receive, send) -> None:
            await super().__call__(scope, receive, send)
            seen.append(list(scope["headers"]))

    async with open_door(app=Headers()) as door:
        answer = await door.say(HEAD + b"3\r\nabc\r\n0\r\nX-Request-Origin: code:other\r\n\r\n")
        assert answer.endswith(b"POST 3")
    assert [name for name, _ in seen[0]] == [b"host", b"transfer-encoding", b"connection"]


async def test_a_body_of_many_small_chunks_arrives_whole() -> None:
    async with open_door() as door:
        answer = await door.say(HEAD + b"1\r\nx\r\n" * 60_000 + b"0\r\n\r\n")
        assert answer.endswith(b"POST 60000")


async def test_chunks_may_come_byte_by_byte() -> None:
    async with open_door() as door:
        reader, writer = await door.knock()
        for byte in HEAD + b"3\r\nabc\r\n2;x=y\r\nde\r\n0\r\nA: b\r\n\r\n":
            writer.write(bytes([byte]))
            await writer.drain()
            await asyncio.sleep(0)
        assert (await reader.read()).endswith(b"POST 5")
        writer.close()


async def test_a_body_that_goes_wrong_after_its_answer_gets_no_second_one() -> None:
    """A client would take it for the answer of its next request."""
    async with open_door(app=Echo(read_body=False)) as door:
        reader, writer = await door.knock()
        writer.write(b"POST /x HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n")
        await reader.readuntil(b"POST 0")
        writer.write(b"no size of a chunk\r\n")
        assert await reader.read() == b""
        writer.close()
