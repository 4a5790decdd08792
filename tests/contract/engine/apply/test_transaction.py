"""The laws of ``apply``, on both databases: one effect per input, order, refusals that harm nobody else."""

from __future__ import annotations

import asyncio
import os
from dataclasses import replace

import orjson
from sqlalchemy import func, select

from tests.support.toy_machine import TOY, dead_letter_headers, told
from travelrule.crypto.audit_chain import CHAIN_START, record_hash
from travelrule.engine.apply.engine import Engine
from travelrule.engine.vault import Vault
from travelrule.machine.effects import Alert
from travelrule.machine.input import RawMessage, Rejected
from travelrule.policy.policy import Policy
from travelrule.store import tables
from travelrule.store.database import Database


async def rows(database: Database, table, *where):
    async with database.read() as connection:
        return (await connection.execute(select(table).where(*where))).all()


async def heard(engine: Engine, subject: str = "w-1") -> tuple[str, ...]:
    name = f"withdrawal:{subject}"
    async with engine.database.begin() as connection:
        subjects = await engine.loader.lock(connection, [name], set())
    return subjects[name].state.heard if subjects[name].state else ()


async def test_an_input_is_applied_once_however_often_it_comes(engine: Engine) -> None:
    item = told("emit", input_id="e-1")
    outcomes = await engine.apply([item, item])
    again = await engine.apply([item])
    assert [outcome.status for outcome in outcomes] == ["applied", "duplicate"]
    assert again[0].status == "duplicate"
    assert await heard(engine) == ("emit",)
    assert len(await rows(engine.database, tables.outbox)) == 1


async def test_the_same_id_with_other_content_is_a_dead_letter(engine: Engine) -> None:
    await engine.apply([told("one", input_id="e-1")])
    outcome = (await engine.apply([told("two", input_id="e-1")]))[0]
    assert (outcome.status, outcome.code) == ("rejected", "CONFLICT")
    assert [row.code for row in await rows(engine.database, tables.dead_letters)] == ["CONFLICT"]
    assert await heard(engine) == ("one",)


async def test_the_same_id_for_another_subject_is_a_conflict_too(engine: Engine) -> None:
    outcomes = await engine.apply([told("one", "w-1", "e-1"), told("one", "w-2", "e-1")])
    assert [outcome.code for outcome in outcomes] == ["", "CONFLICT"]


async def test_inputs_of_a_batch_keep_their_order(engine: Engine) -> None:
    await engine.apply([told(f"n{number}", f"w-{number % 3}") for number in range(30)])
    assert await heard(engine, "w-1") == tuple(f"n{number}" for number in range(30) if number % 3 == 1)


async def test_a_crashing_input_is_found_and_the_rest_of_the_batch_is_unharmed(engine: Engine) -> None:
    batch = [told("fine", f"w-{number}", offset=number) for number in range(7)]
    batch[4] = told("crash", "w-4", offset=4)
    outcomes = await engine.apply(batch)
    assert [outcome.status for outcome in outcomes].count("applied") == 6
    assert outcomes[4].code == "UNPROCESSABLE"
    letters = await rows(engine.database, tables.dead_letters)
    assert [(row.offset, row.code) for row in letters] == [(4, "UNPROCESSABLE")]


async def test_a_rejected_input_is_not_remembered(engine: Engine) -> None:
    await engine.apply([told("one")])
    first = (await engine.apply([told("refuse", input_id="e-9")]))[0]
    second = (await engine.apply([told("two", input_id="e-9")]))[0]
    assert (first.status, first.field, first.fix) == ("rejected", "txid", "say something else")
    assert second.status == "applied"


async def test_an_undecodable_message_is_one_dead_letter_however_often_it_is_delivered(engine: Engine) -> None:
    raw = RawMessage("withdrawals", 3, 41, b"k", b"\xff\x00 Planted Name")
    for _ in range(2):
        await engine.apply([Rejected(raw, "UNDECODABLE", "", "send JSON")])
    letters = await rows(engine.database, tables.dead_letters)
    events = await rows(engine.database, tables.outbox)
    assert len(letters) == len(events) == 1
    assert b"Planted" not in bytes(events[0].value)
    assert bytes(events[0].record_key) == b"k"


async def test_a_dead_letter_names_its_subject_where_that_is_known(engine: Engine) -> None:
    await engine.apply([told("one", input_id="e-1")])
    await engine.apply([told("refuse", offset=1), told("two", input_id="e-1", offset=2), told("crash", offset=3)])
    raw = RawMessage("withdrawals", 3, 41, b"k", b"Planted Name")
    await engine.apply(
        [Rejected(raw, "INVALID_AMOUNT", "data.amount", "send text", "wallet:w", "wallet.registered.v1")]
    )
    letters = await rows(engine.database, tables.dead_letters)
    assert {(row.code, row.field, row.subject) for row in letters} == {
        ("REFUSED", "txid", "withdrawal:w-1"),
        ("CONFLICT", "id", "withdrawal:w-1"),
        ("UNPROCESSABLE", "", "withdrawal:w-1"),
        ("INVALID_AMOUNT", "data.amount", "wallet:w"),
    }
    assert [row.subject for row in await rows(engine.database, tables.subjects)] == ["withdrawal:w-1"]


async def test_an_input_without_its_subject_waits_and_is_applied_when_it_arrives(engine: Engine) -> None:
    parked = (await engine.apply([told("mined", input_id="m-1")]))[0]
    again = (await engine.apply([told("mined", input_id="m-1")]))[0]
    assert (parked.status, again.status) == ("parked", "parked")
    await engine.apply([told("one")])
    assert await heard(engine) == ("one", "mined")
    assert await rows(engine.database, tables.parked) == []
    assert (await engine.apply([told("mined", input_id="m-1")]))[0].status == "duplicate"


async def test_parked_and_released_within_one_batch(engine: Engine) -> None:
    await engine.apply([told("mined", input_id="m-1"), told("one"), told("two")])
    assert await heard(engine) == ("one", "mined", "two")
    assert await rows(engine.database, tables.parked) == []


async def test_a_stranger_asking_about_an_unknown_subject_leaves_no_row(engine: Engine) -> None:
    outcome = (await engine.apply([told("refuse", unknown=True)]))[0]
    assert outcome.status == "rejected"
    assert await rows(engine.database, tables.subjects) == []


async def test_sequences_count_per_topic_and_key_from_one(engine: Engine) -> None:
    await engine.apply([told("emit"), told("alert"), told("emit")])
    await engine.apply([told("emit")])
    events = [(row.topic, row.sequence) for row in await rows(engine.database, tables.outbox)]
    assert events == [("verdicts", 1), ("alerts", 1), ("verdicts", 2), ("verdicts", 3)]
    assert len({orjson.loads(row.value)["id"] for row in await rows(engine.database, tables.outbox)}) == 4


async def test_subjects_of_two_kinds_with_one_id_never_share_an_event_id(database: Database, vault: Vault) -> None:
    machines = {kind: replace(TOY, kind=kind) for kind in ("withdrawal", "deposit", "screening")}
    engine = Engine("north", database, machines, vault, Policy.default, dead_letter_headers)
    said = [told(word, "1001") for word in ("emit", "alert", "emit")]
    await engine.apply(said)
    for kind in ("deposit", "screening"):
        await engine.apply([replace(item, id=f"{kind}-{item.id}", subject=f"{kind}:1001") for item in said])
    events = [(row.topic, row.key, row.subject, row.sequence) for row in await rows(database, tables.outbox)]
    assert sorted(events) == sorted(
        (topic, "1001", f"{kind}:1001", sequence)
        for kind in machines
        for topic, sequence in (("verdicts", 1), ("alerts", 1), ("verdicts", 2))
    ), "one key, one count for each subject"
    assert len({orjson.loads(row.value)["id"] for row in await rows(database, tables.outbox)}) == len(events)


async def test_a_key_with_slashes_does_not_read_as_another_subject(database: Database, vault: Vault) -> None:
    engine = Engine("north", database, {"withdrawal": TOY}, vault, Policy.default, dead_letter_headers)
    for name in ("a", "a/withdrawal:a", "a/a", "a/1"):
        await engine.apply([told("emit", name), told("emit", name)])
    stored = await rows(database, tables.outbox)
    assert len({orjson.loads(row.value)["id"] for row in stored}) == len(stored) == 8


async def test_calls_of_inputs_whose_names_read_alike_are_two_calls(engine: Engine) -> None:
    one, other = told("call", input_id="x|y"), told("call", input_id="y")
    await engine.apply([replace(one, source="/platform"), replace(other, source="/platform|x")])
    assert len(await rows(engine.database, tables.calls)) == 2


async def test_a_reply_is_stored_and_given_again(engine: Engine) -> None:
    item = told("reply", input_id="r-1")
    first = (await engine.apply([item]))[0]
    second = (await engine.apply([item]))[0]
    assert first.reply == second.reply == {"answer": "Planted Name"}
    assert second.status == "duplicate"


async def test_nothing_personal_stands_in_any_table(engine: Engine) -> None:
    await engine.apply([told("call"), told("reply"), told("crash"), told("PlantedName"), told("mined", "w-2")])
    found = []
    async with engine.database.read() as connection:
        for table in tables.metadata.sorted_tables:
            for row in (await connection.execute(select(table))).all():
                text = " ".join(
                    bytes(value).decode("latin-1") if isinstance(value, bytes | memoryview) else str(value)
                    for value in row
                )
                if "Planted" in text:
                    found.append(table.name)
    assert found == []


async def test_calls_are_rows_and_can_be_dropped(engine: Engine, vault: Vault) -> None:
    await engine.apply([told("call")])
    call = (await rows(engine.database, tables.calls))[0]
    assert (call.operation, call.target, call.tries) == ("address-search", "south", 0)
    key = (await rows(engine.database, tables.data_keys, tables.data_keys.c.subject == call.subject))[0]
    plain = vault.open(vault.unwrap(call.subject, bytes(key.wrapped)), "call", call.subject, bytes(call.sealed))
    assert orjson.loads(plain)["payload"] == {"secret": "Planted Name"}
    await engine.apply([told("call"), told("drop")])
    assert await rows(engine.database, tables.calls) == []


async def test_audit_records_form_a_chain_that_ends_in_the_subjects_head(engine: Engine) -> None:
    await engine.apply([told("one"), told("two"), told("emit")])
    records = sorted(await rows(engine.database, tables.audit), key=lambda row: row.record)
    head = CHAIN_START
    for row in records:
        head = record_hash(head, bytes(row.body))
        assert bytes(row.hash) == head
    subject = (await rows(engine.database, tables.subjects))[0]
    assert (bytes(subject.head), subject.records) == (head, 3)


async def test_an_erased_subject_refuses_and_stays_unreadable(engine: Engine) -> None:
    await engine.apply([told("one")])
    async with engine.database.begin() as connection:
        await connection.execute(tables.data_keys.delete())
    outcome = (await engine.apply([told("two")]))[0]
    assert (outcome.status, outcome.code) == ("rejected", "ERASED")


async def test_an_alert_without_input(engine: Engine) -> None:
    await engine.alert("vasp:south", Alert("TOY", "critical", "south", 3))
    event = orjson.loads((await rows(engine.database, tables.outbox))[0].value)
    assert event["data"]["code"] == "TOY"
    assert event["data"]["attempts"] == 3


async def test_two_processes_lose_no_update(database_url: str, engine: Engine, vault: Vault) -> None:
    """Read-modify-write of the same subject from two processes: every input must be applied, each once."""
    script = os.path.join(os.path.dirname(__file__), "second_process.py")
    process = await asyncio.create_subprocess_exec(
        os.sys.executable, script, database_url, "other", "40", stdout=asyncio.subprocess.PIPE
    )
    for number in range(40):
        await engine.apply([told(f"mine-{number}", input_id=f"mine-{number}"), told(f"m{number}", "w-2")])
    output, _ = await process.communicate()
    assert process.returncode == 0, output
    words = await heard(engine)
    assert sorted(words) == sorted([f"mine-{n}" for n in range(40)] + [f"other-{n}" for n in range(40)])
    async with engine.database.read() as connection:
        count = (await connection.execute(select(func.count()).select_from(tables.audit))).scalar_one()
    assert count == 160


async def test_concurrent_batches_of_one_process(database: Database, vault: Vault) -> None:
    engines = [Engine("north", database, {"withdrawal": TOY}, vault, Policy.default, dead_letter_headers) for _ in "ab"]
    await asyncio.gather(
        *(engines[n % 2].apply([told(f"x{n}", "w-1"), told(f"x{n}", f"w-{n % 4}")]) for n in range(20))
    )
    assert len(await heard(engines[0])) == 20 + 5
