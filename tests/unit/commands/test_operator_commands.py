"""What an operator does: look, decide, replay, prove; without personal data where none is asked for."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import orjson
import pytest
from aiokafka import AIOKafkaConsumer
from sqlalchemy import select, update

from schemas.events.cloudevents import CloudEvent
from schemas.registry import EVENTS
from tests.support.command_line import FIRST_POLICY, PERSONAL, Cli, dead_letter, verified, withdraw
from travelrule.bootstrap.installation import Installation
from travelrule.store import bulk, tables


def consumed(addresses: tuple[str, ...], topic: str, count: int) -> list[Any]:
    """The first records of a topic."""

    async def read() -> list[Any]:
        consumer = AIOKafkaConsumer(
            f"travelrule.{topic}", bootstrap_servers=list(addresses), auto_offset_reset="earliest", group_id=None
        )
        await consumer.start()
        try:
            async with asyncio.timeout(60):
                return [await consumer.getone() for _ in range(count)]
        finally:
            await consumer.stop()

    return asyncio.run(read())


def rows(cli: Cli, table: Any) -> list[Any]:
    async def read(opened: Installation) -> list[Any]:
        async with opened.database.read() as connection:
            return list((await connection.execute(select(table))).all())

    return cli.within(read)  # type: ignore[no-any-return]


# --- explain


def test_explain_tells_from_input_to_verdict(installed: Cli) -> None:
    installed.within(verified)
    answer = installed.ask("explain", "withdrawal:w-1")
    assert answer.code == 0
    story = answer.json
    assert (story["subject"], story["verdict"], story["status"], story["erased"]) == (
        "withdrawal:w-1",
        "allow",
        "pending",
        False,
    )
    assert [step["input"] for step in story["steps"]] == ["withdrawal.requested.v1", "call.answered", "call.answered"]
    assert [step["rule"] for step in story["steps"]] == ["address search", "address valid", "verified"]
    assert story["steps"][2]["reasons"] == ["VERIFIED"]
    assert {name: story["steps"][1]["call"][name] for name in ("operation", "target", "outcome")} == {
        "operation": "address-search",
        "target": "south",
        "outcome": "answered",
    }
    assert story["steps"][0]["call"] is None
    assert {"at", "input", "rule", "reasons", "call"} <= set(story["steps"][0])
    assert all(step["policyVersion"] for step in story["steps"])
    text = installed.run("explain", "w-1")
    assert text.code == 0
    assert "allow" in text.out
    assert "address-search to south: answered" in text.out
    for word in PERSONAL:
        assert word not in answer.out + text.out


def test_explain_shows_what_is_waited_for(installed: Cli) -> None:
    installed.within(withdraw)
    (waiting,) = installed.ask("explain", "w-1").json["waiting"]
    assert {name: waiting[name] for name in ("operation", "target", "tries")} == {
        "operation": "address-search",
        "target": "south",
        "tries": 0,
    }


def test_explain_of_an_erased_subject_says_so_and_still_tells_the_verdict(installed: Cli) -> None:
    installed.within(verified)

    async def erase(opened: Installation) -> None:
        async with opened.database.begin() as connection:
            await connection.execute(tables.data_keys.delete())

    installed.within(erase)
    story = installed.ask("explain", "w-1").json
    assert (story["erased"], story["verdict"], len(story["steps"])) == (True, "allow", 3)
    assert [step["call"] for step in story["steps"]] == [None, None, None]


@pytest.mark.parametrize("subject", ["nobody", "withdrawal:nobody", "", ":", "withdrawal:"])
def test_an_unknown_subject_is_wrong_use(installed: Cli, subject: str) -> None:
    answer = installed.ask("explain", subject)
    assert (answer.code, answer.out) == (2, "")
    assert "no subject" in answer.err


def test_an_ambiguous_id_asks_for_the_kind(installed: Cli) -> None:
    installed.within(withdraw)
    (row,) = [row for row in rows(installed, tables.subjects) if row.subject == "withdrawal:w-1"]

    async def double(opened: Installation) -> None:
        async with opened.database.begin() as connection:
            await bulk.insert(connection, tables.subjects, [{**row._mapping, "subject": "deposit:w-1"}])

    installed.within(double)
    answer = installed.ask("explain", "w-1")
    assert answer.code == 2
    assert "ambiguous: deposit:w-1, withdrawal:w-1" in answer.err


def test_explain_does_not_take_over_what_was_said_of_another_subject_with_the_same_id(installed: Cli) -> None:
    installed.within(verified)

    async def deposit(opened: Installation) -> None:
        async with opened.database.begin() as connection:
            (own,) = (await connection.execute(select(tables.outbox).where(tables.outbox.c.topic == "verdicts"))).all()
            data = orjson.loads(own.value)
            data["data"] |= {"subject": "deposit:w-1", "verdict": "hold", "reasons": ["AWAITING_REPORT"]}
            changes = {"subject": "deposit:w-1", "type": "deposit.verdict.v1", "value": orjson.dumps(data)}
            await bulk.insert(connection, tables.outbox, [{**own._mapping, "id": own.id + 1000, **changes}])

    installed.within(deposit)
    story = installed.ask("explain", "withdrawal:w-1").json
    assert [reason for step in story["steps"] for reason in step["reasons"]] == ["VERIFIED"]


# --- decide


def test_a_decision_goes_to_its_topic_as_an_event(installed: Cli, broker: tuple[str, ...]) -> None:
    installed.within(withdraw)
    answer = installed.ask("decide", "w-1", "deny", "--actor", "operator-1", "--reason", "checked by phone")
    assert answer.code == 0
    assert {name: answer.json[name] for name in ("subject", "decision")} == {
        "subject": "withdrawal:w-1",
        "decision": "deny",
    }
    (record,) = consumed(broker, "decisions", 1)
    event = CloudEvent.model_validate(orjson.loads(record.value))
    assert record.key == b"w-1"
    assert (event.type, event.subject, event.id) == ("decision.recorded.v1", "w-1", answer.json["event"])
    data = EVENTS["decision.recorded.v1"].model.model_validate(event.data)
    assert (data.actor, data.reason) == ("operator-1", "checked by phone")  # type: ignore[attr-defined]
    assert "operator-1" not in answer.out
    text = installed.run("decide", "withdrawal:w-1", "deny", "--actor", "o", "--reason", "r")
    assert text.out.startswith("deny for withdrawal:w-1 was sent")


def test_a_decision_about_nobody_is_not_sent(installed: Cli, broker: tuple[str, ...]) -> None:
    answer = installed.ask("decide", "nobody", "deny", "--actor", "a", "--reason", "r")
    assert (answer.code, answer.out) == (2, "")
    assert broker


@pytest.mark.parametrize("broker_url", ["embedded://", "kafka://127.0.0.1:9"])
def test_without_a_broker_it_is_exit_3(installed: Cli, broker_url: str) -> None:
    installed.within(withdraw)
    installed.set(BROKER_URL=broker_url)
    answer = installed.ask("decide", "w-1", "deny", "--actor", "a", "--reason", "r")
    assert (answer.code, answer.out) == (3, "")
    assert "broker could not be reached" in answer.err


# --- verdicts republish


def test_republish_sends_the_same_verdict_events_again(installed: Cli) -> None:
    installed.within(verified)
    installed.within(lambda opened: withdraw(opened, "w-2"))

    async def sent(opened: Installation) -> None:
        async with opened.database.begin() as connection:
            await connection.execute(update(tables.outbox).values(sent_at=opened.clock(), lease_until=None))

    installed.within(sent)
    before = {row.id: bytes(row.value) for row in rows(installed, tables.outbox)}
    assert installed.ask("verdicts", "republish", "--since", "2999-01-01").json == {"republished": 0}
    assert installed.ask("verdicts", "republish", "--since", "2020-01-01", "--subject", "w-2").json == {
        "republished": 0
    }
    answer = installed.ask("verdicts", "republish", "--since", "2020-01-01T00:00:00Z", "--subject", "withdrawal:w-1")
    assert (answer.code, answer.json) == (0, {"republished": 1})
    unsent = [row for row in rows(installed, tables.outbox) if row.sent_at is None]
    assert [row.topic for row in unsent] == ["verdicts"]
    assert {row.id: bytes(row.value) for row in rows(installed, tables.outbox)} == before
    assert installed.ask("verdicts", "republish", "--since", "2020-01-01").json == {"republished": 0}, (
        "it waits already"
    )


def test_republish_with_no_time_at_all(installed: Cli) -> None:
    answer = installed.ask("verdicts", "republish", "--since", "yesterday")
    assert (answer.code, answer.out) == (2, "")
    assert "ISO 8601" in answer.err


# --- dead letters


def test_dead_letters_are_listed_without_their_content(installed: Cli) -> None:
    assert (installed.ask("dead-letters", "list").code, installed.ask("dead-letters", "list").lines) == (0, [])
    installed.within(dead_letter)
    installed.within(lambda opened: dead_letter(opened, offset=42))
    answer = installed.ask("dead-letters", "list")
    assert [line["offset"] for line in answer.lines] == [41, 42]
    assert {name: answer.lines[0][name] for name in ("code", "field", "fix", "topic", "partition", "replayedAt")} == {
        "code": "MISSING_FIELD",
        "field": "data.amount",
        "fix": "add the field",
        "topic": "withdrawals",
        "partition": 3,
        "replayedAt": None,
    }
    text = installed.run("dead-letters", "list")
    assert "MISSING_FIELD" in text.out
    assert "Lind" not in answer.out + text.out


def test_show_gives_the_content_to_who_asks_for_it(installed: Cli) -> None:
    installed.within(lambda opened: dead_letter(opened, b'{"Planted":"Lind \xff"}'))
    (listed,) = installed.ask("dead-letters", "list").lines
    shown = installed.ask("dead-letters", "show", listed["id"])
    assert shown.json["key"] == "w-9"
    assert shown.json["value"] == '{"Planted":"Lind �"}'
    assert "Lind" in installed.run("dead-letters", "show", listed["id"]).out
    unknown = installed.ask("dead-letters", "show", "nothing")
    assert (unknown.code, unknown.out) == (2, "")


def test_an_erased_dead_letter_says_so(installed: Cli) -> None:
    installed.within(dead_letter)
    (listed,) = installed.ask("dead-letters", "list").lines

    async def erase(opened: Installation) -> None:
        async with opened.database.begin() as connection:
            await connection.execute(tables.data_keys.delete())

    installed.within(erase)
    answer = installed.ask("dead-letters", "show", listed["id"])
    assert answer.code == 2
    assert "erased" in answer.err


def test_replay_puts_the_message_on_its_topic_byte_for_byte(installed: Cli, broker: tuple[str, ...]) -> None:
    value = b'{"Planted" : "Lind"}\n\x00'
    installed.within(lambda opened: dead_letter(opened, value))
    installed.within(lambda opened: dead_letter(opened, b"second", 42))
    ids = [line["id"] for line in installed.ask("dead-letters", "list").lines]
    answer = installed.ask("dead-letters", "replay", *ids)
    assert answer.code == 0
    assert answer.lines == [{"id": one, "replayed": True} for one in ids]
    records = consumed(broker, "withdrawals", 2)
    assert {(record.key, record.value) for record in records} == {(b"w-9", value), (b"w-9", b"second")}
    headers = dict(records[0].headers)
    assert headers["traceparent"] == b"x"
    assert headers["travelrule.attempts"] == b"1", "if it fails again, that is its second time"
    assert all(line["replayedAt"] for line in installed.ask("dead-letters", "list").lines)


def test_replay_of_a_tombstone_stays_a_tombstone(installed: Cli, broker: tuple[str, ...]) -> None:
    """A record without value means "remove"; an empty value means nothing."""
    from travelrule.machine.input import RawMessage, Rejected

    async def letter(opened: Installation) -> None:
        await opened.engine.apply([Rejected(RawMessage("wallets", 0, 1, b"k-1", None), "UNREADABLE")])

    installed.within(letter)
    (listed,) = installed.ask("dead-letters", "list").lines
    assert installed.ask("dead-letters", "replay", listed["id"]).code == 0
    (record,) = consumed(broker, "wallets", 1)
    assert (record.key, record.value) == (b"k-1", None)


def test_replay_sends_nothing_if_one_id_is_wrong(installed: Cli, broker: tuple[str, ...]) -> None:
    installed.within(dead_letter)
    (listed,) = installed.ask("dead-letters", "list").lines
    answer = installed.ask("dead-letters", "replay", listed["id"], "nothing")
    assert (answer.code, answer.out) == (2, "")
    assert installed.ask("dead-letters", "list").json["replayedAt"] is None
    assert broker


def test_replay_without_a_broker_is_exit_3_and_marks_nothing(installed: Cli) -> None:
    installed.within(dead_letter)
    (listed,) = installed.ask("dead-letters", "list").lines
    assert installed.ask("dead-letters", "replay", listed["id"]).code == 3
    assert installed.ask("dead-letters", "list").json["replayedAt"] is None


# --- audit


def test_audit_verify_says_yes_and_exits_0_then_no_and_exits_1(installed: Cli) -> None:
    installed.within(verified)
    good = installed.ask("audit", "verify")
    assert good.code == 0
    assert (good.json["ok"], good.json["subjects"], good.json["records"], good.json["faults"]) == (True, 1, 3, [])
    assert "ok" in installed.run("audit", "verify").out

    async def tamper(opened: Installation) -> None:
        async with opened.database.begin() as connection:
            await connection.execute(update(tables.audit).values(body=b"{}"))

    installed.within(tamper)
    bad = installed.ask("audit", "verify")
    assert bad.code == 1
    assert (bad.json["ok"], bad.json["faults"]) == (False, ["withdrawal:w-1: record 1 was changed or is missing"])
    assert installed.run("audit", "verify").code == 1


# --- policy


def test_check_says_every_fault_of_a_file(cli: Cli) -> None:
    file = cli.folder / "policy.toml"
    file.write_text('deny_list = 7\nsanctoins = "off"\n')
    answer = cli.ask("policy", "check", str(file))
    assert answer.code == 1
    assert answer.json["ok"] is False
    assert {fault["field"] for fault in answer.json["faults"]} == {"deny_list", "sanctoins"}
    assert all(fault["fix"] and fault["code"] for fault in answer.json["faults"])
    text = cli.run("policy", "check", str(file))
    assert (text.code, len(text.out.splitlines())) == (1, 2)
    assert "sanctoins: UNKNOWN_NAME: did you mean sanctions?" in text.out
    file.write_text('deny_list = ["west"]\n')
    good = cli.ask("policy", "check", str(file))
    assert (good.code, good.json["ok"], good.json["faults"]) == (0, True, [])
    assert good.json["version"] in cli.run("policy", "check", str(file)).out


def test_apply_puts_a_policy_in_force_once(installed: Cli) -> None:
    file = installed.folder / "policy.toml"
    file.write_text('deny_list = ["west"]\n')
    first = installed.ask("policy", "apply", str(file))
    assert (first.code, first.json["ok"], first.json["changed"]) == (0, True, True)
    again = installed.ask("policy", "apply", str(file))
    assert (again.code, again.json["changed"]) == (0, False)

    async def version(opened: Installation) -> str:
        return opened.policy().version

    assert installed.within(version) == first.json["version"]


@pytest.mark.parametrize("content", ["deny_list = 7", "not toml"])
def test_apply_of_a_faulty_file_says_its_faults_and_changes_nothing(installed: Cli, content: str) -> None:
    file = installed.folder / "policy.toml"
    file.write_text(content)
    answer = installed.ask("policy", "apply", str(file))
    assert answer.code == 1
    assert (answer.json["ok"], len(answer.json["faults"])) == (False, 1)
    assert rows(installed, tables.policies)[-1].content == FIRST_POLICY


@pytest.mark.parametrize("word", ["check", "apply"])
def test_a_policy_file_that_is_not_there_or_no_text_is_wrong_use(installed: Cli, word: str) -> None:
    (installed.folder / "binary.toml").write_bytes(b"\xff\xfe")
    for name in ("none.toml", "binary.toml"):
        answer = installed.ask("policy", word, str(installed.folder / name))
        assert (answer.code, answer.out) == (2, "")
        assert name in answer.err


def test_json_is_one_object_per_line_and_nothing_else(installed: Cli) -> None:
    installed.within(dead_letter)
    installed.within(verified)
    for words in (("dead-letters", "list"), ("explain", "w-1"), ("audit", "verify"), ("migrate",), ("doctor",)):
        answer = installed.ask(*words)
        assert all(isinstance(json.loads(line), dict) for line in answer.out.splitlines()), words
        assert answer.out.endswith("\n")
