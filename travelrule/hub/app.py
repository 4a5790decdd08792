"""The hub as an ASGI application: raw bytes in, raw bytes out (hub-api.md section 1).

Routing is Starlette's; everything after it works on the scope directly, because the hub stands in every path
and the convenience around a request costs more than the checks.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractAsyncContextManager
from typing import Any, Protocol

from starlette.applications import Starlette
from starlette.datastructures import QueryParams
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route
from starlette.types import Receive, Scope, Send

from travelrule import logs
from travelrule.hub.admission import HubRequest
from travelrule.hub.answers import HubAnswer, HubFault, internal_error
from travelrule.hub.operations import OPERATIONS, Operation

log = logs.get("hub")

BODY_BYTES_MAX = 1_048_576

Lifespan = Callable[[Starlette], AbstractAsyncContextManager[None]]


class Serving(Protocol):
    """What answers requests: ``HubService``."""

    async def serve(self, operation: Operation, request: HubRequest) -> HubAnswer:
        """Answer one request."""


class Endpoint:
    """One operation as an ASGI application."""

    def __init__(self, service: Serving, operation: Operation) -> None:
        self._service = service
        self._operation = operation

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer the request; nothing that goes wrong here reaches the server."""
        client = scope.get("client")
        request = HubRequest(
            headers={name.decode("latin-1"): value.decode("latin-1") for name, value in scope["headers"]},
            target=scope["path_params"].get("target", ""),
            source=client[0] if client else "",
            read_body=lambda: _read_body(receive),
            request_id=_request_id(scope, self._operation),
        )
        try:
            answer = await self._service.serve(self._operation, request)
        except ClientDisconnect:
            return
        except Exception as error:  # noqa: BLE001 -- the edge: whatever failed, the caller is told in the one shape
            log.error("hub-failed", operation=self._operation.name, error=error)  # noqa: TRY400 -- no texts in logs
            answer = internal_error().answer()
        await answer(scope, receive, send)


def _request_id(scope: Scope, operation: Operation) -> str:
    if not operation.query:
        in_path: str = scope["path_params"].get("request_id", "")
        return in_path
    return QueryParams(scope["query_string"]).get(operation.query, "")


async def _read_body(receive: Receive) -> bytes:
    """Return the exact body bytes. Raises ``HubFault`` 422 for more than ``BODY_BYTES_MAX``."""
    message = await receive()
    if message["type"] == "http.request" and not message.get("more_body"):
        body: bytes = message.get("body", b"")
        return _limited(body)
    parts: list[bytes] = []
    size = 0
    while message["type"] == "http.request":
        parts.append(message.get("body", b""))
        size += len(parts[-1])
        if size > BODY_BYTES_MAX or not message.get("more_body"):
            return _limited(b"".join(parts))
        message = await receive()
    raise ClientDisconnect


def _limited(body: bytes) -> bytes:
    if len(body) > BODY_BYTES_MAX:
        raise HubFault(422, "INVALID_MSG_FIELD_VALUE", "the body is too large")
    return body


def hub_routes(service: Serving) -> list[Route]:
    """One route per path of an operation of the table."""
    return [
        Route(path, Endpoint(service, operation), methods=[operation.method])
        for operation in OPERATIONS
        for path in operation.paths
    ]


async def _in_one_shape(_: Request, error: Exception) -> Response:
    """Unknown paths and methods answer in the error shape of every other refusal."""
    status = error.status_code if isinstance(error, HTTPException) else 500
    error_type = {404: "NOT_FOUND", 405: "METHOD_NOT_ALLOWED"}.get(status, "CODE_SERVER_INTERNAL_ERROR")
    answer = HubFault(status, error_type, "no such operation").answer()
    return Response(answer.body, status, media_type="application/json")


EXCEPTION_HANDLERS: dict[Any, Any] = {HTTPException: _in_one_shape}


def create_hub(service: Serving, *, more: Sequence[BaseRoute] = (), lifespan: Lifespan | None = None) -> Starlette:
    """Return the hub over a service.

    ``more`` are routes beside the operations, ``lifespan`` runs what lives beside it: health polling, the member
    transport.
    """
    app = Starlette(routes=[*hub_routes(service), *more], exception_handlers=EXCEPTION_HANDLERS, lifespan=lifespan)
    app.router.redirect_slashes = False
    return app
