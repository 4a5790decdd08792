"""A small ASGI application behind a real listener on loopback, and raw sockets that connect to it."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from travelrule.listener.limits import ListenerLimits
from travelrule.listener.server import ListenerServer, any_source


@dataclass
class Echo:
    """Answers with the method and the body received; ``gate`` delays answers."""

    seen: list[tuple[str, bytes]] = field(default_factory=list)
    gate: asyncio.Event = field(default_factory=asyncio.Event)
    read_body: bool = True

    def __post_init__(self) -> None:
        self.gate.set()

    async def __call__(self, scope, receive, send) -> None:
        body = b""
        while self.read_body:
            message = await receive()
            if message["type"] == "http.disconnect":
                return
            body += message.get("body", b"")
            if not message.get("more_body"):
                break
        self.seen.append((scope["method"], body))
        await self.gate.wait()
        answer = scope["method"].encode() + b" " + str(len(body)).encode()
        headers = [(b"content-length", str(len(answer)).encode())]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        await send({"type": "http.response.body", "body": answer})


@dataclass
class Door:
    port: int
    server: ListenerServer
    app: Echo

    async def knock(self) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        return await asyncio.open_connection("127.0.0.1", self.port)

    async def say(self, data: bytes) -> bytes:
        """Send bytes on a connection of their own and read until the server ends it."""
        try:
            reader, writer = await self.knock()
        except ConnectionResetError:
            return b""
        try:
            writer.write(data)
            return await reader.read()
        except ConnectionResetError:
            return b""
        finally:
            writer.close()

    async def until(self, condition: Callable[[], bool]) -> None:
        async with asyncio.timeout(30):
            while not condition():
                await asyncio.sleep(0.005)


@asynccontextmanager
async def open_door(
    limits: ListenerLimits | None = None, allow: Callable[[str], bool] = any_source, app: Echo | None = None, **options
) -> AsyncIterator[Door]:
    app = app or Echo()
    bound = socket.socket()
    bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    bound.bind(("127.0.0.1", 0))
    started = asyncio.Event()
    limits = limits or ListenerLimits()
    options = {"grace_seconds": 1, **options}
    server = ListenerServer(app, name="door", limits=limits, allow=allow, on_started=started.set, **options)
    serving = asyncio.create_task(server.serve(sockets=[bound]))
    await started.wait()
    try:
        yield Door(bound.getsockname()[1], server, app)
    finally:
        server.should_exit = True
        await serving


async def pour(port: int, first: bytes, piece: bytes, limit: int) -> tuple[int, bytes]:
    """Send ``piece`` again and again until the server ends it: the bytes it took, and its answer if one was read."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(first)
    sent = 0
    try:
        while sent < limit and not reader.at_eof():
            writer.write(piece)
            await writer.drain()
            sent += len(piece)
        return sent, await reader.read()
    except ConnectionError:
        return sent, b""
    finally:
        writer.transport.abort()


def request(body: bytes = b"", *headers: bytes, method: bytes = b"POST") -> bytes:
    lines = [method + b" /x HTTP/1.1", b"Host: h", b"Content-Length: " + str(len(body)).encode(), *headers]
    return b"\r\n".join(lines) + b"\r\n\r\n" + body
