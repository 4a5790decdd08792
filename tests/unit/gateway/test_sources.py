"""Which machines may call: the one check is made when a peer connects."""

from __future__ import annotations

import asyncio
from ipaddress import ip_network

import pytest

from tests.support.gateway_scene import GatewayScene
from tests.support.served_gateway import LOOPBACK, served
from travelrule.gateway.source_networks import Sources

REQUEST = b"GET /v1/vasp/health HTTP/1.1\r\nHost: h\r\nConnection: close\r\nX-Forwarded-For: 127.0.0.1\r\n\r\n"


@pytest.mark.parametrize(
    ("host", "allowed"),
    [
        ("10.1.2.3", True),
        ("10.2.0.1", False),
        ("::ffff:10.1.2.3", True),
        ("2001:db8::7", True),
        ("2001:db9::7", False),
        ("testclient", False),
        ("", False),
        (None, False),
    ],
)
def test_sources(host: str | None, *, allowed: bool) -> None:
    sources = Sources([ip_network("10.1.0.0/16"), ip_network("2001:db8::/32")])
    assert [sources.allow(host), sources.allow(host)] == [allowed, allowed]
    assert not Sources([]).allow(host)


async def _ask(port: int, source: str) -> bytes:
    """Ask from a source address; nothing if the connection ends without an answer."""
    try:
        reader, writer = await asyncio.open_connection("127.0.0.1", port, local_addr=(source, 0))
    except ConnectionResetError:
        return b""
    try:
        writer.write(REQUEST)
        return await reader.read()
    except ConnectionResetError:
        return b""
    finally:
        writer.close()


async def test_other_machines_are_cut_off_whatever_they_forward(scene: GatewayScene) -> None:
    async with served(scene, [ip_network("127.0.0.2/32")]) as gateway:
        before = gateway.refused("foreign")
        assert await _ask(gateway.port, "127.0.0.1") == b""
        assert gateway.refused("foreign") == before + 1
        assert (await _ask(gateway.port, "127.0.0.2")).startswith(b"HTTP/1.1 200")
        assert gateway.refused("foreign") == before + 1


async def test_foreign_peers_take_no_place_of_those_that_may_call(scene: GatewayScene) -> None:
    async with served(scene, [ip_network("127.0.0.2/32")]) as gateway:
        for _ in range(50):
            assert await _ask(gateway.port, "127.0.0.1") == b""
            assert len(gateway.server.table) == 0
        assert not gateway.server.server_state.connections


async def test_no_networks_admit_no_machine(scene: GatewayScene) -> None:
    async with served(scene, []) as gateway:
        assert await _ask(gateway.port, "127.0.0.1") == b""
    async with served(scene, LOOPBACK) as gateway:
        assert await _ask(gateway.port, "127.0.0.1") != b""
