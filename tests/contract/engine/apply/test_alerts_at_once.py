"""Processes that raise an alert about the same subject at the same moment."""

from __future__ import annotations

import asyncio

from sqlalchemy import select

from tests.contract.engine.recorded_history import Record
from tests.support.toy_machine import dead_letter_headers
from travelrule.engine.apply.engine import Engine
from travelrule.engine.registry import MACHINES
from travelrule.engine.vault import Vault
from travelrule.machine.effects import Alert
from travelrule.store import tables

TIMES = 8


async def test_the_first_alerts_of_several_processes_about_one_subject_are_all_raised(
    record: Record, vault: Vault
) -> None:
    """Each finds no row of the subject and makes one; none of the processes ends because another one was first."""
    north = record.north
    other = Engine("north", record.database, MACHINES, vault, north.rules, dead_letter_headers, clock=north.clock)
    for number in range(TIMES):
        alert = Alert("LIST_UNREADABLE", "critical")
        both = (north.engine.alert(f"list:l{number}", alert), other.alert(f"list:l{number}", alert))
        await asyncio.gather(*both)
    async with record.database.read() as connection:
        subjects = (
            (await connection.execute(select(tables.outbox.c.subject).where(tables.outbox.c.subject.like("list:%"))))
            .scalars()
            .all()
        )
    assert sorted(subjects) == sorted(2 * [f"list:l{number}" for number in range(TIMES)])
