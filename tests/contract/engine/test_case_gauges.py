"""The gauges of what waits, counted on both databases."""

from __future__ import annotations

from typing import Any

import pytest

from tests.contract.store.rows import NOW, after, call, write
from tests.support.hub import HandClock
from travelrule import metrics
from travelrule.engine.case_gauges import CaseGaugeJob
from travelrule.store import tables
from travelrule.store.database import Database

DAY = 86_400


def value(name: str, **labels: str) -> float | None:
    return metrics.REGISTRY.get_sample_value(f"travelrule_{name}", labels)


def subject(name: str, **changes: Any) -> dict[str, Any]:
    return {
        "vasp": "north",
        "subject": name,
        "kind": name.partition(":")[0],
        "status": "",
        "verdict": "open",
        "chain": "none",
        "counterparty": "",
        "due_at": None,
        "sealed": b"sealed",
        "parked": 0,
        "sequences": "{}",
        "head": b"",
        "records": 1,
        "reason": "",
        "requested_at": None,
        "answer_due_at": None,
        "created_at": after(-400),
        "updated_at": NOW,
        **changes,
    }


def letter(name: str, **changes: Any) -> dict[str, Any]:
    row = {
        "vasp": "north",
        "id": name,
        "topic": "deposits",
        "partition": 0,
        "offset": 1,
        "code": "INVALID",
        "field": "",
    }
    return {**row, "fix": "", "sealed": b"sealed", "failed_at": after(-30), **changes}


@pytest.fixture
async def job(database: Database) -> CaseGaugeJob:
    clock = HandClock()
    clock.now = NOW
    return CaseGaugeJob(database, "north", clock)


async def test_requests_without_a_verdict_are_counted_and_those_past_the_limit(
    database: Database, job: CaseGaugeJob
) -> None:
    rows = [
        subject("withdrawal:late", requested_at=after(-300), answer_due_at=after(-240)),
        subject("withdrawal:new", requested_at=after(-5), answer_due_at=after(55)),
        subject("withdrawal:answered", requested_at=after(-900), verdict="allow"),
        subject("withdrawal:recorded"),
        subject("withdrawal:sent", requested_at=after(-800), answer_due_at=after(-700), chain="broadcast"),
        subject("deposit:new", requested_at=after(-7), answer_due_at=after(53)),
        subject("withdrawal:other", vasp="south", requested_at=after(-999), answer_due_at=after(-900)),
    ]
    await write(database, tables.subjects, rows)
    await job.round()
    assert [value("requests_unanswered", kind=kind) for kind in metrics.VERDICT_KINDS] == [2, 1, 0]
    assert [value("requests_overdue", kind=kind) for kind in metrics.VERDICT_KINDS] == [1, 0, 0]
    assert [value("oldest_unanswered_seconds", kind=kind) for kind in metrics.VERDICT_KINDS] == [300, 7, 0]


async def test_subjects_on_hold_are_counted_by_reason_until_they_move(database: Database, job: CaseGaugeJob) -> None:
    held = {"verdict": "hold", "due_at": after(9)}
    rows = [
        subject("withdrawal:1", **held, reason="HUB_UNREACHABLE", requested_at=after(-50)),
        subject("withdrawal:2", **held, reason="HUB_UNREACHABLE", requested_at=after(-90)),
        subject("deposit:3", **held, reason="AWAITING_REPORT"),
        subject("deposit:settled", verdict="hold", reason="AWAITING_REPORT", created_at=after(-99_999)),
        subject("withdrawal:4", vasp="south", **held, reason="HUB_UNREACHABLE"),
    ]
    await write(database, tables.subjects, rows)
    await job.round()
    assert value("held_subjects", kind="withdrawal", reason="HUB_UNREACHABLE") == 2
    assert value("oldest_held_seconds", kind="withdrawal", reason="HUB_UNREACHABLE") == 90
    assert value("held_subjects", kind="deposit", reason="AWAITING_REPORT") == 1
    assert value("oldest_held_seconds", kind="deposit", reason="AWAITING_REPORT") == 400
    async with database.begin() as connection:
        await connection.execute(tables.subjects.delete())
    await job.round()
    assert value("held_subjects", kind="withdrawal", reason="HUB_UNREACHABLE") is None


async def test_calls_are_counted_by_the_time_since_they_came_due(database: Database, job: CaseGaugeJob) -> None:
    ages = {"future": 5, "now": 0, "minute": -61, "hour": -3_599, "day": -DAY, "old": -DAY - 1, "older": -9 * DAY}
    await write(database, tables.calls, [call(name, due=due) for name, due in ages.items()])
    await write(database, tables.calls, [call("x", due=-99, vasp="south")])
    await job.round()
    assert {age: value("calls_waiting", age=age) for age in metrics.CALL_AGES} == {
        "1m": 1, "10m": 1, "1h": 1, "1d": 0, "more": 3,
    }  # fmt: skip
    assert value("oldest_call_seconds") == 9 * DAY


async def test_queues_and_dead_letters_are_counted(database: Database, job: CaseGaugeJob) -> None:
    parked = {
        "vasp": "north",
        "source": "/platform",
        "id": "p",
        "subject": "withdrawal:p",
        "sealed": b"",
        "parked_at": NOW,
    }
    message = {
        "id": "m",
        "vasp": "north",
        "from_subject": "deposit:d",
        "to_subject": "arrival:a",
        "type": "arrival.seen",
    }
    await write(database, tables.parked, [parked])
    await write(database, tables.tells, [{**message, "sealed": b"", "created_at": after(-12)}])
    await write(
        database, tables.subjects, [subject("deposit:t", due_at=after(-8)), subject("deposit:u", due_at=after(8))]
    )
    letters = [letter("new"), letter("week", failed_at=after(-8 * DAY)), letter("replayed", replayed_at=NOW)]
    await write(database, tables.dead_letters, letters[:2])
    await write(database, tables.dead_letters, letters[2:])
    await job.round()
    names = ("parked_inputs", "messages_waiting", "oldest_message_seconds", "timers_overdue", "oldest_timer_seconds")
    assert [value(name) for name in names] == [1, 1, 12, 1, 8]
    assert (value("dead_letters_unresolved"), value("oldest_dead_letter_seconds")) == (1, 30)
    async with database.begin() as connection:
        for table in (tables.parked, tables.tells, tables.subjects, tables.dead_letters):
            await connection.execute(table.delete())
    await job.round()
    assert [value(name) for name in (*names, "dead_letters_unresolved", "oldest_dead_letter_seconds")] == [0] * 7
