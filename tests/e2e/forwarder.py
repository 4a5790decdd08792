"""A load balancer as small as can be: TCP connections go to the backends in turn, dead ones are passed over."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
from collections.abc import Sequence

CHUNK = 65_536


class Forwarder:
    """Listens on one loopback port for several backends (ports). A connection ends when either side ends it."""

    def __init__(self, port: int, backends: Sequence[int]) -> None:
        self.port = port
        self._count = len(backends)
        self._turns = itertools.cycle(backends)
        self._server: asyncio.Server | None = None
        self._open: set[asyncio.Task[None]] = set()

    async def start(self) -> None:
        """Listen."""
        self._server = await asyncio.start_server(self._accepted, "127.0.0.1", self.port)

    async def stop(self) -> None:
        """Close every connection."""
        if self._server is not None:
            self._server.close()
        for task in self._open:
            task.cancel()
        await asyncio.gather(*self._open, return_exceptions=True)

    def _accepted(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.get_running_loop().create_task(self._serve(reader, writer))
        self._open.add(task)
        task.add_done_callback(self._open.discard)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            backend = await self._backend()
            if backend is None:
                return
            there, back = backend
            try:
                await _first_to_end(_pump(reader, back), _pump(there, writer))
            finally:
                back.transport.abort()
        finally:
            writer.transport.abort()

    async def _backend(self) -> tuple[asyncio.StreamReader, asyncio.StreamWriter] | None:
        for _ in range(self._count):
            with contextlib.suppress(OSError):
                return await asyncio.open_connection("127.0.0.1", next(self._turns))
        return None


async def _pump(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    with contextlib.suppress(OSError):
        while chunk := await reader.read(CHUNK):
            writer.write(chunk)
            await writer.drain()


async def _first_to_end(*pumps: object) -> None:
    tasks = [asyncio.ensure_future(pump) for pump in pumps]  # type: ignore[call-overload]
    try:
        await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
