"""The output of ``policy try``, written as it is found, so memory does not grow with the number of subjects."""

from __future__ import annotations

import shutil
import sys
import tempfile
from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Any

import orjson

from travelrule.commands.invocation import Output, write_text
from travelrule.engine.policy.trial import TrialResult

SPOOL_BYTES = 1 << 20
COLUMNS = "{:<52} {:<34} {}"


@dataclass(slots=True)
class _Counts:
    subjects: int = 0
    differ: int = 0
    undetermined: int = 0


async def write_trial(judged: AsyncIterator[TrialResult], version: str, output: Output) -> None:
    """Write one JSON object, or a table with a line per subject that differs or is undetermined."""
    if output is Output.JSON:
        await _json(judged, version)
    else:
        await _table(judged, version)


async def _json(judged: AsyncIterator[TrialResult], version: str) -> None:
    """``{"version", "differ": [...], "undetermined": [...], "subjects"}`` on one line. The second list is kept in
    a temporary file until the first is written.
    """
    counts = _Counts()
    with tempfile.SpooledTemporaryFile(SPOOL_BYTES, mode="w+", encoding="utf-8") as later:
        sys.stdout.write(f'{{"version":"{version}","differ":[')
        async for one in judged:
            counts.subjects += 1
            if one.undetermined:
                entry = {"subject": one.subject, "was": one.was, "reason": one.undetermined}
                later.write(_entry(entry, counts.undetermined))
                counts.undetermined += 1
            elif one.differs:
                sys.stdout.write(_entry({"subject": one.subject, "was": one.was, "would": one.would}, counts.differ))
                counts.differ += 1
        sys.stdout.write('],"undetermined":[')
        later.seek(0)
        shutil.copyfileobj(later, sys.stdout)
        sys.stdout.write(f'],"subjects":{counts.subjects}}}\n')


async def _table(judged: AsyncIterator[TrialResult], version: str) -> None:
    counts = _Counts()
    write_text(COLUMNS.format("subject", "was", f"would be under {version}"))
    async for one in judged:
        counts.subjects += 1
        if one.undetermined:
            counts.undetermined += 1
            write_text(COLUMNS.format(one.subject, _words(one.was), f"undetermined: {one.undetermined}"))
        elif one.differs:
            counts.differ += 1
            write_text(COLUMNS.format(one.subject, _words(one.was), _words(one.would)))
    write_text(f"{counts.subjects} subjects, {counts.differ} would differ, {counts.undetermined} undetermined")


def _entry(value: dict[str, Any], number: int) -> str:
    return ("," if number else "") + orjson.dumps(value).decode()


def _words(said: dict[str, Any] | None) -> str:
    if said is None:
        return "no verdict"
    return f"{said['verdict']} {', '.join(said.get('reasons', ()))}".rstrip()
