"""One line per fact, where it is committed: never for what was rolled back, known already or lost a race."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Sequence
from contextlib import aclosing, asynccontextmanager
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from sqlalchemy.exc import DBAPIError
from sqlalchemy.ext.asyncio import AsyncConnection

from tests.support.installation import EngineInstallation, robot
from tests.support.toy_machine import TOY, dead_letter_headers, told
from travelrule.engine.apply import engine as apply_module
from travelrule.engine.apply.engine import Engine
from travelrule.engine.calls.call_dispatcher import LEASE_SECONDS
from travelrule.engine.vault import Vault
from travelrule.log_output import ATTRIBUTE
from travelrule.machine.effects import Alert
from travelrule.machine.input import RawMessage, Rejected
from travelrule.policy.policy import Policy
from travelrule.store import bulk, tables
from travelrule.store.bulk import BulkWrite
from travelrule.store.database import Database
from travelrule.store.leases import LeaseRepository

TRACE = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"

Line = dict[str, Any]


class Lines:
    """What was logged since the test began."""

    def __init__(self, caplog: pytest.LogCaptureFixture) -> None:
        self._caplog = caplog

    def of(self, event: str) -> list[Line]:
        records = self._caplog.records
        return [
            {"level": record.levelname.lower(), **getattr(record, ATTRIBUTE)}
            for record in records
            if record.getMessage() == event
        ]


@pytest.fixture
def lines(caplog: pytest.LogCaptureFixture) -> Lines:
    caplog.set_level(logging.INFO, "travelrule")
    return Lines(caplog)


@pytest.fixture
async def north(database: Database, vault: Vault) -> AsyncIterator[EngineInstallation]:
    made = EngineInstallation(database, vault, [robot(), robot("west", b"w", health="down")])
    async with aclosing(made.hub), made.control:
        await made.listing()
        yield made


async def test_a_verdict_is_one_line_however_often_its_input_comes(engine: Engine, lines: Lines) -> None:
    item = replace(told("emit", input_id="e-1"), traceparent=TRACE)
    await engine.apply([item, item])
    await engine.apply([item])
    (line,) = lines.of("verdict")
    assert line == {
        "level": "info",
        "event": "verdict",
        "subject": "withdrawal:w-1",
        "verdict": "allow",
        "reasons": "VERIFIED",
        "sequence": 1,
        "traceparent": TRACE,
    }


async def test_a_transaction_that_is_repeated_tells_its_facts_once(
    engine: Engine, lines: Lines, monkeypatch: pytest.MonkeyPatch
) -> None:
    real, tries = bulk.write, list[int]()

    async def lost_once(connection: AsyncConnection, writes: Sequence[BulkWrite]) -> Any:
        written = await real(connection, writes)
        if any(write.table is tables.dead_letters for write in writes):  # the rows of the decisions
            tries.append(len(writes))
            if len(tries) == 1:
                raise SerialisationFailure
        return written

    class SerialisationFailure(DBAPIError):
        def __init__(self) -> None:
            super().__init__("COMMIT", None, ValueError())

    monkeypatch.setattr(apply_module, "is_serialisation_failure", lambda error: isinstance(error, SerialisationFailure))
    monkeypatch.setattr(bulk, "write", lost_once)
    await engine.apply([told("emit"), told("alert"), Rejected(_raw(1), "MISSING_FIELD", "data.amount")])
    assert len(tries) == 2
    assert [len(lines.of(event)) for event in ("verdict", "alert", "dead-letter")] == [1, 1, 1]


async def test_nothing_is_told_of_a_batch_whose_commit_fails(
    engine: Engine, lines: Lines, monkeypatch: pytest.MonkeyPatch
) -> None:
    begin = engine.database.begin

    @asynccontextmanager
    async def failing() -> AsyncIterator[AsyncConnection]:
        async with begin() as connection:
            yield connection
            raise OSError  # where the commit would be

    monkeypatch.setattr(engine.database, "begin", failing)
    with pytest.raises(OSError):  # noqa: PT011 -- the database is gone
        await engine.apply([told("emit"), told("alert"), Rejected(_raw(1), "MISSING_FIELD")])
    assert [lines.of(event) for event in ("verdict", "alert", "dead-letter")] == [[], [], []]


async def test_a_dead_letter_is_told_once_however_often_it_is_delivered(engine: Engine, lines: Lines) -> None:
    rejected = Rejected(_raw(41), "MISSING_FIELD", "data.amount", "add the field", type="withdrawal.requested.v1")
    await engine.apply([rejected, rejected])
    await engine.apply([rejected])
    (line,) = lines.of("dead-letter")
    assert {
        name: line[name] for name in ("level", "code", "field", "topic", "partition", "offset", "kind", "type")
    } == {
        "level": "warning",
        "code": "MISSING_FIELD",
        "field": "data.amount",
        "topic": "withdrawals",
        "partition": 3,
        "offset": 41,
        "kind": "record",
        "type": "withdrawal.requested.v1",
    }
    assert line["traceparent"] == TRACE
    assert "Lind" not in str(line)


async def test_a_type_that_nobody_registered_is_not_repeated(engine: Engine, lines: Lines) -> None:
    await engine.apply([Rejected(_raw(1), "UNKNOWN_TYPE", "type", "use a known type", type="Lind")])
    assert "type" not in lines.of("dead-letter")[0]


async def test_a_refused_input_names_its_subject_and_code(engine: Engine, lines: Lines) -> None:
    await engine.apply([told("one"), told("refuse")])
    (line,) = lines.of("dead-letter")
    assert (line["subject"], line["code"], line["field"]) == ("withdrawal:w-1", "REFUSED", "txid")


@pytest.mark.parametrize(("severity", "level"), [("warning", "warning"), ("critical", "error")])
async def test_an_alert_is_told_at_the_level_of_its_severity(
    engine: Engine, lines: Lines, severity: Any, level: str
) -> None:
    await engine.alert("withdrawal:w-1", Alert("SANCTIONS_HIT", severity, "south", 3))
    (line,) = lines.of("alert")
    assert line == {
        "level": level,
        "event": "alert",
        "subject": "withdrawal:w-1",
        "code": "SANCTIONS_HIT",
        "severity": severity,
        "counterparty": "south",
        "attempts": 3,
        "sequence": 1,
    }


async def test_a_crashing_input_is_told_with_its_subject(engine: Engine, lines: Lines) -> None:
    await engine.apply([told("fine"), told("crash", "w-2")])
    assert [(line["subject"], line["error"]["class"]) for line in lines.of("input-unprocessable")] == [
        ("withdrawal:w-2", "ZeroDivisionError")
    ]
    assert [line["code"] for line in lines.of("dead-letter")] == ["UNPROCESSABLE"]


async def test_each_failed_attempt_is_a_line_until_the_call_is_given_up(
    north: EngineInstallation, lines: Lines
) -> None:
    await north.fault(operation="address-search", fault="status", status=500)
    await north.withdraw()
    for _ in range(6):
        await north.forward(30)
    told_of = [
        (line["outcome"], line["attempts"], line["code"], line["http_status"], line["counterparty"])
        for line in lines.of("call-failed")
    ]
    again = [one for one in told_of if one[0] == "again"]
    assert [one[1] for one in again] == list(range(1, len(again) + 1))
    assert len(again) >= 2
    assert {one[3:] for one in told_of} == {(500, "south")}
    assert {line["subject"] for line in lines.of("call-failed")} == {"withdrawal:w-1"}
    assert {line["operation"] for line in lines.of("call-failed")} == {"address-search"}


async def test_a_directory_that_is_refused_names_operation_code_and_status(
    north: EngineInstallation, lines: Lines
) -> None:
    await north.fault(operation="vasp-list", fault="status", status=503)
    await north.refresh()
    (line,) = lines.of("directory-not-refreshed")
    assert (line["operation"], line["http_status"]) == ("vasp-list", 503)
    assert line["code"]


async def test_a_call_to_a_vasp_that_is_down_is_told_once(north: EngineInstallation, lines: Lines) -> None:
    await north.withdraw(target="west")
    for _ in range(3):
        await north.forward(60)
    assert [(line["code"], line["counterparty"]) for line in lines.of("call-deferred")] == [
        ("COUNTERPARTY_DOWN", "west")
    ]
    assert lines.of("call-failed") == []


async def test_a_withdrawal_that_goes_well_is_its_verdicts_and_no_fault(
    north: EngineInstallation, lines: Lines
) -> None:
    await north.withdraw()
    await north.calls_all()
    await north.send()
    await north.calls_all()
    assert [line["verdict"] for line in lines.of("verdict")] == [verdict for verdict, _ in await north.verdicts()]
    assert lines.of("call-failed") == lines.of("alert") == lines.of("dead-letter") == []


async def test_the_lease_of_a_call_that_a_dead_process_left_is_told(north: EngineInstallation, lines: Lines) -> None:
    await north.withdraw()
    dead = north.another_caller("dead")
    claimed = await dead._rows.claim(5, 5, {}, north.clock(), north.clock() + timedelta(seconds=1))
    assert len(claimed) == 1
    assert lines.of("lease-taken-over") == [], "it was free"
    await north.call()
    assert lines.of("lease-taken-over") == [], "its lease lasts"
    north.clock.forward(LEASE_SECONDS)
    await north.call()
    (line,) = lines.of("lease-taken-over")
    assert (line["level"], line["lease"], line["previous"]) == ("warning", "call", "dead")
    assert (line["subject"], line["operation"], line["counterparty"]) == ("withdrawal:w-1", "address-search", "south")


async def test_a_lease_given_back_is_not_taken_over(north: EngineInstallation, lines: Lines) -> None:
    await north.withdraw()
    other = north.another_caller("other")
    claimed = await other._rows.claim(5, 5, {}, north.clock(), north.clock() + timedelta(seconds=1))
    await other._rows.release([call.id for call in claimed])
    north.clock.forward(LEASE_SECONDS)
    await north.call()
    assert lines.of("lease-taken-over") == []


async def test_the_lease_of_a_job_is_told_when_another_process_takes_it_over(
    north: EngineInstallation, lines: Lines
) -> None:
    first, second = (LeaseRepository(north.database, "north", owner, north.clock) for owner in ("p1", "p2"))
    assert await first.take("jobs", 10)
    assert not await second.take("jobs", 10)
    assert await first.take("jobs", 10)
    north.clock.forward(11)
    assert await second.take("jobs", 10)
    assert await second.take("jobs", 10)
    assert [(line["level"], line["lease"], line["previous"]) for line in lines.of("lease-taken-over")] == [
        ("info", "jobs", "p1")
    ]
    north.clock.forward(11)
    assert await first.take("jobs", 10)
    assert [line["previous"] for line in lines.of("lease-taken-over")] == ["p1", "p2"]


async def test_of_two_processes_with_one_fact_one_tells_it(
    database_url: str, engine: Engine, vault: Vault, lines: Lines
) -> None:
    other_database = Database(database_url)
    other = Engine("north", other_database, {"withdrawal": TOY}, vault, Policy.default, dead_letter_headers)
    items = [told("emit", f"w-{number}", f"e-{number}") for number in range(10)]
    await asyncio.gather(engine.apply(items), other.apply(items))
    await other_database.dispose()
    assert sorted(line["subject"] for line in lines.of("verdict")) == sorted(item.subject for item in items)


def _raw(offset: int) -> RawMessage:
    value = b'{"data":{"Planted":"Lind"}}'
    return RawMessage("withdrawals", 3, offset, b"w-9", value, (("traceparent", TRACE.encode()),))
