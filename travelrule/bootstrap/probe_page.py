"""The probes and metrics of the exchange service and of the sandbox, on an address of their own."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

from travelrule.bootstrap.gateway_role import serve_until
from travelrule.bootstrap.process_metrics import show_build, watch_event_loop
from travelrule.errors import UsageError
from travelrule.health import create_health, health_server
from travelrule.hub.runtime.server import OnStarted
from travelrule.listener.bound_sockets import bound
from travelrule.setting_types import HostPort

OPTION = "--metrics-listen"


async def serve_with_probes(listen: str | None, serve: Callable[[OnStarted], Awaitable[None]]) -> None:
    """Run ``serve`` to its end, with ``/metrics``, ``/livez`` and ``/readyz`` on ``listen`` (``host:port``; None: no
    page) meanwhile. ``serve`` calls its argument when it listens.

    Raises ``UsageError`` for a text that is no address, ``AddressUnavailable`` for one in use, and what ``serve``
    raises.
    """
    if listen is None:
        await serve(lambda _: None)
        return
    with bound({OPTION: _address(listen)}) as sockets:
        show_build()
        started, stop = asyncio.Event(), asyncio.Event()
        server = health_server(create_health({}, {"started": started.is_set}))
        page = asyncio.create_task(serve_until(server, sockets[OPTION], stop))
        beside = (page, asyncio.create_task(watch_event_loop()))
        serving = asyncio.ensure_future(serve(lambda _: started.set()))
        try:
            await asyncio.wait({page, serving}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            stop.set()
            beside[1].cancel()
            if not serving.done():
                serving.cancel()
            await asyncio.gather(serving, *beside, return_exceptions=True)
        for ended in (serving, page):
            if not ended.cancelled():
                ended.result()


def _address(listen: str) -> HostPort:
    try:
        return HostPort.parse(listen)
    except ValueError as error:
        raise UsageError(f"{OPTION}: {error}") from None
