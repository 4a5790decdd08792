"""Assembly of a hub from its parts, and ``run_hub``, which serves it (`travelrule hub`)."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import AsyncIterator, Callable, Collection
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from starlette.applications import Starlette

from travelrule.crypto.signing import SigningKey
from travelrule.hub.background_tasks import BackgroundTasks
from travelrule.hub.callback_sender import CallbackSender, UnreachableCallbacks
from travelrule.hub.hub_call import LocalResponder, OperationResponder, Responder
from travelrule.hub.measured_journal import MeasuredJournal
from travelrule.hub.members.directory_responder import DirectoryResponder
from travelrule.hub.members.health_polling import HealthPollingJob
from travelrule.hub.members.member import Member
from travelrule.hub.members.member_forwarder import MemberForwarder
from travelrule.hub.members.network_file import HubLimits, NetworkFile, hub_member
from travelrule.hub.ports import CallbackTransport, Clock, HubState, Journal, MemberTransport
from travelrule.hub.risk.kyt_responder import KytResponder
from travelrule.hub.risk.list_rating_provider import ListRatingProvider, ListsHit
from travelrule.hub.risk.memory_risk_state import MemoryRiskState
from travelrule.hub.risk.ports import Providers
from travelrule.hub.risk.rating_responder import RatingResponder
from travelrule.hub.runtime.app import create_hub
from travelrule.hub.runtime.http_transport import HttpTransport
from travelrule.hub.runtime.memory_hub_state import MemoryHubState
from travelrule.hub.runtime.server import OnStarted, serve
from travelrule.hub.runtime.service import HubService
from travelrule.hub.searches.fanout import SearchFanout
from travelrule.hub.searches.search_responder import SearchResponder
from travelrule.hub.spec_files import parse_spec, read_document
from travelrule.hub.unhosted.session_responder import SessionResponder
from travelrule.hub.unhosted.widget.routes import widget_routes
from travelrule.hub.unhosted.widget_calls import WidgetCalls

GRACE_SECONDS = 2.0
"""How long running searches and analyses may continue when the hub stops: a second for members, one for callbacks."""

Randomness = Callable[[int], bytes]


def utc_now() -> datetime:
    """Return the present time."""
    return datetime.now(UTC)


def fresh_key(randomness: Randomness = secrets.token_bytes) -> SigningKey:
    """Return a new key pair."""
    return SigningKey(randomness(32))


@dataclass(frozen=True, slots=True)
class AssembledHub:
    """The parts of a hub that is not served yet."""

    state: HubState
    service: HubService
    polling: HealthPollingJob
    tasks: BackgroundTasks
    widget: WidgetCalls


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
    providers: Providers | None = None,
    around_own_answers: Callable[[Responder], Responder] = lambda inner: inner,
) -> AssembledHub:
    """Return a hub with its state in memory.

    Without ``callbacks``, the transport to callback URLs, all callbacks are lost. Without ``providers`` of risk
    nothing is screened. ``around_own_answers`` may wrap the responder of the operations that the hub itself answers.
    """
    journal = MeasuredJournal(journal)
    key = limits.hub.own_key() or fresh_key(randomness)
    own = hub_member(key)
    state = MemoryHubState(
        [own, *members],
        down=down,
        coin_networks=limits.coin_network_answer(clock()),
        tolerance_seconds=limits.tolerance_seconds,
    )
    fanout = SearchFanout(
        key, state, transport, clock, randomness, budget_seconds=limits.member_search_seconds, journal=journal
    )
    shared = _SharedParts(limits, _callback_sender(limits, callbacks, clock, journal), clock, randomness, journal)
    risk, widget = shared.risk(providers or Providers())
    searches = SearchResponder(state, fanout, shared.callbacks, clock, shared.tasks)
    service = HubService(
        own=own,
        state=state,
        own_answers=around_own_answers(_own_answers(DirectoryResponder(state), searches, *risk)),
        forwarding=MemberForwarder(transport, limits.member_timeout_seconds),
        clock=clock,
        tolerance_seconds=limits.tolerance_seconds,
        rate_limit_per_minute=limits.rate_limit_per_minute,
        journal=journal,
    )
    polling = HealthPollingJob(
        state,
        transport,
        clock,
        interval_seconds=limits.health_interval_seconds,
        timeout_seconds=limits.member_timeout_seconds,
        journal=journal,
    )
    return AssembledHub(state, service, polling, shared.tasks, widget)


@dataclass(frozen=True, slots=True)
class _SharedParts:
    """What the responders of one hub share."""

    limits: HubLimits
    callbacks: CallbackSender
    clock: Clock
    randomness: Randomness
    journal: Journal | None
    tasks: BackgroundTasks = field(default_factory=BackgroundTasks)

    def risk(self, providers: Providers) -> tuple[tuple[OperationResponder, ...], WidgetCalls]:
        """Return the responders for 4.B.1 to 4.B.5 and P.4, and the calls of the widget."""
        state = MemoryRiskState(self.limits.kyt_request_seconds)
        parts = (
            RatingResponder(providers.screening, self.randomness),
            KytResponder(providers.kyt, state, self.callbacks, self.clock, self.tasks),
            SessionResponder(state, self.callbacks, self.clock, self.randomness),
        )
        widget = WidgetCalls(
            state,
            self.callbacks,
            self.clock,
            self.randomness,
            self.tasks,
            wallet=providers.wallet,
            journal=self.journal,
        )
        return parts, widget


def _callback_sender(
    limits: HubLimits, transport: CallbackTransport | None, clock: Clock, journal: Journal | None
) -> CallbackSender:
    return CallbackSender(
        transport or UnreachableCallbacks(),
        clock,
        timeout_seconds=limits.member_timeout_seconds,
        allow_http=limits.allow_http_callbacks,
        journal=journal,
    )


def _own_answers(*parts: OperationResponder) -> Responder:
    return LocalResponder({name: part for part in parts for name in part.names})


def hub_lifespan(
    polling: HealthPollingJob, tasks: BackgroundTasks, http: HttpTransport
) -> Callable[[Starlette], AbstractAsyncContextManager[None]]:
    """Return the lifespan of a hub application: it polls while serving, then closes tasks and connections."""

    @asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        task = asyncio.create_task(polling.run(), name="hub health polling")
        try:
            yield
        finally:
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)
            await tasks.aclose(GRACE_SECONDS)
            await http.aclose()

    return lifespan


async def run_hub(
    listen: str,
    members_file: Path | None = None,
    *,
    seed: str | None = None,
    lists_hit: ListsHit | None = None,
    on_started: OnStarted | None = None,
    handle_signals: bool = False,
) -> None:
    """Serve a hub until cancelled or signalled. ``listen`` is ``host:port``.

    ``members_file`` is TOML or JSON in the shape of ``NetworkFile``; without it the hub is the only member. ``seed`` is
    the hub's base64 key and overrides the file's. With ``lists_hit`` wallets are screened by our lists. Raises
    ``ConfigurationError`` and ``UsageError``.
    """
    network = NetworkFile()
    if members_file is not None:
        content = await asyncio.to_thread(read_document, members_file)
        network = parse_spec(NetworkFile, content, members_file.name)
    if seed is not None:
        network = parse_spec(NetworkFile, network.model_dump() | {"hub": {"seed": seed}}, "hub")
    http = HttpTransport(inside_callbacks=network.allow_http_callbacks)
    unreachable = {spec.vasp_entity_id for spec in network.members if spec.base_url is None}
    members = [spec.member() for spec in network.members]
    providers = Providers(ListRatingProvider(lists_hit) if lists_hit is not None else None)
    hub = assemble(network, members, http, down=unreachable, callbacks=http, providers=providers)
    app = create_hub(hub.service, more=widget_routes(hub.widget), lifespan=hub_lifespan(hub.polling, hub.tasks, http))
    await serve(app, listen, on_started=on_started, handle_signals=handle_signals)
