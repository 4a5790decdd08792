"""A database that does not do what is needed: each command names the setting and what to do, and never the password."""

from __future__ import annotations

import asyncio
import resource
import socket
import subprocess
import sys
from collections.abc import Iterator

import pytest

from tests.services.password_postgres import PASSWORD, PasswordPostgres
from tests.services.ports import free_port
from tests.services.process import ROOT
from tests.support.command_line import Answer, Cli, environment, withdraw
from travelrule.store import schema_version
from travelrule.store.database import Database, is_infrastructure_failure

pytestmark = pytest.mark.services

SINCE = ("--since", "2026-01-01T00:00:00Z")
COMMANDS = [
    ("serve", "worker"),
    ("serve", "gateway"),
    ("migrate",),
    ("migrate", "--check"),
    ("explain", "withdrawal:w-1"),
    ("decide", "withdrawal:w-1", "deny", "--actor", "o", "--reason", "r"),
    ("dead-letters", "list"),
    ("dead-letters", "show", "x"),
    ("dead-letters", "replay", "x"),
    ("verdicts", "republish", *SINCE),
    ("audit", "verify"),
    ("policy", "apply", "first-policy.toml"),
    ("policy", "try", "first-policy.toml", *SINCE),
    ("lists", "import", "own-csv", "own.csv"),
    ("lists", "search", "Anybody"),
]


@pytest.fixture
def listed(cli: Cli) -> Cli:
    """An installation with a list to import."""
    (cli.folder / "own.csv").write_text("name\nPetra Planted\n", encoding="utf-8")
    return cli


def refused(answer: Answer, *told: str, code: int = 3) -> None:
    """One line with the fix, and no secret."""
    assert (answer.code, answer.out) == (code, ""), answer
    for text in ("DATABASE_", *told):
        assert text in answer.err, answer.err
    assert len(answer.err.splitlines()) == 1
    assert PASSWORD not in answer.err
    assert "Wrong-Planted" not in answer.err
    assert "app:" not in answer.err


@pytest.mark.parametrize("words", COMMANDS, ids=" ".join)
def test_a_wrong_password(listed: Cli, password_postgres: PasswordPostgres, words: tuple[str, ...]) -> None:
    listed.set(DATABASE_URL=password_postgres.url("postgres", "Wrong-Planted"))
    refused(listed.run(*words), "database refuses the login", "user and password", "127.0.0.1:")


@pytest.mark.parametrize("words", COMMANDS, ids=" ".join)
def test_a_database_that_is_not_on_the_server(
    listed: Cli, password_postgres: PasswordPostgres, words: tuple[str, ...]
) -> None:
    listed.set(DATABASE_URL=password_postgres.url("no_such"))
    refused(listed.run(*words), "database is not on the server", "no_such", "create it")


@pytest.mark.parametrize("words", COMMANDS, ids=" ".join)
def test_a_user_without_rights(listed: Cli, password_postgres: PasswordPostgres, words: tuple[str, ...]) -> None:
    name = password_postgres.create_database()

    async def migrated() -> None:
        database = Database(password_postgres.url(name, user="postgres"))
        await schema_version.upgrade(database)
        await database.dispose()

    asyncio.run(migrated())
    listed.set(DATABASE_URL=password_postgres.url(name))
    refused(listed.run(*words), "database denies its user", "GRANT")


@pytest.mark.parametrize("words", [("migrate",)])
def test_a_user_who_may_not_make_tables(
    listed: Cli, password_postgres: PasswordPostgres, words: tuple[str, ...]
) -> None:
    listed.set(DATABASE_URL=password_postgres.url(password_postgres.create_database()))
    refused(listed.run(*words), "database denies its user", "GRANT")


def test_a_database_that_only_reads(listed: Cli, password_postgres: PasswordPostgres) -> None:
    name = password_postgres.create_database()
    password_postgres.execute(f"ALTER DATABASE {name} OWNER TO app")
    password_postgres.execute(f"ALTER DATABASE {name} SET default_transaction_read_only = on")
    listed.set(DATABASE_URL=password_postgres.url(name))
    refused(listed.run("migrate"), "database takes no changes", "standby")


def test_tls_that_the_server_does_not_have(listed: Cli, password_postgres: PasswordPostgres) -> None:
    listed.set(DATABASE_URL=password_postgres.url("postgres", options="?ssl=require"))
    refused(listed.run("migrate"), "TLS")


@pytest.fixture
def silent() -> Iterator[int]:
    """A port that takes connections and hangs up."""
    with socket.create_server(("127.0.0.1", 0)) as opened:
        yield opened.getsockname()[1]


def test_a_host_that_is_not_known_and_a_port_where_nothing_listens(listed: Cli) -> None:
    listed.set(DATABASE_URL="postgresql+asyncpg://app:Wrong-Planted@no-such-host.invalid/x")
    refused(listed.run("migrate"), "database could not be reached", "no-such-host.invalid", "host name")
    port = free_port()
    listed.set(DATABASE_URL=f"postgresql+asyncpg://app:Wrong-Planted@127.0.0.1:{port}/x")
    refused(listed.run("migrate"), "database could not be reached", f"127.0.0.1:{port}", "nothing listens")


@pytest.mark.parametrize(
    ("url", "told"),
    [
        ("postgresql+asyncpg://app:Wrong-Planted@127.0.0.1/x?sslmode=require", "ssl=require"),
        ("postgresql+asyncpg://app:Wrong-Planted@127.0.0.1/x?application_name=y", "application_name"),
        ("postgresql+asyncpg://app:Wrong-Planted@127.0.0.1:port/x", "USER"),
        ("postgresql+asyncpg://app:Wrong-Planted@127.0.0.1", "DATABASE"),
    ],
)
def test_a_url_that_cannot_work_is_wrong_use(listed: Cli, url: str, told: str) -> None:
    listed.set(DATABASE_URL=url)
    refused(listed.run("migrate"), told, code=2)


@pytest.mark.parametrize("password", ["p#a/s?s", "p[a]s", "p:a%40s"])
def test_odd_passwords_are_passwords(listed: Cli, password: str) -> None:
    listed.set(DATABASE_URL=f"postgresql+asyncpg://app:{password}@127.0.0.1:{free_port()}/x")
    refused(listed.run("migrate"), "nothing listens there")


async def test_a_refused_login_and_missing_rights_are_failures_of_the_database(
    password_postgres: PasswordPostgres,
) -> None:
    """No message is to blame for a password that was changed under a running worker: it is tried again."""
    for url in (password_postgres.url("postgres", "Wrong-Planted"), password_postgres.url("no_such")):
        database = Database(url)
        with pytest.raises(Exception) as caught:  # noqa: PT011  of any class: what counts is how it is judged
            async with database.read():
                pass
        assert is_infrastructure_failure(caught.value)
        await database.dispose()
    database = Database(password_postgres.url("postgres"))
    with pytest.raises(Exception) as caught:  # noqa: PT011
        await schema_version.upgrade(database)
    assert is_infrastructure_failure(caught.value)
    await database.dispose()


@pytest.mark.parametrize(
    ("url", "told"),
    [
        ("sqlite+aiosqlite:////proc/none/x.sqlite3", "cannot be made"),
        ("sqlite+aiosqlite:////proc/x.sqlite3", "cannot be made"),
        ("sqlite+aiosqlite:///file:data/travelrule.sqlite3?mode=ro&uri=true", "takes no changes"),
        ("sqlite+aiosqlite:///data", "cannot be made"),
    ],
)
def test_an_sqlite_file_that_cannot_be_used(installed: Cli, url: str, told: str) -> None:
    installed.set(DATABASE_URL=url)
    refused(installed.run("lists", "import", "own-csv", str(ROOT / "tests/data/sanctions/invented/own.csv")), told)


def test_a_disk_that_is_full(installed: Cli) -> None:
    """Files of the process may not grow, as on a full disk."""
    installed.within(withdraw)
    (installed.folder / "other.toml").write_text("[retention]\nsubjects = 3650\n", encoding="utf-8")

    def no_growth() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))

    done = subprocess.run(
        [sys.executable, "-m", "travelrule", "policy", "apply", "other.toml"],
        cwd=installed.folder,
        env={**environment(installed.folder), "PYTHONPATH": str(ROOT), "PYTHONDONTWRITEBYTECODE": "1"},
        capture_output=True,
        text=True,
        check=False,
        preexec_fn=no_growth,
    )
    refused(Answer(done.returncode, done.stdout, done.stderr), "cannot write", "disk")
