"""The server of an ASGI application on bound sockets, within limits."""

from __future__ import annotations

import asyncio
import socket
import ssl
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import uvicorn
from starlette.types import ASGIApp

from travelrule.listener.acceptor import Acceptor
from travelrule.listener.bound_sockets import BACKLOG
from travelrule.listener.connection_table import ConnectionTable, PeerConnection
from travelrule.listener.limits import ListenerLimits
from travelrule.listener.protocol import LimitedProtocol
from travelrule.listener.refused_peers import RefusedPeers
from travelrule.metrics import CONNECTIONS_OPEN


def any_source(_: str) -> bool:
    """Admit every peer."""
    return True


class ListenerServer(uvicorn.Server):
    """A uvicorn server with our own accept loop; signals belong to the process, which may serve several listeners.

    ``name`` is the listener in metrics and logs.
    """

    def __init__(
        self,
        app: ASGIApp,
        *,
        name: str,
        limits: ListenerLimits,
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
        self.table = ConnectionTable(limits, RefusedPeers(name, time.monotonic).add)
        CONNECTIONS_OPEN.labels(listener=name).set_function(lambda: len(self.table))
        self._allow = allow
        self._tls = tls
        self._protocol = protocol
        self._on_started = on_started
        self._sweeping: asyncio.TimerHandle | None = None

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
        self._sweep()
        self.started = True
        if self._on_started is not None:
            self._on_started()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Stop accepting, answer the requests that have arrived, and abort open connections after ``grace_seconds``.

        Deadlines apply meanwhile, so that a peer that stalls does not use up the time of the others.
        """
        try:
            await super().shutdown(sockets)
        finally:
            self._stop_sweeping()
            self.table.abort_all()

    def _sweep(self) -> None:
        loop = asyncio.get_running_loop()
        self.table.sweep(loop.time())
        self._sweeping = loop.call_later(self.table.limits.sweep_seconds, self._sweep)

    def _stop_sweeping(self) -> None:
        if self._sweeping is not None:
            self._sweeping.cancel()

    def _connection(self, entry: PeerConnection) -> asyncio.Protocol:
        return self._protocol(self.config, self.server_state, self.lifespan.state, self.table, entry)
