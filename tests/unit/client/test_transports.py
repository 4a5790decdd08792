"""One contract suite for both transports, over real sockets against a server that answers raw bytes."""

from __future__ import annotations

import asyncio
import gzip
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import replace

import pytest

from schemas.operations import Operation
from tests.support.hub_function import OWN, signer
from travelrule.client.errors import BadAnswer, HubError, NoAnswer
from travelrule.client.hub_transport import HubTransport, Outgoing, TransportLimits
from travelrule.client.operations import OPERATIONS
from travelrule.client.transports import AiohttpHubTransport, HttpxHubTransport
from travelrule.crypto.signing import verify

BODY = b'{"transferId":"1","status":"canceled"}'
OPERATION = replace(OPERATIONS[Operation.FINISH], read_s=2.0)
GOOD = b'HTTP/1.1 200 OK\r\nContent-Length: 19\r\n\r\n{"result":"normal"}'
QUICK = TransportLimits(connect_s=1.0, pool_s=1.0)

Answer = Callable[[asyncio.StreamWriter, int], Awaitable[None]]


class RawServer:
    """Reads requests, answers whatever ``answer`` writes; counts connections and requests."""

    def __init__(self) -> None:
        self.heads: list[str] = []
        self.bodies: list[bytes] = []
        self.connections = 0
        self.answer: Answer = self.good

    async def good(self, writer: asyncio.StreamWriter, _: int) -> None:
        writer.write(GOOD)

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        try:
            while True:
                head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
                length = next(
                    (int(line[15:]) for line in head.splitlines() if line.lower().startswith("content-length:")), 0
                )
                self.heads.append(head)
                self.bodies.append(await reader.readexactly(length))
                await self.answer(writer, len(self.heads))
                await writer.drain()
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        finally:
            writer.close()


@pytest.fixture
async def server() -> AsyncIterator[tuple[RawServer, str]]:
    raw = RawServer()
    listening = await asyncio.start_server(raw.serve, "127.0.0.1", 0)
    port = listening.sockets[0].getsockname()[1]
    yield raw, f"http://127.0.0.1:{port}"
    listening.close()


@pytest.fixture(params=["httpx", "aiohttp"])
def make(request: pytest.FixtureRequest) -> Callable[[str], HubTransport]:
    if request.param == "httpx":
        return lambda url: HttpxHubTransport(url, "code:north", signer(), limits=QUICK)
    return lambda url: AiohttpHubTransport(url, "code:north", signer(), limits=QUICK)


@pytest.fixture
async def wire(make: Callable[[str], HubTransport], server: tuple[RawServer, str]) -> AsyncIterator[HubTransport]:
    one = make(server[1] + "/")
    yield one
    await one.aclose()


def request(path: str = "/v1/code/transfer/a%2Fb%25/status", **changes: object) -> Outgoing:
    return Outgoing(replace(OPERATION, **changes), path, BODY, {"content-type": "application/json"})  # type: ignore[arg-type]


async def failure(wire: HubTransport, **changes: object) -> HubError:
    with pytest.raises(HubError) as caught:
        await wire.send(request(**changes))  # type: ignore[arg-type]
    return caught.value


def header(head: str, name: str) -> str:
    return next(line.split(":", 1)[1].strip() for line in head.splitlines() if line.lower().startswith(name + ":"))


async def test_what_is_signed_is_what_is_sent(wire: HubTransport, server: tuple[RawServer, str]) -> None:
    raw, _ = server
    answer = await wire.send(request())
    assert (answer.status, answer.body) == (200, b'{"result":"normal"}')
    head = raw.heads[0]
    assert head.startswith("PUT /v1/code/transfer/a%2Fb%25/status HTTP/1.1")
    assert raw.bodies == [BODY]
    assert header(head, "x-request-origin") == "code:north"
    assert verify(
        OWN.public_base64,
        header(head, "x-code-req-datetime"),
        raw.bodies[0],
        int(header(head, "x-code-req-nonce")),
        header(head, "x-code-req-signature"),
    )


async def test_a_408_is_not_repeated(wire: HubTransport, server: tuple[RawServer, str]) -> None:
    raw, _ = server

    async def late(writer: asyncio.StreamWriter, _: int) -> None:
        writer.write(b"HTTP/1.1 408 Request Timeout\r\nRetry-After: 3\r\nContent-Length: 2\r\n\r\n{}")

    raw.answer = late
    answer = await wire.send(request())
    assert (answer.status, answer.retry_after, len(raw.heads)) == (408, "3", 1)


async def test_a_broken_keep_alive_connection_is_not_repeated(
    wire: HubTransport, server: tuple[RawServer, str]
) -> None:
    """A PUT counts as idempotent, so libraries like to send it again: with the same nonce."""
    raw, _ = server

    async def first_only(writer: asyncio.StreamWriter, number: int) -> None:
        if number == 1:
            writer.write(GOOD)
        else:
            writer.close()

    raw.answer = first_only
    await wire.send(request())
    error = await failure(wire)
    assert isinstance(error, NoAnswer)
    assert error.sent_maybe
    assert (len(raw.heads), raw.connections) == (2, 1)


async def test_a_redirect_is_not_followed(wire: HubTransport, server: tuple[RawServer, str]) -> None:
    raw, url = server

    async def elsewhere(writer: asyncio.StreamWriter, _: int) -> None:
        writer.write(f"HTTP/1.1 307 Go\r\nLocation: {url}/other\r\nContent-Length: 0\r\n\r\n".encode())

    raw.answer = elsewhere
    assert (await wire.send(request())).status == 307
    assert len(raw.heads) == 1


async def test_a_refused_connection_was_not_sent(make: Callable[[str], HubTransport]) -> None:
    idle = await asyncio.start_server(lambda *_: None, "127.0.0.1", 0)
    port = idle.sockets[0].getsockname()[1]
    idle.close()
    await idle.wait_closed()
    wire = make(f"http://127.0.0.1:{port}")
    error = await failure(wire)
    assert isinstance(error, NoAnswer)
    assert not error.sent_maybe
    await wire.aclose()


async def test_plain_http_on_a_tls_address_was_not_sent(
    make: Callable[[str], HubTransport], server: tuple[RawServer, str]
) -> None:
    wire = make(server[1].replace("http:", "https:"))
    error = await failure(wire)
    assert isinstance(error, NoAnswer)
    assert not error.sent_maybe
    await wire.aclose()


async def test_a_connection_broken_before_the_answer_may_have_been_sent(
    wire: HubTransport, server: tuple[RawServer, str]
) -> None:
    async def gone(writer: asyncio.StreamWriter, _: int) -> None:
        writer.close()

    server[0].answer = gone
    error = await failure(wire)
    assert isinstance(error, NoAnswer)
    assert error.sent_maybe


async def test_an_answer_cut_short_is_an_error(wire: HubTransport, server: tuple[RawServer, str]) -> None:
    async def cut(writer: asyncio.StreamWriter, _: int) -> None:
        writer.write(b'HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{"result":"normal"}')
        await writer.drain()
        writer.close()

    server[0].answer = cut
    error = await failure(wire)
    assert error.maybe_acted


async def test_silence_ends_with_the_limit(wire: HubTransport, server: tuple[RawServer, str]) -> None:
    waiting = asyncio.Event()

    async def silent(writer: asyncio.StreamWriter, _: int) -> None:
        await waiting.wait()

    server[0].answer = silent
    error = await failure(wire, read_s=0.2)
    assert isinstance(error, NoAnswer)
    assert error.sent_maybe
    waiting.set()


async def test_dripping_ends_with_the_limit(wire: HubTransport, server: tuple[RawServer, str]) -> None:
    """A read limit that restarts with each byte would never end."""
    stop = asyncio.Event()

    async def drip(writer: asyncio.StreamWriter, _: int) -> None:
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n")
        while not stop.is_set() and not writer.is_closing():
            writer.write(b" ")
            await writer.drain()
            await asyncio.sleep(0.02)

    server[0].answer = drip
    error = await failure(wire, read_s=0.3)
    assert isinstance(error, NoAnswer)
    stop.set()


async def test_what_is_not_http_is_a_bad_answer(wire: HubTransport, server: tuple[RawServer, str]) -> None:
    async def garbage(writer: asyncio.StreamWriter, _: int) -> None:
        writer.write(b"\x00\x01\x02 hello\r\n\r\n")

    server[0].answer = garbage
    error = await failure(wire)
    assert error.maybe_acted


@pytest.mark.parametrize("form", ["plain", "chunked", "gzip"])
async def test_a_large_answer_is_cut_off(wire: HubTransport, server: tuple[RawServer, str], form: str) -> None:
    async def large(writer: asyncio.StreamWriter, _: int) -> None:
        body = b"x" * 100_000
        if form == "gzip":
            packed = gzip.compress(body)
            head = f"Content-Encoding: gzip\r\nContent-Length: {len(packed)}"
            writer.write(f"HTTP/1.1 200 OK\r\n{head}\r\n\r\n".encode() + packed)
        elif form == "plain":
            writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n" + body)
        else:
            writer.write(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n186a0\r\n" + body + b"\r\n0\r\n\r\n")

    server[0].answer = large
    error = await failure(wire, answer_bytes_max=10_000)
    assert isinstance(error, BadAnswer)


async def test_a_broken_encoding_is_a_bad_answer(wire: HubTransport, server: tuple[RawServer, str]) -> None:
    async def broken(writer: asyncio.StreamWriter, _: int) -> None:
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 4\r\n\r\nxxxx")

    server[0].answer = broken
    assert isinstance(await failure(wire), BadAnswer)


@pytest.mark.parametrize("kind", [HttpxHubTransport, AiohttpHubTransport])
async def test_connections_are_reused_and_bounded(
    server: tuple[RawServer, str], kind: type[HttpxHubTransport | AiohttpHubTransport]
) -> None:
    raw, url = server
    wire = kind(url, "code:north", signer(), limits=TransportLimits(connections=3))
    await asyncio.gather(*(wire.send(request()) for _ in range(20)))
    await asyncio.gather(*(wire.send(request()) for _ in range(20)))
    assert len(raw.heads) == 40
    assert raw.connections <= 3
    await wire.aclose()
