"""The sandbox as an ASGI application: the hub's operations, its widget and the control endpoints on one port."""

from __future__ import annotations

from starlette.applications import Starlette

from travelrule.hub.runtime.app import Lifespan, hub_routes
from travelrule.hub.unhosted.widget.routes import widget_routes
from travelrule.listener.route_refusals import EXCEPTION_HANDLERS
from travelrule.sandbox.control_endpoints import ControlEndpoints
from travelrule.sandbox.journal import SandboxJournal
from travelrule.sandbox.sandbox_network import Sandbox


def create_sandbox(sandbox: Sandbox, journal: SandboxJournal, *, lifespan: Lifespan | None = None) -> Starlette:
    """Return the application of a sandbox. ``lifespan`` runs health polling and the transport."""
    routes = [
        *hub_routes(sandbox.service),
        *widget_routes(sandbox.widget),
        *ControlEndpoints(sandbox, journal).routes(),
    ]
    app = Starlette(routes=routes, exception_handlers=EXCEPTION_HANDLERS, lifespan=lifespan)
    app.router.redirect_slashes = False
    return app
