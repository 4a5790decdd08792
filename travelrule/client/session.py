"""The aiohttp session of both transports: pool limits, no repeats, and the meaning of its exceptions."""

from __future__ import annotations

import ssl

import aiohttp
import httpx

from travelrule.client.errors import BadAnswer, HubError, NoAnswer
from travelrule.client.hub_transport import TransportLimits


def open_session(limits: TransportLimits, tls: ssl.SSLContext | None) -> aiohttp.ClientSession:
    """Open a session with a bounded pool and without cookies, repeats, or proxies from the environment."""
    connector = aiohttp.TCPConnector(
        limit=limits.connections,
        keepalive_timeout=limits.idle_s,
        ssl=tls if tls is not None else True,
    )
    session = aiohttp.ClientSession(
        connector=connector, cookie_jar=aiohttp.DummyCookieJar(), trust_env=False, auto_decompress=True
    )
    # aiohttp repeats GET and PUT on a broken keep-alive connection with the same nonce, without a public switch.
    session._retry_connection = False  # noqa: SLF001
    return session


# The connection was never made, so the request was not received.
_NOT_SENT = (
    aiohttp.ClientConnectorError,
    aiohttp.ConnectionTimeoutError,
    aiohttp.InvalidURL,
    httpx.ConnectError,
    httpx.PoolTimeout,
    httpx.UnsupportedProtocol,
)
# The other side answered, but not with valid HTTP.
_UNREADABLE = (
    aiohttp.ClientResponseError,
    aiohttp.ClientPayloadError,
    httpx.DecodingError,
    httpx.RemoteProtocolError,
)

FOREIGN_ERRORS = (aiohttp.ClientError, httpx.HTTPError, OSError, TimeoutError)
"""What the libraries raise when a request fails; any other exception is a fault of this program and propagates."""


def wrap(operation: str, error: BaseException) -> HubError:
    """Translate a library's exception.

    httpx-aiohttp maps a connection that breaks during the answer to ``httpx.ConnectTimeout``, which means that nothing
    was sent; so the aiohttp exception that caused it decides, if there is one.
    """
    cause = error.__cause__ if isinstance(error.__cause__, aiohttp.ClientError) else error
    if isinstance(cause, _UNREADABLE):
        return BadAnswer(operation, 0, "the connection did not carry a readable HTTP answer")
    return NoAnswer(operation, sent_maybe=not isinstance(cause, _NOT_SENT))
