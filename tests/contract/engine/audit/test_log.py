"""The log of chain heads: its roots are signed, leave for Kafka, and one process at a time appends."""

from __future__ import annotations

import asyncio

import orjson
import pytest

from schemas.events.cloudevents import CloudEvent
from schemas.registry import EVENTS
from tests.contract.engine.recorded_history import KEY, Record
from tests.contract.store.rows import NOW
from tests.support.toy_machine import TOY, dead_letter_headers, told
from tests.support.vasps import NORTH as OWN
from travelrule.crypto.audit_chain import verify_root
from travelrule.engine.apply.engine import Engine
from travelrule.engine.audit import log as module
from travelrule.engine.audit.log import AuditLogJob
from travelrule.engine.audit.verifier import AuditVerifier
from travelrule.engine.vault import Vault
from travelrule.policy.policy import Policy
from travelrule.store import tables
from travelrule.store.database import Database
from travelrule.store.leases import LeaseRepository
from travelrule.store.policies import PolicyRepository

audit, inputs, subjects, log, roots = (
    tables.audit,
    tables.inputs,
    tables.subjects,
    tables.audit_log,
    tables.audit_roots,
)


async def test_each_root_goes_to_kafka_signed_and_in_order(record: Record) -> None:
    rows = [row for row in await record.north.rows(tables.outbox) if row.topic == "audit"]
    events = [CloudEvent.model_validate(orjson.loads(row.value)) for row in sorted(rows, key=lambda row: row.id)]
    sizes = [event.data["size"] for event in events]
    assert sizes == [event.data["sequence"] for event in events] == [2, 4]
    assert len({event.id for event in events}) == 2
    for row, event in zip(rows, events, strict=True):
        data = EVENTS["audit.root.v1"].model.model_validate(event.data)
        assert event.subject == row.key == "north"
        assert verify_root(KEY.public_base64, data.size, bytes.fromhex(data.root), data.at, data.signature)  # type: ignore[attr-defined]
        names = [name for name, _ in orjson.loads(row.headers)]
        assert names == ["content-type"], "without it a consumer takes a structured event for a binary one"


async def test_a_log_larger_than_one_round(database: Database, vault: Vault, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "LEAVES_PER_ROOT", 3)
    engine = Engine("north", database, {"withdrawal": TOY}, vault, Policy.default, dead_letter_headers)
    await engine.apply([told("one", f"w-{number}") for number in range(7)])
    audit_log = AuditLogJob(database, "north", KEY, LeaseRepository(database, "north", "p", engine.clock), engine.clock)
    assert [await audit_log.round() for _ in range(4)] == [3, 3, 1, 0]
    policies = PolicyRepository(database, "north")
    await policies.activate(Policy.default().version, "", NOW)
    await policies.keep_profile(Policy.default().own.version, Policy.default().own.content, NOW)
    report = await AuditVerifier(
        database, "north", vault, {"withdrawal": TOY}, policies, OWN, KEY.public_base64
    ).verify()
    assert (report.faults, report.roots) == ([], 3)


async def test_two_processes_in_one_round_make_one_log(record: Record, monkeypatch: pytest.MonkeyPatch) -> None:
    """The lease ran out while one was slow: the other's leaves must neither be doubled nor end the process."""
    monkeypatch.setattr(module, "INTERVAL_SECONDS", 0.01)
    clock = record.north.clock
    for number in range(10):
        await record.north.withdraw(f"x-{number}")

    class Anybody(LeaseRepository):
        async def take(self, name: str, duration: float) -> bool:
            return True

    logs = [
        AuditLogJob(record.database, "north", KEY, Anybody(record.database, "north", name, clock), clock)
        for name in "abc"
    ]
    tasks = [asyncio.create_task(one.run(lambda error: isinstance(error, OSError))) for one in logs]
    try:
        async with asyncio.timeout(60):
            while len(await record.north.rows(log)) < 14:
                await asyncio.sleep(0.02)
        await asyncio.sleep(0.05)
        assert not any(task.done() for task in tasks)
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
    report = await record.verify()
    assert report.faults == []
    assert len(await record.north.rows(log)) == 14


async def test_the_loop_outlives_a_database_failure_and_nothing_else(
    record: Record, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "INTERVAL_SECONDS", 0)
    failures: list[BaseException] = [ConnectionResetError(), ZeroDivisionError()]

    async def fail() -> int:
        raise failures.pop(0)

    monkeypatch.setattr(record.log, "round", fail)
    with pytest.raises(ZeroDivisionError):
        await record.log.run(lambda error: isinstance(error, OSError))
    assert failures == []
