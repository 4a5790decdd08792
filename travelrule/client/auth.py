"""Signing as an httpx auth flow: what is signed is ``request.content``, the bytes that httpx will send."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Generator

import httpx

from travelrule.client.signer import Signer, signature_headers


class HubAuth(httpx.Auth):
    """Puts the header set S on a request (``auth.md`` section 1).

    The sixth header of set F is put on by the caller, who chose the key. Each sending is signed afresh,
    because time and nonce are for one sending only.
    """

    requires_request_body = True

    def __init__(self, origin: str, signer: Signer) -> None:
        self._origin = origin
        self._signer = signer

    async def async_auth_flow(self, request: httpx.Request) -> AsyncGenerator[httpx.Request, httpx.Response]:
        """Read the whole body, sign it, send."""
        body = await request.aread()
        request.headers.update(signature_headers(self._origin, await self._signer.sign(body)))
        yield request

    def sync_auth_flow(self, request: httpx.Request) -> Generator[httpx.Request, httpx.Response, None]:
        """Refused: without this, httpx would send an unsigned request from a blocking client."""
        raise RuntimeError(f"signing is asynchronous: {request.method} cannot be sent by a blocking client")
        yield request  # pragma: no cover -- makes this a generator, as httpx expects
