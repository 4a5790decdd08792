"""``travelrule send``: fresh examples, what counts as following, and the refusals before anything is sent."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from schemas.registry import EVENTS, TOMBSTONES
from streams.embedded import own_or_find
from streams.topic_observer import ObservedRecord
from tests.support.command_line import Cli
from travelrule.commands.send.example import INPUT_TYPES, SOURCE, USUAL, example_names, example_record
from travelrule.commands.send.follow_up import SILENT, FollowUp
from travelrule.commands.validate.answer import answer_to
from travelrule.commands.validate.event_file import FileRecord
from travelrule.errors import UsageError

NOW = datetime(2026, 11, 22, 9, 30, tzinfo=UTC)
DECISION, ABOUT = "decision.recorded.v1", "withdrawal:w-1"
ALL = [f"{kind}/{name}" for kind in INPUT_TYPES for name in example_names(kind)]
ERROR = "__streams.errors."


def id_for(name: str) -> str:
    return ABOUT if name.startswith(DECISION) else "w-1"


def content_of(record: FileRecord) -> Any:
    return json.loads(record.raw.value or b"null")


@pytest.mark.parametrize("name", [*INPUT_TYPES, *ALL])
def test_every_example_is_accepted_under_the_id_that_was_given(name: str) -> None:
    record = example_record(name, id_for(name), NOW)
    answer = answer_to(record, NOW)
    assert answer.is_accepted, answer
    assert answer.subject.partition(":")[2] == "w-1"
    assert answer.topic == EVENTS[name.partition("/")[0]].topic


@pytest.mark.parametrize("name", [name for name in ALL if not name.startswith("wallet.removed")])
def test_an_example_says_that_it_is_one_and_is_new_each_time(name: str) -> None:
    events = [content_of(example_record(name, id_for(name), NOW)) for _ in range(2)]
    assert {event["source"] for event in events} == {SOURCE}
    assert {event["time"] for event in events} == {"2026-11-22T09:30:00Z"}
    for varied in ("id", *(("txid",) if "txid" in events[0]["data"] else ())):
        values = {event[varied] if varied == "id" else event["data"][varied] for event in events}
        assert len(values) == 2


def test_only_an_example_that_begins_something_makes_an_id() -> None:
    fresh = {
        "withdrawal.requested.v1",
        "withdrawal.recorded.v1",
        "deposit.detected.v1",
        "wallet.registered.v1",
        "screening.requested.v1",
        "ownership.requested.v1",
    }
    for kind in fresh:
        assert (example_record(kind, None, NOW).raw.key or b"").startswith(b"example-")
    for kind in set(INPUT_TYPES) - fresh:
        with pytest.raises(UsageError, match="--id"):
            example_record(kind, None, NOW)


def test_a_removed_wallet_is_a_tombstone() -> None:
    record = example_record("wallet.removed.v1", "wal-1", NOW)
    assert (record.topic, record.raw.key, record.raw.value) == ("wallets", b"wal-1", None)
    assert answer_to(record, NOW).subject == "wallet:wal-1"


def test_the_form_of_a_transaction_id_is_kept() -> None:
    upper = content_of(example_record("withdrawal.recorded.v1/vasp", None, NOW))["data"]["txid"]
    prefixed = content_of(example_record("screening.requested.v1/kyt-forced", None, NOW))["data"]["txid"]
    assert (upper, len(upper)) == (upper.upper(), 64)
    assert (prefixed[:2], len(prefixed)) == ("0x", 66)


def test_the_table_of_usual_examples_names_types_with_a_choice() -> None:
    assert all(USUAL[kind] in example_names(kind) for kind in USUAL)
    assert set(USUAL) <= set(INPUT_TYPES)
    assert set(INPUT_TYPES) >= SILENT


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ((), "give FILE or --example TYPE"),
        (("x.json", "--example", "withdrawal.requested.v1"), "give FILE or --example TYPE"),
        (("--example", "withdrawal.request.v1"), "did you mean withdrawal.requested.v1?"),
        (("--example", "withdrawal.verdict.v1"), "no example of withdrawal.verdict.v1"),
        (("--example", "withdrawal.requested.v1/unhsted"), "there are absent-as-null"),
        (("--example", "withdrawal.requested.v1/../../manifest"), "there are absent-as-null"),
        (("--example", "withdrawal.mined.v1"), "--id"),
        (("--example", DECISION, "--id", "w-1"), "--id withdrawal:ID"),
        (("nothing.json",), "no such file"),
    ],
)
def test_wrong_use_says_what_to_do(cli: Cli, words: tuple[str, ...], said: str) -> None:
    answer = cli.run("send", *words)
    assert (answer.code, answer.out) == (2, "")
    assert said in answer.err


def test_all_wrong_settings_at_once_before_anything_is_sent(cli: Cli) -> None:
    cli.set(BROKER_URL="kafka", METRICS_LISTEN="x", NO_SUCH="1")
    answer = cli.run("send", "--example", "withdrawal.requested.v1")
    assert (answer.code, answer.out) == (2, "")
    assert all(f"TRAVELRULE_{name}: " in answer.err for name in ("BROKER_URL", "METRICS_LISTEN", "NO_SUCH"))


def test_what_validate_refuses_is_not_sent(cli: Cli, tmp_path: Path) -> None:
    good = example_record("withdrawal.requested.v1", None, NOW).raw.value or b""
    bad = json.dumps({**json.loads(good), "source": ""}).encode()
    (tmp_path / "events").write_bytes(good + b"\n" + bad)
    answer = cli.ask("send", "events")  # no broker runs: it would end with 3 if it went on
    assert answer.code == 1
    assert (answer.json["outcome"], answer.json["line"], answer.json["code"]) == ("not sent", 2, "EMPTY_VALUE")
    assert cli.ask("validate", "events").lines[1]["code"] == "EMPTY_VALUE"
    assert cli.ask("send", "events", "--force").code == 3


def test_without_a_broker_it_ends_with_3(cli: Cli) -> None:
    answer = cli.run("send", "--example", "withdrawal.requested.v1")
    assert answer.code == 3
    assert "broker" in answer.err


@pytest.mark.usefixtures("broker")
def test_without_a_worker_it_ends_with_3_and_says_what_to_check(installed: Cli) -> None:
    words = ("send", "--example", "withdrawal.requested.v1", "--timeout", "1")
    answer = installed.run(*words)
    assert answer.code == 3
    assert "synthetic example withdrawal.requested.v1 for withdrawal:example-" in answer.out
    assert "no worker took it within 1 s" in answer.out
    sent, end = installed.ask(*words).lines
    assert sent["sent"]["synthetic"] is True
    assert (end["outcome"], end["verdict"]) == ("not taken", None)


@pytest.mark.usefixtures("broker")
def test_without_waiting_it_only_sends(installed: Cli) -> None:
    answer = installed.ask("send", "--example", "withdrawal.requested.v1", "--no-wait")
    assert (answer.code, [*answer.lines[0], answer.lines[-1]["outcome"]]) == (0, ["sent", "sent"])


@pytest.mark.parametrize(
    ("topics", "code", "said"),
    [
        (["withdrawals", "verdicts"], 0, "not shown, because this login may not see them: callbacks, exchanges"),
        (["withdrawals"], 2, "no topic travelrule.verdicts, travelrule.callbacks"),
        (["verdicts"], 2, "no topic travelrule.withdrawals that we may see: run `travelrule topics apply`"),
    ],
)
def test_topics_that_cannot_be_seen_are_named(installed: Cli, topics: list[str], code: int, said: str) -> None:
    owned = own_or_find(installed.folder / "data", [f"travelrule.{name}" for name in topics])
    assert owned is not None
    try:
        answer = installed.run("send", "--example", "withdrawal.requested.v1", "--no-wait")
    finally:
        owned.close()
    assert (answer.code, said in answer.out + answer.err) == (code, True), answer.err


def followed(*names: str, force: bytes | None = None) -> FollowUp:
    records = [example_record(name, id_for(name), NOW) for name in names]
    if force is not None:
        records = [FileRecord(1, type(records[0].raw)("withdrawals", 0, 0, b"w-1", force))]
    return FollowUp([(record, answer_to(record, NOW)) for record in records], lambda *place: place == ("t", 0, 5))


def observed(topic: str, kind: str = "", **data: Any) -> ObservedRecord:
    return ObservedRecord(topic, b"w-1", json.dumps({"type": kind, "data": data}).encode(), {})


def letter(offset: int = 5, key: bytes = b"w-1") -> ObservedRecord:
    headers = {f"{ERROR}topic": b"t", f"{ERROR}partition": b"0", f"{ERROR}offset": str(offset).encode()}
    return ObservedRecord("deadletters", key, b"sealed", headers | {"travelrule.error.code": b"CONFLICT"})


def verdict(subject: str = "withdrawal:w-1", *, final: bool) -> ObservedRecord:
    return observed("verdicts", subject=subject, verdict="allow", reasons=["VERIFIED"], final=final, transferId="t-1")


def test_a_final_verdict_ends_it_and_a_hold_does_not() -> None:
    follow_up = followed("withdrawal.requested.v1")
    assert follow_up.add(verdict(final=False)) is not None
    assert not follow_up.is_complete(taken=True)
    assert follow_up.add(verdict(final=True)) is not None
    assert follow_up.is_complete(taken=True)


def test_records_about_other_subjects_are_left_out() -> None:
    follow_up = followed("withdrawal.requested.v1")
    others = [
        verdict("withdrawal:w-2", final=True),
        verdict("deposit:w-1", final=True),
        observed("exchanges", transferId="t-1", status="wait"),
        letter(offset=6),
        letter(key=b"w-2"),
        ObservedRecord("verdicts", b"w-1", b"no json", {}),
        ObservedRecord("deadletters", b"w-1", b"", {}),
    ]
    assert [follow_up.add(record) for record in others] == [None] * len(others)
    assert follow_up.steps == []


def test_the_exchange_of_a_known_transfer_belongs_to_it() -> None:
    follow_up = followed("withdrawal.requested.v1")
    follow_up.add(verdict(final=True))
    assert follow_up.add(observed("exchanges", transferId="t-1", status="wait")) is not None


def test_a_dead_letter_of_this_sending_ends_it() -> None:
    follow_up = followed("withdrawal.requested.v1")
    follow_up.add(letter())
    assert follow_up.is_complete(taken=True)
    assert [step.data["code"] for step in follow_up.letters] == ["CONFLICT"]


def test_a_type_without_verdict_is_complete_once_a_worker_took_it() -> None:
    follow_up = followed("withdrawal.broadcast.v1")
    assert not follow_up.is_complete(taken=False)
    assert follow_up.is_complete(taken=True)


def test_of_several_events_each_must_end() -> None:
    follow_up = followed("withdrawal.requested.v1", "wallet.registered.v1")
    assert not follow_up.is_complete(taken=True)
    follow_up.add(verdict(final=True))
    assert not follow_up.is_complete(taken=False)
    assert follow_up.is_complete(taken=True)


def test_a_forced_record_ends_with_its_dead_letter() -> None:
    follow_up = followed("withdrawal.requested.v1", force=b"{}")
    assert not follow_up.is_complete(taken=True)
    follow_up.add(letter())
    assert follow_up.is_complete(taken=True)


def test_the_lines_hold_no_content_of_the_event() -> None:
    follow_up = followed("withdrawal.requested.v1")
    session = observed("callbacks", "ownership.session.v1", subject="withdrawal:w-1", token="secret-token")
    step = follow_up.add(session)
    assert step is not None
    assert step.sentence() == "callback     ownership.session.v1"


def test_tombstones_are_the_types_that_are_sent_without_value() -> None:
    assert [spec.type for spec in TOMBSTONES.values()] == ["wallet.removed.v1"]
