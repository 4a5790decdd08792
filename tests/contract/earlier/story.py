"""Writes the small database of an earlier tree that ``tests/data/earlier`` keeps. Run by the tree of that revision.

It uses the parts of revision a39284f, the last one whose audit records name no version of their machine, so it stays as
it is when today's parts change. How it was run is described in ``tests/data/earlier/README.md``. Every name, key and
address is made up.
"""

from __future__ import annotations

import asyncio
import base64
import sys
from datetime import timedelta
from typing import Any
from uuid import UUID, uuid5

import orjson
from sqlalchemy import delete

from schemas.base import Wire
from schemas.decisions import DecisionRecorded
from schemas.deposits import DepositConfirmed, DepositDetected, DepositSettled
from schemas.screenings import OwnershipRequested, ScreeningRequested
from schemas.txids import WithdrawalBroadcast, WithdrawalMined, WithdrawalSettled
from schemas.wallets import WalletRegistered
from schemas.withdrawals import WithdrawalCancelled
from tests.contract.engine.station import ADDRESS, TYPES, Station, robot
from tests.unit.exchange.scene import ADDRESS as PAID
from tests.unit.exchange.scene import NORTH as OWN
from tests.unit.exchange.scene import authorization, finish, ivms101, legal, requested, txid_report
from travelrule.crypto.at_rest import KeyEncryptionKeys
from travelrule.crypto.blind_index import BlindIndex
from travelrule.crypto.signing import SigningKey
from travelrule.deposits.data_request_reports import DataRequestReceived, WithdrawalFacts
from travelrule.engine.audit_log import AuditLog
from travelrule.engine.owner_screening import OwnerScreening
from travelrule.engine.relay import Relay
from travelrule.engine.rules import ActivePolicy
from travelrule.engine.searches import Searches
from travelrule.engine.telling import Teller
from travelrule.engine.timers import Timers
from travelrule.engine.vault import Vault
from travelrule.exchange.inputs import Input, RawMessage, Rejected
from travelrule.exchange.reports import SenderFacts
from travelrule.policy.policy import Policy
from travelrule.screening.lists.content import pack
from travelrule.screening.lists.model import ListEntry, ListName
from travelrule.store import tables
from travelrule.store.database import Database
from travelrule.store.leases import Leases
from travelrule.store.lists import ListVersion
from travelrule.store.owners import Owners
from travelrule.store.policies import Policies

KEYS = {"storage": b"k" * 32, "index": b"i" * 32, "audit": b"a" * 32}
FIRST_POLICY = 'sanctions = "off"\ndeny_list = ["banned"]\n[exemptions]\nbelow_threshold = true\n'
SECOND_POLICY = 'sanctions = "required"\noperator_override = true\ndeny_list = ["banned"]\n'
MEMBERS = [
    robot(),
    robot("east", b"e", answers="denied", reason_type="NOT_KYC_USER"),
    robot("west", b"w", health="down"),
    robot("banned", b"b"),
]
WALLET = "0xcB1C1FdE09f811B294172696404e88E658659905"
BLACK = "0x000000000000000000000000000000000000dEaD"
WORLD = {"screening": {"wallets": {BLACK: {"category": "BLACK", "tags": ["Phishing"]}}}}
TYPES |= {"DepositConfirmed": "deposit.confirmed.v1", "DepositSettled": "deposit.settled.v1"}
INTERNAL = {
    "DataRequestReceived": "data-request.received",
    "AuthorizationReceived": "authorization.received",
    "TxidReportReceived": "txid-report.received",
    "FinishReceived": "finish.received",
}


def transfer(number: int) -> str:
    """The id of an inbound exchange."""
    return f"5d3c0a44-0f4e-4c7f-8a0e-9d0d6f0a1b{number:02}"


def txid(number: int) -> str:
    """A transaction of these stories."""
    return f"{number:04}" * 16


class Story:
    """The processes of ``north`` on one database, and what happened to them."""

    def __init__(self, database: Database) -> None:
        index = BlindIndex(KEYS["index"])
        vault = Vault("north", KeyEncryptionKeys([base64.b64encode(KEYS["storage"]).decode()]), index)
        searches = Searches(database, "north", index, "https://north.test/hooks", lambda: self.station.clock())
        self.station = station = Station(database, vault, MEMBERS, world=WORLD, searches=searches)
        self.database = database
        self.policies = Policies(database, "north")
        leases = Leases(database, "north", "p1", station.clock)
        engine = station.engine
        self.timers = Timers(database, "north", leases, station.submit, engine.alert, station.clock)
        self.teller = Teller(database, "north", vault, leases, station.submit, asyncio.Event())
        self.log = AuditLog(database, "north", SigningKey(KEYS["audit"]), leases, station.clock)
        self.relay = Relay(station.queues, self, asyncio.Event(), station.clock)
        self.owners = OwnerScreening(
            Owners(database, "north", vault.unwrap, vault.open),
            station.lists,
            leases,
            station.rules,
            station.submit,
            asyncio.Event(),
            station.clock,
        )

    async def publish(self, topic: str, key: bytes, value: bytes, headers: list[tuple[str, bytes]]) -> None:
        """The broker takes everything."""

    async def in_force(self, rules: str) -> None:
        await self.policies.activate(Policy.from_toml(rules).version, rules, self.station.clock())
        active = ActivePolicy(self.policies, OWN, None, self.station.clock)
        await active.load()
        self.station.rules.current = active()

    async def settle(self) -> None:
        """Go on until nothing is due now."""
        for _ in range(100):
            if not await self.teller.round() + await self.timers.round() + await self.station.call():
                return
        raise AssertionError("it does not come to rest")

    async def later(self, seconds: float, step: float = 15.0) -> None:
        await self.settle()
        for _ in range(int(seconds / step)):
            self.station.clock.forward(step)
            await self.settle()

    async def tell(self, data: Wire, subject: str) -> None:
        assert (await self.station.tell(data, subject)).status == "applied", (data, subject)

    async def hear(self, data: Wire, number: int, **changes: Any) -> None:
        """Something comes in for an exchange of ours as the beneficiary's VASP."""
        one = data.model_copy(update={"transfer_id": transfer(number), **changes})
        name = f"in-{type(one).__name__}-{number}"
        content = one.model_dump_json(by_alias=True).encode()
        kind = INTERNAL[type(one).__name__]
        subject = f"{'data-request' if kind.startswith('data') else 'exchange'}:north/{transfer(number)}"
        salt = uuid5(UUID(int=7), name)
        item = Input("/hub", name, kind, subject, self.station.clock(), one, content, salt)
        assert (await self.station.submit(item)).status == "applied", name

    async def withdraw(self, name: str, target: str = "south", **changes: Any) -> None:
        await self.station.withdraw(name, target, **changes)

    async def sent(self, name: str, number: int) -> None:
        await self.tell(WithdrawalBroadcast(withdrawal_id=name, txid=txid(number), vout=None), f"withdrawal:{name}")

    async def operator(self, subject: str, decision: Any) -> None:
        data = DecisionRecorded(subject=subject, decision=decision, actor="operator-1", reason="checked by phone")
        await self.tell(data, subject)

    async def wallet(self, name: str, last: str, first: str, **changes: Any) -> None:
        owner = {"natural": {"lastName": last, "firstName": first, "dateOfBirth": "1980-05-06"}}
        data = {"walletId": name, "address": ADDRESS, "tag": "77001", "currencies": ["XRP"], "networks": ["XRP"]}
        data |= {"customerId": f"c-{name}", "kyc": True, "owner": owner, **changes}
        await self.tell(WalletRegistered.model_validate(data), f"wallet:{name}")

    async def deposit(self, name: str, number: int, **changes: Any) -> None:
        data = {"depositId": name, "txid": txid(number), "currency": "XRP", "network": "XRP", "amount": "250.5"}
        data |= {"address": ADDRESS, "tag": "77001", **changes}
        await self.tell(DepositDetected.model_validate(data), f"deposit:{name}")

    async def without_lists(self) -> None:
        """Withdrawals in every outcome, some of them still open at the end."""
        await self.in_force(FIRST_POLICY)
        await self.station.listing()
        for name in ("done", "cancelled", "failed", "verified", "reported", "erased"):
            await self.withdraw(name)
        await self.withdraw("denied", "east")
        await self.withdraw("unreachable", "west")
        await self.withdraw("refused", "west")
        await self.withdraw("banned", "banned")
        await self.withdraw("exempt", isExceedingThreshold=False)
        await self.settle()
        assert await self.log.round() > 0
        for number, name in enumerate(("done", "failed", "reported", "erased"), start=1):
            await self.sent(name, number)
        await self.settle()
        for name in ("done", "reported", "erased"):
            await self.tell(WithdrawalMined(withdrawal_id=name), f"withdrawal:{name}")
        await self.tell(WithdrawalCancelled(withdrawal_id="cancelled", reason="UNKNOWN"), "withdrawal:cancelled")
        for name, outcome in (("done", "confirmed"), ("erased", "confirmed"), ("failed", "failed")):
            await self.tell(WithdrawalSettled(withdrawal_id=name, outcome=outcome), f"withdrawal:{name}")
        await self.operator("withdrawal:refused", "deny")
        await self.later(30)
        await self.relay.round()

    async def beneficiary(self) -> None:
        """Inbound exchanges, deposits that they announced, and one that was not announced."""
        await self.wallet("w-1", "Lind", "Erik")
        for number in range(1, 6):
            await self.hear(authorization(), number)
        await self.hear(authorization(currency="DOGE"), 6)
        await self.hear(authorization(wallets=()), 7)
        for number in (1, 2, 3):
            await self.hear(txid_report(txid=txid(20 + number)), number)
        await self.hear(finish(), 3)
        await self.hear(finish(), 4)
        for number, facts in ((11, (WithdrawalFacts(subject="withdrawal:done", request=requested()),)), (12, ())):
            await self.hear(self.question(facts), number)
        await self.deposit("matched", 21)
        await self.deposit("anonymous", 31, amount="99.5")
        await self.settle()
        await self.tell(DepositConfirmed(deposit_id="matched"), "deposit:matched")
        await self.settle()
        await self.tell(DepositSettled(deposit_id="matched", outcome="credited"), "deposit:matched")
        await self.later(780, step=60)
        await self.deposit("expected", 32)
        await self.station.put(robot("east", b"e", answers="denied", reason_type="NOT_KYC_USER", health="down"))
        await self.station.refresh()
        await self.settle()

    def question(self, withdrawals: tuple[WithdrawalFacts, ...]) -> DataRequestReceived:
        """A beneficiary's VASP asks who paid its customer."""
        inner = {**ivms101(), "BeneficiaryVASP": {"beneficiaryVASP": legal("South Exchange Ltd.")}}
        return DataRequestReceived(
            origin="code:north",
            entity_id="north",
            transfer_id="",
            txid=txid(1),
            beneficiary_address=f"{PAID}:77001",
            ivms101={name: inner[name] for name in ("Beneficiary", "BeneficiaryVASP")},
            requester=SenderFacts(entity_id="south", alliance="code", country="SG"),
            withdrawals=withdrawals,
        )

    async def with_lists(self) -> None:
        """Lists are in force: every party is looked up in them."""
        names = ("Boris Blocked", "Carla Condemned")
        entries = [
            ListEntry("un", str(number), "person", (ListName(name, "primary"),)) for number, name in enumerate(names)
        ]
        version, content = pack(entries)
        row = ListVersion("un", version, "own-csv", len(entries), len(entries), 0, "{}", None, self.station.clock())
        await self.station.lists._lists.activate(row, content)
        await self.station.lists.round()
        await self.in_force(SECOND_POLICY)
        await self.wallet("w-2", "Blocked", "Boris", tag="77002")
        await self.wallet("w-3", "Berg", "Nora", tag="77003")
        while await self.owners.round() + await self.teller.round():
            pass
        blocked = {"natural": {"lastName": "Condemned", "firstName": "Carla", "dateOfBirth": "1970-01-01"}}
        await self.withdraw("listed", beneficiary=blocked)
        await self.withdraw("screened")
        await self.withdraw("overridden", "west")
        await self.screening("rated", WALLET)
        await self.screening("malicious", BLACK)
        await self.later(30)
        await self.operator("withdrawal:overridden", "allow")
        await self.settle()

    async def screening(self, name: str, address: str) -> None:
        data = {"requestId": name, "kind": "wallet", "chain": "ETH", "address": address}
        await self.tell(ScreeningRequested.model_validate(data), f"screening:{name}")

    async def under_way(self) -> None:
        """The last second: everything here waits for something."""
        proof = {"requestId": "proof", "blockchain": "ETH", "asset": "USDT", "address": WALLET, "customerId": "c-1001"}
        proof["widgetOrigin"] = "https://app.north.test:443"
        await self.tell(OwnershipRequested.model_validate(proof), "screening:proof")
        await self.withdraw("searched", destination={"kind": "unknown", "address": ADDRESS, "tag": "77001"})
        await self.settle()
        await self.hear(authorization(originator_sanctioned=False), 8)
        await self.hear(txid_report(txid=txid(41)), 8)
        await self.deposit("late", 41)
        await self.withdraw("asked")
        await self.withdraw("untold")
        late = WithdrawalBroadcast(withdrawal_id="parked", txid=txid(51), vout=None)
        assert (await self.station.tell(late, "withdrawal:parked")).status == "parked"
        assert (
            await self.station.tell(WithdrawalMined(withdrawal_id="parked"), "withdrawal:parked")
        ).status == "parked"
        raw = RawMessage("withdrawals", 1, 4711, b"x", b'{"withdrawalId": "Anna Berg"')
        await self.station.engine.apply([Rejected(raw, "NOT_JSON", "", "send JSON")])
        again = next(item for item in self.station.sent if item.subject == "withdrawal:asked")
        other = Input(again.source, again.id, again.type, again.subject, again.at, again.data, b"{}", again.salt)
        other = Input(**{name: getattr(other, name) for name in other.__slots__} | {"raw": raw})
        assert (await self.station.submit(other)).code == "CONFLICT"

    async def write(self) -> dict[str, Any]:
        await self.without_lists()
        await self.beneficiary()
        await self.with_lists()
        assert await self.log.round() > 0
        async with self.database.begin() as connection:
            keys = tables.data_keys
            await connection.execute(delete(keys).where(keys.c.subject == "withdrawal:erased"))
        await self.under_way()
        async with self.database.read() as connection:
            rows = {str(name): len((await connection.execute(table.select())).all()) for name, table in TABLES.items()}
        return {"revision": "a39284f", "until": (self.station.clock() + timedelta(seconds=1)).isoformat(), "rows": rows}


TABLES = {table.name: table for table in tables.metadata.sorted_tables}


async def main(url: str) -> None:
    database = Database(url)
    told = Story(database)
    written = await told.write()
    await told.station.hub.aclose()
    await told.station.control.aclose()
    await database.dispose()
    sys.stdout.write(orjson.dumps(written, option=orjson.OPT_INDENT_2).decode() + "\n")


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1]))
