"""What a broker's sudden end does to a client under uvloop: the connection fails, and the client gets over it."""

from __future__ import annotations

import asyncio
import socket
import struct
from collections.abc import AsyncIterator, Coroutine, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
import uvloop
from aiokafka.client import AIOKafkaClient
from aiokafka.conn import AIOKafkaConnection, create_conn
from aiokafka.errors import KafkaConnectionError
from aiokafka.protocol.metadata import MetadataRequest

from streams import broken_writes, embedded

RESET = struct.pack("ii", 1, 0)


@pytest.fixture
def broker(tmp_path: Path) -> Iterator[embedded.EmbeddedBroker]:
    broker = embedded.own_or_find(tmp_path, ["t"])
    assert broker is not None
    yield broker
    broker.close()


def run(work: Coroutine[Any, Any, None]) -> None:
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        runner.run(work)


@asynccontextmanager
async def connected_through(broker: embedded.EmbeddedBroker) -> AsyncIterator[tuple[AIOKafkaConnection, Any]]:
    """A connection, and what ends it as a killed broker does: with a reset."""
    host, port = broker.addresses[0].split(":")
    writers: list[asyncio.StreamWriter] = []

    async def relay(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        there, back = await asyncio.open_connection(host, int(port))
        writers.extend((writer, back))
        await asyncio.gather(pump(reader, back), pump(there, writer))

    async def pump(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while chunk := await reader.read(65_536):
            writer.write(chunk)

    def reset() -> None:
        writers[0].get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, RESET)
        for writer in writers:
            writer.transport.abort()

    async with await asyncio.start_server(relay, "127.0.0.1", 0) as server:
        connection = await create_conn(*server.sockets[0].getsockname())
        await connection.send(MetadataRequest([]))
        yield connection, reset
        connection.close()


def test_every_write_after_a_reset_is_a_broken_connection(broker: embedded.EmbeddedBroker) -> None:
    async def work() -> None:
        async with connected_through(broker) as (connection, reset):
            reset()
            with pytest.raises(KafkaConnectionError):
                while True:
                    answers = connection.send(MetadataRequest([]))
                    answers.close()
                    await asyncio.sleep(0)

    run(work())


def test_a_client_still_learns_the_metadata_afterwards(
    broker: embedded.EmbeddedBroker, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without the patch the task that keeps the metadata ends, and its waiters wait indefinitely."""

    async def work() -> None:
        client = AIOKafkaClient(bootstrap_servers=broker.addresses, metadata_max_age_ms=3_600_000)
        await client.bootstrap()
        await client.force_metadata_update()
        (connection,) = client._conns.values()
        monkeypatch.setattr(connection._writer, "write", closed)
        async with asyncio.timeout(60):
            assert not await client.force_metadata_update()
            assert not connection.connected()
            assert await client.force_metadata_update()
        await client.close()

    def closed(_: bytes) -> None:
        raise RuntimeError("unable to perform operation on <TCPTransport closed=True>; the handler is closed")

    run(work())


def test_the_mending_is_in_place_and_happens_once() -> None:
    assert AIOKafkaConnection.send is broken_writes.send
    broken_writes.install()
    assert broken_writes._send is not broken_writes.send
