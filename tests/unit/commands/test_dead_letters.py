"""``dead-letters``: what a tired operator needs of them on a small terminal."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from sqlalchemy import select, update
from typer.testing import CliRunner

from tests.support.command_line import Cli, dead_letter
from tests.unit.commands.test_message_letters import refused_message
from tests.unit.commands.test_operator_commands import consumed, rows
from travelrule.bootstrap.installation import Installation
from travelrule.cli import app
from travelrule.machine.input import RawMessage, Rejected
from travelrule.store import tables

NOW = datetime.now(UTC)
LONG = "withdrawal:" + "0b6f3c1e-7d0a-4f6e-9a51-2f1d9d1f7c11" * 4


def letters(cli: Cli, *codes: str, topic: str = "withdrawals", subject: str = "", ago: timedelta | None = None) -> None:
    """One dead letter of each code, which failed so long ago."""

    async def make(opened: Installation) -> None:
        for number, code in enumerate(codes):
            raw = RawMessage(topic, 3, 1_000_000_041 + number, b"w-9", code.encode())
            fix = "send a decimal number in a JSON string, without sign, at most 30 digits before the point"
            place = "data.originator.natural.nationalIdentification.identifier"
            rejected = Rejected(raw, code, place, fix, subject)
            await opened.engine.apply([rejected])
            if ago is not None:
                table = tables.dead_letters
                async with opened.database.begin() as connection:
                    changed = update(table).where(table.c.code == code, table.c.topic == topic)
                    await connection.execute(changed.values(failed_at=NOW - ago))

    cli.within(make)


def renamed(cli: Cli, *ids: str) -> None:
    """Return the dead letters these ids, in the order of their codes. Their content cannot be opened any more."""

    async def rename(opened: Installation) -> None:
        table = tables.dead_letters
        async with opened.database.begin() as connection:
            old = (await connection.execute(select(table.c.id).order_by(table.c.code))).scalars().all()
            for one, new in zip(old, ids, strict=True):
                await connection.execute(update(table).where(table.c.id == one).values(id=new))

    cli.within(rename)


def at_80(*words: str) -> str:
    result = CliRunner().invoke(app, ["dead-letters", *words], env={"COLUMNS": "80"})
    assert result.exit_code == 0, result.stderr
    return str(result.stdout)


def codes(cli: Cli, *words: str) -> list[str]:
    answer = cli.ask("dead-letters", "list", *words)
    assert answer.code == 0, answer.err
    return [line["code"] for line in answer.lines]


# --- list


def test_the_list_is_readable_at_80_columns(installed: Cli) -> None:
    letters(installed, "MISSING_FIELD", "TOMBSTONE_NOT_ALLOWED", "A_CODE_THAT_IS_LONGER_THAN_ANY_OTHER", subject=LONG)
    listed = installed.ask("dead-letters", "list").lines
    text = at_80("list")
    assert max(map(len, text.splitlines())) <= 80
    for letter in listed:
        assert f"\n{letter['id'][:8]}  " in text, "each begins a line with what show takes"
        assert letter["code"] in text, "a code is never cut"
        assert datetime.fromisoformat(letter["failedAt"]).strftime("%Y-%m-%d %H:%M:%S") in text
    assert "withdrawals/3@1000000041" in text
    told = " ".join(text.split())
    assert "nationalIdentification.identifier" in told
    assert "at most 30 digits before the point" in told
    assert "\n\n3 dead letters: 1 A_CODE_THAT" in text


def test_an_empty_list_says_so(installed: Cli) -> None:
    assert at_80("list") == "no dead letters\n"
    assert at_80("list", "--code", "CONFLICT") == "no dead letters\n"


def test_a_long_list_shows_the_newest_and_says_how_many_there_are(installed: Cli) -> None:
    for number in range(7):
        letters(installed, f"CODE_{number}", ago=timedelta(hours=7 - number))
    text = at_80("list", "--limit", "2")
    assert [line.split()[3] for line in text.splitlines() if "@" in line and "CODE" in line and "_" in line] == [
        "CODE_5",
        "CODE_6",
    ]
    assert "the newest 2 of 7 dead letters" in text
    assert codes(installed) == [f"CODE_{number}" for number in range(7)], "a program gets all"
    assert codes(installed, "--limit", "3") == ["CODE_4", "CODE_5", "CODE_6"]
    assert installed.run("dead-letters", "list", "--limit", "0").code == 2


def test_filters_by_code_topic_subject_and_time(installed: Cli) -> None:
    letters(installed, "CONFLICT", ago=timedelta(days=3), subject="withdrawal:w-1")
    letters(installed, "MISSING_FIELD", ago=timedelta(hours=3))
    letters(installed, "INVALID_JSON", topic="deposits", ago=timedelta(minutes=5))
    assert codes(installed, "--code", "CONFLICT") == ["CONFLICT"]
    assert codes(installed, "--code", "CONFLICT", "--code", "INVALID_JSON") == ["CONFLICT", "INVALID_JSON"]
    assert codes(installed, "--code", "conflict") == ["CONFLICT"]
    assert codes(installed, "--topic", "deposits") == ["INVALID_JSON"]
    assert codes(installed, "--subject", "withdrawal:w-1") == ["CONFLICT"]
    assert codes(installed, "--since", "4h") == ["MISSING_FIELD", "INVALID_JSON"]
    assert codes(installed, "--since", "2d", "--until", "30m") == ["MISSING_FIELD"]
    assert codes(installed, "--until", (NOW - timedelta(days=1)).isoformat()) == ["CONFLICT"]
    assert codes(installed, "--since", "1w", "--until", "0s", "--topic", "withdrawals", "--code", "MISSING_FIELD") == [
        "MISSING_FIELD"
    ]


def test_topics_are_taken_with_their_prefix_too(installed: Cli) -> None:
    letters(installed, "CONFLICT")
    assert codes(installed, "--topic", "travelrule.withdrawals") == ["CONFLICT"]


@pytest.mark.parametrize("given", ["yesterday", "2 hours", "-2h", "2h30", "", "9999999d"])
@pytest.mark.parametrize("option", ["--since", "--until"])
def test_a_time_that_is_none_is_wrong_use(installed: Cli, option: str, given: str) -> None:
    answer = installed.ask("dead-letters", "list", f"{option}={given}")
    assert (answer.code, answer.out) == (2, "")
    assert f"{option} must be an ISO 8601 time" in answer.err
    assert "2h" in answer.err


def test_a_period_that_ends_before_it_begins_is_wrong_use(installed: Cli) -> None:
    answer = installed.ask("dead-letters", "list", "--since", "1h", "--until", "2h")
    assert (answer.code, answer.out) == (2, "")


def test_what_was_replayed_can_be_left_out(installed: Cli) -> None:
    letters(installed, "CONFLICT", "MISSING_FIELD")

    async def replayed(opened: Installation) -> None:
        table = tables.dead_letters
        async with opened.database.begin() as connection:
            await connection.execute(update(table).where(table.c.code == "CONFLICT").values(replayed_at=NOW))

    installed.within(replayed)
    assert codes(installed, "--waiting") == ["MISSING_FIELD"]
    assert "replayed" in at_80("list")
    assert "replayed" not in at_80("list", "--waiting")


# --- show


def test_show_takes_the_prefix_that_the_list_shows(installed: Cli) -> None:
    letters(installed, "CONFLICT")
    (listed,) = installed.ask("dead-letters", "list").lines
    for given in (listed["id"][:8], listed["id"][:1], listed["id"].upper()[:12]):
        assert installed.ask("dead-letters", "show", given).json["id"] == listed["id"]


def test_a_prefix_of_several_names_them(installed: Cli) -> None:
    letters(installed, "CONFLICT", "MISSING_FIELD", "INVALID_JSON")
    renamed(installed, "ab01-1", "ab01-2", "ab02-3")
    answer = installed.ask("dead-letters", "show", "ab01")
    assert (answer.code, answer.out) == (2, "")
    assert "ab01-1" in answer.err
    assert "ab01-2" in answer.err
    assert "ab02-3" not in answer.err


@pytest.mark.parametrize("given", ["%", "_", "", "zz", "a%"])
def test_what_is_no_prefix_of_an_id_finds_nothing(installed: Cli, given: str) -> None:
    letters(installed, "CONFLICT")
    answer = installed.ask("dead-letters", "show", given)
    assert (answer.code, answer.out) == (2, "")


# --- show leaves a record


def disclosures(cli: Cli) -> list[Any]:
    return [row for row in rows(cli, tables.audit) if row.subject.startswith("disclosure:")]


def test_who_read_a_dead_letter_and_when_is_in_the_audit_log(installed: Cli) -> None:
    installed.within(dead_letter)
    (listed,) = installed.ask("dead-letters", "list").lines
    assert disclosures(installed) == [], "the list shows nothing personal"
    first = installed.ask("dead-letters", "show", listed["id"], "--actor", "Grace").json
    second = installed.ask("dead-letters", "show", listed["id"][:8]).json
    assert first["shownBefore"] is None
    assert (second["shownBefore"]["times"], second["shownBefore"]["by"]) == (1, "Grace")
    assert datetime.fromisoformat(second["shownBefore"]["at"]) >= NOW
    assert [(row.subject, row.record) for row in disclosures(installed)] == [
        (f"disclosure:{listed['id']}", 1),
        (f"disclosure:{listed['id']}", 2),
    ]
    text = installed.run("dead-letters", "show", listed["id"]).out
    assert "shown" in text
    assert "2 times" in text
    story = installed.ask("explain", f"disclosure:{listed['id']}").json
    assert [step["input"] for step in story["steps"]] == ["dead-letter.shown"] * 3
    assert installed.ask("audit", "verify").json["ok"] is True


def test_the_record_names_the_login_unless_told_otherwise(installed: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    installed.within(dead_letter)
    (listed,) = installed.ask("dead-letters", "list").lines
    monkeypatch.setattr("getpass.getuser", lambda: "ada")
    installed.ask("dead-letters", "show", listed["id"])

    def unknown() -> str:
        raise OSError

    monkeypatch.setattr("getpass.getuser", unknown)
    assert installed.ask("dead-letters", "show", listed["id"]).json["shownBefore"]["by"].startswith("ada@")
    assert installed.ask("dead-letters", "show", listed["id"]).json["shownBefore"]["by"].startswith("uid ")


def test_what_cannot_be_recorded_is_not_shown(installed: Cli) -> None:
    installed.within(dead_letter)
    (listed,) = installed.ask("dead-letters", "list").lines
    installed.ask("dead-letters", "show", listed["id"])

    async def erase(opened: Installation) -> None:
        keys = tables.data_keys
        async with opened.database.begin() as connection:
            await connection.execute(keys.delete().where(keys.c.subject == f"disclosure:{listed['id']}"))

    installed.within(erase)
    answer = installed.run("dead-letters", "show", listed["id"])
    assert answer.code == 1
    assert "Lind" not in answer.out
    assert "recorded" in answer.err


def test_nothing_is_recorded_where_nothing_is_shown(installed: Cli) -> None:
    installed.within(dead_letter)
    assert installed.ask("dead-letters", "show", "0000").code == 2
    assert disclosures(installed) == []


# --- replay by filter


def test_replay_by_filter_does_what_the_dry_run_said(installed: Cli, broker: tuple[str, ...]) -> None:
    letters(installed, "CONFLICT", "MISSING_FIELD", "INVALID_JSON", ago=timedelta(hours=1))
    letters(installed, "KEY_MISMATCH", ago=timedelta(days=9))
    words = ("dead-letters", "replay", "--since", "2h", "--code", "CONFLICT", "--code", "INVALID_JSON")
    dry = installed.ask(*words, "--dry-run")
    assert dry.code == 0
    assert sorted(line["code"] for line in dry.lines) == ["CONFLICT", "INVALID_JSON"]
    assert {line["replayed"] for line in dry.lines} == {False}
    assert codes(installed, "--waiting") == codes(installed), "a dry run does nothing"
    done = installed.ask(*words, "--yes")
    assert done.code == 0
    assert [line["id"] for line in done.lines] == [line["id"] for line in dry.lines]
    assert {line["replayed"] for line in done.lines} == {True}
    assert {record.value for record in consumed(broker, "withdrawals", 2)} == {b"CONFLICT", b"INVALID_JSON"}
    assert sorted(codes(installed, "--waiting")) == ["KEY_MISMATCH", "MISSING_FIELD"]
    again = installed.ask(*words, "--yes")
    assert (again.code, again.lines) == (0, []), "what was replayed is not replayed again by a filter"


def test_replay_by_filter_asks_first(installed: Cli, broker: tuple[str, ...]) -> None:
    letters(installed, "CONFLICT")
    answer = installed.run("dead-letters", "replay", "--code", "CONFLICT")
    assert answer.code == 2, "no question can be asked: standard input is no terminal"
    assert "--yes" in answer.err
    assert "--dry-run" in answer.err
    assert codes(installed, "--waiting") == ["CONFLICT"]


@pytest.mark.parametrize(("said", "left"), [(True, []), (False, ["CONFLICT"])])
def test_a_person_is_asked_with_the_number(
    installed: Cli, broker: tuple[str, ...], monkeypatch: pytest.MonkeyPatch, said: bool, left: list[str]
) -> None:
    letters(installed, "CONFLICT")
    asked: list[str] = []

    def confirm(question: str, **_more: Any) -> bool:
        asked.append(question)
        return said

    monkeypatch.setattr("travelrule.commands.dead_letters.replay.is_terminal", lambda: True)
    monkeypatch.setattr("typer.confirm", confirm)
    answer = installed.run("dead-letters", "replay", "--code", "CONFLICT")
    assert (answer.code, codes(installed, "--waiting")) == (0 if said else 1, left)
    assert asked == ["Replay 1 dead letter?"]


def test_replay_by_filter_is_bounded(installed: Cli, broker: tuple[str, ...]) -> None:
    for number in range(5):
        letters(installed, f"CODE_{number}", ago=timedelta(hours=9 - number))
    answer = installed.run("dead-letters", "replay", "--since", "1d", "--limit", "2", "--yes")
    assert answer.code == 0
    assert codes(installed, "--waiting") == ["CODE_2", "CODE_3", "CODE_4"], "the oldest first"
    assert "2 dead letters were replayed" in answer.out
    assert "3 more" in answer.out


@pytest.mark.parametrize("words", [(), ("--yes",), ("--dry-run",), ("0000", "--code", "CONFLICT")])
def test_replay_wants_ids_or_a_filter(installed: Cli, words: tuple[str, ...]) -> None:
    letters(installed, "CONFLICT")
    answer = installed.ask("dead-letters", "replay", *words)
    assert (answer.code, answer.out) == (2, "")
    assert codes(installed, "--waiting") == ["CONFLICT"]


def test_replay_takes_prefixes(installed: Cli, broker: tuple[str, ...]) -> None:
    letters(installed, "CONFLICT")
    (listed,) = installed.ask("dead-letters", "list").lines
    answer = installed.ask("dead-letters", "replay", listed["id"][:8], listed["id"])
    assert (answer.code, answer.lines) == (0, [{"id": listed["id"], "replayed": True}]), "named twice is once"


def test_one_that_cannot_be_replayed_does_not_stop_the_others(installed: Cli, broker: tuple[str, ...]) -> None:
    listed = refused_message(installed)
    letters(installed, "CONFLICT", "MISSING_FIELD")

    async def erase(opened: Installation) -> None:
        keys, table = tables.data_keys, tables.dead_letters
        async with opened.database.begin() as connection:
            one = (await connection.execute(select(table.c.id).where(table.c.code == "CONFLICT"))).scalar_one()
            gone = ("withdrawal:w-1", f"deadletter:{one}")
            await connection.execute(keys.delete().where(keys.c.subject.in_(gone)))

    installed.within(erase)
    answer = installed.ask("dead-letters", "replay", "--since", "1h", "--yes")
    assert answer.code == 1, "not all of it was done"
    assert {line["code"]: line["replayed"] for line in answer.lines} == {
        "REFUSED": False,
        "CONFLICT": False,
        "MISSING_FIELD": True,
    }
    assert [line["reason"] for line in answer.lines if line["id"] == listed["id"]] == ["the sender was erased"]
    assert sorted(codes(installed, "--waiting")) == ["CONFLICT", "REFUSED"]
