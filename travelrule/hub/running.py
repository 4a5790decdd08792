"""Putting a hub together: state, transport, health polling, service, and serving it (`travelrule hub`)."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import AsyncIterator, Callable, Collection
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from starlette.applications import Starlette

from travelrule.crypto.signing import SigningKey
from travelrule.hub.app import create_hub
from travelrule.hub.calls import Answering
from travelrule.hub.directory import Directory
from travelrule.hub.documents import parse, read_document
from travelrule.hub.forwarding import Forwarding
from travelrule.hub.members import Member
from travelrule.hub.memory import MemoryState
from travelrule.hub.network_file import HubLimits, NetworkFile, hub_member
from travelrule.hub.polling import HealthPolling
from travelrule.hub.ports import Clock, HubState, Journal, MemberTransport
from travelrule.hub.server import OnStarted, serve
from travelrule.hub.service import HubService
from travelrule.hub.transport import HttpTransport

Randomness = Callable[[int], bytes]


def utc_now() -> datetime:
    """Return the present time."""
    return datetime.now(UTC)


def fresh_key(randomness: Randomness = secrets.token_bytes) -> SigningKey:
    """Return a key pair nobody had before."""
    return SigningKey(randomness(32))


@dataclass(frozen=True, slots=True)
class Hub:
    """A hub that is put together but not served yet."""

    state: HubState
    service: HubService
    polling: HealthPolling


def assemble(
    limits: HubLimits,
    members: list[Member],
    transport: MemberTransport,
    *,
    down: Collection[str] = (),
    clock: Clock = utc_now,
    journal: Journal | None = None,
    randomness: Randomness = secrets.token_bytes,
    around_directory: Callable[[Answering], Answering] = lambda directory: directory,
) -> Hub:
    """Return a hub with its state in memory.

    ``around_directory`` may put something before the directory's answers.
    """
    own = hub_member(limits.hub.own_key() or fresh_key(randomness))
    state = MemoryState(
        [own, *members],
        down=down,
        coin_networks=limits.coin_network_answer(clock()),
        tolerance_seconds=limits.tolerance_seconds,
    )
    service = HubService(
        own=own,
        state=state,
        directory=around_directory(Directory(state)),
        forwarding=Forwarding(transport, limits.member_timeout_seconds),
        clock=clock,
        tolerance_seconds=limits.tolerance_seconds,
        rate_limit_per_minute=limits.rate_limit_per_minute,
        journal=journal,
    )
    polling = HealthPolling(
        state,
        transport,
        clock,
        interval_seconds=limits.health_interval_seconds,
        timeout_seconds=limits.member_timeout_seconds,
        journal=journal,
    )
    return Hub(state, service, polling)


def living(polling: HealthPolling, http: HttpTransport) -> Callable[[Starlette], AbstractAsyncContextManager[None]]:
    """Return the lifespan of a hub application: it polls while serving, and closes its connections after."""

    @asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        task = asyncio.create_task(polling.run(), name="hub health polling")
        try:
            yield
        finally:
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)
            await http.aclose()

    return lifespan


async def run_hub(
    listen: str,
    members_file: Path | None = None,
    *,
    seed: str | None = None,
    on_started: OnStarted | None = None,
    handle_signals: bool = False,
) -> None:
    """Serve a hub until cancelled or signalled. ``listen`` is ``host:port``.

    ``members_file`` is TOML or JSON in the shape of ``NetworkFile``; without it the hub knows only itself.
    ``seed`` is the hub's own base64 key and wins over the file's. Raises ``ConfigurationError`` and
    ``UsageError``.
    """
    network = NetworkFile()
    if members_file is not None:
        content = await asyncio.to_thread(read_document, members_file)
        network = parse(NetworkFile, content, members_file.name)
    if seed is not None:
        network = parse(NetworkFile, network.model_dump() | {"hub": {"seed": seed}}, "hub")
    http = HttpTransport()
    unreachable = {spec.vasp_entity_id for spec in network.members if spec.base_url is None}
    hub = assemble(network, [spec.member() for spec in network.members], http, down=unreachable)
    app = create_hub(hub.service, lifespan=living(hub.polling, http))
    await serve(app, listen, on_started=on_started, handle_signals=handle_signals)
