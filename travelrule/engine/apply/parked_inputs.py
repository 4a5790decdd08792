"""Inputs that wait for their subject, as one batch sees them.

An id that waits already names one content there too: without that look a second message under the id of a waiting one
would be acknowledged and kept nowhere. The batch holds the locks of all its subjects meanwhile, so whatever it needs of
the store is read for all of its inputs, or all of its subjects, at once.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

import orjson
from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncConnection

from travelrule.engine.apply.batch_rows import BatchRows
from travelrule.engine.apply.locked_subject import LockedSubject
from travelrule.engine.input_envelope import pack, unpack
from travelrule.engine.vault import Vault
from travelrule.machine.input import Input

# OFFSET 0: one look into the index per name, see ``subject_loader``.
_WAITING = {
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
_PARKED = {
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

Waiting = Literal["nothing", "the same", "another"]
Name = tuple[str, str]
"""Source and id of an input."""


class ParkedInputs:
    """What waits in the store and in the batch itself. ``subject_loader`` and ``items`` are those of the batch."""

    def __init__(
        self,
        connection: AsyncConnection,
        batch: BatchRows,
        vault: Vault,
        slots: dict[str, LockedSubject],
        items: Sequence[Input],
    ) -> None:
        self._connection = connection
        self._batch = batch
        self._vault = vault
        self._slots = slots
        self._items = items
        self._fresh: dict[Name, tuple[str, bytes]] = {}
        self._stored: dict[Name, Any] = {}
        self._of_subject: dict[str, list[Any]] = {}

    async def under(self, item: Input) -> Waiting:
        """What waits under the id of an input that this batch parked last."""
        name = item.source, item.id
        if name in self._fresh:
            subject, sealed = self._fresh[name]
            return self._compared(self._slots[subject].data_key, subject, sealed, item)
        if name not in self._stored:
            await self._look_up(name)
        stored = self._stored[name]
        if stored is not None:
            key = self._vault.unwrap(stored.subject, bytes(stored.wrapped))
            return self._compared(key, stored.subject, bytes(stored.sealed), item)
        row = self._batch.parked[-1]
        self._fresh[name] = row["subject"], row["sealed"]
        return "nothing"

    async def release(self, slot: LockedSubject) -> tuple[list[bytes], list[Name]]:
        """Take what waits for a subject that has arrived, in the order in which it came; the names are those of the
        stored ones of every subject of the batch that was looked up for it.
        """
        names: list[Name] = []
        if slot.stored and slot.subject not in self._of_subject:
            names = await self._look_up_subjects(slot)
        stored = [bytes(row.sealed) for row in self._of_subject.pop(slot.subject, ())]
        fresh = [row for row in self._batch.parked if row["subject"] == slot.subject]
        self._batch.parked = [row for row in self._batch.parked if row["subject"] != slot.subject]
        for row in fresh:
            self._fresh.pop((row["source"], row["id"]), None)
        return [*stored, *(row["sealed"] for row in fresh)], names

    async def _look_up(self, name: Name) -> None:
        """Look for this name and for those of all inputs that may park as well."""
        names = [
            (item.source, item.id)
            for item in self._items
            if self._slots[item.subject].state is None and not self._slots[item.subject].erased
        ]
        wanted = [one for one in dict.fromkeys([name, *names]) if one not in self._stored]
        self._stored |= dict.fromkeys(wanted)
        parameters: dict[str, Any] = {"pairs": orjson.dumps(wanted).decode()}
        if self._is_postgresql:
            parameters = {"sources": [source for source, _ in wanted], "ids": [one for _, one in wanted]}
        rows = await self._connection.execute(_WAITING[self._is_postgresql], {"vasp": self._batch.vasp, **parameters})
        self._stored |= {(row.source, row.id): row for row in rows}

    async def _look_up_subjects(self, arrived: LockedSubject) -> list[Name]:
        """Read what waits for this subject and for all others of the batch that may arrive as well."""
        waited_for = [
            slot.subject for slot in self._slots.values() if slot.stored and slot.parked and slot.state is None
        ]
        subjects: Any = [one for one in {arrived.subject, *waited_for} if one not in self._of_subject]
        self._of_subject |= {subject: [] for subject in subjects}
        if not self._is_postgresql:
            subjects = orjson.dumps(subjects).decode()
        parameters = {"vasp": self._batch.vasp, "subjects": subjects}
        rows = (await self._connection.execute(_PARKED[self._is_postgresql], parameters)).all()
        for row in rows:
            self._of_subject[row.subject].append(row)
        return [(row.source, row.id) for row in rows]

    @property
    def _is_postgresql(self) -> bool:
        return self._connection.dialect.name == "postgresql"

    def _compared(self, key: bytes, subject: str, sealed: bytes, item: Input) -> Waiting:
        there, new = unpack(self._vault.open(key, "parked", subject, sealed)), unpack(pack(item))
        same = (there.type, there.subject, there.content) == (new.type, new.subject, new.content)
        return "the same" if same else "another"
