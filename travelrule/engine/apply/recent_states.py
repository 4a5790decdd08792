"""A cache of the states that this process wrote last: the next input of the subject need not open and parse them.

The row is locked and read in any case. A cached state is used only if the row still has the head of the audit chain
that was written with it. The cache holds personal data, so it is small and short-lived.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from travelrule.engine.apply.locked_subject import LockedSubject
from travelrule.machine.projection import Projection

STATES_MAX = 2000
MAX_AGE_SECONDS = 60.0


@dataclass(frozen=True, slots=True)
class RecentState:
    """State and projection of a subject whose row has this ``head``."""

    head: bytes
    at: datetime
    state: Any = field(repr=False)
    projection: Projection | None = field(repr=False)


class RecentStates:
    """The states of one engine by subject, least recently written first."""

    def __init__(self) -> None:
        self._states: OrderedDict[str, RecentState] = OrderedDict()

    def find(self, name: str, head: bytes) -> RecentState | None:
        """Return the state that was written with ``head``, if it is cached."""
        recent = self._states.get(name)
        return recent if recent is not None and recent.head == head else None

    def remove(self, name: str) -> None:
        """Remove the state of an erased subject."""
        self._states.pop(name, None)

    def add(self, subjects: Iterable[LockedSubject], now: datetime) -> None:
        """Add the states of a committed batch; evict the oldest."""
        for subject in subjects:
            if subject.dumped and not subject.erased:
                self._states[subject.name] = RecentState(subject.head, now, subject.state, subject.projection)
                self._states.move_to_end(subject.name)
        oldest = now - timedelta(seconds=MAX_AGE_SECONDS)
        while self._states:
            name, recent = next(iter(self._states.items()))
            if len(self._states) <= STATES_MAX and recent.at >= oldest:
                return
            del self._states[name]
