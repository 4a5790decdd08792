"""Mutual TLS for real: a uvicorn server, certificates made here, handshakes with and without a client certificate."""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import AsyncIterator
from pathlib import Path

import aiohttp
import pytest
import uvicorn

from tests.unit.authority import Authority
from travelrule.errors import ConfigurationError
from travelrule.gateway.app import create_gateway
from travelrule.gateway.tls import Tls, serving_options
from travelrule.settings import Settings

from .conftest import World


@pytest.fixture(params=[True, False], ids=["with key usage", "without key usage"])
def hub_ca(tmp_path: Path, request: pytest.FixtureRequest) -> Authority:
    """Many authorities of companies have no key usage; the gateway takes the one that it was told to trust."""
    return Authority(tmp_path, "hub-ca", key_usage=request.param)


@pytest.fixture
def own_ca(tmp_path: Path) -> Authority:
    return Authority(tmp_path, "own-ca")


@pytest.fixture
async def url(world: World, hub_ca: Authority, own_ca: Authority) -> AsyncIterator[str]:
    certificate, secret = own_ca.issue("gateway")
    options = serving_options(Tls(certificate, secret, hub_ca.path))
    config = uvicorn.Config(create_gateway(world.deps()), host="127.0.0.1", port=0, log_level="critical", **options)
    server = uvicorn.Server(config)
    serving = asyncio.create_task(server.serve())
    while not server.started:
        await asyncio.sleep(0.01)
    yield f"https://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}/v1/vasp/health"
    server.should_exit = True
    await serving


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


def test_options_without_tls_still_show_the_real_peer() -> None:
    options = serving_options(Tls.of(Settings()))
    assert options["proxy_headers"] is False
    assert not [name for name in options if name.startswith("ssl")]


def test_settings(hub_ca: Authority, own_ca: Authority) -> None:
    certificate, secret = own_ca.issue("gateway")
    settings = Settings(
        gateway_tls_certificate_file=certificate,
        gateway_tls_key_file=secret,
        gateway_tls_client_ca_file=hub_ca.path,
    )
    options = serving_options(Tls.of(settings))
    assert options["ssl_cert_reqs"] == ssl.CERT_REQUIRED
    without_ca = serving_options(Tls.of(settings.model_copy(update={"gateway_tls_client_ca_file": None})))
    assert "ssl_cert_reqs" not in without_ca


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
            serving_options(tls)
        assert caught.value.name == setting
