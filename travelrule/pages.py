"""Pages of ``docs/generated`` that a module writes: their tables, and the command that writes or checks one."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path


def table(head: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> str:
    """Return a table in Markdown."""
    lines = [head, tuple("---" for _ in head), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines) + "\n"


def write_or_check(module: str, description: str, page: str, path: Path, arguments: Sequence[str] | None) -> int:
    """Write the page, or with ``--check`` report whether it would change; return the exit code."""
    parser = argparse.ArgumentParser(prog=f"python -m {module}", description=description)
    parser.add_argument("--check", action="store_true", help="change nothing; exit 1 if the page would change")
    if not parser.parse_args(arguments).check:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(page, encoding="utf-8")
        return 0
    if path.is_file() and path.read_text(encoding="utf-8") == page:
        return 0
    sys.stderr.write(f"{path.name} differs from the code: run python -m {module}\n")
    return 1
