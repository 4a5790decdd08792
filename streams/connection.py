"""Addresses, encryption and login of the brokers: one value for Faust, publisher, admin client and lag probe."""

from __future__ import annotations

import ssl
from dataclasses import dataclass, field
from typing import Any

import faust
from faust.types.auth import CredentialsT

from streams import broken_writes, embedded, metadata_requests
from travelrule.errors import ConfigurationError
from travelrule.given_files import require_file
from travelrule.settings import Settings

broken_writes.install()  # here, because every client is made from a connection
metadata_requests.forbid_topic_creation()


@dataclass(frozen=True, slots=True)
class Sasl:
    """User and password at the broker."""

    mechanism: str
    username: str
    password: str = field(repr=False)


@dataclass(frozen=True, slots=True)
class Connection:
    """Addresses (``host:port``), encryption and login. ``embedded``: librdkafka's mock cluster."""

    addresses: tuple[str, ...]
    tls: ssl.SSLContext | None = None
    sasl: Sasl | None = None
    embedded: bool = False
    certificate: bool = False
    """Whether we present a client certificate."""

    def client_options(self) -> dict[str, Any]:
        """Return the keyword arguments of every aiokafka client."""
        options: dict[str, Any] = {"bootstrap_servers": list(self.addresses), "ssl_context": self.tls}
        options["security_protocol"] = ("SASL_" if self.sasl else "") + ("SSL" if self.tls else "PLAINTEXT")
        if not self.sasl and self.tls:
            options["security_protocol"] = "SSL"
        if self.sasl:
            options["sasl_mechanism"] = self.sasl.mechanism
            options["sasl_plain_username"] = self.sasl.username
            options["sasl_plain_password"] = self.sasl.password
        return options

    def faust_broker(self) -> list[str]:
        """Return the ``broker`` setting of Faust."""
        return [f"kafka://{address}" for address in self.addresses]

    def faust_credentials(self) -> CredentialsT | None:
        """Return the ``broker_credentials`` setting of Faust."""
        if self.sasl:
            return faust.SASLCredentials(
                username=self.sasl.username,
                password=self.sasl.password,
                mechanism=self.sasl.mechanism,
                ssl_context=self.tls,
            )
        return faust.SSLCredentials(self.tls) if self.tls else None


def connect(settings: Settings) -> Connection:
    """Read the connection from the settings; nothing is sent yet.

    For ``embedded://`` the address is the one that the owner of ``DATA_DIR`` wrote; ServiceUnavailable (exit 3) if
    no process owns it. Faults of certificates are a ConfigurationError.
    """
    if settings.embedded_broker:
        return Connection(embedded.find(settings.data_dir), embedded=True)
    certificate = settings.broker_tls_certificate_file is not None
    return Connection(settings.broker_addresses, _tls(settings), _sasl(settings), certificate=certificate)


def _sasl(settings: Settings) -> Sasl | None:
    if settings.broker_sasl_mechanism is None:
        return None
    password = settings.broker_sasl_password.get_secret_value() if settings.broker_sasl_password else ""
    return Sasl(settings.broker_sasl_mechanism, settings.broker_sasl_username or "", password)


def _tls(settings: Settings) -> ssl.SSLContext | None:
    authority, certificate = settings.broker_tls_ca_file, settings.broker_tls_certificate_file
    if not (settings.broker_tls_enabled or authority or certificate):
        return None
    files = {"CA_FILE": authority, "CERTIFICATE_FILE": certificate, "KEY_FILE": settings.broker_tls_key_file}
    for name, path in files.items():
        if path is not None:
            require_file(f"TRAVELRULE_BROKER_TLS_{name}", path)
    try:
        context = ssl.create_default_context(cafile=str(authority) if authority else None)
    except (OSError, ssl.SSLError):
        raise ConfigurationError("TRAVELRULE_BROKER_TLS_CA_FILE", f"no PEM file of certificates: {authority}") from None
    if authority is not None:
        # Python 3.13 refuses authorities without key usage, such as those of ``openssl req -x509``. The operator has
        # configured this one: an update of the interpreter must not break the connection.
        context.verify_flags &= ~ssl.VERIFY_X509_STRICT
    if certificate is not None:
        try:
            context.load_cert_chain(certificate, settings.broker_tls_key_file)
        except (OSError, ssl.SSLError):
            fix = "certificate and key must be readable PEM files that belong together"
            raise ConfigurationError("TRAVELRULE_BROKER_TLS_CERTIFICATE_FILE", fix) from None
    return context
