"""A hub whose risk providers the test controls; `north` calls, callbacks go to a list."""

from __future__ import annotations

import asyncio
import json
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

import httpx

from tests.support.hub import NORTH, SOUTH, HandClock, HubUnderTest, RecordingMember, Records, member
from tests.support.search_hub import Callbacks
from travelrule.hub.members.network_file import HubLimits
from travelrule.hub.risk.ports import NotServed, Providers
from travelrule.hub.risk.records import Analysis, KytSubject, RatedTransaction, RatedWallet, Rating
from travelrule.hub.runtime.app import create_hub
from travelrule.hub.runtime.assembly import assemble
from travelrule.hub.unhosted.widget.routes import widget_routes
from travelrule.sandbox.world.sandbox_wallet import SandboxWallet

AS_SOUTH: dict[str, Any] = {"key": SOUTH, "origin": "code:south"}
HASH = "0x5028A06f62bd79cd44d96779c5d1db68882ede90c3cbf62b6cc11a6218984063"
URL = "https://north.invalid/callbacks/secret-path"
CLEAN = Analysis({"reportId": 70, "verdict": "Clean"})
WALLET = SandboxWallet()
ADDRESS = WALLET.addresses()["ETH"]
SITE = "https://app.north.example:443"


@dataclass
class Rater:
    """A screening provider that says what it is told to."""

    rating: Rating | Exception = field(default_factory=lambda: Rating("WHITE"))
    asked: list[tuple[str, str]] = field(default_factory=list)

    async def wallet(self, chain: str, address: str) -> Rating:
        self.asked.append((chain, address))
        if isinstance(self.rating, Exception):
            raise self.rating
        return self.rating

    async def transaction(self, chain: str, txid: str) -> RatedTransaction:
        rating = await self.wallet(chain, txid)
        return RatedTransaction((RatedWallet("sender", rating),), (RatedWallet("receiver", Rating("WHITE")),))


@dataclass
class Analyst:
    """A KYT provider whose analyses end when the test lets them."""

    ends: Analysis | Exception = field(default_factory=lambda: CLEAN)
    ready: Analysis | None = None
    refused: bool = False
    admitted: list[tuple[str, bool]] = field(default_factory=list)
    analysed: list[KytSubject] = field(default_factory=list)
    gate: asyncio.Event = field(default_factory=asyncio.Event)

    async def admit(self, caller: str, *, analysis: bool) -> None:
        if self.refused:
            raise NotServed
        self.admitted.append((caller, analysis))

    async def known(self, subject: KytSubject, now: datetime) -> Analysis | None:
        return self.ready

    async def analyse(self, subject: KytSubject, now: datetime) -> Analysis:
        self.analysed.append(subject)
        await self.gate.wait()
        if isinstance(self.ends, Exception):
            raise self.ends
        return self.ends


@dataclass
class RiskHub(HubUnderTest):
    """A hub whose callers ask about risk."""

    rater: Rater = field(default_factory=Rater)
    analyst: Analyst = field(default_factory=Analyst)
    callbacks: Callbacks = field(default_factory=Callbacks)

    async def screen(self, prefix: str = "partner", **how: Any) -> httpx.Response:
        """Screen a wallet."""
        body = how.pop("body", {"walletAddress": ADDRESS, "chain": "eth"})
        return await self.send("POST", f"/v1/code/{prefix}/wallet", body, **how)

    async def search(self, prefix: str = "partner", fields: dict[str, Any] | None = None, **how: Any) -> httpx.Response:
        """Start an analysis."""
        body = {"txHash": HASH, "blockchain": "eth", **(fields or {})}
        return await self.send("POST", f"/v1/code/{prefix}/kytsearch", body, **how)

    async def report(self, request_id: object, prefix: str = "partner", **how: Any) -> httpx.Response:
        """Ask for a report."""
        return await self.send("GET", f"/v1/code/{prefix}/kytreport?requestId={request_id}", **how)

    async def finish_analyses(self) -> None:
        """Let every analysis end."""
        self.analyst.gate.set()
        await self.hub.tasks.settled()
        self.analyst.gate.clear()

    async def token(self, fields: dict[str, Any] | None = None, **how: Any) -> httpx.Response:
        """Ask for a session."""
        body = {
            "blockchain": "eth",
            "asset": "USDT",
            "address": ADDRESS,
            "customerIdentification": "customer-1",
            "widgetRenderingOrigin": SITE,
            "callbackUrl": URL,
            **(fields or {}),
        }
        return await self.send("POST", "/v1/code/unhosted-wallet-verification/widget/token", body, **how)

    async def result(self, verification_id: str, **how: Any) -> httpx.Response:
        """Ask how a session stands."""
        return await self.send("GET", f"/v1/code/unhosted-wallet-verification/{verification_id}", **how)

    async def widget(self, name: str, origin: str | None = "https://app.north.example", **said: Any) -> httpx.Response:
        """Call as the widget's script does, from the page of the VASP."""
        headers = {"Content-Type": "text/plain"} | ({"Origin": origin} if origin else {})
        return await self.client.post(f"/widget/{name}", content=json.dumps(said).encode(), headers=headers)


def risk_hub(*, providers: bool = True, **limits: Any) -> RiskHub:
    """Make one; without ``providers`` there are no ratings."""
    clock, callbacks, records, rater, analyst = HandClock(), Callbacks(), Records(), Rater(), Analyst()
    hub = assemble(
        HubLimits(**({"rate_limit_per_minute": 0} | limits)),
        [member("north", NORTH), member("south", SOUTH)],
        RecordingMember(),
        clock=clock,
        journal=records,
        callbacks=callbacks,
        providers=Providers(rater, analyst, WALLET) if providers else None,
    )
    transport = httpx.ASGITransport(create_hub(hub.service, more=widget_routes(hub.widget)), client=("127.0.0.1", 1))
    client = httpx.AsyncClient(transport=transport, base_url="http://hub")
    return RiskHub(hub, clock, RecordingMember(), records, client, rater=rater, analyst=analyst, callbacks=callbacks)
