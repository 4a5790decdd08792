"""Each command in the runbooks is one of the program, with options that it has."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest
from typer.testing import CliRunner

from tests.house.source import ROOT
from travelrule.cli import app

_BLOCK = re.compile(r"```sh\n(.*?)```", re.DOTALL)
PAGES = sorted((ROOT / "docs" / "runbooks").glob("*.md"))


def commands(page: Path) -> list[str]:
    """The lines of its blocks that run the program, without what the shell does with the output."""
    lines = [line for block in _BLOCK.findall(page.read_text(encoding="utf-8")) for line in block.splitlines()]
    return [line.partition(" > ")[0] for line in lines if line.startswith("travelrule ")]


def exit_code(line: str) -> int:
    """Parse a command up to its help: 0 if the program has it with these options, else 2."""
    return CliRunner().invoke(app, [*shlex.split(line)[1:], "--help"]).exit_code


def test_every_command_of_the_runbooks_exists() -> None:
    seen = {line: page.name for page in PAGES for line in commands(page)}
    assert len(seen) > 20
    assert {line: page for line, page in seen.items() if exit_code(line)} == {}


@pytest.mark.parametrize("line", ["travelrule doctors", "travelrule verdicts republish --refuse-all"])
def test_what_does_not_exist_is_seen(line: str) -> None:
    assert exit_code(line) == 2
