"""The command line as a person runs it: a process of its own, its exit code, its standard output."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import orjson

LIMIT_SECONDS = 120.0


@dataclass(frozen=True, slots=True)
class Ended:
    """How a command ended."""

    code: int
    output: str
    errors: str

    @property
    def one(self) -> Any:
        """The one JSON object of standard output."""
        (line,) = self.output.splitlines()
        return orjson.loads(line)

    @property
    def rows(self) -> list[Any]:
        """One JSON object per line."""
        return [orjson.loads(line) for line in self.output.splitlines()]


async def travelrule(settings: Mapping[str, str], *arguments: str, within: float = LIMIT_SECONDS) -> Ended:
    """Run ``travelrule ARGUMENTS`` with these settings and no others, ``within`` so many seconds."""
    clean = {name: value for name, value in os.environ.items() if not name.startswith("TRAVELRULE_")}
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        "travelrule",
        *arguments,
        env={**clean, **settings},
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    try:
        async with asyncio.timeout(within):
            output, errors = await process.communicate()
    except TimeoutError:
        process.kill()
        await process.wait()
        raise
    return Ended(process.returncode or 0, output.decode(), errors.decode())


async def must(settings: Mapping[str, str], *arguments: str) -> Ended:
    """The same for a command that has to succeed."""
    ended = await travelrule(settings, *arguments)
    if ended.code:
        raise RuntimeError(f"travelrule {' '.join(arguments)} ended with {ended.code}\n{ended.output}{ended.errors}")
    return ended
