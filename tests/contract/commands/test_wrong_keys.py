"""What people see who start something with the keys of another installation."""

from __future__ import annotations

import hashlib
from uuid import uuid4

import pytest
from sqlalchemy import delete

from tests.support.command_line import Cli, key, withdraw
from travelrule.bootstrap.installation import Installation, audit_key
from travelrule.engine.audit.log import AuditLogJob
from travelrule.store import tables

COMMANDS = [
    ("serve",),
    ("serve", "worker"),
    ("serve", "gateway"),
    ("migrate",),
    ("migrate", "--check"),
    ("explain", "withdrawal:w-1"),
    ("decide", "withdrawal:w-1", "deny", "--actor", "o", "--reason", "r"),
    ("dead-letters", "list"),
    ("verdicts", "republish", "--since", "2026-01-01T00:00:00Z"),
    ("audit", "verify"),
    ("policy", "apply", "first-policy.toml"),
    ("policy", "try", "first-policy.toml", "--since", "2026-01-01T00:00:00Z"),
    ("lists", "search", "Nobody"),
]
WRONG = [("STORAGE_KEYS", "x"), ("INDEX_KEY", "x")]


def fingerprint(cli: Cli) -> str:
    """Of the whole database: opening it in write-ahead mode changes the file's neighbours only."""
    return hashlib.sha256((cli.folder / "data" / "travelrule.sqlite3").read_bytes()).hexdigest()


@pytest.mark.parametrize("words", COMMANDS, ids=" ".join)
@pytest.mark.parametrize(("setting", "letter"), WRONG)
def test_every_command_refuses_and_names_the_setting(
    installed: Cli, words: tuple[str, ...], setting: str, letter: str
) -> None:
    installed.within(withdraw)
    before = fingerprint(installed)
    installed.set(**{setting: key(letter)})
    answer = installed.run(*words)
    assert (answer.code, answer.out) == (2, ""), answer
    assert f"TRAVELRULE_{setting}" in answer.err
    assert fingerprint(installed) == before
    assert not (installed.folder / "data" / "broker.json").exists()


@pytest.mark.parametrize(("setting", "letter"), WRONG)
def test_a_database_of_an_earlier_version_is_not_migrated_with_other_keys(
    installed: Cli, setting: str, letter: str
) -> None:
    async def age(opened: Installation) -> None:
        await withdraw(opened)
        async with opened.database.begin() as connection:
            await connection.run_sync(tables.key_checks.drop)

    installed.within(age)
    installed.set(**{setting: key(letter)})
    before = fingerprint(installed)
    for command in ("migrate", "serve"):
        answer = installed.run(command)
        assert (answer.code, f"TRAVELRULE_{setting}" in answer.err) == (2, True), answer
    assert fingerprint(installed) == before
    installed.set()
    assert installed.run("migrate").code == 0


@pytest.mark.parametrize(("setting", "letter"), WRONG)
def test_doctor_says_which_key_is_wrong_and_what_to_do(installed: Cli, setting: str, letter: str) -> None:
    async def without_checks(opened: Installation) -> None:
        await withdraw(opened)
        async with opened.database.begin() as connection:
            await connection.execute(delete(tables.key_checks))

    async def with_checks(opened: Installation) -> None:
        await withdraw(opened, "w-2")

    for prepare in (without_checks, with_checks):
        installed.set()
        installed.within(prepare)
        installed.set(**{setting: key(letter)})
        before = fingerprint(installed)
        answer = installed.ask("doctor")
        assert answer.code == 1
        wrong = [check for check in answer.json["checks"] if f"TRAVELRULE_{setting}" in check["detail"]]
        assert [check["ok"] for check in wrong] == [False]
        assert wrong[0]["fix"]
        assert fingerprint(installed) == before


def test_doctor_reports_another_audit_key_until_it_has_signed_a_root(installed: Cli) -> None:
    async def root(opened: Installation) -> None:
        await withdraw(opened, f"w-{uuid4()}")
        signer = audit_key(opened.settings)
        await AuditLogJob(opened.database, opened.entity_id, signer, opened.leases, opened.clock).round()

    def check() -> tuple[bool, str]:
        (found,) = [check for check in installed.ask("doctor").json["checks"] if check["name"] == "audit key"]
        return found["ok"], found["detail"]

    assert check()[0], "no root yet"
    installed.within(root)
    assert check()[0]
    installed.set(AUDIT_KEY=key("b"))
    assert check() == (False, "another key than AUDIT_KEY signed the newest root")
    installed.within(root)
    assert check()[0]


def test_migrate_without_keys_says_that_they_were_not_checked(installed: Cli) -> None:
    """A job that only migrates need not know the keys: it reads nothing that is sealed."""
    assert installed.ask("migrate").json["keysChecked"] is True
    installed.set(STORAGE_KEYS=None)
    answer = installed.ask("migrate")
    assert (answer.code, answer.json["keysChecked"]) == (0, False)
    assert "TRAVELRULE_STORAGE_KEYS" in installed.run("migrate").out
