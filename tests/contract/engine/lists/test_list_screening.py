"""Withdrawals ask the lists in force, through the stored look-up, and the record of it can be proven."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import aclosing
from decimal import Decimal

import pytest

from tests.contract.engine.lists.test_active import entry
from tests.contract.engine.recorded_history import KEY
from tests.support.installation import ADDRESS, NAMES, OWN, EngineInstallation, robot
from travelrule.engine.audit.log import AuditLogJob
from travelrule.engine.audit.verifier import AuditVerifier
from travelrule.engine.messages.message_dispatcher import MessageDispatcher
from travelrule.engine.registry import MACHINES
from travelrule.engine.vault import Vault
from travelrule.messages.assessment import Party
from travelrule.policy.policy import Policy
from travelrule.screening.lists.list_content import pack
from travelrule.screening.lists.list_entries import ListEntry
from travelrule.store import tables
from travelrule.store.database import Database
from travelrule.store.leases import LeaseRepository
from travelrule.store.list_versions import ListVersion
from travelrule.store.policies import PolicyRepository


class Screened:
    """An installation whose policy is the built-in one: lists are required."""

    def __init__(self, north: EngineInstallation) -> None:
        self.north = north
        north.rules.current = Policy.default().with_own(OWN)
        leases = LeaseRepository(north.database, "north", "p1", north.clock)
        self.teller = MessageDispatcher(north.database, "north", north.vault, leases, north.submit_all, asyncio.Event())
        self.policies = PolicyRepository(north.database, "north")
        self.log = AuditLogJob(north.database, "north", KEY, leases, north.clock)

    async def put(self, *entries: ListEntry) -> None:
        version, content = pack(entries)
        row = ListVersion("own", version, "own-csv", len(entries), 1, 0, "{}", None, self.north.clock())
        await self.north.lists._lists.activate(row, content)
        await self.north.lists.round()

    async def settle(self) -> None:
        """Tell and call until nothing is left to do."""
        while await self.teller.round() + await self.north.call():
            pass

    async def proven(self) -> None:
        """Everything that was decided is decided again from what is stored, with the same result."""
        now = self.north.clock()
        await self.policies.activate(Policy.default().version, "", now)
        await self.policies.keep_profile(OWN.version, OWN.content, now)
        await self.log.round()
        verifier = AuditVerifier(
            self.north.database, "north", self.north.vault, MACHINES, self.policies, OWN, KEY.public_base64
        )
        report = await verifier.verify()
        assert (report.faults, report.recomputed > 0) == ([], True)


@pytest.fixture
async def screened(database: Database, vault: Vault) -> AsyncIterator[Screened]:
    north = EngineInstallation(database, vault, [robot()])
    async with aclosing(north.hub), north.control:
        await north.listing()
        yield Screened(north)


async def test_nobody_listed_and_the_exchange_goes_on(screened: Screened) -> None:
    await screened.put(entry("Somebody Else"))
    await screened.north.withdraw()
    await screened.settle()
    assert await screened.north.verdicts() == [("allow", "VERIFIED")]
    await screened.proven()


@pytest.mark.parametrize(
    "listed",
    [entry("Berg Anna"), entry("Erik Lind"), entry("Somebody Else", address=ADDRESS)],
    ids=["originator", "beneficiary", "address"],
)
async def test_a_hit_denies_before_anything_leaves(screened: Screened, listed: ListEntry) -> None:
    await screened.put(listed, entry("Another One", 2))
    await screened.north.withdraw()
    await screened.settle()
    assert await screened.north.verdicts() == [("deny", "SANCTIONED")]
    assert await screened.north.alerts() == ["SANCTIONS_HIT"]
    assert screened.north.seen() == [], "nothing went to the hub"
    (row,) = await screened.north.rows(tables.outbox, tables.outbox.c.topic == "alerts")
    assert not [name for name in NAMES if name in row.value.decode()]
    await screened.proven()


async def test_without_lists_a_withdrawal_is_held_and_operators_are_told(screened: Screened) -> None:
    await screened.north.withdraw()
    await screened.settle()
    assert await screened.north.verdicts() == [("hold", "RISK_UNKNOWN")]
    assert "LISTS_UNAVAILABLE" in await screened.north.alerts()
    assert screened.north.seen() == []
    await screened.proven()


async def test_a_party_whom_no_list_can_be_asked_for_is_not_clean(screened: Screened) -> None:
    await screened.put(entry("Somebody Else"))
    lists = screened.north.lists
    asked = [Party(names=("\u202e\u200b",), kind="person"), Party(names=("Erik Lind",), kind="person")]
    for parties, checked in ((asked, False), (asked[1:], True), ([Party(names=(), kind="person")], False)):
        found = await lists.screen(parties, (), threshold=Decimal("0.9"))
        assert (found.checked, found.hits) == (checked, ())
    assert not (await lists.search("\u202e", None, threshold=Decimal("0.9"))).checked
