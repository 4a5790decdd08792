"""The events that a subject's records say were emitted: one after the other, up to the counters of its row.

This needs no machine, so it holds for records of every version. Alerts may have gaps: some are raised outside of any
decision.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

UNRECORDED = "alerts"
"""The topic whose events also come from outside of decisions."""


class RecordedEvents:
    """Counts along the records of one subject."""

    def __init__(self) -> None:
        self._last: dict[str, int] = {}

    def follow(self, events: Sequence[Mapping[str, Any]]) -> bool:
        """Whether the events of the next record continue those before."""
        for event in events:
            counter, number = f"{event['topic']}:{event['key']}", event["sequence"]
            last = self._last.get(counter, 0)
            if number <= last or (number != last + 1 and event["topic"] != UNRECORDED):
                return False
            self._last[counter] = number
        return True

    def end_at(self, counters: Mapping[str, int]) -> bool:
        """Whether the row's counters stand where the records end."""
        for counter in {*self._last, *counters}:
            recorded, counted = self._last.get(counter, 0), counters.get(counter, 0)
            if counted < recorded or (counted > recorded and counter.partition(":")[0] != UNRECORDED):
                return False
        return True
