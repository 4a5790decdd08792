"""The ports of the gateway in memory: lists instead of tables, the real machines instead of an engine."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from schemas.events.persons import Person
from schemas.hub.bodies import PublicKey, VaspEntry
from travelrule.deposits.served_requests import machine as data_request
from travelrule.engine.callback_urls import SearchRecord
from travelrule.engine.input_outcome import InputOutcome
from travelrule.engine.registry import MACHINES
from travelrule.exchange.originator.machine import MACHINE as WITHDRAWALS
from travelrule.exchange.originator.projection import project_withdrawal
from travelrule.exchange.originator.state import WithdrawalState
from travelrule.identity.account_numbers import candidates, canonical
from travelrule.identity.txids import same_txid
from travelrule.machine.effects import Reply
from travelrule.machine.input import Input
from travelrule.messages.screened_parties import parties_of_ivms
from travelrule.store.directory import StoredVasp
from travelrule.store.search_rows import ExchangeRecord, WalletRecord, WithdrawalRecord

if TYPE_CHECKING:
    from tests.support.gateway_scene import GatewayScene

NOW = datetime(2026, 11, 20, 9, 0, tzinfo=UTC)
XRP = "rPEPPER7kfTD9w2To4CQk6UCfuHM9c6GDY"
TXID = "9F1C0E5A7B3D4C2E8A6F0B1D3C5E7A9F1C0E5A7B3D4C2E8A6F0B1D3C5E7A9F1C"
BTC = "1KzHK8WMRHRCvRjUV5PFny3v6fqT3UAY5K"
OWNER = Person.model_validate({"natural": {"lastName": "Lind", "firstName": "Erik", "dateOfBirth": "1980-01-02"}})


@dataclass
class Wallet:
    address: str
    tag: str = ""
    currencies: tuple[str, ...] = ("BTC",)
    networks: tuple[str, ...] = ()
    kyc: bool = True
    owner: Person | None = OWNER
    wallet_id: str = "w-1"
    customer_id: str = "c-1"


@dataclass
class Sent:
    """A withdrawal of ours; ``erased``: its data key is gone."""

    state: WithdrawalState
    erased: bool = False


class FakeReads:
    """The queries of the store, over lists."""

    def __init__(self) -> None:
        self.wallets = [
            Wallet(BTC),
            Wallet(XRP, "77001", ("XRP",), ("XRP",), wallet_id="w-2"),
        ]
        self.exchanges: dict[tuple[str, str], ExchangeRecord] = {}
        self.withdrawals: list[Sent] = []
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
                wallet.customer_id,
                wallet.owner,
            )
            for text in asked
            for address, tag in candidates(text)
            for wallet in self.wallets
            if canonical(address) == canonical(wallet.address)
        ]

    async def withdrawals_in(self, asked: Any) -> list[WithdrawalRecord]:
        self.asked += asked
        await self._serve()
        return [
            WithdrawalRecord(
                (txid, text),
                tag,
                f"withdrawal:{one.state.withdrawal_id}",
                one.state.vout,
                None if one.erased else WITHDRAWALS.dump(one.state),
            )
            for one in self.withdrawals
            for txid, text in asked
            for address, tag in candidates(text)
            if same_txid(txid, one.state.txid or "") and address == project_withdrawal(one.state).rows[0].address
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

    def __init__(self, scene: GatewayScene) -> None:
        self.scene = scene
        self.states: dict[str, Any] = {}
        self.known: dict[tuple[str, str], tuple[bytes, dict[str, Any] | None]] = {}
        self.items: list[Input] = []
        self.failure: Exception | None = None
        self.outcome: InputOutcome | None = None
        self.lock = asyncio.Lock()

    async def submit(self, item: Input) -> InputOutcome:
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
                    InputOutcome("duplicate", reply=known[1])
                    if known[0] == item.content
                    else InputOutcome("rejected", "CONFLICT")
                )
            state = self.states.get(item.subject)
            machine = {**MACHINES, "data-request": data_request.MACHINE}[item.subject.partition(":")[0]]
            decision = machine.decide(state, item, self.scene.policy, self.scene.now)
            reply = next((effect.body for effect in decision.effects if isinstance(effect, Reply)), None)
            if decision.status in {"applied", "duplicate"}:
                self.states[item.subject] = decision.state
                self.known[item.source, item.id] = (item.content, reply)
            return InputOutcome(decision.status, decision.code, decision.field, decision.fix, reply)

    def set(self, transfer_id: str, **changes: Any) -> None:
        """What the chain or the deposit side found out meanwhile."""
        subject = f"exchange:north/{transfer_id}"
        self.states[subject] = replace(self.states[subject], **changes)


class FakeSearches:
    """The searches that were sent with a ``callbackUrl``, by operation and token."""

    def __init__(self) -> None:
        self.known: dict[tuple[str, str], SearchRecord] = {}
        self.failure: Exception | None = None

    async def find(self, operation: str, token: str) -> SearchRecord | None:
        if self.failure is not None:
            raise self.failure
        return self.known.get((operation, token))


class FakeScreen:
    def __init__(self) -> None:
        self.wallet_hit: bool | None = False
        self.person_hits: dict[str, bool | None] = {}
        """By last name; anybody else is clean."""
        self.persons_known = True

    async def sanctioned(self, *_: Any) -> bool | None:
        return self.wallet_hit

    async def persons_sanctioned(self, persons: Any) -> bool | None:
        words = {word for party in parties_of_ivms(persons) for name in party.names for word in name.split()}
        if any(self.person_hits.get(word) for word in words):
            return True
        return False if self.persons_known else None
