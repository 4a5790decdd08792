"""A VASP `north` at a sandbox: real machines, real store, real sealing and signing; time is set by hand."""

from __future__ import annotations

import asyncio
import itertools
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID, uuid5

import httpx
import orjson
from sqlalchemy import select

from schemas.wire_model import Wire
from tests.support.events import TXID, broadcast, requested
from tests.support.hub import NORTH, HandClock, RecordingMember
from tests.support.sandbox import listed, real
from tests.support.toy_machine import dead_letter_headers
from tests.support.vasps import NORTH as OWN
from travelrule.client.hub import HubClient
from travelrule.client.signer import LocalSigner
from travelrule.crypto.signing import KeyRing
from travelrule.engine.apply.engine import Engine
from travelrule.engine.callback_urls import CallbackUrls
from travelrule.engine.calls.attempt_router import AttemptRouter
from travelrule.engine.calls.call_dispatcher import CallDispatcher
from travelrule.engine.calls.call_executor import CallExecutor
from travelrule.engine.calls.hub_watch import HubWatch
from travelrule.engine.directory.counterparties import CounterpartyDirectory
from travelrule.engine.directory.fetch_schedule import DEMAND_SECONDS
from travelrule.engine.directory.refresher import DirectoryRefreshJob
from travelrule.engine.input_outcome import InputOutcome
from travelrule.engine.lists.active_lists import ActiveLists
from travelrule.engine.local_lookups.local_answers import LocalAnswers
from travelrule.engine.local_lookups.look_up_executor import LookUpExecutor
from travelrule.engine.queries.authorizations import AuthorizationReader
from travelrule.engine.registry import MACHINES
from travelrule.engine.timers import TimerJob
from travelrule.engine.vault import Vault
from travelrule.hub.ports import CallbackTransport
from travelrule.machine.input import Input, RawMessage, Rejected
from travelrule.policy.policy import Policy
from travelrule.sandbox.app import create_sandbox
from travelrule.sandbox.faults.fault_spec import Pause
from travelrule.sandbox.journal import SandboxJournal
from travelrule.sandbox.sandbox_network import Sandbox
from travelrule.sandbox.world.world_file import WorldMember, parse_world
from travelrule.settings import Settings
from travelrule.store import tables
from travelrule.store.call_rows import CallRepository
from travelrule.store.database import Database
from travelrule.store.directory import DirectoryRepository
from travelrule.store.leases import LeaseRepository
from travelrule.store.list_versions import ListRepository
from travelrule.store.outbox_rows import OutboxRepository
from travelrule.store.search_rows import SearchRepository

NAMES = ("Berg", "Anna", "Lind", "Erik", "1990-02-03", "rEb8TK3gBgk5auZkwc6sHnwrGVJH8DuaLh", "c-1001")
"""What is personal in the withdrawals of these tests. The beneficiary's address goes to the hub in clear besides."""
ADDRESS = "rPEPPER7kfTD9w2To4CQk6UCfuHM9c6GDY"

TYPES = {
    "WithdrawalRequested": "withdrawal.requested.v1",
    "WithdrawalBroadcast": "withdrawal.broadcast.v1",
    "WithdrawalMined": "withdrawal.mined.v1",
    "WithdrawalSettled": "withdrawal.settled.v1",
    "WithdrawalCancelled": "withdrawal.cancelled.v1",
    "DecisionRecorded": "decision.recorded.v1",
    "WalletRegistered": "wallet.registered.v1",
    "DepositDetected": "deposit.detected.v1",
    "ScreeningRequested": "screening.requested.v1",
    "OwnershipRequested": "ownership.requested.v1",
}


@dataclass
class Wiretap(httpx.AsyncBaseTransport):
    """The network between `north` and the hub: keeps every request's bytes; ``down`` is a cable pulled out, ``lost``
    how many answers of each path are lost on their way back.

    ``changed`` gives another body for an answer (path, request, answer), as a faulty hub or counterparty would.
    """

    inner: httpx.AsyncBaseTransport
    requests: list[tuple[str, str, bytes]] = field(default_factory=list)
    down: bool = False
    lost: dict[str, int] = field(default_factory=dict)
    changed: Callable[[str, dict[str, Any], dict[str, Any]], dict[str, Any]] | None = None

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        body = await request.aread()
        if self.down:
            raise httpx.ConnectError("no route", request=request)
        self.requests.append((request.method, request.url.path, body))
        answer = await self.inner.handle_async_request(request)
        if self.lost.get(request.url.path, 0):
            self.lost[request.url.path] -= 1
            raise httpx.ReadError("connection reset", request=request)
        if self.changed is None or not body:
            return answer
        said = self.changed(request.url.path, orjson.loads(body), orjson.loads(await answer.aread()))
        return httpx.Response(answer.status_code, json=said)


class Counter:
    def __init__(self) -> None:
        self._numbers = itertools.count(1)

    async def next(self) -> int:
        return next(self._numbers)


@dataclass
class Rules:
    """The policy in force, which a test may change."""

    current: Policy

    def __call__(self) -> Policy:
        return self.current


def robot(name: str = "south", seed: bytes = b"r", **spec: Any) -> dict[str, Any]:
    import base64

    return listed(name, robot={"seed": base64.b64encode(seed * 32).decode(), **spec})


class EngineInstallation:
    """Everything of one process of `north`, and the sandbox it talks to."""

    def __init__(
        self,
        database: Database,
        vault: Vault,
        members: Sequence[dict[str, Any]],
        *,
        world: dict[str, Any] | None = None,
        callbacks: CallbackTransport | None = None,
        pause: Pause = asyncio.sleep,
        searches: CallbackUrls | None = None,
        **limits: Any,
    ) -> None:
        self.clock = HandClock()
        self.database = database
        self.vault = vault
        self.journal = SandboxJournal()
        self.searches = searches
        listing = [real("north", NORTH), *members]
        network = parse_world({"members": listing, "memberTimeoutSeconds": 0.2, **(world or {})})
        self.sandbox = Sandbox(
            network, RecordingMember(), journal=self.journal, clock=self.clock, callbacks=callbacks, pause=pause
        )
        self.wire = Wiretap(httpx.ASGITransport(create_sandbox(self.sandbox, self.journal)))
        self.control = httpx.AsyncClient(transport=self.wire.inner, base_url="http://127.0.0.1")
        self.hub = HubClient(
            "http://hub",
            "code:north",
            LocalSigner(KeyRing([NORTH]), Counter(), self.clock),
            self.wire,
            clock=self.clock,
        )
        self.rules = Rules(Policy(sanctions="off").with_own(OWN))
        self.engine = Engine("north", database, MACHINES, vault, self.rules, dead_letter_headers, clock=self.clock)
        self.lists = ActiveLists(ListRepository(database, "north"), self.engine.alert, self.clock)
        self.directory = DirectoryRepository(database, "north")
        self.watch = HubWatch()
        self.counterparties = self.another_view()
        self.call_rows = CallRepository(database, "north", "p1")
        self.outbox_rows = OutboxRepository(database, "north", "p1")
        self.caller = self.another_caller("p1", **limits)
        self.refresher = self.another_refresher("p1")
        self.sent: list[Input] = []
        self._inputs = itertools.count(1)

    def another_caller(
        self, owner: str, view: CounterpartyDirectory | None = None, watch: HubWatch | None = None, **limits: Any
    ) -> CallDispatcher:
        """The call dispatcher of another process on this database, by default with this one's view of the directory."""
        reads = SearchRepository(self.database, "north", self.vault.index.of, self.vault.unwrap, self.vault.open)
        executor = CallExecutor(
            vault=self.vault,
            hub=self.hub,
            counterparties=view or self.counterparties,
            keyring=KeyRing([NORTH]),
            policy=self.rules,
            clock=self.clock,
            searches=self.searches,
            watch=watch or self.watch,
        )
        authorizations = AuthorizationReader(self.database, "north", self.vault, reads)
        look_ups = LookUpExecutor(self.vault, LocalAnswers(reads, authorizations, self.lists))
        calls = CallRepository(self.database, "north", owner)
        router = AttemptRouter(executor, look_ups)
        return CallDispatcher(
            calls, router, self.submit, self.engine.alert, self.engine.committed.calls, self.clock, **limits
        )

    def another_view(self) -> CounterpartyDirectory:
        """The directory as another process sees it."""
        return CounterpartyDirectory(self.directory, self.hub, self.clock)

    def another_refresher(
        self, owner: str, view: CounterpartyDirectory | None = None, watch: HubWatch | None = None
    ) -> DirectoryRefreshJob:
        """The refresher of a process, by default with this one's view of the directory."""
        leases = LeaseRepository(self.database, "north", owner, self.clock)
        return DirectoryRefreshJob(
            counterparties=view or self.counterparties,
            fetches=self.directory.fetches,
            calls=self.call_rows,
            leases=leases,
            submit=self.submit,
            alert=self.engine.alert,
            clock=self.clock,
            interval_seconds=Settings().health_refresh_seconds,
            networks_seconds=Settings().directory_refresh_seconds,
            watch=watch or self.watch,
        )

    async def submit(self, item: Input) -> InputOutcome:
        self.sent.append(item)
        return (await self.engine.apply([item]))[0]

    async def submit_all(self, items: Sequence[Input | Rejected]) -> list[InputOutcome]:
        """In one transaction, in their order."""
        self.sent += [item for item in items if isinstance(item, Input)]
        return await self.engine.apply(items)

    async def tell(self, data: Wire, subject: str) -> InputOutcome:
        """An event of the platform."""
        number = next(self._inputs)
        content = data.model_dump_json(by_alias=True).encode()
        item = Input(
            source="/platform",
            id=f"e-{number}",
            type=TYPES[type(data).__name__],
            subject=subject,
            at=self.clock(),
            data=data,
            content=content,
            salt=uuid5(UUID(int=1), str(number)),
            raw=RawMessage("withdrawals", 0, number, b"k", content),
        )
        return await self.submit(item)

    async def withdraw(self, name: str = "w-1", target: str = "south", **changes: Any) -> None:
        """A withdrawal to a VASP is requested."""
        destination = {"kind": "vasp", "vaspEntityId": target, "address": ADDRESS, "tag": "77001"}
        data = requested(**{"withdrawalId": name, "destination": destination, **changes})
        assert (await self.tell(data, f"withdrawal:{name}")).status == "applied"

    async def send(self, name: str = "w-1") -> None:
        """Its transaction is broadcast."""
        data = broadcast(TXID).model_copy(update={"withdrawal_id": name})
        assert (await self.tell(data, f"withdrawal:{name}")).status == "applied"

    async def listing(self) -> None:
        """The first refresh of the directory."""
        await self.refresh()

    async def refresh(self) -> None:
        """A round of the refresher before its interval ends."""
        self.clock.forward(DEMAND_SECONDS)
        self.counterparties.wanted.set()
        await self.refresher.round()

    async def call(self, caller: CallDispatcher | None = None) -> int:
        """Claim what is due and wait until it is done."""
        used = caller or self.caller
        started = await used.round()
        await self.quiet(used)
        return started

    @staticmethod
    async def quiet(caller: CallDispatcher) -> None:
        while caller._running:
            await asyncio_wait(caller)

    async def calls_all(self, rounds: int = 10) -> None:
        """Call until nothing is due."""
        for _ in range(rounds):
            if not await self.call():
                return
        raise AssertionError("it does not come to rest")

    async def forward(self, seconds: float) -> None:
        """Let time pass, then call until nothing is due."""
        self.clock.forward(seconds)
        await self.calls_all()

    async def fire_timers(self) -> None:
        """Submit the timers that are due."""
        leases = LeaseRepository(self.database, "north", "p1", self.clock)
        await TimerJob(self.database, "north", leases, self.submit, self.engine.alert, self.clock).round()

    async def fault(self, **spec: Any) -> None:
        answer = await self.control.post("/sandbox/faults", json=spec)
        assert answer.status_code < 300, answer.text

    async def clear_faults(self) -> None:
        answer = await self.control.delete("/sandbox/faults")
        assert answer.status_code < 300, answer.text

    async def put(self, member: dict[str, Any]) -> None:
        """Add or change a member of the network."""
        await self.sandbox.put_member(WorldMember.model_validate(member))

    def seen(self, operation: str = "") -> list[dict[str, Any]]:
        """What went through the hub, without the directory's operations unless asked for."""
        directory = {"vasp-list", "public-key", "coin-network"}
        return [
            entry
            for entry in self.journal.page().entries
            if entry["operation"] == operation or (not operation and entry["operation"] not in directory)
        ]

    async def rows(self, table: Any, *where: Any) -> list[Any]:
        async with self.database.read() as connection:
            return list((await connection.execute(select(table).where(*where))).all())

    async def said(self, topic: str) -> list[dict[str, Any]]:
        """The data of the events of a topic, in order."""
        async with self.database.read() as connection:
            query = select(tables.outbox).where(tables.outbox.c.topic == topic).order_by(tables.outbox.c.id)
            return [orjson.loads(row.value)["data"] for row in (await connection.execute(query)).all()]

    async def verdicts(self) -> list[tuple[str, str]]:
        return [(data["verdict"], data["reasons"][0]) for data in await self.said("verdicts")]

    async def alerts(self) -> list[str]:
        return [data["code"] for data in await self.said("alerts")]

    async def due(self) -> list[datetime]:
        """When the stored calls are due."""
        return sorted(row.due_at for row in await self.rows(tables.calls))

    def in_clear(self) -> list[str]:
        """Return the personal data that a request contained unsealed."""
        sent = [f"{path} {body.decode()}" for _, path, body in self.wire.requests]
        return [name for name in NAMES for text in sent if name in text]

    def bodies(self, part: str) -> list[dict[str, Any]]:
        """The bodies of requests whose path holds ``part``."""
        return [json.loads(body) for _, path, body in self.wire.requests if part in path and body]


async def asyncio_wait(caller: CallDispatcher) -> None:
    await asyncio.wait(caller._running)


def seconds(amount: float) -> timedelta:
    return timedelta(seconds=amount)
