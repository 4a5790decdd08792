"""The aiohttp session below both transports: pool limits, no repeats, and what its exceptions mean."""

from __future__ import annotations

import ssl

import aiohttp
import httpx

from travelrule.client.errors import BadAnswer, HubError, NoAnswer
from travelrule.client.wire import Limits


def open_session(limits: Limits, tls: ssl.SSLContext | None) -> aiohttp.ClientSession:
    """A session with a bounded pool and without cookies, repeats, or proxies from the environment."""
    connector = aiohttp.TCPConnector(
        limit=limits.connections,
        keepalive_timeout=limits.idle_s,
        ssl=tls if tls is not None else True,
    )
    session = aiohttp.ClientSession(
        connector=connector, cookie_jar=aiohttp.DummyCookieJar(), trust_env=False, auto_decompress=True
    )
    # aiohttp repeats GET and PUT on a broken keep-alive connection with the same nonce; it has no public
    # switch for it.
    session._retry_connection = False  # noqa: SLF001
    return session


# The connection was never made, so the request cannot have been read by anybody.
_NOT_SENT = (
    aiohttp.ClientConnectorError,
    aiohttp.ConnectionTimeoutError,
    aiohttp.InvalidURL,
    httpx.ConnectError,
    httpx.PoolTimeout,
    httpx.UnsupportedProtocol,
)
# The other side spoke, but not HTTP as we understand it.
_UNREADABLE = (
    aiohttp.ClientResponseError,
    aiohttp.ClientPayloadError,
    httpx.DecodingError,
    httpx.RemoteProtocolError,
)

FOREIGN_ERRORS = (aiohttp.ClientError, httpx.HTTPError, OSError, TimeoutError)
"""What the libraries raise when a request fails; everything else is an error of ours and passes through."""


def wrap(operation: str, error: BaseException) -> HubError:
    """The library's exception as one of ours.

    httpx-aiohttp maps a connection broken in mid-answer to ``httpx.ConnectTimeout``, which would claim that
    nothing was sent; so the aiohttp exception behind it decides where there is one.
    """
    cause = error.__cause__ if isinstance(error.__cause__, aiohttp.ClientError) else error
    if isinstance(cause, _UNREADABLE):
        return BadAnswer(operation, 0, "the connection did not carry a readable HTTP answer")
    return NoAnswer(operation, sent_maybe=not isinstance(cause, _NOT_SENT))
