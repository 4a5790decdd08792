from __future__ import annotations

import ssl
from pathlib import Path

import faust
import pytest
from pydantic import SecretStr

from streams.connection import connect
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


def test_nobody_owns_the_embedded_broker(tmp_path: Path) -> None:
    with pytest.raises(ServiceUnavailable):
        connect(Settings(data_dir=tmp_path))
