from __future__ import annotations

import ssl
from pathlib import Path

import faust
import pytest
from pydantic import SecretStr

from streams.connection import connect
from tests.support.authority import Authority
from travelrule.errors import ConfigurationError, ServiceUnavailable
from travelrule.settings import Settings

BROKERS = "kafka://one:9092,two:9093"


def test_plain() -> None:
    connection = connect(Settings(broker_url=BROKERS))
    assert connection.client_options() == {
        "bootstrap_servers": ["one:9092", "two:9093"],
        "ssl_context": None,
        "security_protocol": "PLAINTEXT",
    }
    assert connection.faust_broker() == ["kafka://one:9092", "kafka://two:9093"]
    assert connection.faust_credentials() is None


@pytest.mark.parametrize(("tls", "protocol"), [(True, "SASL_SSL"), (False, "SASL_PLAINTEXT")])
def test_login(tls: bool, protocol: str) -> None:
    connection = connect(
        Settings(
            broker_url=BROKERS,
            broker_tls_enabled=tls,
            broker_sasl_mechanism="SCRAM-SHA-512",
            broker_sasl_username="worker",
            broker_sasl_password=SecretStr("hush"),
        )
    )
    options = connection.client_options()
    assert options["security_protocol"] == protocol
    assert (options["sasl_mechanism"], options["sasl_plain_password"]) == ("SCRAM-SHA-512", "hush")
    credentials = connection.faust_credentials()
    assert isinstance(credentials, faust.SASLCredentials)
    assert credentials.protocol.value == protocol
    assert "hush" not in f"{connection!r} {credentials!r}"


def test_encryption_without_login_checks_the_brokers_name() -> None:
    connection = connect(Settings(broker_url=BROKERS, broker_tls_enabled=True))
    options = connection.client_options()
    assert options["security_protocol"] == "SSL"
    assert options["ssl_context"].verify_mode is ssl.CERT_REQUIRED
    assert options["ssl_context"].check_hostname
    assert isinstance(connection.faust_credentials(), faust.SSLCredentials)


@pytest.mark.parametrize("name", ["broker_tls_ca_file", "broker_tls_certificate_file"])
def test_certificates_that_cannot_be_read_are_named(tmp_path: Path, name: str) -> None:
    (tmp_path / "bad.pem").write_text("no certificate")
    for file in ("bad.pem", "missing.pem"):
        with pytest.raises(ConfigurationError) as refused:
            connect(Settings.model_validate({"broker_url": BROKERS, name: tmp_path / file}))
        assert refused.value.name == f"TRAVELRULE_{name.upper()}"


def handshake(client: ssl.SSLContext, server: ssl.SSLContext) -> None:
    """A handshake without a socket. Raises ``ssl.SSLError`` where the client does not trust the server."""
    to_client, to_server = ssl.MemoryBIO(), ssl.MemoryBIO()
    ends = [
        client.wrap_bio(to_client, to_server, server_hostname="127.0.0.1"),
        server.wrap_bio(to_server, to_client, server_side=True),
    ]
    for _ in range(10):
        for end in list(ends):
            try:
                end.do_handshake()
                ends.remove(end)
            except ssl.SSLWantReadError:
                continue
    assert not ends


def listening(authority: Authority) -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(*authority.issue("broker"))
    return context


@pytest.mark.parametrize("key_usage", [True, False])
def test_the_authority_that_the_setting_names_is_trusted(tmp_path: Path, *, key_usage: bool) -> None:
    """``openssl req -x509`` makes authorities without key usage: Python 3.13 refuses these unless told otherwise."""
    own, other = Authority(tmp_path, "own", key_usage=key_usage), Authority(tmp_path, "other")
    context = connect(Settings(broker_url=BROKERS, broker_tls_ca_file=own.path)).tls
    assert context is not None
    handshake(context, listening(own))
    with pytest.raises(ssl.SSLCertVerificationError):
        handshake(context, listening(other))
    assert context.check_hostname


def test_the_systems_authorities_are_checked_as_the_interpreter_does() -> None:
    context = connect(Settings(broker_url=BROKERS, broker_tls_enabled=True)).tls
    assert context is not None
    assert context.verify_flags == ssl.create_default_context().verify_flags


def test_nobody_owns_the_embedded_broker(tmp_path: Path) -> None:
    with pytest.raises(ServiceUnavailable):
        connect(Settings(data_dir=tmp_path))
