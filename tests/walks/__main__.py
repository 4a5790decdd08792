"""``python -m tests.walks [--check]``: writes ``docs/generated/walks.md`` from what runs.

Each walk is played in a process of its own, because what is cached is not entered a second time.
"""

from __future__ import annotations

import asyncio
import subprocess
import sys
import tempfile
from pathlib import Path

from tests.walks.journeys import WALKS, steps_of
from tests.walks.recorder import ROOT, Step

PAGE = ROOT / "docs" / "generated" / "walks.md"
HEAD = """# Walks

Three walks through the program, recorded while they run (`python -m tests.walks`): the files that each transaction
enters for the first time in the walk, in their order, and those that run between transactions. The hub, the sandbox and
the listener are left out.
[ARCHITECTURE.md](../../ARCHITECTURE.md) has the same walks in short.
"""


def section(title: str, steps: list[Step]) -> str:
    """Write one walk: transactions numbered, a file is listed where the walk enters it first."""
    lines, known, number = [f"## {title}"], set[str](), 0
    for step in steps:
        new = [name for name in step.files if name not in known]
        known |= set(new)
        if step.inputs:
            number += 1
            inputs = ", ".join(f"`{name}`" for name in step.inputs)
            lines.append(f"**Transaction {number}: {inputs}**, {len(step.files)} files.")
        elif new:
            lines.append("Between transactions:")
        if new:
            lines.append("\n".join(f"- `{name}`" for name in new))
    lines.append(f"{number} transactions, {len(known)} files.")
    return "\n\n".join(lines) + "\n"


def recorded(title: str) -> str:
    """Play one walk in a process of its own and return its section."""
    command = [sys.executable, "-m", "tests.walks", title]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout


def page() -> str:
    """Return the whole page."""
    return "\n".join([HEAD, *(recorded(title) for title in WALKS)])


def main(arguments: list[str]) -> int:
    """Write the page, check it (exit 1 if it differs), or print one section."""
    if arguments and arguments[0] in WALKS:
        with tempfile.TemporaryDirectory() as folder:
            sys.stdout.write(section(arguments[0], asyncio.run(steps_of(arguments[0], Path(folder)))))
        return 0
    text = page()
    if "--check" in arguments:
        return int(PAGE.read_text(encoding="utf-8") != text)
    PAGE.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
