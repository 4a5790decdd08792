"""The gateway of a scene behind its real server, on a port of loopback."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from ipaddress import ip_network

from tests.support.gateway_scene import GatewayScene
from travelrule.gateway.app import create_gateway
from travelrule.gateway.server import LIMITS, gateway_server
from travelrule.gateway.source_networks import Network
from travelrule.gateway.tls import Tls
from travelrule.listener.bound_sockets import bind
from travelrule.listener.limits import ListenerLimits
from travelrule.listener.server import ListenerServer
from travelrule.metrics import REGISTRY
from travelrule.setting_types import HostPort

LOOPBACK = (ip_network("127.0.0.0/8"),)


@dataclass(frozen=True)
class Served:
    port: int
    server: ListenerServer

    @staticmethod
    def refused(reason: str) -> float:
        labels = {"listener": "gateway", "reason": reason}
        return REGISTRY.get_sample_value("travelrule_connections_refused_total", labels) or 0.0

    @staticmethod
    async def until(condition: Callable[[], bool]) -> None:
        async with asyncio.timeout(60):
            while not condition():
                await asyncio.sleep(0.005)


@asynccontextmanager
async def served(
    scene: GatewayScene,
    sources: Sequence[Network] = LOOPBACK,
    *,
    tls: Tls | None = None,
    limits: ListenerLimits = LIMITS,
) -> AsyncIterator[Served]:
    sockets = bind(HostPort("127.0.0.1", 0), "TRAVELRULE_GATEWAY_LISTEN")
    server = gateway_server(create_gateway(scene.deps()), sources, tls, limits)
    serving = asyncio.create_task(server.serve(sockets))
    gateway = Served(sockets[0].getsockname()[1], server)
    await gateway.until(lambda: server.started or serving.done())
    try:
        yield gateway
    finally:
        server.should_exit = True
        await serving
