"""The ASGI application that the hub calls: member endpoints M1 to M8 and callbacks (member-api.md)."""

from __future__ import annotations

from starlette.applications import Starlette
from starlette.routing import Route

from schemas.operations import CALLED_BACK, MEMBER_ROUTES, MemberOperation
from travelrule.engine.callback_urls import CALLBACK_PATH
from travelrule.gateway.admission import Admission
from travelrule.gateway.callbacks import Callback
from travelrule.gateway.dependencies import GatewayDeps
from travelrule.gateway.endpoint import Endpoint
from travelrule.gateway.endpoint_table import ENDPOINTS, EndpointParts
from travelrule.gateway.request_reader import BODY_BYTES_MAX, CLEAR_BODY_BYTES_MAX
from travelrule.listener.route_refusals import EXCEPTION_HANDLERS

__all__ = ["GatewayDeps", "create_gateway"]


def create_gateway(deps: GatewayDeps) -> Starlette:
    """Make the gateway of one VASP. Pairs of routes that differ only by method are M4 and M5, M6 and M7."""
    parts = EndpointParts.of(deps)
    app = Starlette(
        routes=[*(_member_route(operation, parts) for operation in ENDPOINTS), *_callback_routes(deps)],
        exception_handlers=EXCEPTION_HANDLERS,
    )
    # Paths are exact: a redirect would be an answer that the hub cannot use.
    app.router.redirect_slashes = False
    return app


def _member_route(operation: MemberOperation, parts: EndpointParts) -> Route:
    deps, row, route = parts.deps, ENDPOINTS[operation], MEMBER_ROUTES[operation]
    endpoint = Endpoint(
        operation,
        row.make(parts),
        deps.verify_deadline_s if row.quick else deps.deadline_s,
        result_field=row.result_field,
        late=row.late,
        admit=None if row.anonymous else Admission(operation, deps.rates, key_needed=row.sealed),
        room=deps.bodies,
        body_max=BODY_BYTES_MAX if row.sealed else CLEAR_BODY_BYTES_MAX,
    )
    return Route(route.path, endpoint, methods=[route.method])


def _callback_routes(deps: GatewayDeps) -> list[Route]:
    return [
        Route(CALLBACK_PATH.replace("{operation}", operation), Callback(operation, deps), methods=["POST"])
        for operation in CALLED_BACK
    ]
