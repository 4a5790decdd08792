"""How a serving process ends: a taken port before it joins anything, a signal in every state, a service that fails."""

from __future__ import annotations

import asyncio
import errno
import json
import os
import signal
import socket
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.contract.commands.test_processes import ended, start
from tests.services.ports import free_port
from tests.services.secured_kafka import make_certificate
from tests.support.command_line import Cli
from travelrule.bootstrap.gateway_role import serve_until
from travelrule.bootstrap.roles import _until_stopped
from travelrule.bootstrap.shutdown import Shutdown
from travelrule.errors import AddressUnavailable
from travelrule.health import create_health, health_server
from travelrule.listener.bound_sockets import bind, bound
from travelrule.setting_types import HostPort


@pytest.fixture
def taken() -> Iterator[socket.socket]:
    """A port that listens and answers nothing."""
    with socket.create_server(("127.0.0.1", 0)) as opened:
        opened.settimeout(60)
        yield opened


def _address(opened: socket.socket) -> str:
    return f"127.0.0.1:{opened.getsockname()[1]}"


def _ports(**more: str) -> dict[str, str]:
    own = {"GATEWAY_LISTEN": f"127.0.0.1:{free_port()}", "METRICS_LISTEN": f"127.0.0.1:{free_port()}"}
    return {**own, **more}


@pytest.mark.parametrize("setting", ["METRICS_LISTEN", "GATEWAY_LISTEN"])
def test_a_taken_port_is_named_before_anything_is_joined(installed: Cli, setting: str, taken: socket.socket) -> None:
    ports = _ports(**{setting: _address(taken)})
    code, out, err = ended(start(installed.folder, "serve", "worker", "gateway", **ports))
    assert (code, out) == (3, ""), err
    assert f"TRAVELRULE_{setting}: cannot listen on {_address(taken)}" in err
    assert "Traceback" not in err
    assert not (installed.folder / "data" / "broker.json").exists(), "it never looked for a broker"


def test_a_hub_whose_port_is_taken_names_its_option(tmp_path: Path, taken: socket.socket) -> None:
    code, out, err = ended(start(tmp_path, "hub", "--listen", _address(taken)))
    assert (code, out) == (3, "")
    assert f"--listen: cannot listen on {_address(taken)}" in err


def _interrupted(process: subprocess.Popen[str], silent: socket.socket, number: signal.Signals) -> list[Any]:
    peer, _ = silent.accept()  # now it waits for an answer that never comes
    with peer:
        process.send_signal(number)
        code, out, err = ended(process)
    assert (code, out) == (0, ""), err
    return [json.loads(line)["event"] for line in err.splitlines()]


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_a_process_whose_broker_does_not_answer(
    installed: Cli, taken: socket.socket, number: signal.Signals
) -> None:
    process = start(installed.folder, "serve", "worker", BROKER_URL=f"kafka://{_address(taken)}", **_ports())
    assert "stopped" in _interrupted(process, taken, number)


def test_a_signal_ends_a_process_whose_database_does_not_answer(installed: Cli, taken: socket.socket) -> None:
    url = f"postgresql+asyncpg://nobody@{_address(taken)}/none"
    process = start(installed.folder, "serve", "gateway", DATABASE_URL=url, **_ports())
    assert "stopped" in _interrupted(process, taken, signal.SIGTERM)


@pytest.mark.parametrize("lines", [1, 2, 3, 5])
def test_a_signal_is_obeyed_at_every_step_of_the_start(installed: Cli, lines: int) -> None:
    process = start(installed.folder, "serve", "worker", "gateway", LOG_LEVEL="debug", **_ports())
    assert process.stderr is not None
    seen = [process.stderr.readline() for _ in range(lines)]
    process.send_signal(signal.SIGTERM)
    code, out, err = ended(process)
    assert (code, out) == (0, ""), (seen, err)
    assert '"stopped"' in err


def test_every_address_of_a_name_is_bound_and_all_are_closed() -> None:
    with bound({"A": HostPort("localhost", 0), "B": HostPort("127.0.0.1", 0)}) as sockets:
        assert set(sockets) == {"A", "B"}
        port = sockets["B"][0].getsockname()[1]
        with pytest.raises(AddressUnavailable, match=f"C: cannot listen on 127.0.0.1:{port}: Address already in use"):
            bind(HostPort("127.0.0.1", port), "C")
    assert all(one.fileno() == -1 for opened in sockets.values() for one in opened)


@pytest.mark.parametrize("missing", ["CERTIFICATE", "KEY", "CLIENT_CA"])
def test_a_tls_file_that_is_not_there_is_named_before_anything_is_joined(installed: Cli, missing: str) -> None:
    make_certificate(installed.folder / "own.pem", installed.folder / "own.key")
    files = {"CERTIFICATE": "own.pem", "KEY": "own.key", "CLIENT_CA": "own.pem"} | {missing: "none.pem"}
    settings = {f"GATEWAY_TLS_{name}_FILE": file for name, file in files.items()}
    code, out, err = ended(start(installed.folder, "serve", "worker", "gateway", **settings, **_ports()))
    assert (code, out) == (2, ""), err
    assert err == f"travelrule: TRAVELRULE_GATEWAY_TLS_{missing}_FILE: no such file: none.pem\n"
    assert not (installed.folder / "data" / "broker.json").exists(), "it never looked for a broker"


def test_two_listeners_of_one_process_on_one_port_are_both_named(installed: Cli) -> None:
    port = f"127.0.0.1:{free_port()}"
    code, out, err = ended(start(installed.folder, "serve", "gateway", METRICS_LISTEN=port, GATEWAY_LISTEN=port))
    assert (code, out) == (3, ""), err
    assert f"TRAVELRULE_GATEWAY_LISTEN: cannot listen on {port}" in err
    assert "TRAVELRULE_METRICS_LISTEN has this port" in err


@pytest.mark.parametrize(
    ("number", "told"),
    [
        (errno.EADDRINUSE, "another process listens there"),
        (errno.EADDRNOTAVAIL, "not an address of this machine"),
        (errno.EACCES, "1024"),
    ],
)
def test_what_keeps_from_listening_says_what_to_do(number: int, told: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """By number: what a user may not do, and so the message, depends on who runs the tests."""

    class Refusing(socket.socket):
        def bind(self, _: object) -> None:  # type: ignore[override]
            raise OSError(number, os.strerror(number))

    monkeypatch.setattr(socket, "socket", Refusing)
    with pytest.raises(AddressUnavailable) as refused:
        bind(HostPort("127.0.0.1", 81), "TRAVELRULE_GATEWAY_LISTEN")
    assert "TRAVELRULE_GATEWAY_LISTEN: cannot listen on 127.0.0.1:81" in str(refused.value)
    assert told in refused.value.fix


@pytest.mark.parametrize("host", ["192.0.2.1", "no-such-host.invalid"])
def test_an_address_of_another_machine_is_refused(host: str) -> None:
    with pytest.raises(AddressUnavailable) as refused:
        bind(HostPort(host, 1), "TRAVELRULE_METRICS_LISTEN")
    assert refused.value.exit_code == 3
    assert "TRAVELRULE_METRICS_LISTEN" in str(refused.value)


async def _ends() -> None:
    return


async def _fails() -> None:
    raise KeyError("anything")


async def _runs() -> None:
    await asyncio.Event().wait()


@pytest.mark.parametrize(("service", "reason"), [(_ends, RuntimeError), (_fails, KeyError)])
async def test_a_service_that_ends_by_itself_ends_the_process(service: Any, reason: type[Exception]) -> None:
    watched: list[bool] = []
    stop = Shutdown(lambda: watched.append(True))
    tasks = [asyncio.create_task(service()), asyncio.create_task(_runs())]
    with pytest.raises(reason):
        await _until_stopped(tasks, stop, None)
    assert stop.asked.is_set()
    assert watched == [True], "the end has a limit, whatever hangs"
    assert all(task.done() for task in tasks)


async def test_services_that_end_because_they_were_asked_to_are_no_failure() -> None:
    stop = Shutdown(lambda: None)
    stop.ask()
    asked = asyncio.create_task(stop.asked.wait())
    await _until_stopped([asked], stop, None)  # type: ignore[list-item]
    assert asked.done()


async def test_a_server_that_leaves_by_system_exit_fails_like_any_other() -> None:
    server = health_server(create_health({}, {}))

    async def leave(_: object) -> None:
        raise SystemExit(1)

    server.serve = leave  # type: ignore[assignment, method-assign]
    with pytest.raises(RuntimeError, match="could not start"):
        await serve_until(server, [], asyncio.Event())


async def test_a_start_that_is_given_up_is_cancelled_and_a_finished_one_drains() -> None:
    stop = Shutdown(lambda: None)
    starting = asyncio.create_task(_runs())
    stop.ask()
    assert await stop.while_starting(starting)
    assert starting.cancelled()
    stop = Shutdown(lambda: None)
    stop.started = True
    stop.ask()
    draining = asyncio.create_task(_ends())
    assert not await stop.while_starting(draining)
    with pytest.raises(KeyError):
        await Shutdown(lambda: None).while_starting(asyncio.create_task(_fails()))
