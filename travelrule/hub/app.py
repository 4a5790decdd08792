"""The hub as an ASGI application: raw bytes in, raw bytes out (hub-api.md section 1).

Routing is Starlette's; everything after it works on the scope directly, because the hub stands in every path
and the convenience around a request costs more than the checks.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractAsyncContextManager
from typing import Protocol

from starlette.applications import Starlette
from starlette.datastructures import QueryParams
from starlette.requests import ClientDisconnect
from starlette.routing import BaseRoute, Route
from starlette.types import Receive, Scope, Send

from travelrule import logs
from travelrule.hub.admission import SINGLE_HEADERS, HubRequest
from travelrule.hub.answers import HubAnswer, HubFault, internal_error
from travelrule.hub.operations import OPERATIONS, Operation
from travelrule.listener.route_refusals import EXCEPTION_HANDLERS

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
        headers = {name.decode("latin-1"): value.decode("latin-1") for name, value in scope["headers"]}
        if twice := _sent_twice(scope["headers"]):
            await HubFault(422, "INVALID_MSG_FIELD_VALUE", f"{twice} is sent twice").answer()(scope, receive, send)
            return
        request = HubRequest(
            headers=headers,
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


def _sent_twice(headers: Sequence[tuple[bytes, bytes]]) -> str:
    """Name a header of ``SINGLE_HEADERS`` that came more than once."""
    names = [name.decode("latin-1") for name, _ in headers]
    return next((name for name in SINGLE_HEADERS if names.count(name) > 1), "")


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


def create_hub(service: Serving, *, more: Sequence[BaseRoute] = (), lifespan: Lifespan | None = None) -> Starlette:
    """Return the hub over a service.

    ``more`` are routes beside the operations, ``lifespan`` runs what lives beside it: health polling, the member
    transport.
    """
    app = Starlette(routes=[*hub_routes(service), *more], exception_handlers=EXCEPTION_HANDLERS, lifespan=lifespan)
    app.router.redirect_slashes = False
    return app
