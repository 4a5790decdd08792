"""``doctor`` on installations with several faults: each check reports its own, and none ends the others."""

from __future__ import annotations

import asyncio
import socket
import ssl
import threading
from collections.abc import Iterator
from datetime import datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from tests.contract.commands.test_processes import ended, start, until_ready
from tests.services.password_postgres import PASSWORD, PasswordPostgres
from tests.services.ports import free_port
from tests.services.secured_kafka import SecuredKafka, make_certificate
from tests.support.authority import Authority
from tests.support.command_line import NORTH_PUBLIC, Cli
from tests.unit.commands.test_doctor import checks, member, sandbox
from travelrule.bootstrap import installation
from travelrule.commands.doctor import check as check_module
from travelrule.commands.doctor import local_setup
from travelrule.store import schema_version
from travelrule.store.database import Database

OTHERS_KEY = "wR1Gtiixh2GuBQuki01oJuZ4znqwK/MgXYFwt8g+I+s="
ALWAYS = {
    "packages",
    "settings and keys",
    "profile",
    "policy",
    "audit key",
    "database",
    "storage and index keys",
    "lists",
    "hub",
    "clock",
    "metrics listener",
    "gateway listener",
    "open files",
}
"""Besides the broker's, which is called by what was found out."""


@pytest.fixture
def silent() -> Iterator[str]:
    """An address that takes connections and never answers."""
    with socket.create_server(("127.0.0.1", 0)) as opened:
        yield f"127.0.0.1:{opened.getsockname()[1]}"


def failing(found: dict[str, dict[str, Any]]) -> set[str]:
    return {name for name, one in found.items() if not one["ok"]}


@pytest.mark.services
def test_everything_is_wrong_and_everything_is_told(
    installed: Cli, password_postgres: PasswordPostgres, secured_kafka: SecuredKafka, silent: str
) -> None:
    installed.set(
        DATABASE_URL=password_postgres.url("postgres", "Wrong-Planted"),
        BROKER_URL=f"kafka://{secured_kafka.login}",
        BROKER_SASL_MECHANISM="PLAIN",
        BROKER_SASL_USERNAME="app",
        BROKER_SASL_PASSWORD="Wrong-Planted",
        VASP_PROFILE_FILE="none/profile.toml",
        POLICY_FILE="none/policy.toml",
        AUDIT_KEY=None,
        HUB_URL=f"http://127.0.0.1:{free_port()}",
        GATEWAY_LISTEN=silent,
        METRICS_LISTEN="192.0.2.1:9100",
    )
    found = checks(installed, 1)
    assert set(found) == ALWAYS | {"broker"}
    assert failing(found) == set(found) - {"packages", "settings and keys", "open files"}
    assert "correct the setting" in found["profile"]["fix"]
    for name, told in {
        "database": ("refuses the login", "TRAVELRULE_DATABASE_URL"),
        "storage and index keys": ("needs the database", "TRAVELRULE_DATABASE_URL"),
        "lists": ("needs the database", "TRAVELRULE_DATABASE_URL"),
        "broker": ("refuses the login", "TRAVELRULE_BROKER_SASL_PASSWORD"),
        "profile": ("no such file", "VASP_PROFILE_FILE"),
        "policy": ("no such file", "POLICY_FILE", "correct the setting"),
        "audit key": ("AUDIT_KEY",),
        "hub": ("not reachable", "nothing listens there", "TRAVELRULE_HUB_URL"),
        "clock": ("nothing to compare with",),
        "gateway listener": ("TRAVELRULE_GATEWAY_LISTEN", silent, "another process"),
        "metrics listener": ("TRAVELRULE_METRICS_LISTEN", "192.0.2.1", "not an address of this machine"),
    }.items():
        for text in told:
            assert text in found[name]["detail"] + found[name]["fix"], (name, found[name])
    text = installed.run("doctor")
    assert text.code == 1
    for name in found:
        assert f" {name}: " in text.out
    assert "Planted" not in str(found) + text.out + text.err
    assert text.err == ""


def test_what_never_answers_is_given_up(installed: Cli, silent: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Database, broker and hub take the connection and keep quiet: without limits doctor would not end."""
    monkeypatch.setattr(check_module, "LIMIT_SECONDS", 1.0)
    settings = {"HUB_URL": f"http://{silent}", "BROKER_URL": f"kafka://{silent}"}
    installed.set(DATABASE_URL=f"postgresql+asyncpg://app:{PASSWORD}@{silent}/x", **settings)
    found = checks(installed, 1)
    assert set(found) == ALWAYS | {"broker"}
    for name, setting in (("database", "DATABASE_URL"), ("broker", "BROKER_URL"), ("hub", "HUB_URL")):
        assert "no answer within 1 s" in found[name]["detail"], found[name]
        assert f"TRAVELRULE_{setting}" in found[name]["fix"], found[name]
    assert PASSWORD not in str(found)


def test_a_check_that_breaks_does_not_end_the_others(installed: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    async def broken(_settings: object) -> None:
        raise RuntimeError("Planted")

    monkeypatch.setattr(local_setup, "profile", broken)
    found = checks(installed, 1)
    assert set(found) == ALWAYS | {"broker"}
    assert "RuntimeError" in found["profile"]["detail"]
    assert "Planted" not in str(found)


@pytest.mark.services
def test_the_rights_of_the_database(installed: Cli, password_postgres: PasswordPostgres) -> None:
    name = password_postgres.create_database()
    installed.set(DATABASE_URL=password_postgres.url("no_such_base"))
    assert "is not on the server" in checks(installed, 1)["database"]["detail"]
    installed.set(DATABASE_URL=password_postgres.url(name))
    assert checks(installed, 1)["database"]["fix"] == "travelrule migrate"

    async def migrated() -> None:
        database = Database(password_postgres.url(name, user="postgres"))
        await schema_version.upgrade(database)
        await database.dispose()

    asyncio.run(migrated())
    found = checks(installed, 1)
    assert "denies its user" in found["database"]["detail"]
    assert "GRANT" in found["database"]["fix"]
    assert "needs the database" in found["lists"]["detail"]
    assert "which is in force is not known" in found["policy"]["detail"]


@pytest.mark.parametrize("seconds", [-600, 600])
def test_a_clock_that_is_off_is_told_apart_from_a_wrong_key(
    installed: Cli, broker: tuple[str, ...], seconds: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    right = installation.utc_now

    def wrong() -> datetime:
        return right() + timedelta(seconds=seconds)

    with sandbox(installed.folder, member(NORTH_PUBLIC)) as url:
        installed.set(HUB_URL=url)
        assert failing(checks(installed, 0)) == set()
        monkeypatch.setattr(installation, "utc_now", wrong)
        found = checks(installed, 1)
    assert broker
    assert failing(found) == {"hub", "clock"}
    assert "refuses our time" in found["hub"]["detail"]
    assert "ahead of" in found["clock"]["detail"] if seconds > 0 else "behind" in found["clock"]["detail"]
    assert "NTP" in found["clock"]["fix"]
    assert "TRAVELRULE_SIGNING_KEY" not in found["hub"]["detail"] + found["hub"]["fix"]


def test_a_key_that_the_hub_does_not_know_and_a_name_that_it_does_not_know(
    installed: Cli, broker: tuple[str, ...]
) -> None:
    with sandbox(installed.folder, member(OTHERS_KEY)) as url:
        installed.set(HUB_URL=url)
        found = checks(installed, 1)
        assert failing(found) == {"hub"}, "the clock is right all the same"
        installed.set(HUB_URL=url, GATEWAY_LISTEN=url.removeprefix("http://"))
        listener = checks(installed, 1)["gateway listener"]
        assert not listener["ok"], "the hub has this port, and a hub is no gateway"
        installed.set(HUB_URL=url)
        assert "refuses our key" in found["hub"]["detail"]
        assert "TRAVELRULE_SIGNING_KEY" in found["hub"]["fix"]
        assert "travelrule keys show" in found["hub"]["fix"]
        installed.set(HUB_URL=url, VASP_ENTITY_ID="stranger")
        hub = checks(installed, 1)["hub"]
        assert "does not know us" in hub["detail"]
        assert "TRAVELRULE_VASP_ORIGIN" in hub["fix"]
    assert broker


class _Elsewhere(BaseHTTPRequestHandler):
    """A web server that is no hub."""

    def do_GET(self) -> None:
        self.send_response(404)
        self.end_headers()
        self.wfile.write(b"<html>not here</html>")

    def log_message(self, *_: object) -> None:
        """Say nothing."""


def test_a_url_that_leads_elsewhere(installed: Cli) -> None:
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Elsewhere)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        installed.set(HUB_URL=f"http://127.0.0.1:{server.server_port}/some/path")
        found = checks(installed, 1)
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
    assert "no hub" in found["hub"]["detail"]
    assert "TRAVELRULE_HUB_URL" in found["hub"]["fix"]
    assert found["clock"]["ok"], "any server tells the time"
    installed.set(HUB_URL="http://no-such-host.invalid")
    assert "no such host name" in checks(installed, 1)["hub"]["detail"]


def test_a_hub_of_a_private_authority(installed: Cli) -> None:
    """Its certificate is in no list of the system: the variable that would name the authority is in the fix."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(*Authority(installed.folder, "private").issue("hub"))
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Elsewhere)
    server.socket = context.wrap_socket(server.socket, server_side=True)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        installed.set(HUB_URL=f"https://127.0.0.1:{server.server_port}")
        hub = checks(installed, 1)["hub"]
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
    assert "TLS fails" in hub["detail"]
    for told in ("no authority that we trust", "SSL_CERT_FILE", "TRAVELRULE_HUB_URL"):
        assert told in hub["fix"]


def test_an_installation_that_runs_already_has_its_listeners(installed: Cli) -> None:
    ports = {"GATEWAY_LISTEN": f"127.0.0.1:{free_port()}", "METRICS_LISTEN": f"127.0.0.1:{free_port()}"}
    process = start(installed.folder, "serve", "gateway", **ports)
    try:
        until_ready(f"http://{ports['METRICS_LISTEN']}/readyz", process)
        installed.set(**ports)
        found = checks(installed, 1)
        for name in ("gateway listener", "metrics listener"):
            assert found[name]["ok"], found[name]
            assert "a running process" in found[name]["detail"]
        installed.set(**{**ports, "GATEWAY_LISTEN": ports["METRICS_LISTEN"]})
        assert not checks(installed, 1)["gateway listener"]["ok"], "what listens there is no gateway"
    finally:
        process.terminate()
        ended(process)


def test_a_gateway_that_wants_certificates_is_known_by_its_own(installed: Cli) -> None:
    own_certificate, key = installed.folder / "own.pem", installed.folder / "own.key"
    other, other_key = installed.folder / "other.pem", installed.folder / "other.key"
    make_certificate(own_certificate, key)
    make_certificate(other, other_key)
    settings = {
        "GATEWAY_LISTEN": f"127.0.0.1:{free_port()}",
        "METRICS_LISTEN": f"127.0.0.1:{free_port()}",
        "GATEWAY_TLS_CERTIFICATE_FILE": str(own_certificate),
        "GATEWAY_TLS_KEY_FILE": str(key),
        "GATEWAY_TLS_CLIENT_CA_FILE": str(own_certificate),
    }
    process = start(installed.folder, "serve", "gateway", **settings)
    try:
        until_ready(f"http://{settings['METRICS_LISTEN']}/readyz", process)
        installed.set(**settings)
        assert checks(installed, 1)["gateway listener"]["ok"]
        installed.set(**{**settings, "GATEWAY_TLS_CERTIFICATE_FILE": "none.pem"})
        assert "no such file: none.pem" in checks(installed, 1)["gateway listener"]["detail"]
        installed.set(
            **{**settings, "GATEWAY_TLS_CERTIFICATE_FILE": str(other), "GATEWAY_TLS_KEY_FILE": str(other_key)}
        )
        assert not checks(installed, 1)["gateway listener"]["ok"], "somebody else's gateway"
    finally:
        process.terminate()
        ended(process)


def test_a_gateway_that_does_not_let_this_machine_in_is_known_by_its_probe(installed: Cli) -> None:
    certificate, key = installed.folder / "own.pem", installed.folder / "own.key"
    make_certificate(certificate, key)
    settings = {
        "GATEWAY_LISTEN": f"127.0.0.1:{free_port()}",
        "METRICS_LISTEN": f"127.0.0.1:{free_port()}",
        "GATEWAY_SOURCES": "192.0.2.0/24",
        "GATEWAY_TLS_CERTIFICATE_FILE": str(certificate),
        "GATEWAY_TLS_KEY_FILE": str(key),
    }
    process = start(installed.folder, "serve", "gateway", **settings)
    try:
        until_ready(f"http://{settings['METRICS_LISTEN']}/readyz", process)
        installed.set(**settings)
        found = checks(installed, 1)["gateway listener"]
        assert found["ok"], found
    finally:
        process.terminate()
        ended(process)
