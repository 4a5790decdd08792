"""A PostgreSQL with encryption: the right settings are taken, and each wrong one is named."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Iterator
from pathlib import Path

import psutil
import pytest
import uvloop

from tests.contract.commands.test_database_faults import refused
from tests.contract.commands.test_processes import ended, start
from tests.contract.store.test_notify import Heard, listening
from tests.services import run
from tests.services.password_postgres import PASSWORD, TlsPostgres
from tests.support.authority import Authority
from tests.support.command_line import Answer, Cli
from tests.unit.commands.test_doctor import checks
from travelrule.errors import ServiceUnavailable
from travelrule.settings import Settings
from travelrule.store.database import Database

pytestmark = pytest.mark.services

Given = dict[str, str]
TLS = "TRAVELRULE_DATABASE_TLS_"


@pytest.fixture(scope="module")
def server() -> Iterator[TlsPostgres]:
    """A server that takes encrypted connections with passwords."""
    server = TlsPostgres(run.run_directory() / f"tls-{os.getpid()}", run.run_owner())
    server.start()
    yield server
    server.kill()


@pytest.fixture
def listed(cli: Cli) -> Cli:
    """An installation with a list to import."""
    (cli.folder / "own.csv").write_text("name\nPetra Planted\n", encoding="utf-8")
    return cli


def encrypted(server: TlsPostgres, database: str = "postgres", password: str = PASSWORD) -> Given:
    """As ``app``, with its password, over TLS."""
    return {"DATABASE_URL": server.url(database, password), "DATABASE_TLS_CA_FILE": str(server.issuer.path)}


def certified(server: TlsPostgres, pair: tuple[Path, Path] | None, database: str = "postgres") -> Given:
    """As ``certified``, with a certificate too."""
    given = encrypted(server) | {"DATABASE_URL": server.url(database, user="certified")}
    if pair is not None:
        given |= {"DATABASE_TLS_CERTIFICATE_FILE": str(pair[0]), "DATABASE_TLS_KEY_FILE": str(pair[1])}
    return given


def owned(server: TlsPostgres, role: str) -> str:
    """The name of a new database of this role."""
    name = server.create_database()
    server.execute(f"ALTER DATABASE {name} OWNER TO {role}")
    return name


def test_a_password_and_a_certificate_over_tls(listed: Cli, server: TlsPostgres) -> None:
    listed.set(**encrypted(server, owned(server, "app")))
    assert listed.ask("migrate").json["ok"]
    assert checks(listed, 1)["database"]["ok"]
    listed.set(**certified(server, server.issuer.issue("certified"), owned(server, "certified")))
    assert listed.ask("migrate").json["ok"]
    assert checks(listed, 1)["database"]["ok"]


@pytest.mark.parametrize("option", ["", "?ssl=verify-full", "?ssl=require&prepared_statement_cache_size=0"])
async def test_commits_of_other_processes_are_announced_over_tls(server: TlsPostgres, option: str) -> None:
    """The listener has a connection of its own, beside the pool, with the parameters of the same URL."""
    name = owned(server, "app")
    settings = Settings(database_url=server.url(name, options=option), database_tls_ca_file=server.issuer.path)
    database, heard = Database.of(settings), Heard()
    try:
        async with listening(database, heard), asyncio.timeout(30):
            while not heard.words:
                async with database.begin() as connection:
                    await connection.exec_driver_sql("NOTIFY travelrule, 'outbox'")
                await asyncio.sleep(0.05)  # between two announcements: the listener may not listen yet
            assert set(heard.words) == {"outbox"}
    finally:
        await database.dispose()


WRONG: dict[str, tuple[Callable[[TlsPostgres], Given], tuple[str, ...]]] = {
    "password": (
        lambda server: encrypted(server, password="Wrong-Planted"),
        ("refuses the login", "TRAVELRULE_DATABASE_URL"),
    ),
    "authority": (
        lambda server: (
            encrypted(server) | {"DATABASE_TLS_CA_FILE": str(Authority(server.issuer.folder, "stranger").path)}
        ),
        ("is not trusted", "no authority that we trust", f"{TLS}CA_FILE"),
    ),
    "name": (
        lambda server: (
            encrypted(server) | {"DATABASE_URL": encrypted(server)["DATABASE_URL"].replace("127.0.0.1", "localhost")}
        ),
        ("is not trusted", "another name", "TRAVELRULE_DATABASE_URL"),
    ),
    "no encryption": (
        lambda server: {"DATABASE_URL": server.url("postgres", options="?ssl=disable")},
        ("refuses the login", "perhaps it wants TLS", f"{TLS}CA_FILE"),
    ),
    "no certificate": (
        lambda server: certified(server, None),
        ("refuses the login", "perhaps it wants a certificate", f"{TLS}CERTIFICATE_FILE"),
    ),
    "certificate of another user": (
        lambda server: certified(server, server.issuer.issue("somebody")),
        ("refuses the login", f"perhaps {TLS}CERTIFICATE_FILE is of another user"),
    ),
    "expired certificate": (
        lambda server: certified(server, server.issuer.issue("certified", expired=True)),
        ("refuses our certificate", f"{TLS}CERTIFICATE_FILE expired on", "renew"),
    ),
    "certificate of a stranger": (
        lambda server: certified(server, Authority(server.issuer.folder, "other").issue("certified")),
        ("refuses our certificate", "no authority that it trusts", f"{TLS}CERTIFICATE_FILE"),
    ),
}


async def fault_of(server: TlsPostgres, given: Given) -> str:
    """The text of the failure to open the database; returns when its connections are closed."""
    database = Database.of(Settings.load({f"TRAVELRULE_{name}": value for name, value in given.items()}))
    try:
        with pytest.raises(ServiceUnavailable) as refusal:
            await database.check()
    finally:
        await database.dispose()
    async with asyncio.timeout(30):
        while any(one.raddr and one.raddr.port == server.port for one in psutil.Process().net_connections("tcp")):
            await asyncio.sleep(0.01)  # the driver closes a refused connection in the background
    return str(refusal.value)


@pytest.mark.parametrize(("given", "told"), WRONG.values(), ids=WRONG)
def test_each_fault_is_named(server: TlsPostgres, given: Callable[[TlsPostgres], Given], told: tuple[str, ...]) -> None:
    text = uvloop.run(fault_of(server, given(server)))
    for wanted in ("database ", *told):
        assert wanted in text
    assert "Planted" not in text


@pytest.fixture
def expired(server: TlsPostgres) -> Iterator[TlsPostgres]:
    """The server while it shows an expired certificate."""
    server.show(expired=True)
    yield server
    server.show()


def test_an_expired_certificate_of_the_server_is_named_by_every_process(listed: Cli, expired: TlsPostgres) -> None:
    told = ("is not trusted", "has expired", "TRAVELRULE_DATABASE_URL")
    words = [("migrate",), ("serve", "worker"), ("serve", "gateway"), ("doctor", "--output", "json")]
    processes = [start(listed.folder, *command, **encrypted(expired)) for command in words]
    *answers, doctor = [Answer(*ended(process)) for process in processes]
    for answer in answers:
        refused(answer, "database ", *told)
    found = next(check for check in doctor.json["checks"] if check["name"] == "database")
    for text in told:
        assert text in found["detail"] + found["fix"], found


def test_files_that_cannot_be_used_are_wrong_use(listed: Cli, server: TlsPostgres) -> None:
    listed.set(**(encrypted(server) | {"DATABASE_TLS_CA_FILE": "none.pem"}))
    refused(listed.run("migrate"), f"{TLS}CA_FILE", "no such file", code=2)
    assert "no such file" in checks(listed, 1)["database"]["detail"]
    pair = server.issuer.issue("certified")
    listed.set(**certified(server, (pair[0], server.issuer.path)))
    refused(listed.run("migrate"), f"{TLS}CERTIFICATE_FILE", "belong together", code=2)
    listed.set(**{name: value for name, value in certified(server, pair).items() if "CA_FILE" not in name})
    refused(listed.run("migrate"), f"{TLS}CA_FILE: is needed with {TLS}CERTIFICATE_FILE", code=2)
