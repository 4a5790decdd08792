"""Commands as a person or a program starts them: they end, standard output is theirs alone, signals are obeyed."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
import urllib.request
from pathlib import Path
from typing import Any, BinaryIO

import pytest

from tests.services.ports import free_port
from tests.services.process import ROOT
from tests.support.command_line import Cli, environment, withdraw
from travelrule.store import schema_version


def start(folder: Path, *words: str, into: BinaryIO | None = None, **settings: str | None) -> subprocess.Popen[str]:
    """Start ``travelrule`` with these words; its standard error goes ``into`` a file, if one is given."""
    clean = {name: value for name, value in os.environ.items() if not name.startswith("TRAVELRULE_")}
    return subprocess.Popen(
        [sys.executable, "-m", "travelrule", *words],
        cwd=folder,
        env={**clean, **environment(folder, **settings), "PYTHONPATH": str(ROOT)},
        stdout=subprocess.PIPE,
        stderr=into or subprocess.PIPE,
        text=True,
    )


def ended(process: subprocess.Popen[str]) -> tuple[int, str, str]:
    try:
        out, err = process.communicate(timeout=60)
    finally:
        process.kill()
    return process.returncode, out, err


def test_logs_go_to_standard_error_and_the_answer_alone_to_standard_output(tmp_path: Path) -> None:
    code, out, err = ended(start(tmp_path, "migrate", "--output", "json", LOG_LEVEL="debug"))
    assert code == 0, err
    assert json.loads(out) == {
        "ok": True,
        "before": "",
        "after": schema_version.newest_revision(),
        "newest": schema_version.newest_revision(),
        "keysChecked": True,
    }
    assert len(out.splitlines()) == 1


def test_a_command_that_fails_after_the_database_was_opened_says_one_line_and_ends(installed: Cli) -> None:
    """A connection that is left open keeps its thread, and the thread the process."""
    process = start(installed.folder, "audit", "verify", POLICY_FILE=str(installed.folder / "none.toml"))
    code, out, err = ended(process)
    assert (code, out) == (2, "")
    assert err.startswith("travelrule: POLICY_FILE")
    assert "Traceback" not in err


def ask(url: str) -> tuple[int, Any]:
    try:
        with urllib.request.urlopen(url, timeout=60) as answer:
            return answer.status, json.loads(answer.read())
    except urllib.error.HTTPError as error:
        return error.code, json.loads(error.read())
    except OSError:
        return 0, None


def until_ready(url: str, process: subprocess.Popen[str]) -> None:
    deadline = time.monotonic() + 60
    while ask(url)[0] != 200:
        assert process.poll() is None, ended(process)
        assert time.monotonic() < deadline, ask(url)
        time.sleep(0.1)


def test_serve_takes_what_an_operator_sends_and_ends_in_order_when_asked(installed: Cli) -> None:
    """Worker and gateway in one process on SQLite and the embedded broker; a decision goes through Kafka and back."""
    installed.within(withdraw)
    ports = {"GATEWAY_LISTEN": f"127.0.0.1:{free_port()}", "METRICS_LISTEN": f"127.0.0.1:{free_port()}"}
    process = start(installed.folder, "serve", "worker", "gateway", **ports)
    try:
        until_ready(f"http://{ports['METRICS_LISTEN']}/readyz", process)
        assert ask(f"http://{ports['METRICS_LISTEN']}/livez")[0] == 200
        answer = installed.ask("decide", "w-1", "deny", "--actor", "operator-1", "--reason", "test")
        assert answer.code == 0, answer
        deadline = time.monotonic() + 60
        while installed.ask("explain", "w-1").json["verdict"] != "deny":
            assert time.monotonic() < deadline
            time.sleep(0.1)
        process.send_signal(signal.SIGTERM)
        code, out, err = ended(process)
    finally:
        process.kill()
    assert (code, out) == (0, ""), err
    lines = [json.loads(line) for line in err.splitlines()]
    assert any(line["event"] == "stopped" for line in lines)
    assert not [line for line in lines if line["level"] == "error"], err
    for word in ("Berg", "Lind", "operator-1"):
        assert word not in err


def test_serve_gateway_alone_needs_no_broker(installed: Cli) -> None:
    ports = {"GATEWAY_LISTEN": f"127.0.0.1:{free_port()}", "METRICS_LISTEN": f"127.0.0.1:{free_port()}"}
    process = start(installed.folder, "serve", "gateway", BROKER_URL="kafka://127.0.0.1:9", **ports)
    try:
        until_ready(f"http://{ports['METRICS_LISTEN']}/readyz", process)
        assert ask(f"http://{ports['GATEWAY_LISTEN']}/v1/vasp/health")[0] == 200
        process.send_signal(signal.SIGINT)
        code, _, err = ended(process)
    finally:
        process.kill()
    assert code == 0, err


@pytest.mark.parametrize(
    ("settings", "code", "said"),
    [
        ({"BROKER_URL": "kafka://127.0.0.1:9"}, 3, "broker could not be reached"),
        ({"HUB_URL": None}, 2, "HUB_URL"),
        ({"DATABASE_URL": "postgresql+asyncpg://nobody@127.0.0.1:9/none"}, 3, "database could not be reached"),
        ({"AUDIT_KEY": None}, 2, "AUDIT_KEY"),
    ],
    ids=["broker", "hub", "database", "audit key"],
)
def test_serve_that_cannot_begin_says_why_and_ends(
    installed: Cli, settings: dict[str, str | None], code: int, said: str
) -> None:
    ports = {"GATEWAY_LISTEN": f"127.0.0.1:{free_port()}", "METRICS_LISTEN": f"127.0.0.1:{free_port()}"}
    ended_with, out, err = ended(start(installed.folder, "serve", "worker", **ports, **settings))
    assert (ended_with, out) == (code, ""), err
    assert said in err
    assert "Traceback" not in err


@pytest.mark.parametrize("level", [None, "info"])
def test_a_command_writes_no_log_lines_unless_they_are_asked_for(installed: Cli, level: str | None) -> None:
    """The lists are loaded to be searched, and the engine logs that; only the answer is printed."""
    (installed.folder / "own.csv").write_text("name\nPetra Planted\n", encoding="utf-8")
    assert installed.ask("lists", "import", "own-csv", str(installed.folder / "own.csv")).code == 0
    code, out, err = ended(start(installed.folder, "lists", "search", "Petra Planted", LOG_LEVEL=level))
    assert (code, "Petra Planted" in out) == (0, True), err
    events = [json.loads(line)["event"] for line in err.splitlines()]
    assert (events == [], "list-loaded" in events) == (level is None, level is not None)


def test_a_command_that_fails_unexpectedly_still_reports_it() -> None:
    program = "from travelrule import logs; logs.configure('json', only_uncaught=True); raise RuntimeError('Planted')"
    done = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (1, "")
    (line,) = done.stderr.splitlines()
    assert (json.loads(line)["event"], json.loads(line)["error"]["class"]) == ("uncaught", "RuntimeError")
