"""Calls that this process has taken and not yet begun, because all places were in use when they came.

Without this, whatever finds no place at once has to be claimed from the store later: a query over everything that
waits, per handful of calls, which under load costs more than all the rest. A held call keeps its lease and waits for
a moment only; what waits longer goes back to the store, where another process may find it.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta

from travelrule.engine.ports import CallContent
from travelrule.store.call_rows import CallItem

HELD_SECONDS = 2.0
"""Far shorter than the lease less the longest request, and short enough for whoever could begin the call at once."""


@dataclass(frozen=True, slots=True)
class QueuedCall:
    """A call that waits here since ``at``; ``content`` None: it is to be read from the call's sealed content."""

    call: CallItem
    content: CallContent | None
    at: datetime


class LocalCallQueue:
    """What waits, by counterparty and in order; at most ``most`` in all and a quarter of that for one counterparty."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._per_target = most // 4
        self._lines: dict[str, deque[QueuedCall]] = {}
        self._count = 0

    def __len__(self) -> int:
        return self._count

    @property
    def room(self) -> int:
        """How many more may wait."""
        return self._most - self._count

    def room_for(self, target: str) -> int:
        """How many more calls to this counterparty may wait."""
        return min(self.room, self._per_target - self.waiting(target))

    def waiting(self, target: str) -> int:
        """How many calls to this counterparty wait."""
        return len(self._lines.get(target, ()))

    def targets(self) -> list[str]:
        """The counterparties for which something waits."""
        return list(self._lines)

    def add(self, call: CallItem, content: CallContent | None, now: datetime) -> None:
        """Let a call wait behind the others of its counterparty."""
        self._lines.setdefault(call.target, deque()).append(QueuedCall(call, content, now))
        self._count += 1

    def pop(self, has_place: Callable[[str], bool]) -> QueuedCall | None:
        """The next call of a counterparty that has a place; counterparties take turns."""
        for target, line in self._lines.items():
            if has_place(target):
                held = line.popleft()
                self._count -= 1
                del self._lines[target]
                if line:
                    self._lines[target] = line  # to the end: the others are served first
                return held
        return None

    def overdue(self, now: datetime) -> list[CallItem]:
        """Take out what has waited for too long."""
        oldest = now - timedelta(seconds=HELD_SECONDS)
        return self._take_out(lambda held: held.at < oldest)

    def drop(self, subject: str, operations: tuple[str, ...]) -> None:
        """Forget the calls of a subject (of these operations; empty: all): they were taken back."""
        self._take_out(
            lambda held: held.call.subject == subject and (not operations or held.call.operation in operations)
        )

    def clear(self) -> list[CallItem]:
        """Take out everything."""
        return self._take_out(lambda _: True)

    def _take_out(self, wanted: Callable[[QueuedCall], bool]) -> list[CallItem]:
        out: list[CallItem] = []
        for target, line in list(self._lines.items()):
            found = [held for held in line if wanted(held)]
            if not found:
                continue
            out += [held.call for held in found]
            kept = deque(held for held in line if not wanted(held))
            if kept:
                self._lines[target] = kept
            else:
                del self._lines[target]
        self._count -= len(out)
        return out
