"""The server of the gateway: allowed peers, TLS, limits, and the grace period."""

from __future__ import annotations

from collections.abc import Sequence

from starlette.types import ASGIApp

from travelrule.gateway.source_networks import Network, Sources
from travelrule.gateway.tls import Tls, server_context
from travelrule.listener.descriptors import fitted
from travelrule.listener.limits import ListenerLimits
from travelrule.listener.server import ListenerServer

LIMITS = ListenerLimits(answer_seconds=30.0)
"""No operation takes longer than ``deadline_s`` of ``GatewayDeps``; the rest is for the peer to receive the answer."""

DESCRIPTORS_BESIDE = 512
"""Descriptors for database, broker, hub, files and the metrics port, which the gateway leaves free."""

GRACE_SECONDS = 30
"""Long enough for a started body (15 s) and its answer (8 s), and within the watchdog of a process."""


def gateway_server(
    app: ASGIApp, sources: Sequence[Network], tls: Tls | None, limits: ListenerLimits = LIMITS
) -> ListenerServer:
    """Make the server for ``app``. Raises ``ConfigurationError`` for TLS files that cannot be used.

    A peer's address is checked only when it connects; forwarded-for headers are ignored.
    """
    return ListenerServer(
        app,
        name="gateway",
        limits=fitted("gateway", limits, DESCRIPTORS_BESIDE),
        allow=Sources(sources).allow,
        tls=server_context(tls),
        grace_seconds=GRACE_SECONDS,
    )
