"""The two transports of signed requests: httpx over aiohttp, and aiohttp alone, which is cheaper.

Profile, 50 requests at once over loopback: the layers of httpx cost some 200 us of CPU per request above aiohttp.
Tests and embedded networks use ``HttpxHubTransport`` with ``httpx.ASGITransport``; a worker that makes many calls uses
``AiohttpHubTransport``. One contract suite runs on both.
"""

from __future__ import annotations

import asyncio
import ssl

import aiohttp
import httpx
from httpx_aiohttp import AiohttpTransport
from yarl import URL

from travelrule.client.auth import HubAuth
from travelrule.client.errors import BadAnswer
from travelrule.client.hub_transport import Outgoing, RawAnswer, TransportLimits
from travelrule.client.session import FOREIGN_ERRORS, open_session, wrap
from travelrule.client.signer import Signer, signature_headers

_TOO_LARGE = "the answer is larger than the limit"


class HttpxHubTransport:
    """httpx with the signing auth flow. ``transport`` None is aiohttp; tests pass an ASGI transport."""

    def __init__(
        self,
        base_url: str,
        origin: str,
        signer: Signer,
        *,
        transport: httpx.AsyncBaseTransport | None = None,
        limits: TransportLimits | None = None,
        tls: ssl.SSLContext | None = None,
    ) -> None:
        limits = limits or TransportLimits()
        self._base_url = base_url.rstrip("/")
        self._auth = HubAuth(origin, signer)
        self._client = httpx.AsyncClient(
            transport=transport or AiohttpTransport(client=lambda: open_session(limits, tls)),
            timeout=httpx.Timeout(None, connect=limits.connect_s, pool=limits.pool_s),
            follow_redirects=False,
            trust_env=False,
        )

    async def send(self, request: Outgoing) -> RawAnswer:
        """Send once; the time limit runs from the wait for a connection to the last byte."""
        operation = request.operation
        outgoing = self._client.build_request(
            operation.method,
            self._base_url + request.path,
            content=request.body or None,
            headers=request.headers,
        )
        try:
            async with asyncio.timeout(operation.read_s):
                answer = await self._client.send(outgoing, auth=self._auth, stream=True)
                try:
                    return await self._read(request, answer)
                finally:
                    await answer.aclose()
        except FOREIGN_ERRORS as error:
            raise wrap(operation.name, error) from error

    async def _read(self, request: Outgoing, answer: httpx.Response) -> RawAnswer:
        body = bytearray()
        async for chunk in answer.aiter_bytes():
            body += chunk
            if len(body) > request.operation.answer_bytes_max:
                raise BadAnswer(request.operation.name, answer.status_code, _TOO_LARGE)
        return RawAnswer(answer.status_code, bytes(body), answer.headers.get("Retry-After", ""))

    async def aclose(self) -> None:
        """Close the client and its pool."""
        await self._client.aclose()


class AiohttpHubTransport:
    """aiohttp without httpx. The first request opens the session, inside the running loop."""

    def __init__(
        self,
        base_url: str,
        origin: str,
        signer: Signer,
        *,
        limits: TransportLimits | None = None,
        tls: ssl.SSLContext | None = None,
    ) -> None:
        self._base_url = base_url.rstrip("/")
        self._origin = origin
        self._signer = signer
        self._limits = limits or TransportLimits()
        self._tls = tls
        self._session: aiohttp.ClientSession | None = None
        self._timeout = aiohttp.ClientTimeout(
            total=None, connect=self._limits.pool_s, sock_connect=self._limits.connect_s
        )

    async def send(self, request: Outgoing) -> RawAnswer:
        """Send once; the time limit runs from the wait for a connection to the last byte."""
        operation = request.operation
        if self._session is None:
            self._session = open_session(self._limits, self._tls)
        try:
            async with asyncio.timeout(operation.read_s):
                signed = await self._signer.sign(request.body)
                async with self._session.request(
                    operation.method,
                    # Already quoted: a second normalisation could change the VASP that the path names.
                    URL(self._base_url + request.path, encoded=True),
                    # As a payload, because aiohttp tests plain bytes against a dozen abstract types.
                    data=aiohttp.BytesPayload(request.body) if request.body else None,
                    headers=request.headers | signature_headers(self._origin, signed),
                    allow_redirects=False,
                    timeout=self._timeout,
                ) as answer:
                    return await self._read(request, answer)
        except FOREIGN_ERRORS as error:
            raise wrap(operation.name, error) from error

    async def _read(self, request: Outgoing, answer: aiohttp.ClientResponse) -> RawAnswer:
        body = bytearray()
        async for chunk in answer.content.iter_any():
            body += chunk
            if len(body) > request.operation.answer_bytes_max:
                answer.close()
                raise BadAnswer(request.operation.name, answer.status, _TOO_LARGE)
        return RawAnswer(answer.status, bytes(body), answer.headers.get("Retry-After", ""))

    async def aclose(self) -> None:
        """Close the session and its pool."""
        if self._session is not None:
            await self._session.close()
