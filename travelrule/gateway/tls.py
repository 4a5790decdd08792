"""TLS and mutual TLS of the gateway from the settings."""

from __future__ import annotations

import ssl
from dataclasses import dataclass
from pathlib import Path

from travelrule.errors import ConfigurationError
from travelrule.given_files import require_file
from travelrule.settings import Settings

_PREFIX = "TRAVELRULE_GATEWAY_TLS_"


@dataclass(frozen=True, slots=True)
class Tls:
    """PEM files.

    ``client_ca``: clients must present a certificate of it (mutual TLS); None: TLS without client certificates.
    """

    certificate: Path
    key: Path
    client_ca: Path | None = None

    @classmethod
    def of(cls, settings: Settings) -> Tls | None:
        """Return the files of the settings; None if the gateway is served without TLS (behind a proxy, or a laptop)."""
        if settings.gateway_tls_certificate_file is None or settings.gateway_tls_key_file is None:
            return None
        return cls(
            settings.gateway_tls_certificate_file,
            settings.gateway_tls_key_file,
            settings.gateway_tls_client_ca_file,
        )


def server_context(tls: Tls | None) -> ssl.SSLContext | None:
    """Load the files; None without TLS.

    Raises ``ConfigurationError`` for a file that cannot be used, before any handshake fails.
    """
    if tls is None:
        return None
    files = {"CERTIFICATE_FILE": tls.certificate, "KEY_FILE": tls.key, "CLIENT_CA_FILE": tls.client_ca}
    for name, path in files.items():
        if path is not None:
            require_file(_PREFIX + name, path)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    # Each renegotiation by a client costs a handshake.
    context.options |= ssl.OP_NO_RENEGOTIATION
    try:
        context.load_cert_chain(tls.certificate, tls.key)
    except (OSError, ssl.SSLError):
        fix = "must be a PEM certificate (chain), with its key in GATEWAY_TLS_KEY_FILE"
        raise ConfigurationError(_PREFIX + "CERTIFICATE_FILE", fix) from None
    if tls.client_ca is None:
        return context
    try:
        context.load_verify_locations(tls.client_ca)
    except (OSError, ssl.SSLError):
        raise ConfigurationError(_PREFIX + "CLIENT_CA_FILE", "must be a PEM file of CA certificates") from None
    context.verify_mode = ssl.CERT_REQUIRED
    return context
