"""What a runbook tells a person to run: the queries and commands to look with, and the commands that help."""

from __future__ import annotations

import re
from dataclasses import dataclass

from tests.house.source import ROOT

_BLOCK = re.compile(r"```(promql|sh)\n(.*?)```", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Runbook:
    """The lines of the blocks of code of one page. ``commands`` to look with have no placeholders."""

    queries: tuple[str, ...]
    commands: tuple[str, ...]
    remedies: tuple[str, ...]

    @classmethod
    def of(cls, alert: str) -> Runbook:
        """Read the page of an alert."""
        page = (ROOT / "docs" / "runbooks" / f"{alert}.md").read_text(encoding="utf-8")
        _, _, rest = page.partition("## What to check")
        look, _, do = rest.partition("## What to do")
        return cls(_lines(look, "promql"), _lines(look, "sh"), _lines(do, "sh"))


def _lines(section: str, language: str) -> tuple[str, ...]:
    return tuple(line for found, block in _BLOCK.findall(section) if found == language for line in block.splitlines())
