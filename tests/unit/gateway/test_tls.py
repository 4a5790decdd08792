"""Mutual TLS for real: a uvicorn server, certificates made here, handshakes with and without a client certificate."""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from ipaddress import ip_address
from pathlib import Path

import aiohttp
import pytest
import uvicorn
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from travelrule.errors import ConfigurationError
from travelrule.gateway.app import create_gateway
from travelrule.gateway.tls import Tls, serving_options
from travelrule.settings import Settings

from .conftest import World


class Authority:
    """A CA that writes certificates to a folder."""

    def __init__(self, folder: Path, name: str) -> None:
        self.folder = folder
        self.name = name
        self.key = ec.generate_private_key(ec.SECP256R1())
        self.subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
        self.path = folder / f"{name}.pem"
        self.path.write_bytes(self._sign(self.subject, self.key, authority=True))

    def issue(self, name: str) -> tuple[Path, Path]:
        key = ec.generate_private_key(ec.SECP256R1())
        subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
        certificate, secret = self.folder / f"{name}.pem", self.folder / f"{name}.key"
        certificate.write_bytes(self._sign(subject, key, authority=False))
        secret.write_bytes(
            key.private_bytes(
                serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
            )
        )
        return certificate, secret

    def _sign(self, subject: x509.Name, key: ec.EllipticCurvePrivateKey, *, authority: bool) -> bytes:
        now = datetime.now(UTC)
        public = key.public_key()
        builder = (
            x509.CertificateBuilder()
            .subject_name(subject)
            .issuer_name(self.subject)
            .public_key(public)
            .serial_number(x509.random_serial_number())
            .not_valid_before(now - timedelta(minutes=5))
            .not_valid_after(now + timedelta(hours=1))
            .add_extension(x509.BasicConstraints(ca=authority, path_length=None), critical=True)
            .add_extension(x509.SubjectAlternativeName([x509.IPAddress(ip_address("127.0.0.1"))]), critical=False)
            .add_extension(x509.SubjectKeyIdentifier.from_public_key(public), critical=False)
            .add_extension(x509.AuthorityKeyIdentifier.from_issuer_public_key(self.key.public_key()), critical=False)
        )
        return builder.sign(self.key, hashes.SHA256()).public_bytes(serialization.Encoding.PEM)


@pytest.fixture
def hub_ca(tmp_path: Path) -> Authority:
    return Authority(tmp_path, "hub-ca")


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
