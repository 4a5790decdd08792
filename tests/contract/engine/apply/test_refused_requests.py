"""A request that the codec or the engine refuses: dead letter, verdict and audit record in one transaction."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import Any

import orjson
import pytest

from streams.codec import read
from tests.contract.engine.recorded_history import Record
from tests.support.events import broadcast, cancelled, mined, request
from tests.support.toy_machine import dead_letter_headers
from travelrule.engine.apply.engine import Engine
from travelrule.engine.registry import MACHINES
from travelrule.engine.vault import Vault
from travelrule.machine.input import Input, RawMessage, Rejected
from travelrule.machine.port import Machine
from travelrule.store import bulk, tables

NAME = "w-9"
HELD = ("hold", "REJECTED_INPUT")
WRONG_AMOUNT = {"amount": "1,5"}


def event(name: str = NAME, event_id: str = "e-9", **changes: Any) -> dict[str, Any]:
    return {
        "specversion": "1.0",
        "id": event_id,
        "source": "/platform",
        "type": "withdrawal.requested.v1",
        "subject": name,
        "data": request(withdrawalId=name, **changes),
    }


def taken(record: Record, content: Any, offset: int = 1, key: bytes | None = None, topic: str = "withdrawals") -> Any:
    """What the codec makes of a record."""
    value = content if isinstance(content, bytes) else orjson.dumps(content)
    raw = RawMessage(topic, 0, offset, NAME.encode() if key is None else key, value)
    return read(raw, topic, received_at=record.north.clock())


def broken(record: Record, offset: int = 1, event_id: str = "e-9", **changes: Any) -> Rejected:
    item = taken(record, event(event_id=event_id, **(changes or WRONG_AMOUNT)), offset)
    assert isinstance(item, Rejected)
    return item


def corrected(record: Record, offset: int = 2, event_id: str = "e-9") -> Input:
    item = taken(record, event(event_id=event_id), offset)
    assert isinstance(item, Input)
    return item


async def letters(record: Record) -> list[Any]:
    return await record.north.rows(tables.dead_letters)


async def verdicts(record: Record, name: str = NAME) -> list[dict[str, Any]]:
    said = await record.north.said("verdicts")
    return [one for one in said if one["subject"] == f"withdrawal:{name}"]


async def proved(record: Record) -> None:
    assert (await record.verify()).faults == []


async def test_the_platform_gets_hold_with_the_dead_letters_id(record: Record) -> None:
    outcomes = await record.north.submit_all([broken(record)])
    assert [(one.status, one.code, one.field) for one in outcomes] == [("rejected", "INVALID_AMOUNT", "data.amount")]
    (letter,) = await letters(record)
    assert (letter.subject, letter.code, letter.field) == (f"withdrawal:{NAME}", "INVALID_AMOUNT", "data.amount")
    (verdict,) = await verdicts(record)
    assert (verdict["verdict"], verdict["reasons"], verdict["sequence"]) == ("hold", ["REJECTED_INPUT"], 1)
    assert verdict["deadLetterId"] == letter.id
    (audited,) = await record.north.rows(tables.audit, tables.audit.c.subject == f"withdrawal:{NAME}")
    assert orjson.loads(audited.body)["type"] == "request.refused"
    await proved(record)


async def test_the_corrected_request_proceeds_and_the_sequence_goes_on(record: Record) -> None:
    north = record.north
    await north.submit_all([broken(record)])
    assert [one.status for one in await north.submit_all([corrected(record)])] == ["applied"]
    await north.calls_all()
    said = [(one["verdict"], one["reasons"][0], one["sequence"]) for one in await verdicts(record)]
    assert said == [("hold", "REJECTED_INPUT", 1), ("allow", "VERIFIED", 2)]
    await proved(record)


@pytest.mark.parametrize("order", ["refused first", "valid first"])
async def test_both_in_one_batch(record: Record, order: str) -> None:
    items = [broken(record, 1), corrected(record, 2)]
    await record.north.submit_all(items if order == "refused first" else items[::-1])
    await record.north.calls_all()
    said = [one["reasons"][0] for one in await verdicts(record)]
    assert said == (["REJECTED_INPUT", "VERIFIED"] if order == "refused first" else ["VERIFIED"])
    assert ("REQUEST_REFUSED" in await record.north.alerts()) is (order == "valid first")
    await proved(record)


async def test_a_known_withdrawal_keeps_its_verdict_and_an_alert_names_it(record: Record) -> None:
    before = await verdicts(record, "w-1")
    again = taken(record, event("w-1", **WRONG_AMOUNT), key=b"w-1")
    other = taken(record, event("w-1", "e-10", amount="7"), 2, key=b"w-1")
    outcomes = await record.north.submit_all([again, other])
    assert [one.code for one in outcomes] == ["INVALID_AMOUNT", "CONFLICT"]
    assert await verdicts(record, "w-1") == before
    assert [one["subject"] for one in await record.north.said("alerts") if one["code"] == "REQUEST_REFUSED"] == [
        "withdrawal:w-1"
    ] * 2
    assert len(await letters(record)) == 2
    await proved(record)


async def test_repeats_are_dead_letters_and_no_verdicts(record: Record) -> None:
    north = record.north
    for offset in (1, 1, 2, 3):  # delivered again, and sent again
        await north.submit_all([broken(record, offset)])
    await north.submit_all([broken(record, 4), broken(record, 4), broken(record, 5)])
    assert len(await letters(record)) == 5
    assert len(await verdicts(record)) == 1
    await north.submit_all([broken(record, 6, currency="")])
    await north.submit_all([broken(record, 7, "e-11")])
    assert len(await verdicts(record)) == 3, "another fault and another event are no repeats"
    for offset in (8, 9):
        await north.submit_all([corrected(record, offset)])
        await north.submit_all([broken(record, offset + 10)])
    assert "REQUEST_REFUSED" not in await north.alerts(), "the same event was told of before"
    await proved(record)


async def test_an_event_without_an_id_is_told_of_once_per_dead_letter(record: Record) -> None:
    nameless = event()
    del nameless["id"]
    for offset in (1, 1, 2):
        await record.north.submit_all([taken(record, nameless, offset)])
    assert len(await letters(record)) == len(await verdicts(record)) == 2


async def test_an_id_that_names_another_event_is_a_refused_request_too(record: Record) -> None:
    """A platform that numbers its events from 1 for each withdrawal must be notified."""
    first, second = event("w-7", "e-1000"), event("w-8", "e-1000")
    outcomes = await record.north.submit_all([taken(record, first, 1, b"w-7"), taken(record, second, 2, b"w-8")])
    assert [one.code for one in outcomes] == ["", "CONFLICT"]
    assert [one["reasons"] for one in await verdicts(record, "w-8")] == [["REJECTED_INPUT"]]
    await proved(record)


async def test_a_request_that_the_machine_cannot_take_is_one_too(record: Record) -> None:
    north = record.north
    real = MACHINES["withdrawal"]

    def decide(state: Any, item: Input, *more: Any) -> Any:
        if item.type == "withdrawal.requested.v1":
            raise ZeroDivisionError
        return real.decide(state, item, *more)

    north.engine._machines["withdrawal"] = replace(real, decide=decide)
    try:
        outcomes = await north.submit_all([corrected(record)])
    finally:
        north.engine._machines["withdrawal"] = real
    assert [one.code for one in outcomes] == ["UNPROCESSABLE"]
    assert [one["reasons"] for one in await verdicts(record)] == [["REJECTED_INPUT"]]
    assert [one.status for one in await north.submit_all([corrected(record)])] == ["applied"]
    await proved(record)


@pytest.mark.parametrize(
    "content",
    [
        b"{",
        {**event(**WRONG_AMOUNT), "type": "withdrawal.cancelled.v1"},
        {**event(**WRONG_AMOUNT), "type": "not.known.v1"},
        {**event(**WRONG_AMOUNT), "subject": "another"},
    ],
)
async def test_no_verdict_where_it_is_not_known_what_is_meant(record: Record, content: Any) -> None:
    await record.north.submit_all([taken(record, content)])
    assert (len(await letters(record)), await verdicts(record)) == (1, [])
    assert await record.north.rows(tables.subjects, tables.subjects.c.subject == f"withdrawal:{NAME}") == []


async def test_no_verdict_by_the_right_to_write_to_another_topic(record: Record) -> None:
    for name in (NAME, "w-1"):
        before = await verdicts(record, name)
        item = taken(record, event(name), key=name.encode(), topic="wallets")
        assert [one.code for one in await record.north.submit_all([item])] == ["WRONG_TOPIC"]
        assert await verdicts(record, name) == before
    assert "REQUEST_REFUSED" not in await record.north.alerts()


async def test_an_erased_withdrawal_gets_no_verdict(record: Record) -> None:
    async with record.database.begin() as connection:
        await bulk.delete(connection, tables.data_keys, [{"vasp": "north", "subject": "withdrawal:w-2"}])
    before = await verdicts(record, "w-2")
    outcomes = await record.north.submit_all([taken(record, event("w-2", **WRONG_AMOUNT), key=b"w-2")])
    assert [one.code for one in outcomes] == ["INVALID_AMOUNT"]
    assert (len(await letters(record)), await verdicts(record, "w-2")) == (1, before)


async def test_what_the_chain_did_waits_until_the_request_is_corrected(record: Record) -> None:
    """Before and after the refusal: nothing is lost, and the alert about value without an allow comes."""
    north, subject = record.north, f"withdrawal:{NAME}"
    sent = broadcast().model_copy(update={"withdrawal_id": NAME})
    assert (await north.tell(sent, subject)).status == "parked"
    await north.submit_all([broken(record)])
    assert len(await north.rows(tables.parked)) == 1
    assert (await north.tell(sent, subject)).status == "parked"
    await north.submit_all([corrected(record)])
    assert await north.rows(tables.parked) == []
    assert "BROADCAST_WITHOUT_ALLOW" in await north.alerts()
    await proved(record)


async def test_what_waits_for_a_request_that_is_given_up_is_a_dead_letter(record: Record) -> None:
    north, subject = record.north, f"withdrawal:{NAME}"
    await north.submit_all([broken(record)])
    assert (await north.tell(mined().model_copy(update={"withdrawal_id": NAME}), subject)).status == "parked"
    assert (await north.tell(cancelled().model_copy(update={"withdrawal_id": NAME}), subject)).status == "applied"
    assert await north.rows(tables.parked) == []
    assert sorted(letter.code for letter in await letters(record)) == ["ALREADY_FINAL", "INVALID_AMOUNT"]
    outcomes = await north.submit_all([corrected(record)])
    assert [one.code for one in outcomes] == ["ALREADY_FINAL"]
    assert [one["reasons"][0] for one in await verdicts(record)] == ["REJECTED_INPUT", "CANCELLED"]
    await proved(record)


@pytest.mark.parametrize("order", ["before the end", "after the end"])
async def test_value_that_was_sent_for_a_request_that_is_given_up_is_alerted(record: Record, order: str) -> None:
    north, subject = record.north, f"withdrawal:{NAME}"
    sent = broadcast().model_copy(update={"withdrawal_id": NAME})
    end = cancelled().model_copy(update={"withdrawal_id": NAME})
    await north.submit_all([broken(record)])
    for one in (sent, end) if order == "before the end" else (end, sent):
        await north.tell(one, subject)
    assert await north.alerts() == ["BROADCAST_WITHOUT_ALLOW"]
    (again,) = [item for item in north.sent if item.data == sent]
    assert (await north.submit(again)).status == "duplicate"
    assert await north.alerts() == ["BROADCAST_WITHOUT_ALLOW"], "the same event again is no other alert"
    assert [letter.code for letter in await letters(record)] == ["INVALID_AMOUNT"], "it is a record of its own"
    await proved(record)


async def test_the_hold_is_repeated_by_its_timer(record: Record) -> None:
    north = record.north
    await north.submit_all([broken(record)])
    limit = north.rules().time_limits.held_reminder
    north.clock.forward(limit / 2 + 1)
    await north.fire_timers()
    assert [(one["reasons"][0], one["sequence"]) for one in await verdicts(record)] == [
        ("REJECTED_INPUT", 1),
        ("REJECTED_INPUT", 2),
    ]
    north.clock.forward(limit / 2 + 1)
    await north.fire_timers()
    assert "HELD_TOO_LONG" in await north.alerts()
    await proved(record)


async def test_processes_that_meet_agree(record: Record, vault: Vault) -> None:
    """The refused and the corrected request come to two processes at once, again and again."""
    north = record.north
    other = Engine("north", record.database, MACHINES, vault, north.rules, dead_letter_headers, clock=north.clock)
    for number in range(8):
        name = f"race-{number}"
        bad = taken(record, event(name, f"b-{number}", **WRONG_AMOUNT), number, name.encode())
        good = taken(record, event(name, f"g-{number}"), number, name.encode())
        await asyncio.gather(north.engine.apply([bad]), other.apply([good]))
        sequences = [one["sequence"] for one in await verdicts(record, name)]
        assert sequences in ([], [1])
    await north.calls_all()
    for number in range(8):
        said = [(one["reasons"][0], one["sequence"]) for one in await verdicts(record, f"race-{number}")]
        assert said in ([("VERIFIED", 1)], [("REJECTED_INPUT", 1), ("VERIFIED", 2)])
    await proved(record)


async def test_nothing_of_the_message_is_in_the_clear(record: Record) -> None:
    secret = "Zzyzx-Planted"
    content = event(beneficiary={"natural": {secret: secret, "lastName": [secret]}})
    await record.north.submit_all([taken(record, content)])
    assert len(await verdicts(record)) == 1
    found = [
        table.name
        for table in tables.metadata.sorted_tables
        for row in await record.north.rows(table)
        if secret.encode() in repr(tuple(row)).encode()
    ]
    assert found == []


def test_every_machine_says_what_has_arrived() -> None:
    for machine in MACHINES.values():
        assert isinstance(machine, Machine)
        assert not machine.arrived(None)
