"""TLS of the connections that we open to brokers and to the database: their context, and why a handshake failed."""

from __future__ import annotations

import ssl
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from cryptography import x509

from travelrule.errors import ConfigurationError
from travelrule.given_files import require_file

NOT_YET_VALID, EXPIRED = 9, 10
OTHER_NAME = (62, 64)
"""Codes of OpenSSL's certificate check: dates; host name, IP address."""


@dataclass(frozen=True, slots=True)
class TlsFault:
    """Why a handshake failed: ``problem`` completes the sentence that begins with the service."""

    problem: str
    fix: str


@dataclass(frozen=True, slots=True)
class ClientTls:
    """PEM files of one service. ``prefix`` begins the names of their settings; ``url`` is the setting of its address.

    ``authority``: the CA whose certificates are trusted; None: the system's. Without a prefix the service has no
    settings of its own, and OpenSSL's environment names the authorities.
    """

    prefix: str
    url: str
    authority: Path | None = None
    certificate: Path | None = None
    key: Path | None = None

    def context(self) -> ssl.SSLContext:
        """Load the files: the certificate of the service and its name are checked.

        Raises ``ConfigurationError`` for a file that cannot be used, before any handshake fails.
        """
        files = {"CA_FILE": self.authority, "CERTIFICATE_FILE": self.certificate, "KEY_FILE": self.key}
        for name, path in files.items():
            if path is not None:
                require_file(self.prefix + name, path)
        try:
            context = ssl.create_default_context(cafile=str(self.authority) if self.authority else None)
        except (OSError, ssl.SSLError):
            raise ConfigurationError(
                f"{self.prefix}CA_FILE", f"no PEM file of certificates: {self.authority}"
            ) from None
        if self.authority is not None:
            # Python 3.13 refuses authorities without key usage, such as those of ``openssl req -x509``. The operator
            # has configured this one: an update of the interpreter must not break the connection.
            context.verify_flags &= ~ssl.VERIFY_X509_STRICT
        if self.certificate is not None:
            try:
                context.load_cert_chain(self.certificate, self.key)
            except (OSError, ssl.SSLError):
                fix = "certificate and key must be readable PEM files that belong together"
                raise ConfigurationError(f"{self.prefix}CERTIFICATE_FILE", fix) from None
        return context

    def fault(self, error: BaseException) -> TlsFault | None:
        """Return why the handshake failed, if TLS is the reason of ``error``."""
        # The innermost: aiohttp's own error is an SSLCertVerificationError too, without the code of the check.
        found = next((one for one in reversed(list(_causes(error))) if isinstance(one, ssl.SSLError)), None)
        if isinstance(found, ssl.SSLCertVerificationError):
            return TlsFault("is not trusted", self._mistrust(found.verify_code))
        if found is None:
            return None
        reason = (found.reason or "").lower()  # as OpenSSL names the alert that the service sent
        if any(word in reason for word in ("certificate", "unknown_ca", "decrypt_error")):
            return self.refused_certificate()
        if "wrong_version_number" in reason:
            return TlsFault("has no TLS on this port", f"correct {self.url}, or remove {self.prefix}*")
        return None

    def refused_certificate(self) -> TlsFault:
        """Return what to do about a service that does not accept our certificate, or that we have none."""
        name = f"{self.prefix}CERTIFICATE_FILE"
        if self.certificate is None:
            return TlsFault("wants a certificate of its clients", f"set {name} and {self.prefix}KEY_FILE")
        if dated := self.certificate_age():
            return TlsFault("refuses our certificate", f"{name} {dated}: renew it")
        fix = f"{name} is of no authority that it trusts, or is not meant for clients: issue another one"
        return TlsFault("refuses our certificate", fix)

    def certificate_age(self) -> str:
        """Return how our own certificate is out of date; empty if it is valid now, or if there is none."""
        if self.certificate is None:
            return ""
        own = x509.load_pem_x509_certificates(self.certificate.read_bytes())[0]
        now = datetime.now(UTC)
        if own.not_valid_after_utc < now:
            return f"expired on {own.not_valid_after_utc:%Y-%m-%d}"
        return f"is valid from {own.not_valid_before_utc:%Y-%m-%d}" if own.not_valid_before_utc > now else ""

    def _mistrust(self, code: int) -> str:
        if code == EXPIRED:
            return f"its certificate has expired: renew it at the server of {self.url}"
        if code == NOT_YET_VALID:
            return f"its certificate is not valid yet: check the clock, and the server of {self.url}"
        if code in OTHER_NAME:
            return f"its certificate is of another name: connect by the name that is in it, see {self.url}"
        trusted = self.authority or "the system's list"
        correct = f"correct {self.prefix}CA_FILE" if self.prefix else "set SSL_CERT_FILE"
        return f"its certificate is of no authority that we trust ({trusted}): {correct}, or correct {self.url}"


def _causes(error: BaseException) -> Iterator[BaseException]:
    """Yield an error and what caused it: libraries wrap the error of the handshake."""
    seen: BaseException | None = error
    while seen is not None:
        yield seen
        inner = getattr(seen, "orig", None)
        seen = inner if isinstance(inner, BaseException) else seen.__cause__ or seen.__context__
