"""Mutual TLS for real: certificates made here, handshakes with and without a client certificate, or none at all."""

from __future__ import annotations

import asyncio
import contextlib
import ssl
from collections.abc import AsyncIterator
from ipaddress import ip_network
from pathlib import Path

import aiohttp
import pytest

from tests.support.authority import Authority
from tests.support.gateway_scene import GatewayScene
from tests.support.served_gateway import served
from travelrule.errors import ConfigurationError
from travelrule.gateway.tls import Tls, server_context
from travelrule.listener.limits import ListenerLimits
from travelrule.settings import Settings


@pytest.fixture(params=[True, False], ids=["with key usage", "without key usage"])
def hub_ca(tmp_path: Path, request: pytest.FixtureRequest) -> Authority:
    """Many authorities of companies have no key usage; the gateway accepts the one that it is configured to trust."""
    return Authority(tmp_path, "hub-ca", key_usage=request.param)


@pytest.fixture
def own_ca(tmp_path: Path) -> Authority:
    return Authority(tmp_path, "own-ca")


@pytest.fixture
async def url(scene: GatewayScene, hub_ca: Authority, own_ca: Authority) -> AsyncIterator[str]:
    certificate, secret = own_ca.issue("gateway")
    async with served(scene, tls=Tls(certificate, secret, hub_ca.path)) as gateway:
        yield f"https://127.0.0.1:{gateway.port}/v1/vasp/health"


async def get(url: str, trusted: Path, pair: tuple[Path, Path] | None) -> int:
    context = ssl.create_default_context(cafile=str(trusted))
    if pair is not None:
        context.load_cert_chain(*pair)
    async with aiohttp.ClientSession() as session, session.get(url, ssl=context) as answer:
        await answer.read()
        return answer.status


async def test_only_the_hubs_certificate_gets_in(url: str, hub_ca: Authority, own_ca: Authority) -> None:
    assert await get(url, own_ca.path, hub_ca.issue("hub")) == 200
    with pytest.raises(aiohttp.ClientError):
        await get(url, own_ca.path, None)
    with pytest.raises(aiohttp.ClientError):
        await get(url, own_ca.path, own_ca.issue("stranger"))
    assert await get(url, own_ca.path, hub_ca.issue("hub")) == 200


def test_without_files_there_is_no_tls() -> None:
    assert server_context(Tls.of(Settings())) is None


def test_settings(hub_ca: Authority, own_ca: Authority) -> None:
    certificate, secret = own_ca.issue("gateway")
    settings = Settings(
        gateway_tls_certificate_file=certificate,
        gateway_tls_key_file=secret,
        gateway_tls_client_ca_file=hub_ca.path,
    )
    context = server_context(Tls.of(settings))
    assert context is not None
    assert context.verify_mode == ssl.CERT_REQUIRED
    assert context.minimum_version >= ssl.TLSVersion.TLSv1_2
    without_ca = server_context(Tls.of(settings.model_copy(update={"gateway_tls_client_ca_file": None})))
    assert without_ca is not None
    assert without_ca.verify_mode == ssl.CERT_NONE


def test_wrong_files_are_named_before_anything_listens(tmp_path: Path, own_ca: Authority, hub_ca: Authority) -> None:
    certificate, secret = own_ca.issue("gateway")
    _, other = hub_ca.issue("other")
    empty = tmp_path / "empty.pem"
    empty.write_text("nothing")
    for tls, setting in (
        (Tls(certificate, other), "TRAVELRULE_GATEWAY_TLS_CERTIFICATE_FILE"),
        (Tls(tmp_path / "none.pem", secret), "TRAVELRULE_GATEWAY_TLS_CERTIFICATE_FILE"),
        (Tls(certificate, secret, empty), "TRAVELRULE_GATEWAY_TLS_CLIENT_CA_FILE"),
        (Tls(certificate, secret, tmp_path / "none.pem"), "TRAVELRULE_GATEWAY_TLS_CLIENT_CA_FILE"),
    ):
        with pytest.raises(ConfigurationError) as caught:
            server_context(tls)
        assert caught.value.name == setting


async def test_a_peer_that_does_not_finish_its_handshake_is_cut_off(
    scene: GatewayScene, own_ca: Authority, hub_ca: Authority
) -> None:
    limits = ListenerLimits(head_seconds=0.2)
    async with served(scene, tls=Tls(*own_ca.issue("gateway")), limits=limits) as gateway:
        silent = await asyncio.open_connection("127.0.0.1", gateway.port)
        half = await asyncio.open_connection("127.0.0.1", gateway.port)
        half[1].write(b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03")
        plain = await asyncio.open_connection("127.0.0.1", gateway.port)
        plain[1].write(b"GET /v1/vasp/health HTTP/1.1\r\nHost: h\r\n\r\n")
        for reader, writer in (silent, half, plain):
            with contextlib.suppress(ConnectionResetError):
                assert b"HTTP" not in await reader.read()
            writer.close()
        await gateway.until(lambda: len(gateway.server.table) == 0)
        assert await get(f"https://127.0.0.1:{gateway.port}/v1/vasp/health", own_ca.path, None) == 200


async def test_handshakes_count_towards_the_limit_and_give_way(scene: GatewayScene, own_ca: Authority) -> None:
    limits = ListenerLimits(connections_per_source=20)
    async with served(scene, tls=Tls(*own_ca.issue("gateway")), limits=limits) as gateway:
        held = [await asyncio.open_connection("127.0.0.1", gateway.port) for _ in range(200)]
        assert await get(f"https://127.0.0.1:{gateway.port}/v1/vasp/health", own_ca.path, None) == 200
        assert len(gateway.server.table) <= 20
        assert all(len(one._handshakes) <= 20 for one in gateway.server.servers)  # type: ignore[attr-defined]
        for _, writer in held:
            writer.transport.abort()


async def test_a_foreign_peer_is_refused_before_its_handshake(scene: GatewayScene, own_ca: Authority) -> None:
    elsewhere = [ip_network("10.0.0.0/8")]
    async with served(scene, elsewhere, tls=Tls(*own_ca.issue("gateway"))) as gateway:
        before, handshakes = gateway.refused("foreign"), gateway.refused("handshake")
        with pytest.raises(aiohttp.ClientError):
            await get(f"https://127.0.0.1:{gateway.port}/v1/vasp/health", own_ca.path, None)
        assert gateway.refused("foreign") == before + 1
        assert gateway.refused("handshake") == handshakes
