"""Every process that stays up obeys the settings of the log."""

from __future__ import annotations

import json
import signal
import time
from pathlib import Path
from urllib.error import HTTPError
from urllib.request import urlopen

import pytest

from tests.contract.commands.test_processes import ended, start
from tests.services.ports import free_port


def _logged(folder: Path, command: str, **settings: str) -> tuple[str, str]:
    """Standard output and error of a process that is stopped as soon as it serves."""
    port = free_port()
    words = [command, "--listen", f"127.0.0.1:{port}"]
    if command == "sandbox":
        (folder / "world.json").write_text('{"members":[]}', encoding="utf-8")
        words += ["--world", str(folder / "world.json")]
    process = start(folder, *words, **settings)
    _until_serving(port)
    process.send_signal(signal.SIGTERM)
    code, out, err = ended(process)
    assert code == 0, err
    return out, err


def _until_serving(port: int) -> None:
    """Return when it answers anything: its signals are handled by then."""
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        try:
            urlopen(f"http://127.0.0.1:{port}/none", timeout=5).close()
        except HTTPError as answer:
            answer.close()
            return
        except OSError:
            continue
    raise AssertionError("it never answers")


def test_a_sandbox_logs_json_lines_to_standard_error_alone(tmp_path: Path) -> None:
    out, err = _logged(tmp_path, "sandbox", LOG_FORMAT="json")
    assert out == ""
    assert [json.loads(line)["event"] for line in err.splitlines()] == ["sandbox-starting", "sandbox-stopped"]


def test_a_sandbox_writes_readable_lines_if_told(tmp_path: Path) -> None:
    _, err = _logged(tmp_path, "sandbox", LOG_FORMAT="console")
    assert "info    sandbox: sandbox-starting members=0" in err


@pytest.mark.parametrize("command", ["hub", "sandbox"])
def test_the_level_is_obeyed_by_whatever_serves(tmp_path: Path, command: str) -> None:
    assert _logged(tmp_path, command, LOG_LEVEL="error") == ("", "")
