"""Addresses, encryption and login of the brokers: one value for Faust, publisher, admin client and lag probe."""

from __future__ import annotations

import ssl
from dataclasses import dataclass, field
from typing import Any

import faust
from faust.types.auth import CredentialsT

from streams import broken_writes, embedded, metadata_requests
from travelrule.client_tls import ClientTls
from travelrule.environment import PREFIX
from travelrule.settings import Settings

URL, LOGIN, TLS = f"{PREFIX}BROKER_URL", f"{PREFIX}BROKER_SASL_", f"{PREFIX}BROKER_TLS_"

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
    files: ClientTls = field(default_factory=lambda: ClientTls(TLS, URL))
    """The PEM files that ``tls`` was made from."""

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
    files = ClientTls(
        TLS,
        URL,
        settings.broker_tls_ca_file,
        settings.broker_tls_certificate_file,
        settings.broker_tls_key_file,
    )
    wanted = settings.broker_tls_enabled or files.authority or files.certificate
    tls = files.context() if wanted else None
    return Connection(settings.broker_addresses, tls, _sasl(settings), files=files)


def _sasl(settings: Settings) -> Sasl | None:
    if settings.broker_sasl_mechanism is None:
        return None
    password = settings.broker_sasl_password.get_secret_value() if settings.broker_sasl_password else ""
    return Sasl(settings.broker_sasl_mechanism, settings.broker_sasl_username or "", password)
