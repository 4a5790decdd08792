"""``MemberTransport`` over real sockets: what goes out, what comes back, and what a bad server cannot do."""

from __future__ import annotations

import asyncio
import gzip
import hashlib
import os

import pytest

from schemas.operations import Operation
from tests.contract.hub.servers import MemberServer, member_server
from tests.support.hub import NOW
from travelrule.hub.members.member import Member
from travelrule.hub.operations import OPERATIONS
from travelrule.hub.ports import CallbackCall, MemberAnswer, MemberCall, NoMemberAnswer
from travelrule.hub.records import CallRecord
from travelrule.hub.runtime.http_transport import HttpTransport

HEADERS = {"X-Request-Origin": "code:north", "Content-Type": "application/json"}


def _member(url: str) -> Member:
    return Member("south", "South", "SG", "code", (), url)


def _call(operation: Operation = Operation.TXID_REPORT, body: bytes = b"{}") -> MemberCall:
    return MemberCall(OPERATIONS[operation], HEADERS, body, CallRecord(at=NOW, operation=operation))


async def test_bytes_headers_method_and_path_arrive_unchanged() -> None:
    body = os.urandom(200_000)
    server = MemberServer()
    async with member_server(server) as url, HttpTransport() as transport:
        await transport.forward(_member(url), _call(Operation.FINISH, body))
        await transport.forward(_member(url), _call(Operation.HEALTH, b""))
    (method, path, headers, arrived), health = server.arrived
    assert (method, path) == ("PUT", "/v1/vasp/transfer/status")
    assert hashlib.sha256(arrived).digest() == hashlib.sha256(body).digest()
    assert {name for name in headers if name.startswith("x-")} == {"x-request-origin"}
    assert headers["content-type"] == "application/json"
    assert (health[0], health[1], health[3]) == ("GET", "/v1/vasp/health", b"")


async def test_answers_come_back_as_they_are() -> None:
    server = MemberServer(503, b"\x00\xffnot json")
    async with member_server(server) as url, HttpTransport() as transport:
        assert await transport.forward(_member(url), _call()) == MemberAnswer(503, server.body)


async def test_redirects_are_answers_and_cookies_are_forgotten() -> None:
    server = MemberServer(307, b"", {"location": "/elsewhere", "set-cookie": "a=b"})
    async with member_server(server) as url, HttpTransport() as transport:
        assert (await transport.forward(_member(url), _call())).status == 307
        await transport.forward(_member(url), _call())
    assert [path for _, path, _, _ in server.arrived] == ["/v1/beneficiary/transfer/txid"] * 2
    assert "cookie" not in server.arrived[1][2]


async def test_an_answer_beyond_the_limit_is_not_taken_in() -> None:
    server = MemberServer(body=b"[" + b" " * 10_000)
    async with member_server(server) as url:
        async with HttpTransport(answer_bytes_max=10_000) as transport:
            assert (await transport.forward(_member(url), _call())).body == b""
        async with HttpTransport(answer_bytes_max=10_001) as transport:
            assert (await transport.forward(_member(url), _call())).body == server.body


async def test_a_packed_answer_is_not_unpacked() -> None:
    packed = gzip.compress(b" " * 1_000_000)
    server = MemberServer(body=packed, headers={"content-encoding": "gzip"})
    async with member_server(server) as url, HttpTransport() as transport:
        assert (await transport.forward(_member(url), _call())).body == packed
    assert "accept-encoding" not in server.arrived[0][2]


async def test_nobody_listens_there() -> None:
    async with member_server(MemberServer()) as url:
        gone = url
    async with HttpTransport() as transport:
        for nowhere in (gone, ""):
            with pytest.raises(NoMemberAnswer) as silence:
                await transport.forward(_member(nowhere), _call())
            assert silence.value.reached is False


async def test_a_connection_that_ends_without_answer_may_have_reached_the_member() -> None:
    arrived = asyncio.Event()

    async def hang_up(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read(1)
        arrived.set()
        writer.close()

    server = await asyncio.start_server(hang_up, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    async with server, HttpTransport() as transport:
        with pytest.raises(NoMemberAnswer) as silence:
            await transport.forward(_member(f"http://127.0.0.1:{port}"), _call())
    assert silence.value.reached is True
    assert arrived.is_set()


async def test_a_hanging_member_keeps_its_own_connections_only() -> None:
    hanging, well = MemberServer(hold=asyncio.Event()), MemberServer()
    async with (
        member_server(hanging) as slow,
        member_server(well) as fast,
        HttpTransport(connections_per_member=3) as transport,
    ):
        stuck = [asyncio.create_task(transport.forward(_member(slow), _call())) for _ in range(20)]
        answers = await asyncio.gather(*(transport.forward(_member(fast), _call()) for _ in range(50)))
        assert {answer.status for answer in answers} == {200}
        assert hanging.open_max <= 3
        assert not any(task.done() for task in stuck)
        hanging.hold.set()  # type: ignore[union-attr]
        assert {answer.status for answer in await asyncio.gather(*stuck)} == {200}


async def test_a_cancelled_call_gives_its_connection_back() -> None:
    server = MemberServer(hold=asyncio.Event())
    async with member_server(server) as url, HttpTransport(connections_per_member=1) as transport:
        forwarding = asyncio.create_task(transport.forward(_member(url), _call()))
        async with asyncio.timeout(60):
            while not server.arrived:
                await asyncio.sleep(0.01)
        forwarding.cancel()
        await asyncio.gather(forwarding, return_exceptions=True)
        assert forwarding.cancelled()
        server.hold = None
        async with asyncio.timeout(60):
            assert (await transport.forward(_member(url), _call())).status == 200


def _callback(url: str, timeout_seconds: float = 5) -> CallbackCall:
    record = CallRecord(at=NOW, operation=Operation.CALLBACK)
    return CallbackCall(
        Operation.TXID_SEARCH, "north", f"{url}/callbacks/x?y=%2F", b'{"result":"valid"}', timeout_seconds, record
    )


async def test_a_callback_is_one_post_and_follows_nobody() -> None:
    server = MemberServer(307, b"", {"location": "/elsewhere"})
    async with member_server(server) as url, HttpTransport(inside_callbacks=True) as transport:
        assert await transport.post_callback(_callback(url)) == 307
    ((method, path, headers, body),) = server.arrived
    assert (method, path, body) == ("POST", "/callbacks/x", b'{"result":"valid"}')
    assert headers["content-type"] == "application/json"
    assert not any(name.startswith("x-") for name in headers)


async def test_a_callback_that_nobody_takes_ends_at_its_limit() -> None:
    server = MemberServer(hold=asyncio.Event())
    async with member_server(server) as url, HttpTransport(inside_callbacks=True) as transport:
        with pytest.raises(NoMemberAnswer) as hanging:
            await transport.post_callback(_callback(url, 0.05))
        with pytest.raises(NoMemberAnswer) as refused:
            await transport.post_callback(_callback("http://127.0.0.1:1"))
    assert (hanging.value.reached, refused.value.reached) == (True, False)


async def test_a_callback_goes_to_no_inside_address_whatever_it_is_called() -> None:
    server = MemberServer(200)
    async with member_server(server) as url, HttpTransport() as transport:
        port = url.rpartition(":")[2]
        await transport.forward(_member(url), _call(Operation.HEALTH, b""))  # members may be inside
        for host in ("127.0.0.1", "localhost", "127.1", "[::1]", "[::ffff:127.0.0.1]"):
            with pytest.raises(NoMemberAnswer) as refused:
                await transport.post_callback(_callback(f"http://{host}:{port}"))
            assert refused.value.reached is False
    assert [method for method, *_ in server.arrived] == ["GET"]
