"""A peer that does not take its answer, and what a stop finds open."""

from __future__ import annotations

import asyncio
import socket
from dataclasses import dataclass

from tests.support.raw_sockets import Echo, open_door, request
from travelrule.listener.limits import ListenerLimits

ANSWER_BYTES = 16_000_000
"""More than the buffers of both sides of a connection hold."""
QUICK = ListenerLimits(answer_seconds=0.05, sweep_seconds=0.01)


@dataclass
class Large(Echo):
    """Answers with more than a peer can have in its buffers."""

    async def __call__(self, scope, receive, send) -> None:
        await receive()
        self.seen.append((scope["method"], b""))
        headers = [(b"content-length", str(ANSWER_BYTES).encode())]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        await send({"type": "http.response.body", "body": b"x" * ANSWER_BYTES})


async def _unread(port: int, *headers: bytes) -> socket.socket:
    """A connection that sends requests and reads nothing."""
    opened = socket.socket()
    opened.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4_096)
    opened.setblocking(False)
    await asyncio.get_running_loop().sock_connect(opened, ("127.0.0.1", port))
    await asyncio.get_running_loop().sock_sendall(opened, request(b"", *headers))
    return opened


async def test_an_answer_that_is_not_taken_holds_its_connection_for_a_limited_time() -> None:
    app = Large()
    async with open_door(QUICK, app=app) as door:
        for headers in ((), (b"Connection: close",)):
            app.seen.clear()
            with await _unread(door.port, *headers):
                await door.until(lambda: bool(app.seen))
                await door.until(lambda: len(door.server.table) == 0)
        assert not door.server.server_state.connections


async def test_an_application_without_an_end_does_not_hold_its_connection_either() -> None:
    app = Echo()
    app.gate.clear()
    async with open_door(QUICK, app=app) as door:
        assert await door.say(request(b"x")) == b""
        assert len(door.server.table) == 0
        app.gate.set()


async def test_half_a_body_does_not_hold_up_the_stop() -> None:
    # The stop is noticed within 0.1 s, so the body's time ends after it.
    async with open_door(ListenerLimits(body_seconds=0.5, sweep_seconds=0.01), grace_seconds=None) as door:
        reader, writer = await door.knock()
        writer.write(b"POST /x HTTP/1.1\r\nHost: h\r\nContent-Length: 10\r\n\r\nabc")
        await door.until(lambda: bool(door.server.server_state.tasks))
        door.server.should_exit = True
        assert b" 408 " in await reader.read()
        writer.close()


async def test_a_stop_leaves_no_connection_open() -> None:
    app = Large()
    async with open_door(app=app, grace_seconds=1) as door:
        with await _unread(door.port):
            await door.until(lambda: bool(app.seen))
            door.server.should_exit = True
            # An aborted transport says so in the next turn of the loop, behind the table that aborted it.
            await door.until(lambda: not door.server.server_state.connections)
            assert len(door.server.table) == 0
