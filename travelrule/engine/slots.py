"""Subjects in memory while a batch holds their locks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

import orjson
from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncConnection

from travelrule.crypto.audit_chain import CHAIN_START
from travelrule.engine.vault import Vault
from travelrule.exchange.decision import Projection
from travelrule.exchange.machine import Machine

NO_HEAD = CHAIN_START

_LOCK_POSTGRESQL = text(
    "SELECT s.subject, s.sealed, s.parked, s.sequences, s.head, s.records, s.due_at, k.wrapped FROM subjects s"
    " LEFT JOIN data_keys k ON k.vasp = s.vasp AND k.subject = s.subject"
    " WHERE s.vasp = :vasp AND s.subject = ANY(CAST(:subjects AS text[])) ORDER BY s.subject FOR UPDATE OF s"
)
_LOCK_SQLITE = text(
    "SELECT s.subject, s.sealed, s.parked, s.sequences, s.head, s.records, s.due_at, k.wrapped FROM subjects s"
    " LEFT JOIN data_keys k ON k.vasp = s.vasp AND k.subject = s.subject"
    " WHERE s.vasp = :vasp AND s.subject IN (SELECT value FROM json_each(:subjects)) ORDER BY s.subject"
)


@dataclass(slots=True)
class Slot:
    """One locked subject. ``state`` None: nothing has created it yet (it may hold parked inputs).

    ``erased`` means that the data key was destroyed: the state can never be read again. A subject that is not there yet
    but may be has its wrapped data key in ``new_key``; its row is inserted if the batch changes it. ``dumped`` is the
    state as bytes, once a decision of this batch has changed it.
    """

    subject: str
    kind: str
    stored: bool = False
    erased: bool = False
    new_key: bytes = b""
    state: Any = field(default=None, repr=False)
    dumped: bytes = field(default=b"", repr=False)
    data_key: bytes = field(default=b"", repr=False)
    sequences: dict[str, int] = field(default_factory=dict)
    head: bytes = NO_HEAD
    records: int = 0
    parked: int = 0
    due_at: datetime | None = None
    projection: Projection | None = field(default=None, repr=False)
    changed: bool = False

    @property
    def bare_id(self) -> str:
        """The subject without its kind: the Kafka key of what is said about it."""
        return self.subject.partition(":")[2]


class Slots:
    """Locks and reads the subjects of a batch, sorted, and makes ready those that the batch may create.

    Two batches that create the same subject at once cannot see each other; the later one fails on the primary key and
    is repeated, and then finds the row.
    """

    def __init__(self, vasp: str, vault: Vault, machines: dict[str, Machine]) -> None:
        self._vasp = vasp
        self._vault = vault
        self._machines = machines

    async def lock(
        self, connection: AsyncConnection, subjects: Sequence[str], creatable: set[str]
    ) -> dict[str, Slot]:
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

    async def _select(self, connection: AsyncConnection, subjects: Sequence[str]) -> dict[str, Slot]:
        if connection.dialect.name == "postgresql":
            rows = await connection.execute(_LOCK_POSTGRESQL, {"vasp": self._vasp, "subjects": sorted(subjects)})
        else:
            names = orjson.dumps(sorted(subjects)).decode()
            rows = await connection.execute(_LOCK_SQLITE, {"vasp": self._vasp, "subjects": names})
        return {row.subject: self._slot(row) for row in rows}

    def _slot(self, row: Any) -> Slot:
        slot = self._blank(row.subject)
        slot.stored = True
        slot.parked = row.parked
        slot.sequences = orjson.loads(row.sequences)
        slot.head = bytes(row.head)
        slot.records = row.records
        slot.due_at = datetime.fromisoformat(row.due_at) if isinstance(row.due_at, str) else row.due_at
        if row.wrapped is None:
            slot.erased = True
            return slot
        slot.data_key = self._vault.unwrap(row.subject, bytes(row.wrapped))
        if row.sealed is not None:
            machine = self._machines[slot.kind]
            slot.state = machine.load(self._vault.open(slot.data_key, "state", row.subject, bytes(row.sealed)))
            slot.projection = machine.project(slot.state)
        return slot

    def _blank(self, subject: str) -> Slot:
        return Slot(subject=subject, kind=subject.partition(":")[0])
