"""The parked inputs that concern one batch.

The id of a parked input names one content: without this check a second message under the same id would be acknowledged
and lost. The batch holds the locks of all its subjects, so each query reads for all of its inputs, or all of its
subjects, at once.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

import orjson
from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncConnection

from travelrule.engine.apply.batch_rows import BatchRows
from travelrule.engine.apply.known_inputs import InputName
from travelrule.engine.apply.locked_subject import LockedSubject
from travelrule.engine.input_envelope import pack, unpack
from travelrule.machine.input import Input

# OFFSET 0: one index access per name, see ``subject_loader``.
_PARKED_UNDER = {
    True: text(
        "SELECT p.source, p.id, p.subject, p.sealed, k.wrapped"
        " FROM unnest(CAST(:sources AS text[]), CAST(:ids AS text[])) AS v(source, id) CROSS JOIN LATERAL"
        " (SELECT source, id, subject, sealed FROM parked"
        " WHERE vasp = :vasp AND parked.source = v.source AND parked.id = v.id OFFSET 0) p"
        " JOIN data_keys k ON k.vasp = :vasp AND k.subject = p.subject"
    ),
    False: text(
        "SELECT p.source, p.id, p.subject, p.sealed, k.wrapped FROM parked p"
        " JOIN json_each(:pairs) v ON p.source = json_extract(v.value, '$[0]') AND p.id = json_extract(v.value, '$[1]')"
        " JOIN data_keys k ON k.vasp = p.vasp AND k.subject = p.subject WHERE p.vasp = :vasp"
    ),
}
_PARKED_FOR = {
    True: text(
        "SELECT p.* FROM unnest(CAST(:subjects AS text[])) AS v(subject) CROSS JOIN LATERAL"
        " (SELECT subject, source, id, sealed, parked_at FROM parked"
        " WHERE vasp = :vasp AND parked.subject = v.subject OFFSET 0) p ORDER BY p.parked_at, p.source, p.id"
    ),
    False: text(
        "SELECT subject, source, id, sealed FROM parked"
        " WHERE vasp = :vasp AND subject IN (SELECT value FROM json_each(:subjects)) ORDER BY parked_at, source, id"
    ),
}

ParkedContent = Literal["nothing", "the same", "another"]
"""What is parked under the id of an input, compared with the input."""


class ParkedInputs:
    """Parked inputs of the store and of the batch itself. ``subjects`` and ``items`` are those of the batch."""

    def __init__(
        self,
        connection: AsyncConnection,
        batch: BatchRows,
        subjects: dict[str, LockedSubject],
        items: Sequence[Input],
    ) -> None:
        self._connection = connection
        self._batch = batch
        self._subjects = subjects
        self._items = items
        self._fresh: dict[InputName, tuple[str, bytes]] = {}
        self._stored: dict[InputName, Any] = {}
        self._of_subject: dict[str, list[Any]] = {}

    async def parked_under_id(self, item: Input) -> ParkedContent:
        """Compare the input that this batch parked last with what was parked earlier under its id."""
        name = item.source, item.id
        if name in self._fresh:
            subject, sealed = self._fresh[name]
            return self._compared(self._subjects[subject].data_key, subject, sealed, item)
        if name not in self._stored:
            await self._look_up(name)
        stored = self._stored[name]
        if stored is not None:
            key = self._batch.vault.unwrap(stored.subject, bytes(stored.wrapped))
            return self._compared(key, stored.subject, bytes(stored.sealed), item)
        row = self._batch.parked[-1]
        self._fresh[name] = row["subject"], row["sealed"]
        return "nothing"

    async def release(self, subject: LockedSubject) -> tuple[list[bytes], list[InputName]]:
        """Remove the parked inputs of a subject that has arrived. Return them sealed, in order of arrival, and the
        names of all stored ones that the query found for subjects of the batch.
        """
        names: list[InputName] = []
        if subject.stored and subject.name not in self._of_subject:
            names = await self._look_up_subjects(subject)
        stored = [bytes(row.sealed) for row in self._of_subject.pop(subject.name, ())]
        fresh = [row for row in self._batch.parked if row["subject"] == subject.name]
        self._batch.parked = [row for row in self._batch.parked if row["subject"] != subject.name]
        for row in fresh:
            self._fresh.pop((row["source"], row["id"]), None)
        return [*stored, *(row["sealed"] for row in fresh)], names

    async def _look_up(self, name: InputName) -> None:
        """Look up this name and those of all other inputs that may be parked."""
        names = [
            (item.source, item.id)
            for item in self._items
            if self._subjects[item.subject].state is None and not self._subjects[item.subject].erased
        ]
        wanted = [one for one in dict.fromkeys([name, *names]) if one not in self._stored]
        self._stored |= dict.fromkeys(wanted)
        parameters: dict[str, Any] = {"pairs": orjson.dumps(wanted).decode()}
        if self._is_postgresql:
            parameters = {"sources": [source for source, _ in wanted], "ids": [input_id for _, input_id in wanted]}
        statement = _PARKED_UNDER[self._is_postgresql]
        rows = await self._connection.execute(statement, {"vasp": self._batch.vasp, **parameters})
        self._stored |= {(row.source, row.id): row for row in rows}

    async def _look_up_subjects(self, arrived: LockedSubject) -> list[InputName]:
        """Read the parked inputs of this subject and of all others of the batch that may arrive."""
        candidates = [
            subject.name
            for subject in self._subjects.values()
            if subject.stored and subject.parked and subject.state is None
        ]
        subjects: Any = [name for name in {arrived.name, *candidates} if name not in self._of_subject]
        self._of_subject |= {name: [] for name in subjects}
        if not self._is_postgresql:
            subjects = orjson.dumps(subjects).decode()
        parameters = {"vasp": self._batch.vasp, "subjects": subjects}
        rows = (await self._connection.execute(_PARKED_FOR[self._is_postgresql], parameters)).all()
        for row in rows:
            self._of_subject[row.subject].append(row)
        return [(row.source, row.id) for row in rows]

    @property
    def _is_postgresql(self) -> bool:
        return self._connection.dialect.name == "postgresql"

    def _compared(self, key: bytes, subject: str, sealed: bytes, item: Input) -> ParkedContent:
        parked, new = unpack(self._batch.vault.open(key, "parked", subject, sealed)), unpack(pack(item))
        same = (parked.type, parked.subject, parked.content) == (new.type, new.subject, new.content)
        return "the same" if same else "another"
