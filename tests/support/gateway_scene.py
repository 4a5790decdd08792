"""A gateway with real keys and the real machine of the exchange; everything else is in memory."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

import httpx
import orjson

from schemas.events.withdrawals import WithdrawalRequested
from schemas.hub.bodies import PublicKey
from tests.support.gateway_ports import (
    BTC,
    NOW,
    OWNER,
    TXID,
    XRP,
    FakeDirectory,
    FakeIntake,
    FakeReads,
    FakeScreen,
    FakeSearches,
    Sent,
    Wallet,
)
from travelrule.crypto.sealing import open_sealed, seal
from travelrule.crypto.signing import KeyRing, SigningKey
from travelrule.engine.queries.served_withdrawals import ServedWithdrawals
from travelrule.exchange.originator.state import WithdrawalState
from travelrule.gateway.app import GatewayDeps, create_gateway
from travelrule.identity.profile import VaspProfile
from travelrule.policy.policy import OwnVasp, Policy

__all__ = ["BTC", "NOW", "OWNER", "XRP", "GatewayScene", "Wallet"]

OWN, OLD, PEER, OTHER = (SigningKey(bytes([number]) * 32) for number in (1, 2, 3, 4))
PROFILE = VaspProfile.model_validate(
    {
        "legal_name": "South Exchange Ltd.",
        "country_of_registration": "SG",
        "national_identification": {"identifier": "529900T8BM49AURSDO55", "type": "LEIX"},
    }
)


def key(own: SigningKey, days: int = 30) -> PublicKey:
    return PublicKey(pubkey=own.public_base64, expires_at=NOW + timedelta(days=days))


@dataclass
class GatewayScene:
    """Everything a test may change; requests come from ``north`` unless a header says otherwise."""

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
        self.searches = FakeSearches()
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
            "withdrawals": ServedWithdrawals(self.reads),  # type: ignore[arg-type]
            "searches": self.searches,
            "directory": self.directory,
            "policy": lambda: self.policy,
            "clock": lambda: self.now,
            "randomness": self.random,
            "refresh_keys": self.refresh,
            "screen": self.screen,
            "named_beneficiaries": self.named,
        }
        return GatewayDeps(**{**given, **changes})

    def open(self, host: str = "127.0.0.1", **changes: Any) -> httpx.AsyncClient:
        transport = httpx.ASGITransport(create_gateway(self.deps(**changes)), client=(host, 1))
        self.client = httpx.AsyncClient(transport=transport, base_url="http://gateway.test")
        return self.client

    async def send(
        self,
        method: str,
        path: str,
        body: Any = None,
        headers: dict[str, str] | None = None,
        content_type: str | None = "application/json",
    ) -> httpx.Response:
        client = self.client or self.open()
        content = body if isinstance(body, bytes) else orjson.dumps(body)
        sent = dict(HEADERS if headers is None else headers)
        if content_type is not None:
            sent["Content-Type"] = content_type
        return await client.request(method, path, content=content, headers=sent)

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

    def sent(self, txid: str = TXID, *, erased: bool = False, vout: str | None = None, **changes: Any) -> None:
        """Anna Berg, customer of ours, sent Erik Lind of north something."""
        number = len(self.reads.withdrawals) + 1
        data = {**WITHDRAWAL, "withdrawalId": f"out-{number}", **changes}
        request = WithdrawalRequested.model_validate(data)
        state = WithdrawalState(f"out-{number}", "", request, recorded=True, chain="broadcast", txid=txid, vout=vout)
        self.reads.withdrawals.append(Sent(state, erased))

    async def search(self, headers: dict[str, str] | None = None, **fields: Any) -> httpx.Response:
        """M6."""
        body = {"txid": TXID, "beneficiaryAddress": f"{XRP}:77001", **fields}
        return await self.send("POST", "/v1/verification/tx", body, headers)

    async def request_data(
        self, inner: Any = None, headers: dict[str, str] | None = None, **fields: Any
    ) -> httpx.Response:
        """M7."""
        payload = box(payee() if inner is None else inner)
        body = {**DATA_REQUEST, "payload": payload, **fields}
        return await self.send("PUT", "/v1/verification/tx", body, headers)


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


WITHDRAWAL: dict[str, Any] = {
    "currency": "XRP",
    "network": "XRP",
    "amount": "250.50",
    "tradePrice": "150.30",
    "tradeCurrency": "USD",
    "isExceedingThreshold": True,
    "historicalCost": "120",
    "destination": {"kind": "unknown", "address": XRP, "tag": "77001"},
    "originator": {
        "customerId": "c-1001",
        "walletAddress": "rEb8TK3gBgk5auZkwc6sHnwrGVJH8DuaLh:1001",
        "natural": {"lastName": "Berg", "firstName": "Anna", "dateOfBirth": "1990-02-03"},
    },
    "beneficiary": {"natural": {"lastName": "Lind", "firstName": "Erik"}},
}
DATA_REQUEST: dict[str, Any] = {"transferId": "r-1", "txid": TXID, "beneficiaryAddress": f"{XRP}:77001"}


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


def payee(*, to: str = f"{XRP}:77001", persons: Any = None, **changes: Any) -> dict[str, Any]:
    """A complete data request: north asks who paid Erik Lind."""
    vasp = {
        "name": {
            "nameIdentifier": [{"legalPersonName": "North Exchange Ltd.", "legalPersonNameIdentifierType": "LEGL"}]
        },
        "countryOfRegistration": "KR",
    }
    whole = {
        **beneficiary(to, persons=[name("Lind", "Erik")] if persons is None else persons),
        "BeneficiaryVASP": {"beneficiaryVASP": {"legalPerson": vasp}},
    }
    return {**whole, **changes}


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
