"""Serves an ASGI application on a bound socket, within limits, until told to stop."""

from __future__ import annotations

import asyncio
import socket
import ssl
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import uvicorn
from starlette.types import ASGIApp

from travelrule.listener.acceptor import Acceptor
from travelrule.listener.connections import Connection, ConnectionTable
from travelrule.listener.limits import Limits
from travelrule.listener.protocol import LimitedProtocol

BACKLOG = 2048


def any_source(_: str) -> bool:
    """Admit every peer."""
    return True


class ListenerServer(uvicorn.Server):
    """A uvicorn server with our own accept loop; signals belong to the process, which may serve several listeners."""

    def __init__(
        self,
        app: ASGIApp,
        *,
        limits: Limits,
        allow: Callable[[str], bool] = any_source,
        tls: ssl.SSLContext | None = None,
        protocol: type[LimitedProtocol] = LimitedProtocol,
        on_started: Callable[[], None] | None = None,
        lifespan: bool = False,
        grace_seconds: int | None = None,
    ) -> None:
        super().__init__(
            uvicorn.Config(
                app,
                http=protocol,
                ws="none",
                lifespan="on" if lifespan else "off",
                access_log=False,
                log_config=None,
                server_header=False,
                proxy_headers=False,
                timeout_graceful_shutdown=grace_seconds,
            )
        )
        self.table = ConnectionTable(limits)
        self._allow = allow
        self._tls = tls
        self._protocol = protocol
        self._on_started = on_started

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Take no signal."""
        yield

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Accept on ``sockets``, which the caller has bound."""
        if not sockets:
            raise ValueError("a listener serves sockets that are bound already")
        await self.lifespan.startup()
        if self.lifespan.should_exit:
            sys.exit(1)
        self.servers = []
        for bound in sockets:
            acceptor = Acceptor(bound, self.table, self._allow, self._connection, self._tls)
            acceptor.start(BACKLOG)
            self.servers.append(acceptor)  # type: ignore[arg-type]
        self.started = True
        if self._on_started is not None:
            self._on_started()

    def _connection(self, entry: Connection) -> asyncio.Protocol:
        return self._protocol(self.config, self.server_state, self.lifespan.state, self.table, entry)
