"""Calls and events that the process which decides on them makes and publishes itself, at once.

The row of such a call or event is written with a lease, as if it had been claimed, so that nothing depends on this
process's memory; what is saved is the claim: a query per handful of rows, the reading and the unsealing of what was
sealed a moment ago.
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
    """The taken calls of one batch: started when its transaction is committed, given back if it is not."""

    def __init__(self, taker: CallPreclaimer | None) -> None:
        self._taker = taker
        self._calls: list[tuple[CallItem, CallContent]] = []
        self._dropped: list[tuple[str, tuple[str, ...]]] = []

    def of(self, batch: BatchRows, now: datetime) -> bool:
        """Take what there is room for. True if calls are left for whoever claims them."""
        taker = self._taker
        if taker is None:
            return bool(batch.calls)
        self._dropped = list(batch.revoked_calls.held)
        for call_id, row in batch.calls.items():
            call = taker.take(row, now)
            if call is not None:
                self._calls.append((call, batch.contents[call_id]))
        return len(self._calls) < len(batch.calls)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._taker is None:
            return
        if kind is None:
            # Before new ones of the same subjects are begun.
            for subject, operations in self._dropped:
                self._taker.drop(subject, operations)
        for call, content in self._calls:
            if kind is None:
                self._taker.start(call, content)
            else:
                self._taker.give_back(call)


class PreclaimedEvents:
    """The taken events of one batch: published when its transaction is committed."""

    def __init__(self, taker: EventPreclaimer | None) -> None:
        self._taker = taker
        self._until: datetime | None = None
        self._items: list[OutboxItem] = []
        self.left = False
        """Whether events are left for whoever claims them."""

    def lease(self, batch: BatchRows, now: datetime) -> None:
        """Put a lease into the rows that are about to be written."""
        rows = batch.events()
        self.left = bool(rows)
        lease = self._taker.lease(len(rows), now) if self._taker is not None and rows else None
        if lease is not None:
            owner, self._until = lease
            batch.lease_events(owner, self._until)

    def written(self, batch: BatchRows, written: Sequence[Any]) -> None:
        """What became of the leases: an event whose key has an earlier one that is not sent got none."""
        if self._until is None:
            return
        ids = {
            (row.topic, row.key, row.subject, row.sequence): row.id for row in written if row.lease_until is not None
        }
        rows = batch.events()
        named = [(ids.get((row["topic"], row["key"], row["subject"], row["sequence"])), row) for row in rows]
        self._items = [outbox_item(row_id, row) for row_id, row in named if row_id is not None]
        self.left = len(self._items) < len(rows)

    def publish(self) -> None:
        """The transaction is committed."""
        if self._taker is not None and self._until is not None and self._items:
            self._taker.publish_soon(self._items, self._until)
