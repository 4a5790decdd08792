"""`north` asks about risk and ownership: the installation with assessments, a gateway for callbacks, and a customer."""

from __future__ import annotations

import asyncio
import os
from dataclasses import dataclass, field
from typing import Any

import httpx
import orjson

from schemas.events.screenings import OwnershipRequested, ScreeningRequested
from tests.support.hub import NORTH
from tests.support.installation import EngineInstallation
from travelrule.crypto.signing import KeyRing
from travelrule.engine.callback_urls import CallbackUrls
from travelrule.engine.messages.message_dispatcher import MessageDispatcher
from travelrule.engine.queries.served_withdrawals import ServedWithdrawals
from travelrule.engine.timers import TimerJob
from travelrule.engine.vault import Vault
from travelrule.gateway.app import GatewayDeps, create_gateway
from travelrule.hub.ports import CallbackCall
from travelrule.policy.policy import Policy
from travelrule.store import tables
from travelrule.store.database import Database
from travelrule.store.leases import LeaseRepository
from travelrule.store.search_rows import SearchRepository

PUBLIC_URL = "https://north.test/hooks"
SITE = "https://app.north.test:443"


@dataclass
class Hooks:
    """The way from the hub to north's gateway. Whatever came this way can be sent again."""

    sent: list[CallbackCall] = field(default_factory=list)
    answers: list[tuple[int, Any]] = field(default_factory=list)
    gateway: httpx.AsyncClient | None = None

    async def post_callback(self, call: CallbackCall) -> int:
        self.sent.append(call)
        return await self.post(call.url, call.body)

    async def post(self, url: str, body: bytes) -> int:
        assert self.gateway is not None
        assert url.startswith(PUBLIC_URL)
        answer = await self.gateway.post(
            url.removeprefix(PUBLIC_URL), content=body, headers={"Content-Type": "application/json"}
        )
        self.answers.append((answer.status_code, answer.json() if answer.status_code == 200 else None))
        return answer.status_code


class Analysis:
    """How long the sandbox's analyses take: until the test lets them end."""

    def __init__(self) -> None:
        self._ends = asyncio.Event()

    async def __call__(self, seconds: float) -> None:
        if seconds:
            await self._ends.wait()

    def end(self) -> None:
        self._ends.set()


class RiskInstallation(EngineInstallation):
    """An installation whose policy may be given as TOML."""

    def __init__(
        self, database: Database, vault: Vault, screening: dict[str, Any], *, public_url: str | None = PUBLIC_URL
    ) -> None:
        self.hooks = Hooks()
        self.analysis = Analysis()
        super().__init__(
            database,
            vault,
            [],
            world={"screening": screening},
            callbacks=self.hooks,
            pause=self.analysis,
            searches=CallbackUrls(database, "north", vault.index, public_url, lambda: self.clock()),
        )
        leases = LeaseRepository(database, "north", "p1", self.clock)
        self._timers = TimerJob(database, "north", leases, self.submit, self.engine.alert, self.clock)
        self._teller = MessageDispatcher(database, "north", vault, leases, self.submit_all, asyncio.Event())
        self.hooks.gateway = self._gateway()

    def _gateway(self) -> httpx.AsyncClient:
        reads = SearchRepository(self.database, "north", self.vault.index.of, self.vault.unwrap, self.vault.open)
        assert self.searches is not None
        deps = GatewayDeps(
            entity_id="north",
            keyring=KeyRing([NORTH]),
            intake=self,
            reads=reads,
            withdrawals=ServedWithdrawals(reads),
            searches=self.searches,
            directory=self.directory,
            policy=self.rules,
            clock=self.clock,
            randomness=os.urandom,
            refresh_keys=self.counterparties.refresh_keys,
        )
        transport = httpx.ASGITransport(create_gateway(deps), client=("127.0.0.1", 1))
        return httpx.AsyncClient(transport=transport, base_url="http://gateway.test")

    async def close(self) -> None:
        """Close what the tests opened."""
        self.analysis.end()
        await self.sandbox.tasks.settled()
        assert self.hooks.gateway is not None
        for client in (self.hooks.gateway, self.control):
            await client.aclose()
        await self.hub.aclose()

    def decree(self, toml: str) -> None:
        """Have this policy from now on, without lists of our own."""
        self.rules.current = Policy.from_toml(f'sanctions = "off"\n{toml}').with_own(self.rules.current.own)

    async def screen(self, kind: str, name: str = "s-1", **facts: Any) -> None:
        """The platform wants a rating."""
        data = ScreeningRequested.model_validate({"requestId": name, "kind": kind, "chain": "ETH", **facts})
        assert (await self.tell(data, f"screening:{name}")).status == "applied"

    async def own(self, address: str, name: str = "s-1", **facts: Any) -> None:
        """The platform wants a proof."""
        asked = {
            "requestId": name,
            "blockchain": "ETH",
            "asset": "USDT",
            "address": address,
            "customerId": "c-1001",
            "widgetOrigin": SITE,
        }
        data = OwnershipRequested.model_validate({**asked, **facts})
        assert (await self.tell(data, f"screening:{name}")).status == "applied"

    async def settle(self) -> None:
        """Go on until nothing is due: calls, messages, timers."""
        for _ in range(50):
            done = await self._teller.round() + await self._timers.round() + await self.call()
            if not done:
                return
        raise AssertionError("it does not come to rest")

    async def pass_time(self, seconds: float, step: float = 1.0) -> None:
        """Let time pass in steps, doing what comes due."""
        await self.settle()
        left = seconds
        while left > 0:
            self.clock.forward(min(step, left))
            left -= step
            await self.settle()

    async def finish_analyses(self) -> None:
        """Let the hub end its analyses, and call back."""
        self.analysis.end()
        await self.sandbox.tasks.settled()

    async def prove(self, token: str) -> None:
        """The customer opens the widget and signs with the test wallet."""
        opened = (await self.control.post("/widget/session", json={"token": token})).json()
        signed = (await self.control.post("/widget/test-wallet", json={"key": opened["key"]})).json()
        proven = await self.control.post("/widget/proof", json={"key": opened["key"], **signed})
        assert proven.json()["status"] == "VERIFIED", proven.text
        await self.sandbox.tasks.settled()

    async def risks(self) -> list[tuple[str, tuple[str, ...]]]:
        """The verdicts so far: the word and the reasons."""
        return [(data["verdict"], tuple(data["reasons"])) for data in await self.said("verdicts")]

    async def inputs_of(self, kind: str) -> int:
        """How many inputs of a type are remembered."""
        return len(await self.rows(tables.inputs, tables.inputs.c.type == kind))

    def asked(self, operation: str) -> list[dict[str, Any]]:
        """The bodies of the requests of an operation."""
        part = {"kyt-search": "/kytsearch", "wallet-screening": "/wallet", "unhosted-token": "/widget/token"}[operation]
        return [orjson.loads(body) for _, path, body in self.wire.requests if path.endswith(part)]
