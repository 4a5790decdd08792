"""Locking and reading of the subjects of a batch."""

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

# One index access per subject, in the order given, whatever statistics the planner has: OFFSET 0 keeps it from joining
# all rows of a VASP.
_LOCK_POSTGRESQL = text(
    "SELECT s.*, (SELECT k.wrapped FROM data_keys k WHERE k.vasp = :vasp AND k.subject = s.subject) AS wrapped"
    " FROM unnest(CAST(:subjects AS text[])) AS v(subject) CROSS JOIN LATERAL"
    " (SELECT subject, sealed, parked, sequences, head, records, machine_version, machine_records, due_at, traceparent,"
    " reason, requested_at, answer_due_at FROM subjects"
    " WHERE vasp = :vasp AND subjects.subject = v.subject OFFSET 0 FOR UPDATE) s"
)
_LOCK_SQLITE = text(
    "SELECT s.subject, s.sealed, s.parked, s.sequences, s.head, s.records, s.machine_version, s.machine_records,"
    " s.due_at, s.traceparent, s.reason, s.requested_at, s.answer_due_at, k.wrapped"
    " FROM subjects s LEFT JOIN data_keys k ON k.vasp = s.vasp AND k.subject = s.subject"
    " WHERE s.vasp = :vasp AND s.subject IN (SELECT value FROM json_each(:subjects)) ORDER BY s.subject"
)


class SubjectLoader:
    """Locks the subjects of a batch in sorted order, reads them, and prepares those that the batch may create.

    Of two batches that create the same subject at once the later one fails on the primary key; it is repeated and then
    finds the row.
    """

    def __init__(self, vasp: str, vault: Vault, machines: dict[str, Machine]) -> None:
        self.recent = RecentStates()
        self._vasp = vasp
        self._vault = vault
        self._machines = machines

    async def lock(
        self, connection: AsyncConnection, names: Sequence[str], creatable: set[str]
    ) -> dict[str, LockedSubject]:
        """Return every subject by name. Those in ``creatable`` may get a row if they have none; the others stay without
        one, so that a stranger's request for an unknown transfer does not fill the table.
        """
        subjects = await self._select(connection, names)
        for name in names:
            if name not in subjects:
                subject = subjects[name] = self._blank(name)
                if name in creatable:
                    subject.data_key, subject.new_key = self._vault.new_data_key(name)
        return subjects

    async def _select(self, connection: AsyncConnection, names: Sequence[str]) -> dict[str, LockedSubject]:
        if connection.dialect.name == "postgresql":
            rows = await connection.execute(_LOCK_POSTGRESQL, {"vasp": self._vasp, "subjects": sorted(names)})
        else:
            parameters = {"vasp": self._vasp, "subjects": orjson.dumps(sorted(names)).decode()}
            rows = await connection.execute(_LOCK_SQLITE, parameters)
        return {row.subject: self._locked(row) for row in rows}

    def _locked(self, row: Any) -> LockedSubject:
        subject = self._blank(row.subject)
        subject.stored = True
        subject.parked = row.parked
        subject.sequences = orjson.loads(row.sequences)
        subject.head = bytes(row.head)
        subject.records = row.records
        subject.machine_version, subject.machine_records = row.machine_version, row.machine_records
        subject.sealed = None if row.sealed is None else bytes(row.sealed)
        subject.traceparent = row.traceparent
        subject.due_at, subject.reason = _moment(row.due_at), row.reason
        subject.requested_at, subject.answer_due_at = _moment(row.requested_at), _moment(row.answer_due_at)
        if row.wrapped is None:
            subject.erased = True
            self.recent.remove(row.subject)
            return subject
        subject.data_key = self._vault.unwrap(row.subject, bytes(row.wrapped))
        recent = self.recent.find(row.subject, subject.head)
        if recent is not None:
            subject.state = recent.state
            subject.projection = subject.projected = recent.projection
        elif subject.sealed is not None:
            machine = self._machines[subject.kind]
            stored = self._vault.open(subject.data_key, "state", row.subject, subject.sealed)
            subject.state = machine.load(stored)
            subject.projection = subject.projected = machine.project(subject.state)
            if subject.written_by != machine.version:
                subject.before = stored
        return subject

    def _blank(self, name: str) -> LockedSubject:
        return LockedSubject(name=name, kind=name.partition(":")[0])


def _moment(stored: datetime | str | None) -> datetime | None:
    """Return a time of a row; SQLite stores it as text."""
    return datetime.fromisoformat(stored) if isinstance(stored, str) else stored
