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
from travelrule.hub.asking import Asking
from travelrule.hub.callbacks import Callbacks, Unreachable
from travelrule.hub.calls import Answering, OwnAnswers
from travelrule.hub.directory import Directory
from travelrule.hub.documents import parse, read_document
from travelrule.hub.forwarding import Forwarding
from travelrule.hub.members import Member
from travelrule.hub.memory import MemoryState
from travelrule.hub.network_file import HubLimits, NetworkFile, hub_member
from travelrule.hub.polling import HealthPolling
from travelrule.hub.ports import CallbackTransport, Clock, HubState, Journal, MemberTransport
from travelrule.hub.searches import Searches
from travelrule.hub.server import OnStarted, serve
from travelrule.hub.service import HubService
from travelrule.hub.transport import HttpTransport

SEARCH_GRACE_SECONDS = 2.0
"""What searches that still run get when the hub ends: a member's second, and one for the callback."""

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
    searches: Searches


def assemble(
    limits: HubLimits,
    members: list[Member],
    transport: MemberTransport,
    *,
    down: Collection[str] = (),
    clock: Clock = utc_now,
    journal: Journal | None = None,
    randomness: Randomness = secrets.token_bytes,
    callbacks: CallbackTransport | None = None,
    around_own_answers: Callable[[Answering], Answering] = lambda own_answers: own_answers,
) -> Hub:
    """Return a hub with its state in memory.

    ``callbacks`` is the way to callback URLs; without one all callbacks are lost. ``around_own_answers`` may
    put something before the answers that no member gives.
    """
    key = limits.hub.own_key() or fresh_key(randomness)
    own = hub_member(key)
    state = MemoryState(
        [own, *members],
        down=down,
        coin_networks=limits.coin_network_answer(clock()),
        tolerance_seconds=limits.tolerance_seconds,
    )
    asking = Asking(
        key, state, transport, clock, randomness, budget_seconds=limits.member_search_seconds, journal=journal
    )
    searches = Searches(state, asking, _telling(limits, callbacks, clock, journal), clock)
    service = HubService(
        own=own,
        state=state,
        own_answers=around_own_answers(_own_answers(Directory(state), searches)),
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
    return Hub(state, service, polling, searches)


def _telling(
    limits: HubLimits, transport: CallbackTransport | None, clock: Clock, journal: Journal | None
) -> Callbacks:
    return Callbacks(
        transport or Unreachable(),
        clock,
        timeout_seconds=limits.member_timeout_seconds,
        allow_http=limits.allow_http_callbacks,
        journal=journal,
    )


def _own_answers(directory: Directory, searches: Searches) -> Answering:
    parts: dict[str, Answering] = {}
    parts.update(dict.fromkeys(directory.names, directory))
    parts.update(dict.fromkeys(searches.names, searches))
    return OwnAnswers(parts)


def living(
    polling: HealthPolling, searches: Searches, http: HttpTransport
) -> Callable[[Starlette], AbstractAsyncContextManager[None]]:
    """Return the lifespan of a hub application: it polls while serving, then ends searches and connections."""

    @asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        task = asyncio.create_task(polling.run(), name="hub health polling")
        try:
            yield
        finally:
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)
            await searches.aclose(SEARCH_GRACE_SECONDS)
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
    members = [spec.member() for spec in network.members]
    hub = assemble(network, members, http, down=unreachable, callbacks=http)
    app = create_hub(hub.service, lifespan=living(hub.polling, hub.searches, http))
    await serve(app, listen, on_started=on_started, handle_signals=handle_signals)
