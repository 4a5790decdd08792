"""The units of ``deploy/systemd``, read by systemd's own checker."""

from __future__ import annotations

import configparser
import re
import shutil
import subprocess
from pathlib import Path

import pytest
import typer

from tests.deploy.compose_file import ROOT
from tests.services import ServiceError, debian
from travelrule.bootstrap.shutdown import DRAIN_SECONDS
from travelrule.cli import app
from travelrule.environment import PREFIX
from travelrule.settings import Settings

UNITS = ROOT / "deploy" / "systemd"
SERVICES = sorted(path.name for path in UNITS.glob("*.service"))
PROGRAM = "/opt/travelrule/bin/travelrule"
EXPOSURE_MAX = 1.5
"""0 is a process that can do nothing, 10 one without any limit (``systemd-analyze security``)."""


class _Unit(configparser.RawConfigParser):
    """A unit file; of a key that occurs several times the values are joined by newlines."""

    def __init__(self, path: Path) -> None:
        super().__init__(strict=False, interpolation=None, dict_type=dict)
        self.optionxform = str  # type: ignore[assignment,method-assign]
        self.read(path)
        self.commands = [
            line.partition("=")[2].split() for line in path.read_text().splitlines() if line.startswith("ExecStart=")
        ]


def analyze(*arguments: str) -> subprocess.CompletedProcess[str]:
    if not shutil.which("systemd-analyze"):
        debian.install("systemd")
    if not shutil.which("systemd-analyze"):
        raise ServiceError("systemd-analyze is missing: apt-get install systemd")
    return subprocess.run(["systemd-analyze", *arguments], capture_output=True, text=True, check=False)


@pytest.fixture
def copies(tmp_path: Path) -> Path:
    """The units with a program that exists here; nothing else of them is changed."""
    for path in UNITS.iterdir():
        text = path.read_text(encoding="utf-8").replace(PROGRAM, shutil.which("true") or "")
        (tmp_path / path.name).write_text(text, encoding="utf-8")
    return tmp_path


@pytest.mark.parametrize("name", [*SERVICES, "travelrule-lists@.timer"])
def test_systemd_has_no_remark(name: str, copies: Path) -> None:
    ran = analyze("verify", str(copies / name))
    assert (ran.returncode, ran.stderr) == (0, "")


def test_systemd_finds_a_planted_fault(copies: Path) -> None:
    unit = copies / "travelrule-gateway.service"
    unit.write_text(unit.read_text(encoding="utf-8").replace("NoNewPrivileges=yes", "NoNewPrivilege=yes"))
    assert "'NoNewPrivilege'" in analyze("verify", str(unit)).stderr


@pytest.mark.parametrize("name", SERVICES)
def test_a_unit_is_confined(name: str, tmp_path: Path) -> None:
    instance = tmp_path / name.replace("@.", "@1.")
    instance.write_bytes((UNITS / name).read_bytes())
    ran = analyze("security", "--offline=true", f"--threshold={EXPOSURE_MAX * 10:.0f}", str(instance))
    assert ran.returncode == 0, ran.stdout[-300:]
    (exposure,) = re.findall(r"Overall exposure level for \S+: ([\d.]+)", ran.stdout)
    assert float(exposure) <= EXPOSURE_MAX


@pytest.mark.parametrize("name", ["travelrule-worker@.service", "travelrule-gateway.service"])
def test_a_role_has_longer_to_end_than_it_drains_and_is_not_restarted_with_wrong_settings(name: str) -> None:
    service = _Unit(UNITS / name)["Service"]
    assert int(service["TimeoutStopSec"]) > DRAIN_SECONDS
    assert (service["Restart"], service["RestartPreventExitStatus"]) == ("always", "2")
    assert int(service["LimitNOFILE"]) >= 1536


@pytest.mark.parametrize("name", SERVICES)
def test_commands_and_settings_are_those_of_the_program(name: str) -> None:
    known = {PREFIX + field.upper() for field in Settings.model_fields}
    for words in _Unit(UNITS / name).commands:
        variables = [word.partition("=")[0] for word in words if word.startswith(PREFIX)]
        assert set(variables) <= known
        assert PROGRAM in words
        command = [word for word in words[words.index(PROGRAM) + 1 :] if "%" not in word and "/" not in word]
        assert named(command) == command[: 1 if command[0] == "serve" else None]


def named(words: list[str]) -> list[str]:
    """The words that name a command of the program, from the first on."""
    command, found = typer.main.get_command(app), []
    for word in words:
        if word not in getattr(command, "commands", {}):
            break
        command = command.commands[word]
        found.append(word)
    return found


def test_a_command_that_is_none_would_be_found() -> None:
    assert named(["topics", "aply"]) == ["topics"]


def test_workers_and_gateway_do_not_share_a_port() -> None:
    texts = "\n".join((UNITS / name).read_text(encoding="utf-8") for name in SERVICES)
    assert sorted(re.findall(r"METRICS_LISTEN=\S+:(\S+)", texts)) == ["910%i", "9110"]
