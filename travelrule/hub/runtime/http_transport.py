"""HTTP to members and to callback URLs: one aiohttp session with a bounded pool per member.

The pool is bounded per member, not in total: a member that hangs uses up its own connections, and calls to it wait
until their time limit, while calls to other members continue. An answer is read up to a limit.
"""

from __future__ import annotations

import asyncio
import ssl
from functools import lru_cache
from types import TracebackType
from typing import Self

import aiohttp
from yarl import URL

from travelrule.hub.callback_addresses import PublicResolver, is_public, literal_address
from travelrule.hub.members.member import Member
from travelrule.hub.ports import CallbackCall, MemberAnswer, MemberCall, NoMemberAnswer

CONNECTIONS_PER_MEMBER_MAX = 64
ANSWER_BYTES_MAX = 1_048_576
IDLE_SECONDS_MAX = 3.0
"""Shorter than servers usually allow: a POST on a connection that its server just closed cannot be repeated."""


@lru_cache(maxsize=4096)
def _endpoint(base_url: str, path: str) -> URL:
    return URL(base_url + path, encoded=True)


class HttpTransport:
    """``MemberTransport`` and ``CallbackTransport`` over HTTP.

    The first call opens the session; ``aclose`` closes it. With ``inside_callbacks`` callbacks may go to private
    addresses.
    """

    def __init__(
        self,
        *,
        connections_per_member: int = CONNECTIONS_PER_MEMBER_MAX,
        answer_bytes_max: int = ANSWER_BYTES_MAX,
        tls: ssl.SSLContext | None = None,
        inside_callbacks: bool = False,
    ) -> None:
        self._connections_per_member = connections_per_member
        self._answer_bytes_max = answer_bytes_max
        self._tls = tls
        self._inside_callbacks = inside_callbacks
        self._session: aiohttp.ClientSession | None = None
        self._callback_session: aiohttp.ClientSession | None = None

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.aclose()

    async def aclose(self) -> None:
        """Close every connection."""
        sessions = (self._session, self._callback_session)
        self._session = self._callback_session = None
        for session in sessions:
            if session is not None:
                await session.close()

    async def forward(self, member: Member, call: MemberCall) -> MemberAnswer:
        """Deliver the call to the member's server. Raises ``NoMemberAnswer``."""
        if not member.base_url:
            raise NoMemberAnswer(reached=False)
        try:
            async with self._opened().request(
                call.operation.method,
                _endpoint(member.base_url, call.operation.member_path),
                data=call.body or None,
                headers=call.headers,
                allow_redirects=False,
            ) as response:
                return MemberAnswer(response.status, await self._body(response))
        except aiohttp.ClientConnectorError:
            raise NoMemberAnswer(reached=False) from None
        except (aiohttp.ClientError, OSError, ValueError):
            raise NoMemberAnswer(reached=True) from None

    async def post_callback(self, call: CallbackCall) -> int:
        """Send one POST and return the status of its answer. Raises ``NoMemberAnswer``.

        Without ``inside_callbacks`` the address must be public.
        """
        address = literal_address(URL(call.url).host or "")
        if not self._inside_callbacks and address is not None and not is_public(address):
            raise NoMemberAnswer(reached=False)
        try:
            async with (
                asyncio.timeout(call.timeout_seconds),
                self._callbacks().post(
                    call.url,
                    data=call.body,
                    headers={"Content-Type": "application/json"},
                    allow_redirects=False,
                ) as response,
            ):
                return response.status
        except (aiohttp.ClientConnectorError, aiohttp.InvalidURL):
            raise NoMemberAnswer(reached=False) from None
        except (TimeoutError, aiohttp.ClientError, OSError, ValueError):
            raise NoMemberAnswer(reached=True) from None

    async def _body(self, response: aiohttp.ClientResponse) -> bytes:
        """Return the body of an answer; empty if it is larger than the limit."""
        if response.content_length is not None and response.content_length <= self._answer_bytes_max:
            return await response.read()
        parts: list[bytes] = []
        size = 0
        while size <= self._answer_bytes_max:
            part = await response.content.read(self._answer_bytes_max + 1 - size)
            if not part:
                return b"".join(parts)
            parts.append(part)
            size += len(part)
        response.close()
        return b""

    def _opened(self) -> aiohttp.ClientSession:
        if self._session is None:
            self._session = self._new_session(None)
        return self._session

    def _callbacks(self) -> aiohttp.ClientSession:
        # Callbacks have their own session: a connection to a member at a private address must not serve a callback.
        if self._callback_session is None:
            self._callback_session = self._new_session(None if self._inside_callbacks else PublicResolver())
        return self._callback_session

    def _new_session(self, resolver: PublicResolver | None) -> aiohttp.ClientSession:
        connector = aiohttp.TCPConnector(
            limit=0,
            limit_per_host=self._connections_per_member,
            keepalive_timeout=IDLE_SECONDS_MAX,
            ssl=self._tls or True,
            resolver=resolver,
        )
        return aiohttp.ClientSession(
            connector=connector,
            cookie_jar=aiohttp.DummyCookieJar(),
            # The request offers no encoding, and a small answer must not decompress into a large one.
            auto_decompress=False,
            # The hub's limit covers the whole exchange; aiohttp's timers would only cost time.
            timeout=aiohttp.ClientTimeout(total=None, sock_connect=None),
            headers={"Accept": "application/json"},
            skip_auto_headers=("Accept-Encoding", "User-Agent"),
        )
