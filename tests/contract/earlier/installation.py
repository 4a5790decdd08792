"""Today's processes of the VASP whose earlier database is kept, at a hub with the same counterparties."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Sequence
from typing import Any

from schemas.wire_model import Wire
from tests.contract.earlier.stored import KEPT, UNTIL
from tests.contract.engine.outbox.test_relay import FakeBroker
from tests.support.installation import EngineInstallation, robot
from tests.support.vasps import NORTH as OWN
from travelrule.crypto.at_rest import KeyEncryptionKeys
from travelrule.crypto.blind_index import BlindIndex
from travelrule.crypto.signing import SigningKey
from travelrule.engine.audit.history import HistoryReader
from travelrule.engine.audit.log import AuditLogJob
from travelrule.engine.audit.verifier import AuditReport, AuditVerifier
from travelrule.engine.callback_urls import CallbackUrls
from travelrule.engine.messages.message_dispatcher import MessageDispatcher
from travelrule.engine.outbox.relay import Relay
from travelrule.engine.policy.active import ActivePolicy
from travelrule.engine.policy.trial import PolicyTrial, TrialResult
from travelrule.engine.registry import MACHINES
from travelrule.engine.timers import TimerJob
from travelrule.engine.vault import Vault
from travelrule.policy.policy import Policy
from travelrule.sandbox.robots.robot_transfers import RobotTransfer
from travelrule.store import tables
from travelrule.store.database import Database
from travelrule.store.leases import LeaseRepository
from travelrule.store.policies import PolicyRepository

OPEN = {"verified", "pending", "processing", "wait-confirm"}


class Installation:
    """Everything of one process, and the robots to which the earlier withdrawals went."""

    def __init__(self, database: Database) -> None:
        index = BlindIndex(_key("indexKey"))
        self.vault = vault = Vault("north", KeyEncryptionKeys([KEPT["storageKey"]]), index)
        searches = CallbackUrls(database, "north", index, "https://north.test/hooks", lambda: self.north.clock())
        members = [robot(), robot("east", b"e", answers="denied", reason_type="NOT_KYC_USER"), robot("west", b"w")]
        self.north = north = EngineInstallation(database, vault, members, searches=searches)
        north.clock.now = UNTIL
        north._inputs = itertools.count(10_001)  # the ids before were used by the earlier tree
        self.database = database
        self.policies = PolicyRepository(database, "north")
        leases = LeaseRepository(database, "north", "p1", north.clock)
        engine = north.engine
        self.timers = TimerJob(database, "north", leases, north.submit, engine.alert, north.clock)
        self.teller = MessageDispatcher(database, "north", vault, leases, north.submit_all, asyncio.Event())
        self.key = SigningKey(_key("auditKey"))
        self.log = AuditLogJob(database, "north", self.key, leases, north.clock)
        self.broker = FakeBroker()
        self.relay = Relay(north.outbox_rows, self.broker, asyncio.Event(), north.clock, engine.alert)

    async def start(self) -> None:
        """Load the stored policy and lists; the robots keep the earlier transfers."""
        active = ActivePolicy(self.policies, OWN, None, self.north.clock)
        await active.load()
        self.north.rules.current = active()
        await self.north.lists.round()
        await self.north.refresh()
        for row in await self.north.rows(tables.exchanges, tables.exchanges.c.side == "originating"):
            member = self.north.sandbox.members.robot(row.counterparty)
            if member is not None and row.status in OPEN:
                transfer = RobotTransfer(b"", "verified", txid=row.txid or "")
                member.memory.transfers.keep("code:north", row.transfer_id, transfer)

    async def settle(self) -> None:
        """Go on until nothing is due now."""
        for _ in range(200):
            if not await self.teller.round() + await self.timers.round() + await self.north.call():
                return
        raise AssertionError("it does not come to rest")

    async def later(self, seconds: float, step: float) -> None:
        """Let time pass in steps, doing what comes due."""
        await self.settle()
        for _ in range(int(seconds / step)):
            self.north.clock.forward(step)
            await self.settle()

    async def tell(self, subject: str, *events: Wire) -> None:
        """Events of the platform."""
        for event in events:
            assert (await self.north.tell(event, subject)).status == "applied", event

    async def subject(self, name: str) -> Any:
        (row,) = await self.north.rows(tables.subjects, tables.subjects.c.subject == name)
        return row

    async def verify(self) -> AuditReport:
        public = self.key.public_base64
        return await AuditVerifier(self.database, "north", self.vault, MACHINES, self.policies, OWN, public).verify()

    async def judged(self, rules: str) -> Sequence[TrialResult]:
        """The output of ``policy try``."""
        histories = HistoryReader(self.database, "north", self.vault, self.policies, OWN)
        policy = Policy.from_toml(rules).with_own(OWN)
        trial = PolicyTrial(histories, self.vault, MACHINES, policy, self.north.clock())
        return [one async for one in trial.judge(UNTIL.replace(year=2000))]


def _key(name: str) -> bytes:
    import base64

    return base64.b64decode(KEPT[name])
