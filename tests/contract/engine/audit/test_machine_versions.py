"""Records of several versions of a machine: an upgrade is not reported as tampering, and hides none."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import replace
from typing import Any

import orjson
import pytest
from sqlalchemy import delete, insert, select, update

from tests.contract.engine.audit import test_verifier as of_one_version
from tests.contract.engine.audit.test_verifier import flipped
from tests.contract.engine.recorded_history import SUBJECT, Record
from tests.support.toy_machine import dead_letter_headers
from travelrule.crypto.audit_chain import CHAIN_START, record_hash
from travelrule.engine.apply.engine import Engine
from travelrule.engine.registry import MACHINES
from travelrule.machine.effects import Alert
from travelrule.machine.port import Machine
from travelrule.store import expired_rows, tables

audit, inputs, subjects = tables.audit, tables.inputs, tables.subjects
OF_W1 = audit.c.subject == SUBJECT
Machines = Mapping[str, Machine]
FIRST_OF_NEXT = 6
"""The record of w-1 that the next version writes first."""
RUNNING = MACHINES["withdrawal"].version


def of_version(version: int) -> dict[str, Machine]:
    """The program in another version: it writes the same state as other bytes, as a new field would."""

    def dump(state: Any) -> bytes:
        return orjson.dumps({"version": version, **orjson.loads(machine.dump(state))})

    def load(raw: bytes) -> Any:
        stored = orjson.loads(raw)
        stored.pop("version", None)
        return machine.load(orjson.dumps(stored))

    machine = MACHINES["withdrawal"]
    return {**MACHINES, "withdrawal": replace(machine, dump=dump, load=load, version=version)}


def undecidable(version: int) -> dict[str, Machine]:
    """A version that must not be asked for what another one decided."""

    def decide(*_: Any) -> Any:
        raise AssertionError("decided again by another version")

    return {**MACHINES, "withdrawal": replace(MACHINES["withdrawal"], decide=decide, version=version)}


NEXT, LAST = of_version(RUNNING + 1), undecidable(RUNNING + 2)


def run(record: Record, machines: Machines) -> None:
    """From now on this version of the program decides."""
    north = record.north
    north.engine = Engine(
        "north", record.database, dict(machines), north.vault, north.rules, dead_letter_headers, clock=north.clock
    )


async def upgraded(record: Record) -> None:
    """w-1 is mined and final: the next version goes on with what this one began."""
    run(record, NEXT)
    north = record.north
    for name in ("WithdrawalMined", "WithdrawalSettled"):
        await north.tell(events(name), SUBJECT)


def events(name: str) -> Any:
    from schemas.events import txids

    data = {"withdrawal_id": "w-1", **({"outcome": "confirmed"} if name == "WithdrawalSettled" else {})}
    return getattr(txids, name)(**data)


@pytest.mark.parametrize("later", [1, -1])
async def test_what_another_version_decided_is_not_decided_again(record: Record, later: int) -> None:
    """An upgrade, or a way back from one."""
    report = await record.verify(undecidable(RUNNING + later))
    assert report.faults == []
    assert (report.records, report.recomputed) == (7, 0)
    assert (report.earlier_version, report.later_version) == ((7, 0) if later > 0 else (0, 7))


async def test_a_running_version_that_decides_otherwise_is_found(record: Record) -> None:
    """The version must rise with the output: else nothing distinguishes an upgrade from a forgery."""
    assert not (await record.verify(of_version(RUNNING))).ok


async def test_the_next_version_decides_again_from_the_state_that_it_found(record: Record) -> None:
    await upgraded(record)
    (stored,) = [row for row in await record.north.rows(audit, OF_W1) if row.sealed_before is not None]
    assert stored.record == FIRST_OF_NEXT, "kept once, where the version changes"
    report = await record.verify(NEXT)
    assert report.faults == []
    assert (report.records, report.recomputed, report.earlier_version) == (9, 2, 7)
    report = await record.verify(MACHINES)
    assert report.faults == []
    assert (report.recomputed, report.later_version) == (7, 2)
    report = await record.verify(LAST)
    assert (report.faults, report.earlier_version) == ([], 9)


async def test_versions_may_alternate_while_processes_are_upgraded_one_by_one(record: Record) -> None:
    north = record.north
    run(record, NEXT)
    await north.tell(events("WithdrawalMined"), SUBJECT)
    run(record, MACHINES)
    await north.tell(events("WithdrawalMined"), SUBJECT)
    run(record, NEXT)
    await north.tell(events("WithdrawalSettled"), SUBJECT)
    assert len([row for row in await north.rows(audit, OF_W1) if row.sealed_before is not None]) == 3
    for machines in (NEXT, MACHINES, LAST):
        assert (await record.verify(machines)).faults == []


async def test_an_alert_after_an_upgrade_leaves_the_stored_state_as_it_was(record: Record) -> None:
    """The row is written again without a decision: its state must stay what the last record names."""
    run(record, NEXT)
    await record.north.engine.alert(SUBJECT, Alert("TIMER_UNPROCESSABLE", "critical"))
    assert (await record.verify(NEXT)).faults == []
    assert (await record.verify(MACHINES)).faults == []


async def test_a_program_that_knows_no_versions_may_go_on_meanwhile(record: Record) -> None:
    """It counts the record and leaves the columns that it does not know: the next version must not trust them."""
    await upgraded(record)
    await rewritten(record, SUBJECT, 7, {"machineVersion": None, "row": None, "reply": None})
    await record.change(update(subjects).where(subjects.c.subject == SUBJECT).values(machine_records=6))
    await record.north.tell(events("WithdrawalSettled"), SUBJECT)
    (row,) = await record.north.rows(audit, OF_W1, audit.c.record == 8)
    assert row.sealed_before is not None
    faults = (await record.verify(NEXT)).faults
    assert [fault for fault in faults if "the log knows" not in fault] == []


@pytest.mark.parametrize("tamper", of_one_version.TAMPERINGS, ids=lambda one: one.__name__)
async def test_every_tampering_is_found_in_earlier_records_too(
    record: Record, tamper: Callable[[Record], Awaitable[None]]
) -> None:
    await tamper(record)
    report = await record.verify(LAST)
    assert any(of_one_version.TAMPERINGS[tamper] in fault for fault in report.faults), report.faults


async def answer_removed(record: Record) -> None:
    await replied(record, None)


async def answer_exchanged(record: Record) -> None:
    vault, key = record.north.vault, await data_key(record)
    await replied(record, vault.seal(key, "reply", SUBJECT, b'{"result":"verified"}'))


async def replied(record: Record, reply: bytes | None) -> None:
    await record.change(update(inputs).where(inputs.c.subject == SUBJECT, inputs.c.record == 2).values(reply=reply))


async def data_key(record: Record) -> bytes:
    row = await record.one(tables.data_keys, tables.data_keys.c.subject == SUBJECT)
    return record.north.vault.unwrap(SUBJECT, bytes(row.wrapped))


async def test_the_answer_of_an_earlier_record_is_proved(record: Record) -> None:
    vault, key = record.north.vault, await data_key(record)
    said = b'{"result":"denied"}'
    fingerprint = vault.index.fingerprint(b"reply", SUBJECT.encode(), said).hex()
    await rewritten(record, SUBJECT, 2, {"reply": fingerprint})
    await replied(record, vault.seal(key, "reply", SUBJECT, said))
    assert about_w1(await record.verify(LAST)) == []
    for tamper in (answer_removed, answer_exchanged):
        await tamper(record)
        assert about_w1(await record.verify(LAST)) == [f"{SUBJECT}: the stored answer of record 2 is another one"]


def about_w1(report: Any) -> list[str]:
    """The faults except those of the log, which detects every chain that was built again."""
    return [fault for fault in report.faults if fault.startswith(SUBJECT) and "the log knows" not in fault]


@pytest.mark.parametrize(
    ("changes", "fault"),
    [
        ({"state": "00" * 32}, "the stored state is not the one that the records lead to"),
        ({"row": ["", "allow", "none", "south"]}, "the row says something else than the state"),
        ({"events": []}, "the row counts other events than the records"),
        ({"policyVersion": "0" * 16}, "policy 0000000000000000 of record 4 is missing"),
        ({"profileVersion": "0" * 16}, "profile 0000000000000000 of record 4 is missing or was changed"),
        ({"input": "00" * 32}, "the input of record 4 is missing or another one"),
        ({"reply": "00" * 32}, "the stored answer of record 4 is another one"),
    ],
)
async def test_an_earlier_record_that_was_written_again_with_its_chain_is_found(
    record: Record, changes: dict[str, Any], fault: str
) -> None:
    if "row" in changes:
        columns = dict(zip(("status", "verdict", "chain", "counterparty"), changes["row"], strict=True))
        await record.change(update(subjects).where(subjects.c.subject == SUBJECT).values(**columns))
        changes = {"row": ["wait", *changes["row"][1:]]}
    await rewritten(record, SUBJECT, 5 if "state" in changes else 4, changes)
    assert about_w1(await record.verify(LAST)) == [f"{SUBJECT}: {fault}"]


async def test_an_event_that_an_earlier_record_counts_twice_is_found(record: Record) -> None:
    row = await record.one(audit, OF_W1, audit.c.record == 3)
    events_of_3 = orjson.loads(bytes(row.body))["events"]
    assert events_of_3
    await rewritten(record, SUBJECT, 4, {"events": events_of_3})
    assert about_w1(await record.verify(LAST)) == [f"{SUBJECT}: the events of record 4 do not follow those before"]


async def state_before_removed(record: Record) -> None:
    await record.change(update(audit).where(OF_W1, audit.c.record == FIRST_OF_NEXT).values(sealed_before=None))


async def state_before_changed(record: Record) -> None:
    row = await record.one(audit, OF_W1, audit.c.record == FIRST_OF_NEXT)
    await record.change(
        update(audit).where(OF_W1, audit.c.record == FIRST_OF_NEXT).values(sealed_before=flipped(row.sealed_before))
    )


async def state_before_exchanged(record: Record) -> None:
    """Another state, sealed with the right key."""
    vault, key = record.north.vault, await data_key(record)
    row = await record.one(audit, OF_W1, audit.c.record == FIRST_OF_NEXT)
    state = orjson.loads(vault.open(key, "before", SUBJECT, bytes(row.sealed_before)))
    other = vault.seal(key, "before", SUBJECT, orjson.dumps({**state, "txid": "00" * 32}))
    await record.change(update(audit).where(OF_W1, audit.c.record == FIRST_OF_NEXT).values(sealed_before=other))


@pytest.mark.parametrize(
    ("tamper", "fault"),
    [
        (state_before_removed, "the state before record 6 is missing"),
        (state_before_changed, "something sealed was changed, at record 6 or in the subject itself"),
        (state_before_exchanged, "the state before record 6 is another one"),
    ],
)
@pytest.mark.parametrize("machines", [NEXT, LAST], ids=["running", "later"])
async def test_a_tampered_state_before_an_upgrade_is_found(
    record: Record, tamper: Callable[[Record], Awaitable[None]], fault: str, machines: Machines
) -> None:
    await upgraded(record)
    await tamper(record)
    assert (await record.verify(machines)).faults == [f"{SUBJECT}: {fault}"]


async def test_a_kind_of_subject_that_only_a_later_version_knows_is_no_fault(record: Record) -> None:
    machines = {kind: machine for kind, machine in MACHINES.items() if kind != "withdrawal"}
    report = await record.verify(machines)
    assert (report.faults, report.later_version) == ([], 7)


async def rewritten(record: Record, subject: str, number: int, changes: Mapping[str, Any]) -> None:
    """One record has other content (None: it lacks it), and the chain and the head fit it."""
    head = CHAIN_START
    async with record.database.begin() as connection:
        query = select(audit).where(audit.c.subject == subject).order_by(audit.c.record)
        rows = (await connection.execute(query)).all()
        await connection.execute(delete(audit).where(audit.c.subject == subject))
        for row in rows:
            body = bytes(row.body)
            if row.record == number:
                said = {**orjson.loads(body), **changes}
                body = orjson.dumps({name: value for name, value in said.items() if value is not None})
            head = record_hash(head, body)
            await connection.execute(insert(audit), [{**row._mapping, "body": body, "hash": head}])
        await connection.execute(update(subjects).where(subjects.c.subject == subject).values(head=head))


async def test_what_an_erased_subject_was_before_an_upgrade_goes_with_it(record: Record) -> None:
    await upgraded(record)
    async with record.database.begin() as connection:
        await expired_rows.erase_subjects(connection, "north", [SUBJECT])
    assert [row for row in await record.north.rows(audit, OF_W1) if row.sealed_before is not None] == []
    report = await record.verify(NEXT)
    assert (report.faults, report.not_kept) == ([], 7)
