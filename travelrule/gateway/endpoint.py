"""One ASGI application per endpoint: size, deadline, errors, metric.

The server checks the peer's address when it connects (``server.py``).

Endpoints use ASGI without request objects because address verification must stay cheap. Every answer is a documented
one: any failure inside is 503 ``VASP_BACKEND_INTERNAL_ERROR`` (member-api.md 1).
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from time import perf_counter
from typing import Any

import orjson
from starlette.types import Receive, Scope, Send

from schemas.operations import MemberOperation
from travelrule import logs
from travelrule.gateway.refusals import INTERNAL, Refused, internal
from travelrule.gateway.request_origin import Headers, headers_of, require_json
from travelrule.gateway.request_reader import BODY_BYTES_MAX
from travelrule.gateway.senders import Sender
from travelrule.listener.body_room import BodyRoom, Disconnected, HeldBody, NoRoom, TooLarge
from travelrule.metrics import GATEWAY_REQUEST_DURATION_SECONDS

OK = 200
CANNOT_PROCESS = 503
BODILESS = frozenset({"GET", "HEAD"})

log = logs.get("gateway")

Answer = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Call:
    """One request: the headers that matter, in lower case, and the whole body."""

    headers: Headers = field(repr=False)
    body: bytes = field(repr=False)
    held: HeldBody = field(repr=False)

    def count_for(self, sender: Sender) -> None:
        """Count the body for a vouched sender; raise ``Refused`` if it has too many at once."""
        if not sender.vouched:
            return
        try:
            self.held.belongs_to(sender.caller.entity_id)
        except NoRoom:
            raise no_room() from None


Handler = Callable[[Call], Awaitable[Answer]]
"""Returns the body of a 200, or raises ``Refused``."""


@dataclass(frozen=True, slots=True)
class Endpoint:
    """Serves one operation.

    ``late``: the body answered with 200 after ``deadline_s``; None: 503. ``result_field`` names the answer's field that
    the metric is counted by. ``admit`` checks the headers before the body is read, and raises ``Refused``. ``room``
    bounds the bodies in memory, ``body_max`` the bytes of one.
    """

    operation: MemberOperation
    answer: Handler
    deadline_s: float
    result_field: str = "result"
    late: Answer | None = None
    admit: Callable[[Headers], Awaitable[None]] | None = None
    room: BodyRoom = field(default_factory=BodyRoom)
    body_max: int = BODY_BYTES_MAX

    def __post_init__(self) -> None:
        """Begin the count of failures at 0: a rate does not show the first event of a series."""
        GATEWAY_REQUEST_DURATION_SECONDS.labels(self.operation, INTERNAL)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request (ASGI)."""
        started = perf_counter()
        client = scope.get("client")
        with self.room.place(client[0] if client else "") as held:
            try:
                status, body, retry_after = await self._processed(scope, receive, held)
            except Disconnected:
                return
        result = body.get("errorType") or body.get(self.result_field) or "ok"
        duration = perf_counter() - started
        GATEWAY_REQUEST_DURATION_SECONDS.labels(self.operation, result).observe(duration)
        await send_json(send, status, body, retry_after)

    async def _processed(self, scope: Scope, receive: Receive, held: HeldBody) -> tuple[int, Answer, int]:
        """Return status, body and the seconds of ``Retry-After`` (0: no such header)."""
        try:
            async with asyncio.timeout(self.deadline_s):
                headers = headers_of(scope["headers"])
                if scope["method"] not in BODILESS:
                    require_json(headers)
                if self.admit is not None:
                    await self.admit(headers)
                body = await self._body(scope, receive, held)
                return OK, await self.answer(Call(headers, body, held)), 0
        except Refused as refusal:
            log.info("request-refused", operation=self.operation, code=refusal.code)
            return CANNOT_PROCESS, refusal.body, refusal.retry_after_seconds
        except Disconnected:
            raise
        except TimeoutError:
            log.warning("request-late", operation=self.operation, limit_seconds=self.deadline_s)
            return (OK, self.late, 0) if self.late is not None else (CANNOT_PROCESS, internal().body, 0)
        except Exception as error:  # noqa: BLE001
            # The boundary to the hub: a peer receives a documented answer whatever failed here.
            log.error("request-failed", operation=self.operation, error=error)  # noqa: TRY400 -- our own log, which must not hold the text
            return CANNOT_PROCESS, internal().body, 0

    async def _body(self, scope: Scope, receive: Receive, held: HeldBody) -> bytes:
        try:
            return await held.read(scope["headers"], receive, self.body_max)
        except TooLarge:
            fix = f"must not be larger than {self.body_max} bytes"
            raise Refused("INVALID_MSG_FIELD_VALUE", "body", fix) from None
        except NoRoom:
            raise no_room() from None


def no_room() -> Refused:
    """Make the refusal for a body without room."""
    fix = "too many bodies at once; repeat it later"
    return Refused(INTERNAL, "", fix, retry_after_seconds=1)


async def send_json(send: Send, status: int, body: Answer, retry_after_seconds: int = 0) -> None:
    """Send an answer."""
    content = orjson.dumps(body)
    headers = [(b"content-type", b"application/json"), (b"content-length", str(len(content)).encode())]
    if retry_after_seconds:
        headers.append((b"retry-after", str(retry_after_seconds).encode()))
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": content})
