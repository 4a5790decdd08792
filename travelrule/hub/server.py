"""Serving an ASGI application from inside a process: own socket, own signals, graceful end."""

from __future__ import annotations

import asyncio
import contextlib
import signal
import socket
from collections.abc import Callable, Iterator

import uvicorn
from starlette.types import ASGIApp

from travelrule.errors import UsageError
from travelrule.listener import BACKLOG, bind
from travelrule.setting_types import HostPort

OnStarted = Callable[[HostPort], None]
"""Told the address that is really listened on, which port 0 leaves to the system."""

_IDLE_SECONDS_MAX = 75  # longer than clients keep idle connections: the side that sends requests must close first


class _EmbeddedServer(uvicorn.Server):
    """uvicorn without its own signal handling, telling when it listens."""

    def __init__(self, config: uvicorn.Config, on_started: Callable[[], None]) -> None:
        super().__init__(config)
        self._on_started = on_started

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Leave signals to whoever owns the process."""
        yield

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Start, and say so."""
        await super().startup(sockets=sockets)
        if self.started:
            self._on_started()


async def serve(
    app: ASGIApp,
    listen: str,
    *,
    on_started: OnStarted | None = None,
    handle_signals: bool = False,
    grace_seconds: int = 10,
    http: str | type[asyncio.Protocol] = "httptools",
) -> None:
    """Serve until cancelled, or (``handle_signals``) until SIGINT or SIGTERM.

    Open requests get ``grace_seconds`` then.
    Raises ``UsageError`` for what is no address, and ``AddressUnavailable`` for one that is taken.
    """
    opened = _bind(listen)
    host, port = opened[0].getsockname()[:2]
    config = uvicorn.Config(
        app,
        http=http,
        ws="none",
        lifespan="on",
        access_log=False,
        log_config=None,
        server_header=False,
        proxy_headers=False,
        backlog=BACKLOG,
        timeout_keep_alive=_IDLE_SECONDS_MAX,
        timeout_graceful_shutdown=grace_seconds,
    )
    server = _EmbeddedServer(config, lambda: on_started(HostPort(host, port)) if on_started else None)
    task = asyncio.create_task(server.serve(sockets=opened))
    with _stopping(server) if handle_signals else contextlib.nullcontext():
        try:
            await asyncio.shield(task)
        except asyncio.CancelledError:
            server.should_exit = True
            await task
            raise


def _bind(listen: str) -> list[socket.socket]:
    try:
        where = HostPort.parse(listen)
    except ValueError as error:
        raise UsageError(f"listen address: {error}") from None
    return bind(where, "--listen")


@contextlib.contextmanager
def _stopping(server: uvicorn.Server) -> Iterator[None]:
    loop = asyncio.get_running_loop()

    def stop() -> None:
        server.should_exit = True

    signals = (signal.SIGINT, signal.SIGTERM)
    for one in signals:
        loop.add_signal_handler(one, stop)
    try:
        yield
    finally:
        for one in signals:
            loop.remove_signal_handler(one)
