"""Servers on real sockets, started and ended with a test."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from starlette.requests import Request
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from travelrule.hub.runtime.server import serve
from travelrule.setting_types import HostPort


@asynccontextmanager
async def running(start: Callable[[Callable[[HostPort], None]], Awaitable[None]]) -> AsyncIterator[str]:
    """Run a server; return its root URL. Ends it by cancelling, and fails if it failed."""
    listening: asyncio.Future[HostPort] = asyncio.get_running_loop().create_future()
    task = asyncio.ensure_future(start(listening.set_result))
    await asyncio.wait([task, listening], timeout=60, return_when=asyncio.FIRST_COMPLETED)
    if task.done():
        await task
    try:
        yield f"http://{await listening}"
    finally:
        task.cancel()
        (ended,) = await asyncio.gather(task, return_exceptions=True)
        assert isinstance(ended, asyncio.CancelledError), ended


@dataclass
class MemberServer:
    """A VASP's server that records requests and returns set answers; ``hold`` delays them."""

    status: int = 200
    body: bytes = b'{"result":"normal","transferId":"t"}'
    headers: dict[str, str] = field(default_factory=dict)
    hold: asyncio.Event | None = None
    arrived: list[tuple[str, str, dict[str, str], bytes]] = field(default_factory=list)
    open_now: int = 0
    open_max: int = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request, or the lifespan."""
        if scope["type"] == "lifespan":
            for kind in ("startup", "shutdown"):
                assert (await receive())["type"] == f"lifespan.{kind}"
                await send({"type": f"lifespan.{kind}.complete"})
            return
        request = Request(scope, receive)
        self.open_now += 1
        self.open_max = max(self.open_max, self.open_now)
        try:
            raw = await request.body()
            self.arrived.append((request.method, request.url.path, dict(request.headers), raw))
            if self.hold is not None and request.url.path != "/v1/vasp/health":
                await self.hold.wait()
            await Response(self.body, self.status, self.headers)(scope, receive, send)
        finally:
            self.open_now -= 1

    def says(self, **body: str) -> None:
        """Answer with this JSON object."""
        self.body = json.dumps(body).encode()


@asynccontextmanager
async def member_server(server: MemberServer) -> AsyncIterator[str]:
    """Run a member's server."""
    async with running(lambda told: serve(server, "127.0.0.1:0", on_started=told, grace_seconds=1)) as url:
        yield url
        if server.hold is not None:
            server.hold.set()
