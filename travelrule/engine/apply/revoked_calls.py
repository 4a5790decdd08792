"""Calls that decisions revoke: some are deleted, some end instead of being sent."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from sqlalchemy import tuple_, update
from sqlalchemy.ext.asyncio import AsyncConnection

from travelrule.machine.effects import DropCalls, EndUnsent
from travelrule.store import tables
from travelrule.store.bulk import BulkWrite


@dataclass(slots=True)
class RevokedCalls:
    """The calls that one batch revokes. ``calls`` are the rows that the same batch inserts, by id."""

    vasp: str
    now: datetime
    calls: dict[str, dict[str, Any]]
    dropped: list[tuple[str, tuple[str, ...]]] = field(default_factory=list)
    """Subject and operations; an empty tuple means all."""
    ended: list[tuple[str, str]] = field(default_factory=list)
    """Subject and operation."""

    def add(self, subject: str, effect: DropCalls | EndUnsent) -> None:
        """Revoke calls of a subject."""
        match effect:
            case DropCalls(operations):
                self._drop(subject, operations)
            case EndUnsent(operation):
                self._end_unsent(subject, operation)

    def _drop(self, subject: str, operations: tuple[str, ...]) -> None:
        self.dropped.append((subject, operations))
        for call_id, row in list(self.calls.items()):
            if row["subject"] == subject and (not operations or row["operation"] in operations):
                del self.calls[call_id]

    def _end_unsent(self, subject: str, operation: str) -> None:
        self.ended.append((subject, operation))
        for row in self.calls.values():
            if row["subject"] == subject and row["operation"] == operation:
                row["ends_unsent"] = True

    @property
    def changed(self) -> Iterator[tuple[str, tuple[str, ...]]]:
        """Subject and operations of the calls whose rows change: an earlier claimer must not start them."""
        yield from self.dropped
        yield from ((subject, (operation,)) for subject, operation in self.ended)

    def writes(self) -> list[BulkWrite]:
        """Return the deletions."""
        whole = [{"vasp": self.vasp, "subject": subject} for subject, operations in self.dropped if not operations]
        single = [
            {"vasp": self.vasp, "subject": subject, "operation": operation}
            for subject, operations in self.dropped
            for operation in operations
        ]
        return [BulkWrite("delete", tables.calls, whole), BulkWrite("delete", tables.calls, single)]

    async def mark(self, connection: AsyncConnection) -> None:
        """Mark the calls that end unsent. Run it before the writes of the batch, which may delete the same rows."""
        if not self.ended:
            return
        calls = tables.calls.c
        where = calls.vasp == self.vasp, tuple_(calls.subject, calls.operation).in_(self.ended)
        await connection.execute(update(tables.calls).where(*where).values(ends_unsent=True, due_at=self.now))
