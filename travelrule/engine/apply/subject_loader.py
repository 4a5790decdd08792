"""Subjects in memory while a batch holds their locks."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any

import orjson
from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncConnection

from travelrule.engine.apply.locked_subject import LockedSubject
from travelrule.engine.apply.recent_states import RecentStates
from travelrule.engine.vault import Vault
from travelrule.machine.port import Machine

# One look into each index per subject, in the order given, whatever the planner believes about tables that have grown
# since it last counted: OFFSET 0 keeps it from turning the look into a join over everything that a VASP has.
_LOCK_POSTGRESQL = text(
    "SELECT s.*, (SELECT k.wrapped FROM data_keys k WHERE k.vasp = :vasp AND k.subject = s.subject) AS wrapped"
    " FROM unnest(CAST(:subjects AS text[])) AS v(subject) CROSS JOIN LATERAL"
    " (SELECT subject, sealed, parked, sequences, head, records, machine_version, machine_records, due_at, traceparent"
    " FROM subjects"
    " WHERE vasp = :vasp AND subjects.subject = v.subject OFFSET 0 FOR UPDATE) s"
)
_LOCK_SQLITE = text(
    "SELECT s.subject, s.sealed, s.parked, s.sequences, s.head, s.records, s.machine_version, s.machine_records,"
    " s.due_at, s.traceparent, k.wrapped"
    " FROM subjects s LEFT JOIN data_keys k ON k.vasp = s.vasp AND k.subject = s.subject"
    " WHERE s.vasp = :vasp AND s.subject IN (SELECT value FROM json_each(:subjects)) ORDER BY s.subject"
)


class SubjectLoader:
    """Locks and reads the subjects of a batch, sorted, and makes ready those that the batch may create.

    Two batches that create the same subject at once cannot see each other; the later one fails on the primary key and
    is repeated, and then finds the row.
    """

    def __init__(self, vasp: str, vault: Vault, machines: dict[str, Machine]) -> None:
        self.recent = RecentStates()
        self._vasp = vasp
        self._vault = vault
        self._machines = machines

    async def lock(
        self, connection: AsyncConnection, subjects: Sequence[str], creatable: set[str]
    ) -> dict[str, LockedSubject]:
        """Every subject of the batch by name. Those in ``creatable`` may get a row if they have none; the others stay
        without a row (a stranger's question about an unknown transfer must not fill the table).
        """
        slots = await self._select(connection, subjects)
        for subject in subjects:
            if subject not in slots:
                slot = slots[subject] = self._blank(subject)
                if subject in creatable:
                    slot.data_key, slot.new_key = self._vault.new_data_key(subject)
        return slots

    async def _select(self, connection: AsyncConnection, subjects: Sequence[str]) -> dict[str, LockedSubject]:
        if connection.dialect.name == "postgresql":
            rows = await connection.execute(_LOCK_POSTGRESQL, {"vasp": self._vasp, "subjects": sorted(subjects)})
        else:
            names = orjson.dumps(sorted(subjects)).decode()
            rows = await connection.execute(_LOCK_SQLITE, {"vasp": self._vasp, "subjects": names})
        return {row.subject: self._slot(row) for row in rows}

    def _slot(self, row: Any) -> LockedSubject:
        slot = self._blank(row.subject)
        slot.stored = True
        slot.parked = row.parked
        slot.sequences = orjson.loads(row.sequences)
        slot.head = bytes(row.head)
        slot.records = row.records
        slot.machine_version, slot.machine_records = row.machine_version, row.machine_records
        slot.sealed = None if row.sealed is None else bytes(row.sealed)
        slot.traceparent = row.traceparent
        slot.due_at = datetime.fromisoformat(row.due_at) if isinstance(row.due_at, str) else row.due_at
        if row.wrapped is None:
            slot.erased = True
            self.recent.forget(row.subject)
            return slot
        slot.data_key = self._vault.unwrap(row.subject, bytes(row.wrapped))
        kept = self.recent.find(row.subject, slot.head)
        if kept is not None:
            slot.state, slot.projection, slot.projected = kept.state, kept.projection, kept.projection
        elif slot.sealed is not None:
            machine = self._machines[slot.kind]
            stored = self._vault.open(slot.data_key, "state", row.subject, slot.sealed)
            slot.state = machine.load(stored)
            slot.projection = slot.projected = machine.project(slot.state)
            if slot.written_by != machine.version:
                slot.before = stored
        return slot

    def _blank(self, subject: str) -> LockedSubject:
        return LockedSubject(subject=subject, kind=subject.partition(":")[0])
