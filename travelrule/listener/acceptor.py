"""Accepts connections on a bound socket: peers are judged by their address before a byte of theirs is read."""

from __future__ import annotations

import asyncio
import errno
import socket
import ssl
import struct
from collections.abc import Callable

from travelrule import logs
from travelrule.listener.connections import Connection, ConnectionTable

ACCEPTS_PER_TURN = 64
"""Connections accepted before other work gets its turn."""
EXHAUSTED_SECONDS = 0.5
"""The pause after the system had no descriptor or memory left for a connection."""
_EXHAUSTED = frozenset({errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM})
_RESET = struct.pack("ii", 1, 0)

log = logs.get("listener")

MakeProtocol = Callable[[Connection], asyncio.Protocol]


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
        self._sweeping: asyncio.TimerHandle | None = None
        self._loop = asyncio.get_running_loop()

    def start(self, backlog: int) -> None:
        """Listen."""
        self._socket.settimeout(0)
        self._socket.listen(backlog)
        self._loop.add_reader(self._socket.fileno(), self._accept)
        self._sweep()

    def close(self) -> None:
        """Accept nothing more; open connections stay."""
        for timer in (self._paused, self._sweeping):
            if timer is not None:
                timer.cancel()
        if self._socket.fileno() >= 0:
            self._loop.remove_reader(self._socket.fileno())
            self._socket.close()
        for handshake in self._handshakes:
            handshake.cancel()

    async def wait_closed(self) -> None:
        """Wait for connections that were being set up."""
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

    def _admit(self, accepted: socket.socket, source: str) -> None:
        if not self._allow(source):
            _reset(accepted)
            return
        entry = self._table.admit(source, accepted.close)
        if entry is None:
            _reset(accepted)
            return
        accepted.settimeout(0)
        accepted.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        task = self._loop.create_task(self._set_up(accepted, entry))
        # Until the connection is made, giving way means ending the handshake.
        entry.abort = task.cancel
        self._handshakes.add(task)
        task.add_done_callback(self._handshakes.discard)

    async def _set_up(self, accepted: socket.socket, entry: Connection) -> None:
        seconds = self._table.limits.head_seconds if self._tls is not None else None
        try:
            await self._loop.connect_accepted_socket(
                lambda: self._make_protocol(entry), accepted, ssl=self._tls, ssl_handshake_timeout=seconds
            )
        except (OSError, ssl.SSLError, TimeoutError) as error:
            log.debug("connection-not-made", error=error)
            self._table.remove(entry)
            accepted.close()
        except asyncio.CancelledError:
            self._table.remove(entry)
            accepted.close()
            raise

    def _sweep(self) -> None:
        self._table.sweep(self._loop.time())
        self._sweeping = self._loop.call_later(self._table.limits.sweep_seconds, self._sweep)

    def _pause(self, error: OSError) -> None:
        log.warning("connections-exhausted", error=error)
        self._loop.remove_reader(self._socket.fileno())
        self._paused = self._loop.call_later(EXHAUSTED_SECONDS, self._resume)

    def _resume(self) -> None:
        self._paused = None
        self._loop.add_reader(self._socket.fileno(), self._accept)


def _reset(accepted: socket.socket) -> None:
    """Close at once: a reset leaves nothing of the connection behind on this side."""
    accepted.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _RESET)
    accepted.close()
