"""Calls that the process which decides on them makes itself, at once.

The row of such a call is written with a lease, as if it had been claimed, so that nothing depends on this process's
memory; what is saved is the claim: a query per handful of calls, the reading and the unsealing of what was sealed a
moment ago.
"""

from __future__ import annotations

from datetime import datetime
from types import TracebackType
from typing import Self

from travelrule.engine.batch import Batch
from travelrule.engine.ports import CallContent, CallTaker
from travelrule.store.queues import CallItem


class Taken:
    """The taken calls of one batch: started when its transaction is committed, given back if it is not."""

    def __init__(self, taker: CallTaker | None) -> None:
        self._taker = taker
        self._calls: list[tuple[CallItem, CallContent]] = []
        self._dropped: list[tuple[str, tuple[str, ...]]] = []

    def of(self, batch: Batch, now: datetime) -> bool:
        """Take what there is room for. True if calls are left for whoever claims them."""
        taker = self._taker
        if taker is None:
            return bool(batch.calls)
        self._dropped = batch.dropped_calls
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
