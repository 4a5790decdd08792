"""A gateway process is attacked over real sockets, and goes on answering probes and address verifications."""

from __future__ import annotations

import asyncio
import socket
from pathlib import Path

import pytest

from tests.contract.listener.role import Peers, Role, hostile_peers, started, until_ready
from tests.support.authority import Authority
from tests.support.command_line import Cli
from tests.support.raw_sockets import pour

pytestmark = pytest.mark.services

HALF_HEAD = b"POST /v1/beneficiary/VerifyAddress HTTP/1.1\r\nHost: h\r\nX-Request-Origin: code:"
HALF_BODY = b"POST /v1/beneficiary/transfer HTTP/1.1\r\nHost: h\r\nContent-Length: 500000\r\n\r\n{"
MEGABYTE = 1_000_000


async def _attack(role: Role, peers: Peers, source: str) -> None:
    """3,000 connections: some silent, some with half a head, some with half a body; a third at the metrics port."""
    for first in (b"", HALF_HEAD, HALF_BODY):
        await peers.open(role.gateway_port, 700, first, source=source)
        await peers.open(role.metrics_port, 300, first, source=source)


@pytest.mark.parametrize("source", ["127.0.0.1", "127.0.0.9"], ids=["through one proxy", "from another address"])
async def test_three_thousand_held_connections_keep_neither_probes_nor_the_hub_out(member: Cli, source: str) -> None:
    with started(member) as role:
        await until_ready(role)
        async with hostile_peers() as peers:
            await _attack(role, peers, source)
            assert len(peers.held) + peers.refused == 3_000
            for _ in range(5):
                assert await role.works()
            # The connections are still held: they do not keep the process from an orderly end.
            assert role.stop() == 0, role.log.read_text()


async def test_with_few_descriptors_it_says_so_and_still_answers(member: Cli) -> None:
    with started(member, files=400) as role:
        await until_ready(role)
        async with hostile_peers() as peers:
            await _attack(role, peers, "127.0.0.1")
            assert await role.works()
            assert role.process.poll() is None
        assert [line["service"] for line in role.logged("few-descriptors")] == ["gateway"]
        assert role.logged("connections-exhausted") == []


async def test_unfinished_handshakes_keep_nobody_out(member: Cli, tmp_path: Path) -> None:
    authority = Authority(tmp_path, "own-ca")
    certificate, key = authority.issue("gateway")
    settings = {"GATEWAY_TLS_CERTIFICATE_FILE": str(certificate), "GATEWAY_TLS_KEY_FILE": str(key)}
    with started(member, trusted=authority.path, **settings) as role:
        await until_ready(role)
        async with hostile_peers() as peers:
            await peers.open(role.gateway_port, 1_000)
            await peers.open(role.gateway_port, 1_000, b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03")
            await peers.open(role.gateway_port, 1_000, b"GET /v1/vasp/health HTTP/1.1\r\nHost: h\r\n\r\n")
            assert await role.works()
            # A peer that finished its handshake, and answers nothing when the connection is to end.
            with socket.create_connection(("127.0.0.1", role.gateway_port)) as opened:
                assert role.tls is not None
                with role.tls.wrap_socket(opened, server_hostname="127.0.0.1") as silent:
                    assert silent.version() is not None
                    assert role.stop() == 0, role.log.read_text()


async def test_heads_without_an_end_cost_no_memory(member: Cli) -> None:
    """What is taken of one is bounded, so that many of them are."""
    with started(member) as role:
        await until_ready(role)
        assert await role.works()
        before = role.resident_bytes()
        first = b"POST /v1/beneficiary/VerifyAddress HTTP/1.1\r\nHost: h\r\n"
        endless = [pour(role.gateway_port, first + b"X: ", b"a" * 65_536, 16 * MEGABYTE) for _ in range(4)]
        many = [pour(role.gateway_port, first, b"a: b\r\n" * 10_000, 16 * MEGABYTE) for _ in range(4)]
        for sent, _ in await asyncio.gather(*endless, *many):
            assert sent < 16 * MEGABYTE
        assert role.resident_bytes() - before < 24 * MEGABYTE
        assert await role.works()


async def test_half_heads_and_slow_bodies_end(member: Cli) -> None:
    with started(member) as role:
        await until_ready(role)
        async with hostile_peers() as peers:
            await peers.open(role.gateway_port, 1, HALF_HEAD)
            await peers.open(role.gateway_port, 1, HALF_BODY)
            await peers.open(role.metrics_port, 1, b"GET /livez HTTP/1.1\r\n")
            async with asyncio.timeout(120):
                answers = [await reader.read() for reader, _ in peers.held]
        # The operation gives up a body that does not come before the listener does.
        assert [answer.split()[1] for answer in answers] == [b"408", b"503", b"408"]


async def test_foreign_peers_are_refused_without_a_byte_read(member: Cli) -> None:
    with started(member, GATEWAY_SOURCES="127.0.0.2/32") as role:
        await until_ready(role)
        async with hostile_peers() as peers:
            await peers.open(role.gateway_port, 3_000, HALF_HEAD, source="127.0.0.1")
            assert len(peers.held) + peers.refused == 3_000
            for reader, _ in peers.held:
                with pytest.raises(ConnectionResetError):
                    await reader.readexactly(1)
        assert await role.works(source="127.0.0.2")
        refused = role.logged("connections-refused")
        assert {(line["reason"], line["source"]) for line in refused} == {("foreign", "127.0.0.1")}
