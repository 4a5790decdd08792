"""Acceptance of connections on a bound socket: the peer's address is checked before any byte is read."""

from __future__ import annotations

import asyncio
import errno
import functools
import socket
import ssl
import struct
from collections.abc import Callable

from travelrule import logs
from travelrule.listener.connection_table import ConnectionTable, PeerConnection
from travelrule.listener.refused_peers import source_of

ACCEPTS_PER_TURN = 64
"""Connections accepted before the event loop runs other work."""
TLS_CLOSE_SECONDS = 2.0
"""How long a peer has to confirm the end of a TLS connection."""
EXHAUSTED_SECONDS = 0.5
"""The pause when the system has no descriptor or memory left for a connection."""
_EXHAUSTED = frozenset({errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM})
_RESET = struct.pack("ii", 1, 0)

log = logs.get("listener")

MakeProtocol = Callable[[PeerConnection], asyncio.Protocol]


class Acceptor:
    """Serves one listening socket until ``close``; the interface is that of ``asyncio.Server``, as uvicorn needs it."""

    def __init__(
        self,
        listening: socket.socket,
        table: ConnectionTable,
        allow: Callable[[str], bool],
        make_protocol: MakeProtocol,
        tls: ssl.SSLContext | None,
    ) -> None:
        self._socket = listening
        self._table = table
        self._allow = allow
        self._make_protocol = make_protocol
        self._tls = tls
        self._handshakes: set[asyncio.Task[None]] = set()
        self._paused: asyncio.TimerHandle | None = None
        self._loop = asyncio.get_running_loop()

    def start(self, backlog: int) -> None:
        """Listen."""
        self._socket.settimeout(0)
        self._socket.listen(backlog)
        self._loop.add_reader(self._socket.fileno(), self._accept)

    def close(self) -> None:
        """Stop accepting; open connections stay open."""
        if self._paused is not None:
            self._paused.cancel()
        if self._socket.fileno() >= 0:
            self._loop.remove_reader(self._socket.fileno())
            self._socket.close()
        for handshake in self._handshakes:
            handshake.cancel()

    async def wait_closed(self) -> None:
        """Wait for the connections that are being set up."""
        await asyncio.gather(*self._handshakes, return_exceptions=True)

    def _accept(self) -> None:
        for _ in range(ACCEPTS_PER_TURN):
            try:
                accepted, address = self._socket.accept()
            except (BlockingIOError, InterruptedError, ConnectionAbortedError):
                return
            except OSError as error:
                if error.errno not in _EXHAUSTED:
                    raise
                self._pause(error)
                return
            self._admit(accepted, str(address[0]))

    def _admit(self, accepted: socket.socket, host: str) -> None:
        source = source_of(host)
        if not self._allow(host):
            self._table.on_refused("foreign", source)
            _reset(accepted)
            return
        entry = self._table.admit(source, accepted.close)
        if entry is None:
            _reset(accepted)
            return
        accepted.settimeout(0)
        accepted.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        task = self._loop.create_task(self._set_up(accepted, entry))
        # Until the connection is made, displacing it ends the handshake.
        entry.abort = task.cancel
        if self._tls is not None:
            entry.late = functools.partial(self._handshake_late, task, entry)
            entry.deadline = self._loop.time() + self._table.limits.head_seconds
        self._handshakes.add(task)
        task.add_done_callback(functools.partial(self._made, accepted, entry))

    async def _set_up(self, accepted: socket.socket, entry: PeerConnection) -> None:
        limits: dict[str, float] = {}
        if self._tls is not None:
            limits = {
                "ssl_handshake_timeout": self._table.limits.head_seconds,
                "ssl_shutdown_timeout": TLS_CLOSE_SECONDS,
            }
        await self._loop.connect_accepted_socket(lambda: self._make_protocol(entry), accepted, ssl=self._tls, **limits)

    def _made(self, accepted: socket.socket, entry: PeerConnection, task: asyncio.Task[None]) -> None:
        """Remove a connection that was not made, also one that was displaced before its handshake began."""
        self._handshakes.discard(task)
        if task.cancelled():
            self._drop(accepted, entry)
        elif (error := task.exception()) is not None:
            if not isinstance(error, OSError):
                log.error("connection-failed", error=error)
            self._table.on_refused("handshake", entry.source)
            self._drop(accepted, entry)

    def _handshake_late(self, task: asyncio.Task[None], entry: PeerConnection) -> None:
        self._table.on_refused("handshake", entry.source)
        task.cancel()

    def _drop(self, accepted: socket.socket, entry: PeerConnection) -> None:
        self._table.remove(entry)
        accepted.close()

    def _pause(self, error: OSError) -> None:
        log.warning("connections-exhausted", error=error)
        self._loop.remove_reader(self._socket.fileno())
        self._paused = self._loop.call_later(EXHAUSTED_SECONDS, self._resume)

    def _resume(self) -> None:
        self._paused = None
        self._loop.add_reader(self._socket.fileno(), self._accept)


def _reset(accepted: socket.socket) -> None:
    """Close at once with a reset, which leaves no state of the connection on this side."""
    accepted.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _RESET)
    accepted.close()
