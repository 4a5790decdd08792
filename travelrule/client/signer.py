"""Who signs requests to the hub: a port, and the signer that holds the key (``auth.md`` sections 1, 3, 4)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Protocol

from travelrule.crypto.signing import KeyRing


@dataclass(frozen=True, slots=True)
class SignedHeaders:
    """What proves one request.

    All four are sent literally; each is for one sending only, a repeat needs a new one.
    """

    datetime: str
    nonce: int
    public_key: str
    signature: str = field(repr=False)


class Signer(Protocol):
    """Signs the exact bytes that are sent.

    A payload builder that holds the key elsewhere is another implementation.
    """

    async def sign(self, body: bytes) -> SignedHeaders:
        """Fresh time, fresh nonce, signature over ``body`` (zero bytes for a GET)."""


class Nonces(Protocol):
    """Where nonces come from: unsigned 32-bit, not repeated within 100 s (``crypto.request_nonces.NonceLease``)."""

    async def next(self) -> int:
        """The next nonce."""


class LocalSigner:
    """Signs with the newest own key. ``clock()`` gives aware UTC."""

    def __init__(self, keyring: KeyRing, nonces: Nonces, clock: Callable[[], datetime]) -> None:
        self._key = keyring.signing
        self._nonces = nonces
        self._clock = clock

    async def sign(self, body: bytes) -> SignedHeaders:
        """Sign ``datetime || body || nonce`` with a fresh time and nonce."""
        nonce = await self._nonces.next()
        moment = self._clock().astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
        return SignedHeaders(moment, nonce, self._key.public_base64, self._key.sign(moment, body, nonce))


def signature_headers(origin: str, signed: SignedHeaders) -> dict[str, str]:
    """The five headers of set S; set F has ``X-Code-Req-Remote-PubKey`` besides."""
    return {
        "X-Code-Req-Datetime": signed.datetime,
        "X-Code-Req-Nonce": str(signed.nonce),
        "X-Code-Req-PubKey": signed.public_key,
        "X-Code-Req-Signature": signed.signature,
        "X-Request-Origin": origin,
    }
