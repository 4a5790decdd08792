"""One drill: provoke a fault, see its alerts fire, look as the runbooks say, repair as they say, see the alerts end."""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import Awaitable, Callable, Mapping
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from typing import Any

from tests.drills.network import WAIT_SECONDS, Ground
from tests.drills.runbook import Runbook

Provoke = Callable[[Ground], AbstractAsyncContextManager[None]]
"""Breaks something when it is entered, and repairs it when it is left."""
UNFINISHED = re.compile(r"<no value>|\{\{|error executing|NaN")
ENDED = (0, 1, 3)
"""Exit codes of a command to look with: done, the answer is no, a service could not be reached."""


@dataclass(frozen=True, slots=True)
class Drill:
    """``alerts`` have to fire. ``shows``: what a command to look with must write meanwhile, as a pattern."""

    name: str
    provoke: Provoke
    alerts: tuple[str, ...]
    shows: Mapping[str, str] = field(default_factory=dict)
    seconds: float = WAIT_SECONDS


@dataclass
class Line:
    """The result of a drill, one line of output. ``empty``: queries that show nothing of this cause of their alert. The
    first query of a page shows every cause.
    """

    drill: str
    alerts: list[str]
    fired_seconds: float = 0
    ended_seconds: float = 0
    queries: int = 0
    empty: list[str] = field(default_factory=list)
    commands: int = 0
    ok: bool = False
    why: str = ""


async def conduct(drill: Drill, ground: Ground) -> Line:
    """Run one drill; a failure is in the line."""
    line = Line(drill.name, list(drill.alerts))
    try:
        await ground.until_quiet(drill.alerts)
        async with drill.provoke(ground):
            failed = await _attempt(line, _look(drill, ground, line))
        began = time.monotonic()
        if not failed:
            failed = await _attempt(line, ground.until_quiet(drill.alerts, drill.seconds))
        line.ended_seconds = round(time.monotonic() - began, 1)
        line.ok = not failed
    except Exception as error:  # noqa: BLE001 -- the next drill still runs; the line has the reason
        line.why = f"{type(error).__name__}: {error}"
    return line


async def _attempt(line: Line, step: Awaitable[None]) -> bool:
    try:
        await step
    except AssertionError as error:
        line.why = str(error)
        return True
    return False


async def _look(drill: Drill, ground: Ground, line: Line) -> None:
    began = time.monotonic()
    fired = await ground.until_firing(drill.alerts, drill.seconds)
    line.fired_seconds = round(time.monotonic() - began, 1)
    for name in drill.alerts:
        _check_texts(fired[name])
        book = Runbook.of(name)
        shown = [await asyncio.to_thread(ground.prometheus.query, query) for query in book.queries]
        assert shown[0], f"{name}: the first query shows nothing: {book.queries[0]}"
        line.queries += len(shown)
        line.empty += [query for query, found in zip(book.queries, shown, strict=True) if not found]
    commands = dict.fromkeys(command for name in drill.alerts for command in Runbook.of(name).commands)
    for command in commands:
        await _run(drill, ground, command)
        line.commands += 1


async def _run(drill: Drill, ground: Ground, command: str) -> None:
    ended = await ground.command(*command.removeprefix("travelrule ").split())
    assert ended.code in ENDED, f"{command} ended with {ended.code}: {ended.output}{ended.errors}"
    expected = drill.shows.get(command)
    written = ended.output + ended.errors
    assert expected is None or re.search(expected, written), f"{command} does not show {expected!r}: {written}"


def _check_texts(alert: Mapping[str, Any]) -> None:
    texts = " ".join(alert["annotations"].values())
    assert not UNFINISHED.search(texts), texts
    assert alert["annotations"]["runbook_url"].startswith("docs/runbooks/")
