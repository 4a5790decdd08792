"""The gateway role: member endpoints against the shared database, with its own intake and committer.

Its answers never wait for Kafka, for a rebalance or for a worker (design section 2).
"""

from __future__ import annotations

import asyncio
import os
import socket

from travelrule.bootstrap.installation import Installation, open_searches
from travelrule.engine.directory.counterparties import CounterpartyDirectory
from travelrule.engine.intake import Intake
from travelrule.engine.lists.active_lists import ActiveLists
from travelrule.engine.queries.authorizations import AuthorizationReader
from travelrule.engine.queries.served_withdrawals import ServedWithdrawals
from travelrule.gateway.app import GatewayDeps, create_gateway
from travelrule.gateway.rates import MemberRates, Rates
from travelrule.gateway.screening import ListScreen
from travelrule.gateway.server import gateway_server
from travelrule.gateway.tls import Tls
from travelrule.listener.server import ListenerServer
from travelrule.settings import Settings

CLOSE_SECONDS = 5.0
"""How long a server has to close its sockets after its role ended."""


def gateway_deps(
    installation: Installation, intake: Intake, counterparties: CounterpartyDirectory, lists: ActiveLists
) -> GatewayDeps:
    """The ports of the gateway, from the parts of this installation."""
    return GatewayDeps(
        entity_id=installation.entity_id,
        keyring=installation.keyring,
        intake=intake,
        reads=installation.reads,
        withdrawals=ServedWithdrawals(installation.reads),
        searches=open_searches(installation),
        directory=installation.directory,
        policy=installation.policy,
        clock=installation.clock,
        randomness=os.urandom,
        refresh_keys=counterparties.refresh_keys,
        alert=installation.engine.alert,
        rates=MemberRates(_rates(installation.settings), installation.clock, alert=installation.engine.alert),
        screen=ListScreen(lists, installation.policy),
        named_beneficiaries=AuthorizationReader(
            installation.database, installation.entity_id, installation.vault, installation.reads
        ).named_beneficiaries,
    )


def _rates(settings: Settings) -> Rates:
    return Rates(settings.gateway_request_rate, settings.gateway_search_rate, settings.gateway_miss_rate)


async def serve_gateway(
    installation: Installation,
    intake: Intake,
    counterparties: CounterpartyDirectory,
    lists: ActiveLists,
    sockets: list[socket.socket],
    stop: asyncio.Event,
) -> None:
    """Serve until ``stop``; open requests are answered first."""
    settings = installation.settings
    app = create_gateway(gateway_deps(installation, intake, counterparties, lists))
    await serve_until(gateway_server(app, settings.gateway_sources, Tls.of(settings)), sockets, stop)


async def serve_until(server: ListenerServer, sockets: list[socket.socket], stop: asyncio.Event) -> None:
    """Serve on ``sockets`` until ``stop`` is set or the server ends by itself, which is a failure of the role.

    The server is not cancelled before it had time to close: a socket that it leaves open keeps uvloop from closing and
    the process from ending.
    """
    serving = asyncio.create_task(_serve(server, sockets))
    stopping = asyncio.create_task(stop.wait())
    try:
        await asyncio.wait({serving, stopping}, return_when=asyncio.FIRST_COMPLETED)
        if serving.done():
            await serving
            raise RuntimeError("the server ended by itself")
        server.should_exit = True
        await asyncio.wait({serving})
    finally:
        stopping.cancel()
        server.should_exit = True
        await asyncio.wait({serving}, timeout=CLOSE_SECONDS)
        serving.cancel()
    await serving


async def _serve(server: ListenerServer, sockets: list[socket.socket]) -> None:
    """Turn uvicorn's ``SystemExit``, which would end the event loop, into an error of this server."""
    try:
        await server.serve(sockets)
    except SystemExit as left:
        raise RuntimeError("the server could not start") from left
    finally:
        for one in getattr(server, "servers", ()):  # stopped during its start, uvicorn leaves them open
            one.close()
