"""POST /callbacks/<operation>/<token>: the hub reports that a search, an analysis or a session has ended.

See member-api.md section 11. Callbacks are not signed, so the body is used only for the id of the search, and the only
effect of a callback is that the result is requested at once. An unknown token is answered like a path that does not
exist. Each search causes at most one request per second.
"""

from __future__ import annotations

import asyncio
from datetime import datetime
from time import perf_counter
from uuid import UUID

import orjson
from cachetools import TTLCache
from starlette.exceptions import HTTPException
from starlette.types import Receive, Scope, Send

from schemas.operations import Operation
from travelrule import logs
from travelrule.engine.callback_urls import SearchRecord
from travelrule.gateway.dependencies import GatewayDeps
from travelrule.gateway.endpoint import (
    CANNOT_PROCESS,
    OK,
    Answer,
    no_room,
    send_json,
)
from travelrule.gateway.refusals import INTERNAL, Refused, internal
from travelrule.gateway.request_inputs import SALT_BYTES
from travelrule.gateway.request_origin import headers_of, require_json
from travelrule.listener.body_room import Disconnected, HeldBody, NoRoom, TooLarge
from travelrule.machine.input import Input
from travelrule.machine.sources import InternalSource, internal_input
from travelrule.messages.arrival import SearchCalledBack
from travelrule.metrics import GATEWAY_REQUEST_DURATION_SECONDS

KIND = "search.called-back"
BODY_BYTES_MAX = 1024 * 1024
PAUSE_S = 1
NOT_FOUND = 404
TOO_LARGE = 413
UNSUPPORTED_TYPE = 415
KEPT_MAX = 4096

NAMED_BY_HUB = frozenset({Operation.KYT_SEARCH, Operation.UNHOSTED_TOKEN})
"""The operations whose id the hub makes; it may be unknown here when the hub calls back."""

log = logs.get("gateway")


class Callback:
    """Serves the callbacks of one operation (ASGI)."""

    def __init__(self, operation: Operation, deps: GatewayDeps) -> None:
        self.operation = operation
        self.deps = deps
        self._recent: TTLCache[str, bool] = TTLCache(KEPT_MAX, PAUSE_S, lambda: deps.clock().timestamp())
        """The searches that were called back within the last second in this process."""
        GATEWAY_REQUEST_DURATION_SECONDS.labels(f"{operation}-callback", INTERNAL)  # begins at 0: the first one is seen

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one callback."""
        started = perf_counter()
        try:
            client = scope.get("client")
            with self.deps.bodies.place(client[0] if client else "") as held:
                status, body = await self._processed(str(scope["path_params"]["token"]), scope, receive, held)
        except Disconnected:
            return
        result = body.get("errorType") or body.get("result") or str(status)
        GATEWAY_REQUEST_DURATION_SECONDS.labels(f"{self.operation}-callback", result).observe(perf_counter() - started)
        if status == NOT_FOUND:
            # The same answer as for a path that has no route.
            raise HTTPException(NOT_FOUND)
        await send_json(send, status, body)

    async def _processed(self, token: str, scope: Scope, receive: Receive, held: HeldBody) -> tuple[int, Answer]:
        try:
            async with asyncio.timeout(self.deps.deadline_s):
                search = await self.deps.searches.find(self.operation, token)
                if search is None:
                    return NOT_FOUND, {}
                body = await held.read(scope["headers"], receive, BODY_BYTES_MAX)
                if body:
                    require_json(headers_of(scope["headers"]))
                return OK, {"result": await self._arrived(search, body)}
        except Refused as refusal:
            return UNSUPPORTED_TYPE, refusal.body
        except TooLarge:
            return TOO_LARGE, {"errorType": "INVALID_MSG_FIELD_VALUE"}
        except Disconnected:
            raise
        except NoRoom:
            return CANNOT_PROCESS, no_room().body
        except Exception as error:  # noqa: BLE001
            # The boundary to the hub: it receives an answer whatever failed here. Polling finds the result.
            log.error("callback-failed", operation=self.operation, error=error)  # noqa: TRY400 -- our own log, which must not hold the text
            return CANNOT_PROCESS, internal().body

    async def _arrived(self, search: SearchRecord, body: bytes) -> str:
        now = self.deps.clock()
        if not _concerns(search, body):
            log.info("callback-ignored", operation=self.operation, reason="other-request")
            return "ignored"
        if search.request_id in self._recent:
            return "ignored"
        await self.deps.intake.submit(self._input(search, now))
        # Entered only after the commit: the hub may repeat a callback that could not be stored.
        self._recent[search.request_id] = True
        return "ok"

    def _input(self, search: SearchRecord, now: datetime) -> Input:
        """Make one input per search and second, for any number of processes and callbacks."""
        data = SearchCalledBack(operation=Operation(search.operation), request_id=search.request_id)
        return internal_input(
            InternalSource.GATEWAY,
            f"{search.operation}/{search.request_id}/{int(now.timestamp())}",
            KIND,
            search.subject,
            data,
            path="callbacks",
            at=now,
            content=orjson.dumps(data.to_wire(), option=orjson.OPT_SORT_KEYS),
            salt=UUID(bytes=self.deps.randomness(SALT_BYTES), version=4),
        )


def _concerns(search: SearchRecord, body: bytes) -> bool:
    """Return whether the body names this search, or none that can be read."""
    if search.operation in NAMED_BY_HUB:
        return True
    try:
        content = orjson.loads(body)
    except orjson.JSONDecodeError:
        return True
    if not isinstance(content, dict):
        return True
    named = content.get("requestId")
    return named in (None, "", {}) or named == search.request_id
