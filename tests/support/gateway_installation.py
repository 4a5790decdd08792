"""A gateway over the real engine and store, on both databases; keys, time and the directory are fixed."""

from __future__ import annotations

import base64
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any
from uuid import uuid4

import httpx
import orjson

from schemas.events.withdrawals import WithdrawalRecorded
from schemas.hub.bodies import PublicKey, VaspEntry
from schemas.registry import EVENTS
from tests.support.toy_machine import dead_letter_headers
from travelrule.crypto.at_rest import KeyEncryptionKeys
from travelrule.crypto.blind_index import BlindIndex
from travelrule.crypto.sealing import open_sealed, seal
from travelrule.crypto.signing import KeyRing, SigningKey
from travelrule.engine.apply.engine import Engine
from travelrule.engine.callback_urls import CallbackUrls
from travelrule.engine.input_outcome import InputOutcome
from travelrule.engine.queries.served_withdrawals import ServedWithdrawals
from travelrule.engine.registry import MACHINES
from travelrule.engine.vault import Vault
from travelrule.gateway.app import GatewayDeps, create_gateway
from travelrule.gateway.ports import NoLists, Screen
from travelrule.identity.profile import VaspProfile
from travelrule.machine.input import Input
from travelrule.policy.policy import OwnVasp, Policy
from travelrule.store.database import Database
from travelrule.store.directory import DirectoryRepository
from travelrule.store.search_rows import SearchRepository

NOW = datetime(2026, 11, 20, 9, 0, tzinfo=UTC)
OWN, PEER = SigningKey(b"\1" * 32), SigningKey(b"\3" * 32)
XRP = "rPEPPER7kfTD9w2To4CQk6UCfuHM9c6GDY"
BTC = "1KzHK8WMRHRCvRjUV5PFny3v6fqT3UAY5K"
TXID = "9F1C0E5A7B3D4C2E8A6F0B1D3C5E7A9F1C0E5A7B3D4C2E8A6F0B1D3C5E7A9F1C"
PUBLIC_URL = "https://vasp.test/hooks"
PROFILE = VaspProfile.from_toml(
    'legal_name = "South Exchange Ltd."\ncountry_of_registration = "SG"\n[address]\ntown = "Singapore"\ncountry = "SG"'
)
HEADERS = {
    "X-Request-Origin": "code:north",
    "X-Code-Req-PubKey": PEER.public_base64,
    "X-Code-Req-Remote-PubKey": OWN.public_base64,
}


def withdrawal(number: int = 1, **changes: Any) -> dict[str, Any]:
    return {
        "withdrawalId": f"out-{number}",
        "currency": "XRP",
        "network": "XRP",
        "amount": "250.50",
        "tradePrice": "150.30",
        "tradeCurrency": "USD",
        "isExceedingThreshold": True,
        "destination": {"kind": "unknown", "address": XRP, "tag": "77001"},
        "originator": {
            "customerId": "planted-customer",
            "walletAddress": f"{BTC}",
            "natural": {"lastName": "Quagmire", "firstName": "Zebulon", "dateOfBirth": "1990-02-03"},
        },
        "beneficiary": {"natural": {"lastName": "Lind", "firstName": "Erik"}},
        **changes,
    }


def event(kind: str, data: dict[str, Any], subject: str) -> Input:
    """An event of the platform, as the agents hand it over."""
    model = EVENTS[kind].model.model_validate(data)
    content = orjson.dumps(data, option=orjson.OPT_SORT_KEYS)
    return Input("/platform", str(uuid4()), kind, subject, NOW, model, content, uuid4())


@dataclass
class GatewayInstallation:
    """South's installation: engine, store and gateway over one database."""

    database: Database
    rules: Policy = field(
        default_factory=lambda: Policy(sanctions="off").with_own(OwnVasp("south", "code:south", PROFILE))
    )
    now: datetime = NOW
    screen: Screen = field(default_factory=NoLists)

    def __post_init__(self) -> None:
        self.index = BlindIndex(b"i" * 32)
        self.vault = Vault("south", KeyEncryptionKeys([base64.b64encode(b"k" * 32).decode()]), self.index)
        self.engine = Engine(
            "south",
            self.database,
            MACHINES,
            self.vault,
            lambda: self.rules,
            dead_letter_headers,
            clock=lambda: self.now,
        )
        self.reads = SearchRepository(self.database, "south", self.index.of, self.vault.unwrap, self.vault.open)
        self.served = ServedWithdrawals(self.reads)
        self.searches = self.searches_at(PUBLIC_URL)
        self.directory = DirectoryRepository(self.database, "south")

    def searches_at(self, public_url: str | None) -> CallbackUrls:
        return CallbackUrls(self.database, "south", self.index, public_url, lambda: self.now)

    async def submit(self, item: Input) -> InputOutcome:
        return (await self.engine.apply([item]))[0]

    async def keys(self, _: str) -> tuple[PublicKey, ...]:
        return ()

    async def list_north(self) -> None:
        entry = VaspEntry(
            vasp_entity_id="north", health="up", pubkeys=(PublicKey(pubkey=PEER.public_base64, expires_at=None),)
        )
        await self.directory.store({"north": entry}, {}, self.now)

    async def recorded(self, number: int = 1, txid: str = TXID, vout: str | None = None, **changes: Any) -> None:
        data = {**withdrawal(number, **changes), "txid": txid, "vout": vout}
        WithdrawalRecorded.model_validate(data)
        outcome = await self.submit(event("withdrawal.recorded.v1", data, f"withdrawal:out-{number}"))
        assert outcome.status == "applied", outcome

    def gateway(self) -> httpx.AsyncClient:
        deps = GatewayDeps(
            entity_id="south",
            keyring=KeyRing([OWN]),
            intake=self,
            reads=self.reads,
            withdrawals=self.served,
            searches=self.searches,
            directory=self.directory,
            policy=lambda: self.rules,
            clock=lambda: self.now,
            randomness=_random,
            refresh_keys=self.keys,
            screen=self.screen,
        )
        transport = httpx.ASGITransport(create_gateway(deps), client=("127.0.0.1", 1))
        return httpx.AsyncClient(transport=transport, base_url="http://gateway.test", headers=HEADERS)


def _random(size: int) -> bytes:
    return uuid4().bytes[:size] if size <= 16 else uuid4().bytes + uuid4().bytes[: size - 16]


def sealed(inner: dict[str, Any]) -> str:
    return seal(PEER, OWN.public_base64, orjson.dumps({"ivms101": inner}), bytes(24))


def opened(payload: str) -> dict[str, Any]:
    inner: dict[str, Any] = orjson.loads(open_sealed(PEER, OWN.public_base64, payload))["ivms101"]
    return inner
