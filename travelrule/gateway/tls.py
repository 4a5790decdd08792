"""How uvicorn serves the gateway: TLS and mutual TLS from the settings, and the real peer address."""

from __future__ import annotations

import ssl
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from travelrule.errors import ConfigurationError
from travelrule.settings import Settings

_PREFIX = "TRAVELRULE_GATEWAY_TLS_"


@dataclass(frozen=True, slots=True)
class Tls:
    """PEM files.

    ``client_ca``: callers must show a certificate of it (mutual TLS); None: TLS without that.
    """

    certificate: Path
    key: Path
    client_ca: Path | None = None

    @classmethod
    def of(cls, settings: Settings) -> Tls | None:
        """Take it from the settings.

        None if the gateway is served without TLS (behind an own proxy, or a laptop).
        """
        if settings.gateway_tls_certificate_file is None or settings.gateway_tls_key_file is None:
            return None
        return cls(
            settings.gateway_tls_certificate_file,
            settings.gateway_tls_key_file,
            settings.gateway_tls_client_ca_file,
        )


def serving_options(tls: Tls | None) -> dict[str, Any]:
    """Give the keyword arguments of ``uvicorn.Config`` besides the application and its address.

    Raises ``ConfigurationError`` for files that cannot be used, before anything listens.
    """
    options: dict[str, Any] = {
        # The source allow-list goes by the peer itself; a header that anybody can send must not replace it.
        "proxy_headers": False,
        "server_header": False,
        "access_log": False,
        "lifespan": "off",
    }
    if tls is None:
        return options
    _try(tls)
    options |= {
        "ssl_certfile": str(tls.certificate),
        "ssl_keyfile": str(tls.key),
        "ssl_version": ssl.PROTOCOL_TLS_SERVER,
    }
    if tls.client_ca is not None:
        options |= {"ssl_ca_certs": str(tls.client_ca), "ssl_cert_reqs": ssl.CERT_REQUIRED}
    return options


def _try(tls: Tls) -> None:
    """Load the files once, so that a wrong one is named instead of failing in a handshake."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    try:
        context.load_cert_chain(tls.certificate, tls.key)
    except (OSError, ssl.SSLError):
        fix = "must be a PEM certificate (chain), with its key in GATEWAY_TLS_KEY_FILE"
        raise ConfigurationError(_PREFIX + "CERTIFICATE_FILE", fix) from None
    if tls.client_ca is None:
        return
    try:
        context.load_verify_locations(tls.client_ca)
    except (OSError, ssl.SSLError):
        raise ConfigurationError(_PREFIX + "CLIENT_CA_FILE", "must be a PEM file of CA certificates") from None
