"""How the gateway is served: which machines may connect, TLS, limits, and the time to end."""

from __future__ import annotations

from collections.abc import Sequence

from starlette.types import ASGIApp

from travelrule.gateway.source_networks import Network, Sources
from travelrule.gateway.tls import Tls, server_context
from travelrule.listener.descriptors import fitted
from travelrule.listener.limits import ListenerLimits
from travelrule.listener.server import ListenerServer

LIMITS = ListenerLimits(answer_seconds=30.0)
"""No operation takes longer than ``deadline_s`` of ``GatewayDeps``; the rest is for the peer to take the answer."""

DESCRIPTORS_BESIDE = 512
"""Database, broker, hub, files, and the metrics port: health is answered whatever the gateway holds."""

GRACE_SECONDS = 30
"""A body that has begun (15 s) and its answer (8 s) fit in, and the whole fits into the watchdog of a process."""


def gateway_server(
    app: ASGIApp, sources: Sequence[Network], tls: Tls | None, limits: ListenerLimits = LIMITS
) -> ListenerServer:
    """Make the server for ``app``. Raises ``ConfigurationError`` for TLS files that cannot be used.

    The only check of a peer's address is the one when it connects: forwarded-for headers are not looked at.
    """
    return ListenerServer(
        app,
        name="gateway",
        limits=fitted("gateway", limits, DESCRIPTORS_BESIDE),
        allow=Sources(sources).allow,
        tls=server_context(tls),
        grace_seconds=GRACE_SECONDS,
    )
