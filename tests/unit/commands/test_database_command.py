"""``migrate``: to the form of this version, or the truth about it; and what others say when it was not run."""

from __future__ import annotations

import pytest

from tests.services.ports import free_port
from tests.support.command_line import Cli
from travelrule.store import schema_version


def test_fresh_then_again_then_checked(cli: Cli) -> None:
    newest = schema_version.newest_revision()
    before = cli.ask("migrate", "--check")
    said = {"newest": newest, "keysChecked": True}
    assert (before.code, before.json) == (1, {"ok": False, "before": "", "after": "", **said})
    first = cli.ask("migrate")
    assert (first.code, first.json) == (0, {"ok": True, "before": "", "after": newest, **said})
    again = cli.ask("migrate")
    assert (again.code, again.json["before"]) == (0, newest)
    assert cli.ask("migrate", "--check").code == 0
    assert newest in cli.run("migrate").out


def test_check_changes_nothing(cli: Cli) -> None:
    cli.ask("migrate", "--check")
    assert cli.ask("migrate", "--check").json["after"] == ""


COMMANDS = [
    ("dead-letters", "list"),
    ("dead-letters", "show", "x"),
    ("explain", "withdrawal:w-1"),
    ("audit", "verify"),
    ("verdicts", "republish", "--since", "2026-01-01"),
    ("decide", "w-1", "deny", "--actor", "a", "--reason", "r"),
]


@pytest.mark.parametrize("words", COMMANDS, ids=lambda words: " ".join(words[:2]))
def test_without_tables_every_command_says_to_migrate(cli: Cli, words: tuple[str, ...]) -> None:
    answer = cli.ask(*words)
    assert (answer.code, answer.out) == (2, "")
    assert "travelrule migrate" in answer.err


@pytest.mark.parametrize("words", [("migrate",), ("migrate", "--check"), *COMMANDS], ids=lambda words: " ".join(words))
def test_a_database_that_is_down_is_exit_3(cli: Cli, words: tuple[str, ...]) -> None:
    cli.set(DATABASE_URL=f"postgresql+asyncpg://nobody:Planted@127.0.0.1:{free_port()}/none")
    answer = cli.ask(*words)
    assert (answer.code, answer.out) == (3, "")
    assert "database could not be reached" in answer.err
    assert "Planted" not in answer.err


def test_a_place_where_no_database_can_be_is_exit_3(cli: Cli) -> None:
    (cli.folder / "file").write_text("")
    cli.set(DATA_DIR=str(cli.folder / "file"))
    answer = cli.ask("migrate")
    assert (answer.code, answer.out) == (3, "")


def test_a_file_that_is_no_database_is_exit_3(cli: Cli) -> None:
    (cli.folder / "data").mkdir()
    (cli.folder / "data" / "travelrule.sqlite3").write_bytes(b"certainly not a database " * 100)
    answer = cli.ask("migrate")
    assert (answer.code, answer.out) == (3, "")
