"""A gateway in a small world: real keys, real machine of the exchange, everything else in memory."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from ipaddress import ip_network
from typing import Any

import httpx
import orjson
import pytest

from schemas.hub import PublicKey, VaspEntry
from schemas.persons import Person
from travelrule.crypto.sealing import open_sealed, seal
from travelrule.crypto.signing import KeyRing, SigningKey
from travelrule.engine.outcome import Outcome
from travelrule.exchange.decision import Reply
from travelrule.exchange.inputs import Input
from travelrule.exchange.machines import MACHINES
from travelrule.gateway.app import GatewayDeps, create_gateway
from travelrule.identity.addresses import candidates, canonical
from travelrule.identity.profile import VaspProfile
from travelrule.policy.policy import OwnVasp, Policy
from travelrule.store.directory import StoredVasp
from travelrule.store.reads import ExchangeRecord, WalletRecord

NOW = datetime(2026, 11, 20, 9, 0, tzinfo=UTC)
OWN, OLD, PEER, OTHER = (SigningKey(bytes([number]) * 32) for number in (1, 2, 3, 4))
XRP = "rPEPPER7kfTD9w2To4CQk6UCfuHM9c6GDY"
BTC = "1KzHK8WMRHRCvRjUV5PFny3v6fqT3UAY5K"
OWNER = Person.model_validate({"natural": {"lastName": "Lind", "firstName": "Erik", "dateOfBirth": "1980-01-02"}})
PROFILE = VaspProfile.model_validate(
    {
        "legal_name": "South Exchange Ltd.",
        "country_of_registration": "SG",
        "national_identification": {"identifier": "529900T8BM49AURSDO55", "type": "LEIX"},
    }
)


@dataclass
class Wallet:
    address: str
    tag: str = ""
    currencies: tuple[str, ...] = ("BTC",)
    networks: tuple[str, ...] = ()
    kyc: bool = True
    owner: Person | None = OWNER
    wallet_id: str = "w-1"


class FakeReads:
    """The queries of the store, over lists."""

    def __init__(self) -> None:
        self.wallets = [
            Wallet(BTC),
            Wallet(XRP, "77001", ("XRP",), ("XRP",), wallet_id="w-2"),
        ]
        self.exchanges: dict[tuple[str, str], ExchangeRecord] = {}
        self.up = True
        self.asked: list[str] = []
        self.gate: asyncio.Event | None = None
        self.failure: Exception | None = None

    async def _serve(self) -> None:
        if self.gate is not None:
            await self.gate.wait()
        if self.failure is not None:
            raise self.failure

    async def wallets_at(self, asked: Any) -> list[WalletRecord]:
        self.asked += asked
        await self._serve()
        return [
            WalletRecord(
                wallet.wallet_id,
                text,
                tag,
                wallet.tag,
                wallet.currencies,
                wallet.networks,
                wallet.kyc,
                "c-1",
                wallet.owner,
            )
            for text in asked
            for address, tag in candidates(text)
            for wallet in self.wallets
            if canonical(address) == canonical(wallet.address)
        ]

    async def outgoing_exchange(self, transfer_id: str, counterparty: str) -> ExchangeRecord | None:
        await self._serve()
        return self.exchanges.get((transfer_id, counterparty))

    async def ready(self) -> bool:
        return self.up


class FakeDirectory:
    def __init__(self) -> None:
        self.entries: dict[str, StoredVasp] = {}
        self.looks = 0

    def add(self, entity_id: str, *keys: PublicKey, listed: bool = True) -> None:
        entry = VaspEntry(vasp_entity_id=entity_id, alliance_name="code", country_of_registration="KR", pubkeys=keys)
        self.entries[entity_id] = StoredVasp(entry, listed, NOW)

    async def get(self, entity_id: str) -> StoredVasp | None:
        self.looks += 1
        return self.entries.get(entity_id)


class FakeIntake:
    """The engine without a database: one input at a time per subject, known ids answered from memory."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.states: dict[str, Any] = {}
        self.known: dict[tuple[str, str], tuple[bytes, dict[str, Any] | None]] = {}
        self.items: list[Input] = []
        self.failure: Exception | None = None
        self.outcome: Outcome | None = None
        self.lock = asyncio.Lock()

    async def submit(self, item: Input) -> Outcome:
        self.items.append(item)
        if self.failure is not None:
            raise self.failure
        if self.outcome is not None:
            return self.outcome
        async with self.lock:
            await asyncio.sleep(0)
            known = self.known.get((item.source, item.id))
            if known is not None:
                return (
                    Outcome("duplicate", reply=known[1])
                    if known[0] == item.content
                    else Outcome("rejected", "CONFLICT")
                )
            state = self.states.get(item.subject)
            decision = MACHINES["exchange"].decide(state, item, self.world.policy, self.world.now)
            reply = next((effect.body for effect in decision.effects if isinstance(effect, Reply)), None)
            if decision.status in {"applied", "duplicate"}:
                self.states[item.subject] = decision.state
                self.known[item.source, item.id] = (item.content, reply)
            return Outcome(decision.status, decision.code, decision.field, decision.fix, reply)

    def set(self, transfer_id: str, **changes: Any) -> None:
        """What the chain or the deposit side found out meanwhile."""
        subject = f"exchange:north/{transfer_id}"
        self.states[subject] = replace(self.states[subject], **changes)


class FakeScreen:
    def __init__(self) -> None:
        self.wallet_hit: bool | None = False
        self.originator_hit: bool | None = False

    async def sanctioned(self, *_: Any) -> bool | None:
        return self.wallet_hit

    async def originator_sanctioned(self, _: Any) -> bool | None:
        return self.originator_hit


def key(own: SigningKey, days: int = 30) -> PublicKey:
    return PublicKey(pubkey=own.public_base64, expires_at=NOW + timedelta(days=days))


@dataclass
class World:
    """Everything a test may change; ``call`` sends as ``north`` unless told otherwise."""

    policy: Policy = field(default_factory=lambda: Policy.default().with_own(OwnVasp("south", "code:south", PROFILE)))
    now: datetime = NOW
    refreshed: list[str] = field(default_factory=list)
    current: dict[str, Any] = field(default_factory=dict)
    client: httpx.AsyncClient | None = None

    def __post_init__(self) -> None:
        self.reads = FakeReads()
        self.directory = FakeDirectory()
        self.directory.add("north", key(PEER))
        self.intake = FakeIntake(self)
        self.screen = FakeScreen()
        self.randomness = (bytes([number % 256]) for number in range(10**9))
        self.named: Any = None

    async def refresh(self, entity_id: str) -> tuple[PublicKey, ...]:
        self.refreshed.append(entity_id)
        await asyncio.sleep(0)
        found = self.current.get(entity_id, ())
        if isinstance(found, Exception):
            raise found
        return found

    def random(self, size: int) -> bytes:
        return b"".join(next(self.randomness) for _ in range(size))

    def rules(self, **changes: Any) -> None:
        own = self.policy.own
        self.policy = self.policy.model_copy(update=changes).with_own(own)

    def deps(self, **changes: Any) -> GatewayDeps:
        given: dict[str, Any] = {
            "entity_id": "south",
            "keyring": KeyRing([OWN, OLD]),
            "intake": self.intake,
            "reads": self.reads,
            "directory": self.directory,
            "policy": lambda: self.policy,
            "clock": lambda: self.now,
            "randomness": self.random,
            "refresh_keys": self.refresh,
            "sources": [ip_network("127.0.0.0/8")],
            "screen": self.screen,
            "named_beneficiaries": self.named,
        }
        return GatewayDeps(**{**given, **changes})

    def open(self, host: str = "127.0.0.1", **changes: Any) -> httpx.AsyncClient:
        transport = httpx.ASGITransport(create_gateway(self.deps(**changes)), client=(host, 1))
        self.client = httpx.AsyncClient(transport=transport, base_url="http://gateway.test")
        return self.client

    async def send(
        self, method: str, path: str, body: Any = None, headers: dict[str, str] | None = None
    ) -> httpx.Response:
        client = self.client or self.open()
        content = body if isinstance(body, bytes) else orjson.dumps(body)
        return await client.request(method, path, content=content, headers=HEADERS if headers is None else headers)

    async def verify(self, inner: Any = None, headers: dict[str, str] | None = None, **fields: Any) -> dict[str, Any]:
        """M1; ``inner`` is the plain inner object."""
        body = {"currency": "BTC", "payload": box(beneficiary(BTC) if inner is None else inner), **fields}
        answer = await self.send("POST", "/v1/beneficiary/VerifyAddress", body, headers)
        assert answer.status_code == 200, answer.text
        return answer.json()

    async def authorize(
        self, inner: Any = None, headers: dict[str, str] | None = None, **fields: Any
    ) -> httpx.Response:
        """M2."""
        body = {**AUTHORIZATION, "payload": box(transfer() if inner is None else inner), **fields}
        return await self.send("POST", "/v1/beneficiary/transfer", body, headers)

    async def report(self, headers: dict[str, str] | None = None, **fields: Any) -> httpx.Response:
        """M3."""
        body = {"transferId": "t-1", "txid": "ab12", **fields}
        return await self.send("POST", "/v1/beneficiary/transfer/txid", body, headers)

    async def finish(self, headers: dict[str, str] | None = None, **fields: Any) -> httpx.Response:
        """M5."""
        body = {"transferId": "t-1", "status": "canceled", **fields}
        return await self.send("PUT", "/v1/vasp/transfer/status", body, headers)

    async def status(self, headers: dict[str, str] | None = None, **fields: Any) -> httpx.Response:
        """M4."""
        return await self.send("POST", "/v1/vasp/transfer/status", {"transferId": "t-1", **fields}, headers)


HEADERS = {
    "X-Request-Origin": "code:north",
    "X-Code-Req-PubKey": PEER.public_base64,
    "X-Code-Req-Remote-PubKey": OWN.public_base64,
}
AUTHORIZATION: dict[str, Any] = {
    "transferId": "t-1",
    "currency": "BTC",
    "amount": "0.50",
    "historicalCost": "",
    "tradePrice": "42708",
    "tradeCurrency": "USD",
    "isExceedingThreshold": "true",
}


def without(name: str) -> dict[str, str]:
    return {header: value for header, value in HEADERS.items() if header != name}


def box(inner: Any, own: SigningKey = PEER, to: SigningKey = OWN) -> str:
    plain = inner if isinstance(inner, bytes) else orjson.dumps({"ivms101": inner})
    return seal(own, to.public_base64, plain, bytes(range(24)))


def opened(answer: httpx.Response, own: SigningKey = PEER, by: SigningKey = OWN) -> dict[str, Any]:
    plain: dict[str, Any] = orjson.loads(open_sealed(own, by.public_base64, answer.json()["payload"]))
    assert set(plain) == {"ivms101"}
    return plain["ivms101"]


def name(last: str, first: str, **more: Any) -> dict[str, Any]:
    identifier = {"primaryIdentifier": last, "secondaryIdentifier": first, "nameIdentifierType": "LEGL"}
    return {"naturalPerson": {"name": {"nameIdentifier": [identifier]}, **more}}


def beneficiary(*numbers: str, persons: Any = ()) -> dict[str, Any]:
    return {"Beneficiary": {"beneficiaryPersons": list(persons), "accountNumber": list(numbers)}}


def transfer(*, to: str = BTC, persons: Any = None, **changes: Any) -> dict[str, Any]:
    """A complete authorization: Anna Berg of north pays Erik Lind."""
    anna = name("Berg", "Anna", dateAndPlaceOfBirth={"dateOfBirth": "1990-02-03", "placeOfBirth": "Oslo"})
    legal = {
        "name": {
            "nameIdentifier": [{"legalPersonName": "North Exchange Ltd.", "legalPersonNameIdentifierType": "LEGL"}]
        },
        "geographicAddress": [
            {"addressType": "BIZZ", "townName": "Seoul", "addressLine": ["1 Street"], "country": "KR"}
        ],
        "nationalIdentification": {
            "nationalIdentifier": "1234567890",
            "nationalIdentifierType": "RAID",
            "registrationAuthority": "RA000657",
        },
        "countryOfRegistration": "KR",
    }
    whole = {
        "Originator": {"originatorPersons": [anna], "accountNumber": ["rEb8TK3gBgk5auZkwc6sHnwrGVJH8DuaLh:1001"]},
        **beneficiary(to, persons=[name("Lind", "Erik")] if persons is None else persons),
        "OriginatingVASP": {"originatingVASP": {"legalPerson": legal}},
    }
    return {**whole, **changes}


@pytest.fixture
def world() -> World:
    return World()


@pytest.fixture(autouse=True)
async def _close(world: World) -> Any:
    yield
    if world.client is not None:
        await world.client.aclose()


Changing = Callable[[World], None]
