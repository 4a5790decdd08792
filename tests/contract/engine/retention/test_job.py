"""What is old goes, what is open stays, the record still proves itself, and a process may be killed in the middle."""

from __future__ import annotations

from dataclasses import replace

import pytest
from sqlalchemy import delete, func, select, update

from tests.contract.engine.recorded_history import SUBJECT, Record
from tests.contract.engine.retention.aged_subjects import (
    DAY,
    LATE,
    YEARS,
    deposit,
    given_up,
    inputs,
    keys,
    put,
    retention,
    sent,
    subjects,
)
from tests.contract.store.rows import NOW, call, event, read, write
from tests.support.events import requested, settled
from tests.support.installation import NAMES
from tests.unit.customers.test_wallet import registered
from travelrule.customers.wallet import WalletState
from travelrule.deposits.machine import MACHINE as DEPOSITS
from travelrule.deposits.rendezvous.machine import ArrivalState
from travelrule.engine.registry import MACHINES
from travelrule.engine.retention import job as module
from travelrule.engine.retention.job import RetentionCounts, RetentionJob
from travelrule.engine.vault import Vault
from travelrule.exchange.originator.state import WithdrawalState
from travelrule.machine.case import Case
from travelrule.messages.arrival import ArrivalSeen
from travelrule.metrics import REGISTRY
from travelrule.policy.policy import Policy
from travelrule.store import tables
from travelrule.store.database import Database
from travelrule.store.leases import LeaseRepository

RECORDS = 6
"""Of the first withdrawal: request, address search, authorization, broadcast, txid report, settled."""


async def aged(record: Record, days: float, rules: Policy = YEARS) -> RetentionCounts:
    """Apply retention that long after now."""
    now = record.north.clock() + days * DAY
    return await retention(record.database, record.north.vault, now, rules).round()


async def concluded(record: Record) -> None:
    """The first withdrawal of the record is final on chain, and its report is accepted; the second waits."""
    data = settled().model_copy(update={"withdrawal_id": "w-1"})
    assert (await record.north.tell(data, SUBJECT)).status == "applied"
    await record.north.calls_all()


async def test_a_concluded_subject_goes_and_the_record_still_proves_itself(record: Record) -> None:
    await concluded(record)
    before = await record.verify()
    assert (await aged(record, 1824)).subjects == 0
    before_counts = [_counted(what) for what in ("subjects", "inputs")]
    removed = await aged(record, 1826)
    assert (removed.subjects, removed.inputs) == (1, RECORDS)
    assert [_counted(what) for what in ("subjects", "inputs")] == [before_counts[0] + 1, before_counts[1] + RECORDS]
    report = await record.verify()
    assert report.faults == []
    assert (report.records, report.not_kept) == (before.records, RECORDS)
    assert report.recomputed == before.recomputed - RECORDS
    assert (await aged(record, 1826)).total == 0
    assert {row.subject for row in await read(record.database, keys) if "withdrawal" in row.subject} == {
        "withdrawal:w-2"
    }
    (row,) = await read(record.database, subjects, subjects.c.subject == SUBJECT)
    assert (row.sealed, row.verdict, row.chain, row.records) == (None, "allow", "final", RECORDS)
    for table in (inputs, subjects, tables.calls, tables.parked, tables.tells):
        for stored in await read(record.database, table, table.c.vasp == "north"):
            assert not [name for name in NAMES if name in str(stored)]
    kept = await read(record.database, inputs, inputs.c.subject == "withdrawal:w-2")
    assert kept
    assert all(bytes(stored.sealed) for stored in kept)


def _counted(what: str) -> float:
    return REGISTRY.get_sample_value("travelrule_retention_removed_total", {"what": what}) or 0.0


async def test_without_the_section_everything_is_kept_for_ever(record: Record) -> None:
    await concluded(record)
    assert (await aged(record, 36_500, Policy.default())).total == 0


async def test_a_message_that_comes_again_is_known_for_ever(record: Record) -> None:
    """Its content is deleted, but not its id: it must not restart the withdrawal."""
    await concluded(record)
    north = record.north
    again = next(item for item in north.sent if item.subject == SUBJECT)
    await aged(record, 1826)
    calls = len(await read(record.database, tables.calls))
    for _ in range(2):
        assert (await north.submit(again)).status == "duplicate"
    other = await north.submit(replace(again, content=again.content + b" "))
    assert (other.status, other.code) == ("rejected", "CONFLICT")
    fresh = await north.submit(replace(again, id="e-new"))
    assert (fresh.status, fresh.code) == ("rejected", "ERASED")
    assert len(await read(record.database, tables.calls)) == calls
    assert (await record.verify()).faults == []


async def test_what_stays_of_an_input_is_still_proved(record: Record) -> None:
    await concluded(record)
    await aged(record, 1826)
    await record.change(
        update(inputs).where(inputs.c.subject == SUBJECT, inputs.c.record == 2).values(fingerprint=b"x")
    )
    assert (await record.verify()).faults == [f"{SUBJECT}: the input of record 2 is missing or another one"]


async def test_content_that_was_taken_from_a_subject_that_has_its_key_is_a_fault(record: Record) -> None:
    """Emptying an input does not evade the recomputation."""
    await record.change(update(inputs).where(inputs.c.subject == SUBJECT, inputs.c.record == 1).values(sealed=b""))
    assert (await record.verify()).faults == [
        f"{SUBJECT}: something sealed was changed, at record 1 or in the subject itself"
    ]


async def test_a_call_or_a_message_on_its_way_keeps_a_subject(record: Record) -> None:
    await concluded(record)
    tell = {
        "id": "t",
        "vasp": "north",
        "from_subject": "exchange:x/1",
        "to_subject": SUBJECT,
        "type": "t",
        "sealed": b"s",
        "created_at": NOW,
    }
    for table, row in (
        (tables.calls, call("c")),
        (tables.tells, tell),
        (tables.tells, {**tell, "from_subject": SUBJECT, "to_subject": "wallet:x"}),
    ):
        await write(record.database, table, [row])
        assert (await aged(record, 1826)).subjects == 0
        await record.change(delete(table).where(table.c.id == row["id"]))
    await record.change(update(subjects).where(subjects.c.subject == SUBJECT).values(parked=1))
    assert (await aged(record, 1826)).subjects == 0


async def test_what_an_open_subject_needs_stays_until_that_one_is_concluded(database: Database, vault: Vault) -> None:
    seen = ArrivalSeen(deposit_id="d-1", currency="XRP", amount="1")
    states = {"arrival:a": ArrivalState(deposits=(seen,)), "deposit:d-1": deposit("d-1", "decided")}
    await put(database, vault, states)
    task = retention(database, vault, LATE)
    assert (await task.round()).subjects == 0
    async with database.begin() as connection:
        row = (await connection.execute(select(keys).where(keys.c.subject == "deposit:d-1"))).one()
        key = vault.unwrap("deposit:d-1", bytes(row.wrapped))
        sealed = vault.seal(key, "state", "deposit:d-1", DEPOSITS.dump(deposit("d-1", "settled")))
        changed = {"sealed": sealed, "updated_at": LATE}
        await connection.execute(update(subjects).where(subjects.c.subject == "deposit:d-1").values(**changed))
    assert (await task.round()).subjects == 1
    assert await given_up(database) == {"arrival:a"}


async def test_wallets_in_use_allows_without_broadcast_and_timers_stay(database: Database, vault: Vault) -> None:
    states = {
        "wallet:in-use": WalletState("in-use", registered()),
        "wallet:removed": WalletState("removed"),
        "withdrawal:allowed": WithdrawalState("allowed", "f", requested(withdrawalId="allowed"), case=Case("allow")),
        "withdrawal:timed": sent("timed", timers={"held": NOW}),
        "withdrawal:sent": sent("sent"),
    }
    await put(database, vault, states)
    assert (await retention(database, vault, LATE).round()).subjects == 2
    assert await given_up(database) == {"wallet:removed", "withdrawal:sent"}


async def test_one_that_cannot_be_read_keeps_nobody_else(
    database: Database, vault: Vault, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "PAGE", 2)
    await put(database, vault, {f"withdrawal:w-{n}": sent(f"w-{n}") for n in range(7)})
    async with database.begin() as connection:
        await connection.execute(update(subjects).where(subjects.c.subject == "withdrawal:w-0").values(sealed=b"odd"))
        await connection.execute(update(subjects).where(subjects.c.subject == "withdrawal:w-1").values(kind="later"))
    assert (await retention(database, vault, LATE).round()).subjects == 5
    assert await given_up(database) == {f"withdrawal:w-{n}" for n in range(2, 7)}


async def test_another_vasp_in_the_same_database_is_none_of_its_business(database: Database, vault: Vault) -> None:
    await put(database, vault, {"withdrawal:w-1": sent()})
    task = RetentionJob(
        database,
        "south",
        vault,
        MACHINES,
        LeaseRepository(database, "south", "p", lambda: LATE),
        lambda: YEARS,
        lambda: LATE,
    )
    assert (await task.round()).total == 0


async def test_searches_that_no_open_subject_needs(
    database: Database, vault: Vault, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "PAGE", 2)
    await put(
        database, vault, {"deposit:open": deposit("open", "searching"), "deposit:done": deposit("done", "settled")}
    )
    rows = [
        {
            "vasp": vasp,
            "token": bytes([number]) * 16,
            "operation": "txid-search",
            "request_id": str(number),
            "subject": subject,
            "created_at": NOW + days * DAY,
        }
        for number, (subject, days, vasp) in enumerate(
            [
                ("deposit:open", 0, "north"),
                ("deposit:open", 0, "north"),
                ("deposit:done", 0, "north"),
                ("deposit:done", 2, "north"),
                ("deposit:unknown", 0, "north"),
                ("deposit:done", 0, "south"),
            ]
        )
    ]
    await write(database, tables.searches, rows)
    removed = await retention(database, vault, NOW + 31 * DAY).round()
    assert (removed.searches, removed.total) == (2, 2)
    assert {row.request_id for row in await read(database, tables.searches)} == {"0", "1", "3", "5"}


async def test_events_go_when_kafka_has_them_for_long(
    database: Database, vault: Vault, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "PAGE", 2)
    rows = [event(f"old-{n}", sent_at=NOW) for n in range(5)]
    rows += [event("late", sent_at=NOW + 2 * DAY), event("unsent", sent_at=None), event("x", vasp="south", sent_at=NOW)]
    await write(database, tables.outbox, rows)
    removed = await retention(database, vault, NOW + 61 * DAY).round()
    assert (removed.events, removed.total) == (5, 5)
    assert {row.key for row in await read(database, tables.outbox)} == {"late", "unsent", "x"}


async def test_dead_letters_go_with_their_keys(
    database: Database, vault: Vault, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "PAGE", 2)
    times = {
        "failed-1": (0, None),
        "failed-2": (0, None),
        "replayed": (0, 0),
        "replayed-late": (0, 5),
        "failed-late": (5, None),
    }
    letter = {"topic": "t", "partition": 0, "offset": 1, "code": "C", "field": "", "fix": "", "sealed": b"s"}
    await write(
        database,
        tables.dead_letters,
        [
            {
                **letter,
                "vasp": "north",
                "id": name,
                "failed_at": NOW + failed * DAY,
                "replayed_at": None if replayed is None else NOW + replayed * DAY,
            }
            for name, (failed, replayed) in times.items()
        ],
    )
    await write(
        database,
        keys,
        [{"vasp": "north", "subject": f"deadletter:{name}", "wrapped": b"w", "created_at": NOW} for name in times],
    )
    removed = await retention(database, vault, NOW + 91 * DAY).round()
    assert (removed.dead_letters, removed.total) == (3, 3)
    assert {row.id for row in await read(database, tables.dead_letters)} == {"replayed-late", "failed-late"}
    assert {row.subject for row in await read(database, keys)} == {"deadletter:replayed-late", "deadletter:failed-late"}


async def test_an_input_that_comes_meanwhile_keeps_its_subject(record: Record) -> None:
    """What just happened to a subject counts, however old it is."""
    await concluded(record)
    await record.change(update(subjects).where(subjects.c.subject == SUBJECT).values(updated_at=LATE))
    assert (await aged(record, 1800)).subjects == 0
    async with record.database.read() as connection:
        assert (await connection.execute(select(func.count()).select_from(keys))).scalar_one() > 0
