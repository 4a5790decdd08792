"""A running process and its lists: the first ones at the start, an import by another process without a restart."""

from __future__ import annotations

import json
import re
import shutil
import signal
import time
import urllib.request
from collections.abc import Callable
from pathlib import Path

from tests.contract.commands.test_processes import ended, start, until_ready
from tests.services.ports import free_port
from tests.support.command_line import Cli

DATA = Path(__file__).parents[2] / "data" / "sanctions"
LINE = re.compile(
    r'^travelrule_(list_entries|list_age_seconds|alerts_total)\{(?:list|code)="([^"]+)"\} (\S+)$', re.MULTILINE
)
WEEK = 604_800


def shown(url: str) -> dict[tuple[str, str], float]:
    with urllib.request.urlopen(url, timeout=60) as answer:
        return {(name, label): float(value) for name, label, value in LINE.findall(answer.read().decode())}


def until(url: str, arrived: Callable[[dict[tuple[str, str], float]], bool]) -> dict[tuple[str, str], float]:
    deadline = time.monotonic() + 60
    while not arrived(found := shown(url)):
        assert time.monotonic() < deadline, found
        time.sleep(0.2)
    return found


def test_first_lists_gauges_the_alert_of_an_old_list_and_an_import_while_it_runs(installed: Cli) -> None:
    folder = installed.folder / "lists"
    (folder / "un-xml").mkdir(parents=True)
    shutil.copy(DATA / "un_consolidated.xml", folder / "un-xml")  # published in February 2026
    (folder / "own-csv").mkdir()
    (folder / "own-csv" / "own.csv").write_text("name\nJo Doe\n", encoding="utf-8")
    listen = f"127.0.0.1:{free_port()}"
    process = start(installed.folder, "serve", "worker", LISTS_DIR=str(folder), METRICS_LISTEN=listen)
    url = f"http://{listen}/metrics"
    try:
        until_ready(f"http://{listen}/readyz", process)
        first = until(url, lambda found: ("alerts_total", "LIST_STALE") in found and ("list_entries", "own") in found)
        assert first["alerts_total", "LIST_STALE"] == 1
        assert first["list_age_seconds", "un"] > WEEK > 60 > first["list_age_seconds", "own"]
        assert first["list_entries", "own"] == 1
        answer = installed.ask("lists", "import", "own-csv", str(DATA / "invented" / "own.csv"))
        assert answer.json["changed"] is True
        until(url, lambda found: found["list_entries", "own"] == 2)
        broken = folder / "broken.csv"
        broken.write_bytes(b"name\nJo\x00Doe\n")
        assert installed.ask("lists", "import", "own-csv", str(broken)).code == 1
        process.send_signal(signal.SIGTERM)
        code, out, err = ended(process)
    finally:
        process.kill()
    assert (code, out) == (0, ""), err
    assert not [line for line in err.splitlines() if json.loads(line)["level"] == "error"], err
    assert "Jo Doe" not in err
