"""The continuous check finds what ``audit verify`` finds, in rounds, and recovers when the fault is gone."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from datetime import timedelta

import pytest
from sqlalchemy import update

from tests.contract.engine.audit import test_verifier as tampering
from tests.contract.engine.audit.test_verifier import flipped
from tests.contract.engine.recorded_history import KEY, SUBJECT, Record
from travelrule import metrics
from travelrule.engine.audit import continuous_check
from travelrule.engine.audit.continuous_check import PASS_PAUSE, AuditCheckJob
from travelrule.engine.audit.verifier import AuditVerifier
from travelrule.engine.registry import MACHINES
from travelrule.store import tables
from travelrule.store.leases import LeaseRepository

ROUNDS_MAX = 50


def value(name: str) -> float | None:
    return metrics.REGISTRY.get_sample_value(f"travelrule_{name}")


def check_of(record: Record, process: str = "p1") -> AuditCheckJob:
    north = record.north

    def verifier() -> AuditVerifier:
        return AuditVerifier(
            record.database, "north", north.vault, MACHINES, record.policies, record.own, KEY.public_base64
        )

    leases = LeaseRepository(record.database, "north", process, north.clock)
    return AuditCheckJob(record.database, "north", verifier, KEY.public_base64, leases, north.clock)


async def complete_pass(check: AuditCheckJob) -> int:
    """Run rounds to the end of a pass; return their number."""
    for number in range(1, ROUNDS_MAX):
        if await check.round():
            return number
    raise AssertionError("the pass never ends")


async def test_untouched_everything_is_proved_and_the_next_pass_begins_after_a_pause(record: Record) -> None:
    check = check_of(record)
    await complete_pass(check)
    now = record.north.clock.now
    assert (value("audit_faults"), value("audit_verified_timestamp_seconds")) == (0, now.timestamp())
    checked = value("audit_checked_total")
    assert not await check.round()
    assert value("audit_checked_total") == checked, "nothing is checked during the pause"
    record.north.clock.now = now + PASS_PAUSE
    await complete_pass(check)
    assert value("audit_checked_total") == (checked or 0) + len(await subjects(record))


async def subjects(record: Record) -> list[str]:
    async with record.database.read() as connection:
        return list((await connection.execute(tables.subjects.select())).scalars())


TAMPERINGS = (
    tampering.body,
    tampering.subject,
    tampering.subject_and_all_its_rows,
    tampering.history_cut_with_its_head,
    tampering.root,
    tampering.signature,
    tampering.root_removed,
    tampering.log_head,
    tampering.log_cut,
    tampering.log_cut_with_its_root,
    tampering.log_gone,
)
"""One of each kind: subjects are checked by the same code as in ``audit verify``, the log is not."""


@pytest.mark.parametrize("tamper", TAMPERINGS, ids=lambda one: one.__name__)
async def test_every_tampering_is_found(record: Record, tamper: Callable[[Record], Awaitable[None]]) -> None:
    await tamper(record)
    await complete_pass(check_of(record))
    assert (value("audit_faults") or 0) > 0


async def test_a_pass_of_many_small_rounds_finds_the_fault_and_the_next_one_that_it_is_gone(
    record: Record, monkeypatch: pytest.MonkeyPatch
) -> None:
    steps = iter(range(10_000))
    monkeypatch.setattr(continuous_check.time, "perf_counter", lambda: next(steps) * continuous_check.ROUND_SECONDS / 2)
    audit = tables.audit
    where = audit.c.subject == SUBJECT, audit.c.record == 1
    good = await record.one(audit, *where)
    await record.change(update(audit).where(*where).values(hash=flipped(good.hash)))
    check = check_of(record)
    rounds = await complete_pass(check)
    assert rounds > len(await subjects(record)), "one step a round"
    assert (value("audit_faults") or 0) > 0
    await record.change(update(audit).where(*where).values(hash=bytes(good.hash)))
    record.north.clock.now += PASS_PAUSE
    assert not await check.round()
    assert (value("audit_faults") or 0) > 0, "until the pass is complete"
    await complete_pass(check)
    assert value("audit_faults") == 0


async def test_a_row_that_cannot_be_read_at_all_is_a_fault_and_stops_nothing(record: Record) -> None:
    await record.change(update(tables.audit).where(tables.audit.c.subject == SUBJECT).values(body=b"\x00nonsense"))
    await complete_pass(check_of(record))
    assert (value("audit_faults") or 0) > 0


async def test_a_process_that_lost_the_lease_shows_no_faults_any_more(record: Record) -> None:
    audit = tables.audit
    await record.change(update(audit).where(audit.c.subject == SUBJECT, audit.c.record == 1).values(hash=b"x" * 32))
    check, other = check_of(record), check_of(record, "p2")
    assert await check._holds_lease()
    await complete_pass(check)
    assert (value("audit_faults") or 0) > 0
    record.north.clock.now += timedelta(seconds=continuous_check.LEASE_SECONDS + 1)
    assert await other._holds_lease()
    assert not await check._holds_lease()
    assert value("audit_faults") == 0
