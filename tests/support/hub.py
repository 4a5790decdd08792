"""A hub for tests: a caller `north` that signs, a member `south` that records, a clock set by hand."""

from __future__ import annotations

import asyncio
import json
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from typing import Any

import httpx

from tests.support.documented_hub import conform
from travelrule.crypto.signing import SigningKey
from travelrule.hub.members.member import Member, MemberKey
from travelrule.hub.members.network_file import HubLimits
from travelrule.hub.ports import MemberAnswer, MemberCall
from travelrule.hub.records import CallRecord
from travelrule.hub.runtime.app import create_hub
from travelrule.hub.runtime.assembly import AssembledHub, assemble

NOW = datetime(2026, 11, 20, 9, 0, tzinfo=UTC)
NORTH = SigningKey(b"n" * 32)
SOUTH = SigningKey(b"s" * 32)
STRANGER = SigningKey(b"x" * 32)
TRANSFER_ID = "0b6f3c1e-7d0a-4f6e-9a51-2f1d9d1f7c11"

AUTHORIZATION = {
    "transferId": TRANSFER_ID,
    "currency": "XRP",
    "amount": "250.5",
    "historicalCost": "",
    "tradePrice": "150.30",
    "tradeCurrency": "USD",
    "isExceedingThreshold": "true",
    "originatingVasp": {},
    "payload": "c2VhbGVk",
}


class HandClock:
    """A clock that stands still until it is moved."""

    def __init__(self) -> None:
        self.now = NOW

    def __call__(self) -> datetime:
        return self.now

    def forward(self, seconds: float) -> None:
        self.now += timedelta(seconds=seconds)


class Records:
    """A journal that is a list."""

    def __init__(self) -> None:
        self.kept: list[CallRecord] = []

    def record(self, record: CallRecord) -> None:
        self.kept.append(record)


@dataclass
class RecordingMember:
    """A member transport that keeps what arrives and answers what it is told to."""

    answer: MemberAnswer | Exception = field(default_factory=lambda: MemberAnswer(200, b"{}"))
    hangs: bool = False
    calls: list[MemberCall] = field(default_factory=list)

    async def forward(self, _: Member, call: MemberCall) -> MemberAnswer:
        self.calls.append(call)
        if self.hangs:
            await asyncio.Event().wait()
        if isinstance(self.answer, Exception):
            raise self.answer
        return self.answer

    def says(self, http_status: int = 200, /, **body: Any) -> None:
        self.answer = MemberAnswer(http_status, json.dumps(body).encode())


def member(
    entity_id: str, *keys: SigningKey, alliance: str = "code", expires_at: str = "2031-01-01T00:00:00Z"
) -> Member:
    """A member with keys that end at ``expires_at``."""
    expires = datetime.fromisoformat(expires_at)
    pubkeys = tuple(MemberKey(key.public_base64, expires_at, expires) for key in keys)
    return Member(entity_id, f"{entity_id} Ltd.", "SG", alliance, pubkeys, "http://member.invalid")


def signed(
    body: bytes = b"",
    *,
    key: SigningKey = NORTH,
    origin: str = "code:north",
    nonce: int = 1,
    at: str = "2026-11-20T09:00:00Z",
    remote: SigningKey | None = None,
) -> dict[str, str]:
    """The headers of a signed request."""
    headers = {
        "X-Code-Req-Datetime": at,
        "X-Code-Req-Nonce": str(nonce),
        "X-Code-Req-PubKey": key.public_base64,
        "X-Code-Req-Signature": key.sign(at, body, nonce),
        "X-Request-Origin": origin,
        "Content-Type": "application/json",
    }
    if remote is not None:
        headers["X-Code-Req-Remote-PubKey"] = remote.public_base64
    return headers


@dataclass
class HubUnderTest:
    """A hub over ASGI with everything around it in the test's hands."""

    hub: AssembledHub
    clock: HandClock
    south: RecordingMember
    records: Records
    client: httpx.AsyncClient
    nonce: int = 1000

    async def send(self, method: str, path: str, body: Any = None, **how: Any) -> httpx.Response:
        """Send a signed request; ``headers`` replaces or (None) removes headers after signing."""
        raw = body if isinstance(body, bytes) else b"" if body is None else json.dumps(body).encode()
        changed = how.pop("headers", {})
        self.nonce += 1
        how.setdefault("nonce", self.nonce)
        headers: dict[str, str | None] = {**signed(raw, **how), **changed}
        kept = {name: value for name, value in headers.items() if value is not None}
        return conform(await self.client.request(method, path, content=raw, headers=kept))

    async def authorize(self, body: Any = AUTHORIZATION, target: str = "south", **how: Any) -> httpx.Response:
        """Send a transfer authorization to ``south``."""
        how.setdefault("remote", SOUTH)
        return await self.send("POST", f"/v1/code/transfer/{target}", body, **how)


def hub_under_test(source: str = "127.0.0.1", **limits: Any) -> HubUnderTest:
    """Make one; ``limits`` are fields of ``HubLimits``."""
    clock, south, records = HandClock(), RecordingMember(), Records()
    south.says(result="verified", transferId=TRANSFER_ID, payload="c2VhbGVk")
    given = {"rate_limit_per_minute": 0, "member_timeout_seconds": 0.2} | limits
    hub = assemble(
        HubLimits(**given), [member("north", NORTH), member("south", SOUTH)], south, clock=clock, journal=records
    )
    transport = httpx.ASGITransport(create_hub(hub.service), client=(source, 1))
    return HubUnderTest(hub, clock, south, records, httpx.AsyncClient(transport=transport, base_url="http://hub"))


def error_of(response: httpx.Response) -> tuple[int, str]:
    """Status and ``errorType``."""
    return response.status_code, response.json()["errorType"]


def expired(entry: Member) -> Member:
    """The same member with keys that have ended."""
    keys = tuple(
        replace(key, expires_at="2020-01-01T00:00:00Z", expires=datetime(2020, 1, 1, tzinfo=UTC))
        for key in entry.pubkeys
    )
    return Member(entry.entity_id, entry.legal_name, entry.country, entry.alliance, keys, entry.base_url)
