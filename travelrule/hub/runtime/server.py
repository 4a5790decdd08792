"""The server of an ASGI application inside a process: its socket, its signals, its graceful stop."""

from __future__ import annotations

import asyncio
import contextlib
import signal
import socket
from collections.abc import Callable, Iterator

from starlette.types import ASGIApp

from travelrule.errors import UsageError
from travelrule.listener.bound_sockets import bind
from travelrule.listener.descriptors import fitted
from travelrule.listener.limits import ListenerLimits
from travelrule.listener.protocol import LimitedProtocol
from travelrule.listener.server import ListenerServer
from travelrule.setting_types import HostPort

DESCRIPTORS_BESIDE = 2_048
"""Descriptors that are kept free for connections to members and callback URLs, up to 64 a member."""

OnStarted = Callable[[HostPort], None]
"""Called with the bound address; with port 0 the system chooses the port."""

LIMITS = ListenerLimits()
"""Members call from one address each, but a proxy in front of the hub makes all of them one source."""


async def serve(
    app: ASGIApp,
    listen: str,
    *,
    on_started: OnStarted | None = None,
    handle_signals: bool = False,
    grace_seconds: int = 10,
    protocol: type[LimitedProtocol] = LimitedProtocol,
    limits: ListenerLimits = LIMITS,
    name: str = "hub",
) -> None:
    """Serve until cancelled, or (``handle_signals``) until SIGINT or SIGTERM.

    Open requests then have ``grace_seconds`` to end. Raises ``UsageError`` for a text that is no address, and
    ``AddressUnavailable`` for an address that is in use.
    """
    opened = _bind(listen)
    host, port = opened[0].getsockname()[:2]
    server = ListenerServer(
        app,
        name=name,
        limits=fitted(name, limits, DESCRIPTORS_BESIDE),
        protocol=protocol,
        on_started=lambda: on_started(HostPort(host, port)) if on_started else None,
        lifespan=True,
        grace_seconds=grace_seconds,
    )
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
def _stopping(server: ListenerServer) -> Iterator[None]:
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
