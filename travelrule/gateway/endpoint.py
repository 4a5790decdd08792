"""What all endpoints share, as one ASGI application per endpoint: size, deadline, errors, metric.

Which machines may call is decided when they connect (``server.py``).

Written against ASGI and not against request objects because address verification must stay cheap. Nothing
leaves this file but a documented answer: whatever goes wrong inside is 503 ``VASP_BACKEND_INTERNAL_ERROR``
(member-api.md 1).
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from time import perf_counter
from typing import Any

import orjson
from starlette.types import Receive, Scope, Send

from travelrule import logs
from travelrule.gateway.bodies import BODY_BYTES_MAX
from travelrule.gateway.callers import Headers, headers_of, require_json
from travelrule.gateway.refusals import Refused, internal
from travelrule.metrics import GATEWAY_REQUEST_DURATION_SECONDS

OK = 200
CANNOT_PROCESS = 503

log = logs.get("gateway")

Answer = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Call:
    """One request: the headers that matter, in lower case, and the whole body."""

    headers: Headers = field(repr=False)
    body: bytes = field(repr=False)


class Disconnected(Exception):  # noqa: N818 -- says what happened
    """The peer went away before its request was whole."""


@dataclass(frozen=True, slots=True)
class Endpoint:
    """Serves one operation. ``answer`` gives the body of a 200, or raises ``Refused``.

    ``late``: the body answered with 200 when ``deadline_s`` is over; None: 503. ``result_field`` names the
    answer's field that the metric is counted by. ``admit`` looks at the headers before the body is read, and raises
    ``Refused``.
    """

    operation: str
    answer: Callable[[Call], Awaitable[Answer]]
    deadline_s: float
    result_field: str = "result"
    late: Answer | None = None
    admit: Callable[[Headers], Awaitable[None]] | None = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request (ASGI)."""
        started = perf_counter()
        try:
            status, body, retry_after = await self._processed(scope, receive)
        except Disconnected:
            return
        result = body.get("errorType") or body.get(self.result_field) or "ok"
        duration = perf_counter() - started
        GATEWAY_REQUEST_DURATION_SECONDS.labels(self.operation, result).observe(duration)
        await send_json(send, status, body, retry_after)

    async def _processed(self, scope: Scope, receive: Receive) -> tuple[int, Answer, int]:
        """Give status, body and the seconds of ``Retry-After``, 0 without."""
        try:
            async with asyncio.timeout(self.deadline_s):
                headers = headers_of(scope["headers"])
                if scope["method"] != "GET":
                    require_json(headers)
                if self.admit is not None:
                    await self.admit(headers)
                body = await read_body(receive, BODY_BYTES_MAX, _too_large)
                return OK, await self.answer(Call(headers, body)), 0
        except Refused as refusal:
            log.info("request-refused", operation=self.operation, code=refusal.code)
            return CANNOT_PROCESS, refusal.body, refusal.retry_after_seconds
        except Disconnected:
            raise
        except TimeoutError:
            log.warning("request-late", operation=self.operation, limit_seconds=self.deadline_s)
            return (OK, self.late, 0) if self.late is not None else (CANNOT_PROCESS, internal().body, 0)
        except Exception as error:  # noqa: BLE001
            # The boundary to the hub: a peer gets a documented answer whatever happened here.
            log.error("request-failed", operation=self.operation, error=error)  # noqa: TRY400 -- our own log, which must not hold the text
            return CANNOT_PROCESS, internal().body, 0


def _too_large() -> Refused:
    return Refused("INVALID_MSG_FIELD_VALUE", "body", f"must not be larger than {BODY_BYTES_MAX} bytes")


async def read_body(receive: Receive, limit: int, too_large: Callable[[], Exception]) -> bytes:
    """Read a whole body of at most ``limit`` bytes; raise ``too_large()`` or ``Disconnected``."""
    chunks: list[bytes] = []
    size = 0
    while True:
        message = await receive()
        if message["type"] == "http.disconnect":
            raise Disconnected
        chunk = message.get("body", b"")
        size += len(chunk)
        if size > limit:
            raise too_large()
        chunks.append(chunk)
        if not message.get("more_body", False):
            return chunks[0] if len(chunks) == 1 else b"".join(chunks)


async def send_json(send: Send, status: int, body: Answer, retry_after_seconds: int = 0) -> None:
    """Send a whole answer."""
    content = orjson.dumps(body)
    headers = [(b"content-type", b"application/json"), (b"content-length", str(len(content)).encode())]
    if retry_after_seconds:
        headers.append((b"retry-after", str(retry_after_seconds).encode()))
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": content})
