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
from travelrule.store import bulk, tables

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

    ``erased`` means that the data key was destroyed: the state can never be read again.
    """

    subject: str
    kind: str
    stored: bool = False
    erased: bool = False
    state: Any = field(default=None, repr=False)
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
    """Locks and reads the subjects of a batch, sorted, and creates the missing rows first."""

    def __init__(self, vasp: str, vault: Vault, machines: dict[str, Machine]) -> None:
        self._vasp = vasp
        self._vault = vault
        self._machines = machines

    async def lock(
        self, connection: AsyncConnection, subjects: Sequence[str], creatable: set[str], now: datetime
    ) -> dict[str, Slot]:
        """Every subject of the batch by name. Those in ``creatable`` get a row if they have none; the others stay
        without a row (a stranger's question about an unknown transfer must not fill the table).
        """
        slots = await self._select(connection, subjects)
        missing = sorted(subject for subject in creatable if subject not in slots)
        if missing:
            await self._create(connection, missing, now)
            slots |= await self._select(connection, missing)
        for subject in subjects:
            if subject not in slots:
                slots[subject] = self._blank(subject)
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

    async def _create(self, connection: AsyncConnection, subjects: Sequence[str], now: datetime) -> None:
        rows = [
            {
                "vasp": self._vasp,
                "subject": subject,
                "kind": subject.partition(":")[0],
                "status": "",
                "verdict": "",
                "chain": "",
                "counterparty": "",
                "parked": 0,
                "sequences": "{}",
                "head": NO_HEAD,
                "records": 0,
                "created_at": now,
                "updated_at": now,
            }
            for subject in subjects
        ]
        keys = [
            {
                "vasp": self._vasp,
                "subject": subject,
                "wrapped": self._vault.new_data_key(subject)[1],
                "created_at": now,
            }
            for subject in subjects
        ]
        await bulk.insert(connection, tables.subjects, rows, conflict="nothing")
        await bulk.insert(connection, tables.data_keys, keys, conflict="nothing")
