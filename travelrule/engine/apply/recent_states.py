"""States that this process wrote a moment ago, so that the next input of the subject need not open and read them again.

A cache and nothing else: the row is locked and read in any case, and a state is taken from here only if the row still
has the head of the audit chain that was written with it. It holds personal data, so it is small and short-lived.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from travelrule.engine.apply.locked_subject import LockedSubject
from travelrule.machine.projection import Projection

KEPT_MAX = 2000
KEPT_SECONDS = 60.0


@dataclass(frozen=True, slots=True)
class RecentState:
    """What is known of a subject whose row has this ``head``."""

    head: bytes
    at: datetime
    state: Any = field(repr=False)
    projection: Projection | None = field(repr=False)


class RecentStates:
    """The states of one engine by subject, the oldest first."""

    def __init__(self) -> None:
        self._kept: OrderedDict[str, RecentState] = OrderedDict()

    def find(self, subject: str, head: bytes) -> RecentState | None:
        """The state that was written together with ``head``, if it is still here."""
        kept = self._kept.get(subject)
        return kept if kept is not None and kept.head == head else None

    def forget(self, subject: str) -> None:
        """The subject was erased."""
        self._kept.pop(subject, None)

    def keep(self, slots: Iterable[LockedSubject], now: datetime) -> None:
        """Take up what a committed batch wrote, and drop what is old."""
        for slot in slots:
            if slot.dumped and not slot.erased:
                self._kept[slot.subject] = RecentState(slot.head, now, slot.state, slot.projection)
                self._kept.move_to_end(slot.subject)
        oldest = now - timedelta(seconds=KEPT_SECONDS)
        while self._kept:
            subject, kept = next(iter(self._kept.items()))
            if len(self._kept) <= KEPT_MAX and kept.at >= oldest:
                return
            del self._kept[subject]
