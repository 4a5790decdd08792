"""The outcome of a sent decision: looked up in the database until a worker has processed it."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import Any

import orjson
from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncConnection

from travelrule.bootstrap.installation import Installation
from travelrule.commands.decisions.event import event_id_of
from travelrule.engine.input_envelope import unpack_raw
from travelrule.machine.input import Input
from travelrule.store import tables

LOOK_SECONDS = 0.2

EXIT_CODES = {"not sent": 1, "refused": 1, "not taken": 3}


@dataclass(frozen=True, slots=True)
class DecisionOutcome:
    """``status`` is ``sent`` (without waiting), ``applied``, ``parked``, ``refused``, ``not sent`` or ``not taken``.

    ``code``, ``field`` and ``fix`` explain a refusal; ``letter`` is the dead letter's id.
    """

    status: str
    code: str = ""
    field: str = ""
    fix: str = ""
    verdict: str = ""
    letter: str = ""

    @property
    def exit_code(self) -> int:
        """0 done, 1 refused, 3 no worker took it."""
        return EXIT_CODES.get(self.status, 0)

    def facts(self) -> dict[str, Any]:
        """The fields that the command reports."""
        facts = {"outcome": self.status, "verdict": self.verdict, "code": self.code, "field": self.field}
        facts |= {"fix": self.fix, "deadLetter": self.letter}
        return {name: value or None for name, value in facts.items()}

    def sentence(self, event_id: str) -> str:
        """The end of the sentence that starts with decision and subject."""
        why = f"{self.code}: {self.fix}"
        match self.status:
            case "applied":
                return f"was accepted: the verdict is {self.verdict} (event {event_id})"
            case "parked":
                return f"waits for its subject: no request for it has come yet (event {event_id})"
            case "refused":
                return f"was refused: {why} (dead letter {self.letter})"
            case "not sent":
                return f"was not sent: {why}"
            case "not taken":
                return f"was sent as event {event_id}, and no worker took it in time: it waits on its topic"
        return f"was sent as event {event_id}"


async def letters_of(opened: Installation, subject: str) -> frozenset[str]:
    """The dead letters of decisions about a subject."""
    async with opened.database.read() as connection:
        return frozenset(row.id for row in await _letters(connection, opened, subject))


async def awaited_outcome(opened: Installation, item: Input, known: frozenset[str], patience: float) -> DecisionOutcome:
    """Wait until a worker has processed the decision, at most ``patience`` seconds. ``known`` are the dead letters that
    existed when it was sent.
    """
    loop = asyncio.get_running_loop()
    end = loop.time() + patience
    while True:
        outcome = await _look(opened, item, known)
        if outcome is not None:
            return outcome
        left = end - loop.time()
        if left <= 0:
            return DecisionOutcome("not taken")
        await asyncio.sleep(min(LOOK_SECONDS, left))


async def _look(opened: Installation, item: Input, known: frozenset[str]) -> DecisionOutcome | None:
    inputs, parked, subjects = tables.inputs, tables.parked, tables.subjects
    async with opened.database.snapshot() as connection:
        if await _holds(connection, inputs, opened, item):
            of = (subjects.c.vasp == opened.entity_id, subjects.c.subject == item.subject)
            verdict = (await connection.execute(select(subjects.c.verdict).where(*of))).scalar_one()
            return DecisionOutcome("applied", verdict=verdict)
        if await _holds(connection, parked, opened, item):
            return DecisionOutcome("parked")
        letters = [row for row in await _letters(connection, opened, item.subject) if row.id not in known]
        keys = await _keys(connection, opened, letters)
    for row in letters:
        if row.id in keys and _event_of(opened, row, keys[row.id]) == item.id:
            return DecisionOutcome("refused", row.code, row.field, row.fix, letter=row.id)
    return None


async def _holds(connection: AsyncConnection, table: Any, opened: Installation, item: Input) -> bool:
    of = (table.c.vasp == opened.entity_id, table.c.source == item.source, table.c.id == item.id)
    return (await connection.execute(select(table.c.id).where(*of))).first() is not None


async def _letters(connection: AsyncConnection, opened: Installation, subject: str) -> list[Any]:
    table = tables.dead_letters
    of = (table.c.vasp == opened.entity_id, table.c.subject == subject, table.c.topic == "decisions")
    return list((await connection.execute(select(table).where(*of))).all())


async def _keys(connection: AsyncConnection, opened: Installation, letters: list[Any]) -> dict[str, bytes]:
    table, names = tables.data_keys, {f"deadletter:{row.id}": row.id for row in letters}
    if not names:
        return {}
    of = (table.c.vasp == opened.entity_id, table.c.subject.in_(names))
    return {names[row.subject]: bytes(row.wrapped) for row in (await connection.execute(select(table).where(*of)))}


def _event_of(opened: Installation, row: Any, wrapped: bytes) -> str:
    subject = f"deadletter:{row.id}"
    key = opened.vault.unwrap(subject, wrapped)
    return event_id_of(unpack_raw(orjson.loads(opened.vault.open(key, "deadletter", subject, bytes(row.sealed)))).value)
