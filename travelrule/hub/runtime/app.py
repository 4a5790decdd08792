"""The hub as an ASGI application: raw bytes in, raw bytes out (hub-api.md section 1).

Starlette routes; everything behind it works on the scope directly, because a request object costs more than the checks.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractAsyncContextManager
from typing import Protocol

from starlette.applications import Starlette
from starlette.datastructures import QueryParams
from starlette.routing import BaseRoute, Route
from starlette.types import Receive, Scope, Send

from schemas.operations import HUB_OPERATIONS
from travelrule import logs
from travelrule.hub.hub_answer import HubAnswer, HubFault, internal_error
from travelrule.hub.operations import OPERATIONS, HubOperation
from travelrule.hub.runtime.call_admission import SINGLE_HEADERS, HubRequest
from travelrule.listener.body_room import BodyRoom, Disconnected, HeldBody, NoRoom, TooLarge
from travelrule.listener.route_refusals import EXCEPTION_HANDLERS

log = logs.get("hub")

BODY_BYTES_MAX = 1_048_576
RETRY_SECONDS = 1
"""``Retry-After`` when there is no room for a body: room is free again within moments."""

Lifespan = Callable[[Starlette], AbstractAsyncContextManager[None]]


class OperationService(Protocol):
    """Answers requests: ``HubService``, or the sandbox's service with faults."""

    async def serve(self, operation: HubOperation, request: HubRequest) -> HubAnswer:
        """Return the answer to one request."""


class OperationEndpoint:
    """One operation as an ASGI application."""

    def __init__(self, service: OperationService, operation: HubOperation, bodies: BodyRoom) -> None:
        self._service = service
        self._operation = operation
        self._bodies = bodies

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer the request; no exception reaches the server."""
        client = scope.get("client")
        headers = {name.decode("latin-1"): value.decode("latin-1") for name, value in scope["headers"]}
        if twice := _sent_twice(scope["headers"]):
            await HubFault(422, "INVALID_MSG_FIELD_VALUE", f"{twice} is sent twice").answer()(scope, receive, send)
            return
        source = client[0] if client else ""
        with self._bodies.place(source) as held:
            request = HubRequest(
                headers=headers,
                target=scope["path_params"].get("target", ""),
                source=source,
                read_body=lambda: _read_body(held, scope, receive),
                request_id=_request_id(scope, self._operation),
                belongs_to=lambda member: _belongs_to(held, member),
            )
            try:
                answer = await self._service.serve(self._operation, request)
            except Disconnected:
                return
            except Exception as error:  # noqa: BLE001 -- the edge: every failure is answered in the one shape
                log.error("hub-failed", operation=self._operation.label, error=error)  # noqa: TRY400 -- no texts in logs
                answer = internal_error().answer()
        await answer(scope, receive, send)


def _sent_twice(headers: Sequence[tuple[bytes, bytes]]) -> str:
    """Return a header of ``SINGLE_HEADERS`` that was sent more than once; empty if none was."""
    names = [name.decode("latin-1") for name, _ in headers]
    return next((name for name in SINGLE_HEADERS if names.count(name) > 1), "")


def _request_id(scope: Scope, operation: HubOperation) -> str:
    if not operation.query:
        in_path: str = scope["path_params"].get("request_id", "")
        return in_path
    return QueryParams(scope["query_string"]).get(operation.query, "")


async def _read_body(held: HeldBody, scope: Scope, receive: Receive) -> bytes:
    """Return the exact body bytes. Raises ``HubFault`` 422 for more than ``BODY_BYTES_MAX``, 429 without room."""
    try:
        return await held.read(scope["headers"], receive, BODY_BYTES_MAX)
    except TooLarge:
        raise HubFault(422, "INVALID_MSG_FIELD_VALUE", "the body is too large") from None
    except NoRoom:
        raise _no_room() from None


def _belongs_to(held: HeldBody, member: str) -> None:
    try:
        held.belongs_to(member)
    except NoRoom:
        raise _no_room() from None


def _no_room() -> HubFault:
    return HubFault(429, "TOO_MANY_REQUESTS", "too many bodies at once: send it again later", RETRY_SECONDS)


def hub_routes(service: OperationService, bodies: BodyRoom | None = None) -> list[Route]:
    """Return one route per path of every operation."""
    bodies = bodies or BodyRoom()
    return [
        Route(path, OperationEndpoint(service, operation, bodies), methods=[operation.method])
        for operation in map(OPERATIONS.__getitem__, HUB_OPERATIONS)
        for path in operation.paths
    ]


def create_hub(
    service: OperationService,
    *,
    more: Sequence[BaseRoute] = (),
    lifespan: Lifespan | None = None,
    bodies: BodyRoom | None = None,
) -> Starlette:
    """Return the hub over a service.

    ``more`` are routes beside the operations. ``lifespan`` runs health polling and the member transport. ``bodies``
    bounds the request bodies in memory.
    """
    routes = hub_routes(service, bodies)
    app = Starlette(routes=[*routes, *more], exception_handlers=EXCEPTION_HANDLERS, lifespan=lifespan)
    app.router.redirect_slashes = False
    return app
