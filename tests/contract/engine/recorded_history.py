"""An installation with a history, for the tests of its proofs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sqlalchemy import select

from tests.support.installation import EngineInstallation
from tests.support.vasps import NORTH as OWN
from travelrule.crypto.signing import SigningKey
from travelrule.engine.audit.log import AuditLogJob
from travelrule.engine.audit.verifier import AuditReport, AuditVerifier
from travelrule.engine.policy.active import ActivePolicy
from travelrule.engine.registry import MACHINES
from travelrule.machine.port import Machine
from travelrule.policy.policy import OwnVasp, Policy
from travelrule.store.leases import LeaseRepository
from travelrule.store.policies import PolicyRepository

KEY = SigningKey(b"a" * 32)
SUBJECT = "withdrawal:w-1"


class Record:
    """An installation with a history: two withdrawals, one of them verified and reported, and a log with two roots."""

    def __init__(self, north: EngineInstallation) -> None:
        self.north = north
        self.database = north.database
        self.policies = PolicyRepository(self.database, "north")
        self.own = OWN
        leases = LeaseRepository(self.database, "north", "p1", north.clock)
        self.log = AuditLogJob(self.database, "north", KEY, leases, north.clock)

    async def make(self) -> None:
        north = self.north
        await self.policies.activate(Policy(sanctions="off").version, 'sanctions = "off"', north.clock())
        await self.start_as(OWN)
        await north.listing()
        await north.withdraw("w-1")
        await north.withdraw("w-2", "west")
        assert await self.log.round() == 2
        await north.calls_all()
        await north.send("w-1")
        await north.calls_all()
        assert await self.log.round() == 2
        assert await self.log.round() == 0

    async def start_as(self, own: OwnVasp) -> None:
        """Start a process with this profile of its VASP."""
        self.own = own
        self.north.rules.current = self.north.rules.current.with_own(own)
        await ActivePolicy(self.policies, own, None, self.north.clock).load()

    async def verify(self, machines: Mapping[str, Machine] = MACHINES) -> AuditReport:
        verifier = AuditVerifier(
            self.database, "north", self.north.vault, machines, self.policies, self.own, KEY.public_base64
        )
        return await verifier.verify()

    async def change(self, statement: Any) -> None:
        async with self.database.begin() as connection:
            assert (await connection.execute(statement)).rowcount > 0

    async def one(self, table: Any, *where: Any) -> Any:
        async with self.database.read() as connection:
            return (await connection.execute(select(table).where(*where).limit(1))).one()
