"""The signature as an httpx auth flow, over ``request.content``: the bytes that httpx sends."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Generator

import httpx

from travelrule.client.signer import Signer, signature_headers


class HubAuth(httpx.Auth):
    """Sets the header set S on a request (``auth.md`` section 1).

    The client sets the sixth header of set F. Each sending has its own signature, because time and nonce are valid for
    one sending only.
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
        """Raise: without this method, a blocking httpx client sends unsigned requests."""
        raise RuntimeError(f"signing is asynchronous: {request.method} cannot be sent by a blocking client")
        yield request  # pragma: no cover -- makes this a generator, as httpx expects
