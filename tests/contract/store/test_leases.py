"""Jobs that one process at a time does: the lease has one owner, and outlives no dead one."""

from __future__ import annotations

import asyncio
from datetime import datetime

from tests.contract.store.rows import NOW, after, read
from travelrule.metrics import REGISTRY
from travelrule.store import tables
from travelrule.store.database import Database
from travelrule.store.leases import LeaseRepository


class Clock:
    def __init__(self) -> None:
        self.now = NOW

    def __call__(self) -> datetime:
        return self.now


async def test_one_owner_renewal_and_succession(database: Database) -> None:
    clock = Clock()
    first, second = (LeaseRepository(database, "north", name, clock) for name in ("first", "second"))
    assert await first.take("timers", 10)
    assert not await second.take("timers", 10)
    clock.now = after(9)
    assert await first.take("timers", 10), "the owner renews"
    assert REGISTRY.get_sample_value("travelrule_leases_held", {"lease": "timers"}) == 1
    clock.now = after(18)
    assert not await second.take("timers", 10), "the renewal counts"
    clock.now = after(19.1)
    assert REGISTRY.get_sample_value("travelrule_leases_held", {"lease": "timers"}) == 0, "it expired"
    assert await second.take("timers", 10), "the owner died"
    assert not await first.take("timers", 10), "and may not go on as if nothing had happened"


async def test_names_and_vasps_are_apart(database: Database) -> None:
    clock = Clock()
    north, other = LeaseRepository(database, "north", "a", clock), LeaseRepository(database, "north", "b", clock)
    south = LeaseRepository(database, "south", "b", clock)
    assert await north.take("timers", 10)
    assert await other.take("directory", 10)
    assert await south.take("timers", 10)
    assert len(await read(database, tables.leases)) == 3


async def test_of_many_at_once_one_gets_it(database: Database) -> None:
    clock = Clock()
    owners = [LeaseRepository(database, "north", f"p{number}", clock) for number in range(8)]
    assert sum(await asyncio.gather(*(owner.take("timers", 10) for owner in owners))) == 1
    clock.now = after(60)
    assert sum(await asyncio.gather(*(owner.take("timers", 10) for owner in owners))) == 1


async def test_a_heartbeat_overwrites_the_one_row_of_all_processes(database: Database) -> None:
    clock = Clock()
    for process in ("first", "second", "second"):
        clock.now = after((clock.now - NOW).total_seconds() + 1)
        await LeaseRepository(database, "north", process, clock).write_heartbeat()
    (row,) = await read(database, tables.leases)
    assert (row.owner, row.until) == ("second", after(3))
