"""Calls and events that the process which decided them handles itself, without a claim.

The row of such a call or event is written with a lease, as if it had been claimed, so that nothing depends on this
process's memory. This saves the query of the claim and the unsealing of content that was sealed a moment ago.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from types import TracebackType
from typing import Any, Self

from travelrule.engine.apply.batch_rows import BatchRows
from travelrule.engine.ports import CallContent, CallPreclaimer, EventPreclaimer
from travelrule.store.call_rows import CallItem
from travelrule.store.outbox_rows import OutboxItem, outbox_item


class PreclaimedCalls:
    """The preclaimed calls of one batch: started after its commit, released if it is rolled back."""

    def __init__(self, preclaimer: CallPreclaimer | None) -> None:
        self._preclaimer = preclaimer
        self._calls: list[tuple[CallItem, CallContent]] = []
        self._revoked: list[tuple[str, tuple[str, ...]]] = []

    def preclaim(self, batch: BatchRows, now: datetime) -> bool:
        """Preclaim the calls for which there is room. Return True if others are left for the next claimer."""
        preclaimer = self._preclaimer
        if preclaimer is None:
            return bool(batch.calls)
        self._revoked = list(batch.revoked_calls.changed)
        for call_id, row in batch.calls.items():
            call = preclaimer.preclaim(row, now)
            if call is not None:
                self._calls.append((call, batch.contents[call_id]))
        return len(self._calls) < len(batch.calls)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._preclaimer is None:
            return
        if kind is None:
            # Before new calls of the same subjects are started.
            for subject, operations in self._revoked:
                self._preclaimer.drop(subject, operations)
        for call, content in self._calls:
            if kind is None:
                self._preclaimer.start(call, content)
            else:
                self._preclaimer.release(call)


class PreclaimedEvents:
    """The preclaimed events of one batch: published after its commit."""

    def __init__(self, preclaimer: EventPreclaimer | None) -> None:
        self._preclaimer = preclaimer
        self._until: datetime | None = None
        self._items: list[OutboxItem] = []
        self.left = False
        """Whether events are left for the next claimer."""

    def lease(self, batch: BatchRows, now: datetime) -> None:
        """Put a lease into the rows that are about to be written, if there is room."""
        rows = batch.records()
        self.left = bool(rows)
        lease = self._preclaimer.lease(len(rows), now) if self._preclaimer is not None and rows else None
        if lease is not None:
            owner, self._until = lease
            batch.lease_records(owner, self._until)

    def note_written(self, batch: BatchRows, written: Sequence[Any]) -> None:
        """Note which rows kept their lease: an event behind an unsent one of its key has lost it."""
        if self._until is None:
            return
        ids = {
            (row.topic, row.key, row.subject, row.sequence): row.id for row in written if row.lease_until is not None
        }
        rows = batch.records()
        named = [(ids.get((row["topic"], row["key"], row["subject"], row["sequence"])), row) for row in rows]
        self._items = [outbox_item(row_id, row) for row_id, row in named if row_id is not None]
        self.left = len(self._items) < len(rows)

    def publish(self) -> None:
        """Publish the leased events, after the commit."""
        if self._preclaimer is not None and self._until is not None and self._items:
            self._preclaimer.publish_soon(self._items, self._until)
