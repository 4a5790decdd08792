"""The signer of requests to the hub: a port, and the signer that holds the key (``auth.md`` sections 1, 3, 4)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Protocol

from travelrule.crypto.signing import KeyRing


@dataclass(frozen=True, slots=True)
class SignedHeaders:
    """The four headers that authenticate one sending of a request; a repeat needs new ones."""

    datetime: str
    nonce: int
    public_key: str
    signature: str = field(repr=False)


class Signer(Protocol):
    """Signs the exact bytes that are sent. An implementation may hold the key outside this process."""

    async def sign(self, body: bytes) -> SignedHeaders:
        """Return a new time, a new nonce and the signature over ``body`` (zero bytes for a GET)."""


class Nonces(Protocol):
    """Source of nonces: unsigned 32-bit, not repeated within 100 s (``crypto.request_nonces.NonceLease``)."""

    async def next(self) -> int:
        """Return the next nonce."""


class LocalSigner:
    """Signs with our newest key. ``clock()`` returns aware UTC."""

    def __init__(self, keyring: KeyRing, nonces: Nonces, clock: Callable[[], datetime]) -> None:
        self._key = keyring.signing
        self._nonces = nonces
        self._clock = clock

    async def sign(self, body: bytes) -> SignedHeaders:
        """Sign ``datetime || body || nonce`` with a new time and nonce."""
        nonce = await self._nonces.next()
        moment = self._clock().astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
        return SignedHeaders(moment, nonce, self._key.public_base64, self._key.sign(moment, body, nonce))


def signature_headers(origin: str, signed: SignedHeaders) -> dict[str, str]:
    """Return the five headers of set S; set F adds ``X-Code-Req-Remote-PubKey``."""
    return {
        "X-Code-Req-Datetime": signed.datetime,
        "X-Code-Req-Nonce": str(signed.nonce),
        "X-Code-Req-PubKey": signed.public_key,
        "X-Code-Req-Signature": signed.signature,
        "X-Request-Origin": origin,
    }
