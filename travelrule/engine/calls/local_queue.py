"""The queue of calls that this process has claimed and not started, because all places are in use.

Without it a call without a place is claimed from the store later, and under load these claims cost more than the calls.
A queued call keeps its lease for ``HELD_SECONDS``; after that it is released for other processes.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta

from travelrule.engine.ports import CallContent
from travelrule.store.call_rows import CallItem

HELD_SECONDS = 2.0
"""Much shorter than the lease less the longest request."""


@dataclass(frozen=True, slots=True)
class QueuedCall:
    """A call that is queued since ``at``. ``content`` None: it is read from the sealed content of the call."""

    call: CallItem
    content: CallContent | None
    at: datetime


class LocalCallQueue:
    """Queues calls by counterparty: at most ``most`` in all, and a quarter of that for one counterparty."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._per_target = most // 4
        self._lines: dict[str, deque[QueuedCall]] = {}
        self._count = 0

    def __len__(self) -> int:
        return self._count

    @property
    def room(self) -> int:
        """How many more calls may be queued."""
        return self._most - self._count

    def room_for(self, target: str) -> int:
        """Return how many more calls to ``target`` may be queued."""
        return min(self.room, self._per_target - self.waiting(target))

    def waiting(self, target: str) -> int:
        """Return how many calls to ``target`` are queued."""
        return len(self._lines.get(target, ()))

    def targets(self) -> list[str]:
        """Return the counterparties with queued calls."""
        return list(self._lines)

    def add(self, call: CallItem, content: CallContent | None, now: datetime) -> None:
        """Queue a call behind the others to its counterparty."""
        self._lines.setdefault(call.target, deque()).append(QueuedCall(call, content, now))
        self._count += 1

    def pop(self, has_place: Callable[[str], bool]) -> QueuedCall | None:
        """Remove and return the next call whose counterparty has a place, if any; counterparties alternate."""
        for target, line in self._lines.items():
            if has_place(target):
                queued = line.popleft()
                self._count -= 1
                del self._lines[target]
                if line:
                    self._lines[target] = line  # to the end: the others are served first
                return queued
        return None

    def overdue(self, now: datetime) -> list[CallItem]:
        """Remove and return the calls that are queued for longer than ``HELD_SECONDS``."""
        oldest = now - timedelta(seconds=HELD_SECONDS)
        return self._take_out(lambda queued: queued.at < oldest)

    def drop(self, subject: str, operations: tuple[str, ...]) -> None:
        """Remove the revoked calls of a subject: those of ``operations``, or all if it is empty."""
        self._take_out(
            lambda queued: queued.call.subject == subject and (not operations or queued.call.operation in operations)
        )

    def clear(self) -> list[CallItem]:
        """Remove and return all calls."""
        return self._take_out(lambda _: True)

    def _take_out(self, wanted: Callable[[QueuedCall], bool]) -> list[CallItem]:
        out: list[CallItem] = []
        for target, line in list(self._lines.items()):
            found = [queued for queued in line if wanted(queued)]
            if not found:
                continue
            out += [queued.call for queued in found]
            kept = deque(queued for queued in line if not wanted(queued))
            if kept:
                self._lines[target] = kept
            else:
                del self._lines[target]
        self._count -= len(out)
        return out
