"""What a peer can do with a head: never end it, fill it, fold it, split it, hide a second request behind it."""

from __future__ import annotations

import asyncio
import socket
from contextlib import suppress

import orjson
import pytest

from tests.support.raw_sockets import Echo, open_door, request
from travelrule.listener.head import HeadBuffer, HeadRefused
from travelrule.listener.limits import ListenerLimits

CLOSE = b"Connection: close"


async def test_a_header_that_never_ends_is_refused_at_the_limit() -> None:
    async with open_door() as door:
        reader, writer = await door.knock()
        writer.write(b"POST /x HTTP/1.1\r\nX: ")
        sent = 0
        try:
            while sent < 4_000_000 and not reader.at_eof():
                writer.write(b"a" * 65_536)
                await writer.drain()
                sent += 65_536
        except ConnectionError:
            pass
        else:
            assert b" 431 " in await reader.read()
        writer.close()
        assert sent < 4_000_000
        assert door.app.seen == []
        assert (await door.say(request(b"ok", CLOSE))).endswith(b"POST 2")


async def test_too_many_headers_and_a_large_head_are_named() -> None:
    async with open_door(ListenerLimits(header_count=8, head_bytes=500)) as door:
        many = await door.say(request(b"", *(b"A: b" for _ in range(9))))
        assert b" 431 " in many
        assert b"more than 8 headers" in many
        large = await door.say(request(b"", b"A: " + b"x" * 500))
        assert b" 431 " in large
        assert b"500 bytes" in large
        assert door.app.seen == []


async def test_a_head_may_come_byte_by_byte() -> None:
    async with open_door() as door:
        reader, writer = await door.knock()
        for byte in request(b"abc", CLOSE):
            writer.write(bytes([byte]))
            await writer.drain()
        assert (await reader.read()).endswith(b"POST 3")
        writer.close()


async def test_half_a_head_is_given_up_in_time() -> None:
    async with open_door(ListenerLimits(head_seconds=0.05, sweep_seconds=0.01)) as door:
        assert b" 408 " in await door.say(b"POST /x HTTP/1.1\r\nHost:")
        assert await door.say(b"") == b""  # a peer that sends nothing is closed without an answer
        assert len(door.server.table) == 0


async def test_half_a_body_is_given_up_in_time() -> None:
    async with open_door(ListenerLimits(body_seconds=0.05, sweep_seconds=0.01)) as door:
        answer = await door.say(b"POST /x HTTP/1.1\r\nHost: h\r\nContent-Length: 10\r\n\r\nabc")
        assert b" 408 " in answer
        assert door.app.seen == []


@pytest.mark.parametrize("upgrade", [b"h2c", b"websocket", b"TLS/1.2, h2c"])
async def test_an_upgrade_is_ignored_and_its_body_kept(upgrade: bytes) -> None:
    headers = (b"Connection: Upgrade, HTTP2-Settings", b"Upgrade: " + upgrade, b"HTTP2-Settings: AAEAAEAAAAI")
    async with open_door() as door:
        reader, writer = await door.knock()
        writer.write(request(b'{"a":1}', *headers))
        assert (await reader.readuntil(b"POST 7")).startswith(b"HTTP/1.1 200")
        # The connection goes on as HTTP/1.1.
        writer.write(request(b"x", CLOSE))
        assert (await reader.read()).endswith(b"POST 1")
        writer.close()
        assert door.app.seen == [("POST", b'{"a":1}'), ("POST", b"x")]


async def test_a_late_body_of_an_upgrade_is_no_request_of_its_own() -> None:
    async with open_door() as door:
        inner = request(b"", method=b"DELETE")
        reader, writer = await door.knock()
        writer.write(request(inner, b"Connection: Upgrade", b"uPgRaDe: h2c")[: -len(inner)])
        await writer.drain()
        await door.until(lambda: len(door.server.table) == 1)
        writer.write(inner)
        await reader.readuntil(b"POST " + str(len(inner)).encode())
        writer.close()
        assert door.app.seen == [("POST", inner)]


@pytest.mark.parametrize(
    "hostile",
    [
        b"POST /x HTTP/1.1\r\nHost: h\r\nContent-Length: 1\r\nContent-Length: 5\r\n\r\nabcde",
        b"POST /x HTTP/1.1\r\nHost: h\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        b"POST /x HTTP/1.1\r\nHost: h\r\nUpgrade:\r\n h2c\r\nConnection: upgrade\r\n\r\n",
        b"POST /x HTTP/1.1\r\nHost: h\r\nUpgrade : h2c\r\n\r\n",
        b"CONNECT h:443 HTTP/1.1\r\nHost: h\r\n\r\n",
        b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n",
        b"GET /\xff HTTP/1.1\r\nHost: h\r\n\r\n",
        b"GET /v1%2Fvasp/health HTTP/1.1\r\nHost: h\r\n\r\n",
        b"GET /v1/%2f/health?x=1 HTTP/1.1\r\nHost: h\r\n\r\n",
        b"\r\nGET /v1%2fvasp/health HTTP/1.1\r\nHost: h\r\n\r\n",
    ],
)
async def test_what_is_no_request_ends_the_connection(hostile: bytes) -> None:
    async with open_door() as door:
        answer = await door.say(hostile)
        assert answer.startswith((b"HTTP/1.1 400", b"HTTP/1.1 405"))
        assert door.app.seen == []


@pytest.mark.parametrize("blank", [b"\r\n\r\n", b"\r\n" * 3, b"\n\r\n\r\n", b"\r\r\n\r\n"])
async def test_blank_lines_before_a_head_do_not_lift_its_limits(blank: bytes) -> None:
    async with open_door() as door:
        reader, writer = await door.knock()
        writer.write(request(b"one"))
        await reader.readuntil(b"POST 3")
        writer.write(blank + request(b"", b"X: " + b"a" * 100_000, CLOSE))
        try:
            answer = await reader.read()
        except ConnectionResetError:
            answer = b""
        writer.close()
        assert b" 200 " not in answer
        assert door.app.seen == [("POST", b"one")]


async def test_blank_lines_before_a_head_do_not_hide_an_upgrade() -> None:
    async with open_door() as door:
        upgrade = request(b"secret", b"Connection: Upgrade", b"Upgrade: h2c")
        assert (await door.say(b"\r\n\r\n" + upgrade)).startswith(b"HTTP/1.1 400")
        assert door.app.seen == []


async def test_one_blank_line_before_a_request_is_fine() -> None:
    async with open_door() as door:
        assert (await door.say(b"\r\n" + request(b"abc", CLOSE))).endswith(b"POST 3")


async def test_an_encoded_slash_in_a_query_is_fine() -> None:
    async with open_door() as door:
        assert b" 200 " in await door.say(b"GET /x?y=%2F HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n")


async def test_a_pipelined_request_is_never_served() -> None:
    async with open_door() as door:
        answer = await door.say(request(b"one") + request(b"second"))
        assert answer.endswith(b"POST 3")
        assert door.app.seen == [("POST", b"one")]


async def test_bytes_while_a_request_is_answered_are_never_a_request() -> None:
    app = Echo()
    app.gate.clear()
    async with open_door(app=app) as door:
        reader, writer = await door.knock()
        writer.write(request(b"one"))
        await door.until(lambda: bool(app.seen))
        writer.write(request(b"second"))
        await door.until(lambda: any(one._closing for one in door.server.server_state.connections))
        app.gate.set()
        assert (await reader.read()).endswith(b"POST 3")
        writer.close()
        assert app.seen == [("POST", b"one")]


async def test_requests_follow_one_another_on_a_connection() -> None:
    async with open_door() as door:
        reader, writer = await door.knock()
        for size in (0, 10, 300_000, 1):
            writer.write(request(b"x" * size))
            await reader.readuntil(b"\r\n\r\nPOST " + str(size).encode())
        writer.write(b"POST /x HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n")
        writer.write(b"3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n")
        await reader.readuntil(b"POST 5")
        writer.close()
        assert [len(body) for _, body in door.app.seen] == [0, 10, 300_000, 1, 5]


async def test_an_early_answer_is_read_before_the_rest_of_the_body_is_dropped() -> None:
    async with open_door(app=Echo(read_body=False)) as door:
        reader, writer = await door.knock()
        writer.write(b"POST /x HTTP/1.1\r\nHost: h\r\nContent-Length: 200000\r\n\r\n" + b"x" * 1000)
        await reader.readuntil(b"POST 0")
        writer.write(b"x" * 199_000)
        writer.write(request(b"", CLOSE))
        assert (await reader.read()).count(b"HTTP/1.1 200") <= 1
        writer.close()
        assert len(door.app.seen) <= 2


async def test_a_client_that_sends_its_whole_body_first_reads_an_early_answer_too() -> None:
    head, body = request(b"x" * 8_000_000, CLOSE).split(b"\r\n\r\n")
    loop = asyncio.get_running_loop()
    async with open_door(app=Echo(read_body=False)) as door:
        with socket.create_connection(("127.0.0.1", door.port)) as client:
            client.setblocking(False)
            await loop.sock_sendall(client, head + b"\r\n\r\n")
            await door.until(lambda: bool(door.app.seen))
            await loop.sock_sendall(client, body)
            assert (await loop.sock_recv(client, 65_536)).startswith(b"HTTP/1.1 200")
        await door.until(lambda: len(door.server.table) == 0)
        assert door.server.table.reserve_body(door.server.table.limits.body_memory)


async def test_a_body_that_never_ends_after_its_answer_does_not_hold_a_connection() -> None:
    async with open_door(ListenerLimits(sweep_seconds=0.01), app=Echo(read_body=False)) as door:
        reader, writer = await door.knock()
        writer.write(request(b"x" * 100, CLOSE)[:-1])
        await reader.readuntil(b"POST 0")
        with suppress(ConnectionResetError):
            assert await reader.read() == b""
        writer.close()
        await door.until(lambda: len(door.server.table) == 0)


async def test_the_refusal_has_the_one_error_shape() -> None:
    async with open_door() as door:
        head, _, body = (await door.say(b"nonsense\r\n\r\n")).partition(b"\r\n\r\n")
        assert b"content-type: application/json" in head
        assert orjson.loads(body) == {"errorType": "BAD_REQUEST", "errorMsg": "not an HTTP/1.1 request"}


def test_each_byte_of_a_head_is_looked_at_once() -> None:
    buffer = HeadBuffer(ListenerLimits())
    for _ in range(16_000):
        assert buffer.add(b"x") is None
    with pytest.raises(HeadRefused):
        buffer.add(b"x" * 400)


async def test_unfinished_bodies_share_a_bounded_memory() -> None:
    async with open_door(ListenerLimits(body_memory=100_000)) as door:
        reader, writer = await door.knock()
        writer.write(b"POST /x HTTP/1.1\r\nHost: h\r\nContent-Length: 90001\r\n\r\n" + b"x" * 60_000)
        await writer.drain()
        await door.until(lambda: not door.server.table.reserve_body(50_000) or door.server.table.release_body(50_000))
        assert b" 503 " in await door.say(request(b"y" * 60_000))
        writer.write(b"x" * 30_001)
        await reader.readuntil(b"POST 90001")
        writer.close()
        assert door.server.table.reserve_body(100_000)  # all of it is free again


async def test_the_listener_ends_with_a_request_answered() -> None:
    app = Echo()
    app.gate.clear()
    async with open_door(app=app) as door:
        reader, writer = await door.knock()
        writer.write(request(b"one"))
        await door.until(lambda: bool(app.seen))
        door.server.should_exit = True
        await asyncio.sleep(0)
        app.gate.set()
        assert (await reader.read()).endswith(b"POST 3")
        writer.close()
