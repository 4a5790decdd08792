"""What one process of `north` needs to screen owners: real engine, lists and teller over one database.

Run as a script it is another process: it screens until nothing is left, or kills itself around its n-th result.
"""

from __future__ import annotations

import asyncio
import base64
import os
import signal
import sys
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from uuid import uuid4

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).resolve().parents[4]))

import orjson
from sqlalchemy import select

from schemas.events.wallets import WalletRegistered, WalletRemoved
from schemas.wire_model import Wire
from tests.support.toy_machine import dead_letter_headers
from travelrule.crypto.at_rest import KeyEncryptionKeys
from travelrule.crypto.blind_index import BlindIndex
from travelrule.engine.apply.engine import Engine
from travelrule.engine.input_outcome import InputOutcome
from travelrule.engine.lists.active_lists import ActiveLists
from travelrule.engine.lists.owner_screening import OwnerScreeningJob
from travelrule.engine.messages.message_dispatcher import MessageDispatcher
from travelrule.engine.registry import MACHINES
from travelrule.engine.vault import Vault
from travelrule.machine.input import Input, Rejected
from travelrule.policy.policy import Policy
from travelrule.screening.lists.list_content import pack
from travelrule.screening.lists.list_entries import ListEntry, ListName
from travelrule.store import tables
from travelrule.store.database import Database
from travelrule.store.leases import LeaseRepository
from travelrule.store.list_versions import ListRepository, ListVersion
from travelrule.store.owner_screenings import OwnerScreeningRepository
from travelrule.store.search_rows import SearchRepository

NOW = datetime(2026, 11, 20, 9, 0, tzinfo=UTC)
ADDRESS = "rPEPPER7kfTD9w2To4CQk6UCfuHM9c6GDY"
REQUIRED = Policy.from_toml('sanctions = "required"')


def person(name: str) -> dict[str, Any]:
    first, _, last = name.rpartition(" ")
    return {"natural": {"lastName": last, "firstName": first}}


def event(kind: str, data: Wire, subject: str) -> Input:
    return Input("/platform", str(uuid4()), kind, subject, NOW, data, orjson.dumps(data.to_wire()), uuid4())


class Desk:
    """One process."""

    def __init__(self, database: Database, vault: Vault, owner: str = "p1", policy: Policy = REQUIRED) -> None:
        self.database = database
        self.now = NOW
        self.policy = policy
        self.customers: dict[str, str] = {}
        self.lists = ListRepository(database, "north")
        self.engine = Engine(
            "north", database, MACHINES, vault, lambda: self.policy, dead_letter_headers, clock=self.clock
        )
        self.active = ActiveLists(self.lists, self.engine.alert, self.clock)
        self.owners = OwnerScreeningRepository(database, "north", vault.unwrap, vault.open)
        self.leases = LeaseRepository(database, "north", owner, self.clock)
        committed = self.engine.committed
        self.screening = OwnerScreeningJob(
            self.owners, self.active, self.leases, lambda: self.policy, self.submit, committed.wallets, self.clock
        )
        self.teller = MessageDispatcher(database, "north", vault, self.leases, self.submit_in_order, committed.tells)
        self.reads = SearchRepository(database, "north", vault.index.of, vault.unwrap, vault.open)

    def clock(self) -> datetime:
        return self.now

    async def submit(self, item: Input) -> InputOutcome:
        return (await self.engine.apply([item]))[0]

    async def submit_in_order(self, items: Sequence[Input | Rejected]) -> list[InputOutcome]:
        return [outcome for item in items for outcome in await self.engine.apply([item])]

    async def put(self, *names: str, code: str = "un") -> None:
        """Put a list with these names in force, and take it up. A name has the same entry id in every version."""
        entries = [ListEntry(code, str(sum(name.encode())), "person", (ListName(name, "primary"),)) for name in names]
        version, content = pack(entries)
        row = ListVersion(code, version, "own-csv", len(entries), len(entries), 0, "{}", None, self.now)
        await self.lists.activate(row, content)
        await self.active.round()

    async def register(self, wallet: str, owner: str | dict[str, Any], customer: str = "", **more: Any) -> InputOutcome:
        data = {
            "walletId": wallet,
            "address": ADDRESS,
            "tag": wallet,
            "currencies": ["XRP"],
            "customerId": customer or f"c-{wallet}",
            "kyc": True,
            "owner": person(owner) if isinstance(owner, str) else owner,
            **more,
        }
        self.customers[f"wallet:{wallet}"] = str(data["customerId"])
        return await self.submit(
            event("wallet.registered.v1", WalletRegistered.model_validate(data), f"wallet:{wallet}")
        )

    async def remove(self, wallet: str) -> InputOutcome:
        return await self.submit(event("wallet.removed.v1", WalletRemoved(wallet_id=wallet), f"wallet:{wallet}"))

    async def settle(self) -> int:
        """Work until nothing is left to screen and to tell; return how many results there were."""
        results = 0
        while (done := await self.screening.round()) + await self.teller.round():
            results += done
        return results

    async def sanctioned(self, *wallets: str) -> list[bool | None]:
        """Return the owners of these wallets as the gateway gets them."""
        every = await self.reads.wallets_at([f"{ADDRESS}:{name}" for name in wallets])
        found = {one.tag: one for one in every if one.tag == one.found_tag}
        return [found[name].sanctioned for name in wallets]

    async def said(self, topic: str) -> list[dict[str, Any]]:
        query = select(tables.outbox).where(tables.outbox.c.topic == topic).order_by(tables.outbox.c.id)
        async with self.database.read() as connection:
            return [orjson.loads(row.value)["data"] for row in (await connection.execute(query)).all()]

    async def alerts(self) -> list[tuple[str, str]]:
        """Return code and customer of every alert; which wallet of the customer it names is arbitrary."""
        return sorted((data["code"], self.customers[data["subject"]]) for data in await self.said("alerts"))


def vault_of_tests() -> Vault:
    return Vault("north", KeyEncryptionKeys([base64.b64encode(b"k" * 32).decode()]), BlindIndex(b"i" * 32))


async def main(arguments: Sequence[str]) -> None:
    url, name, dies, count = arguments[0], arguments[1], arguments[2], int(arguments[3])
    database = Database(url)
    desk = Desk(database, vault_of_tests(), name)
    await desk.active.start()
    apply, applied = desk.engine.apply, 0

    async def mortal(items: Sequence[Any]) -> list[InputOutcome]:
        nonlocal applied
        applied += 1
        number = applied
        if (dies, number) == ("before", count):
            os.kill(os.getpid(), signal.SIGKILL)
        outcomes = await apply(items)
        if (dies, number) == ("after", count):
            os.kill(os.getpid(), signal.SIGKILL)
        return outcomes

    desk.engine.apply = mortal  # type: ignore[method-assign]
    await desk.settle()
    await database.dispose()


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1:]))
