"""The events in a subject's records: numbered without gaps, up to the counters of its row.

The check needs no machine, so it applies to records of every version. Alerts may have gaps, because some are raised
outside decisions.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

UNRECORDED = "alerts"
"""The topic whose events may also be emitted outside decisions."""


class RecordedEvents:
    """Counts the events of one subject's records, record by record."""

    def __init__(self) -> None:
        self._last: dict[str, int] = {}

    def follow(self, events: Sequence[Mapping[str, Any]]) -> bool:
        """Count the events of the next record. Return False if they do not continue the earlier ones."""
        for event in events:
            counter, number = f"{event['topic']}:{event['key']}", event["sequence"]
            last = self._last.get(counter, 0)
            if number <= last or (number != last + 1 and event["topic"] != UNRECORDED):
                return False
            self._last[counter] = number
        return True

    def end_at(self, counters: Mapping[str, int]) -> bool:
        """Whether the row's counters equal the last numbers in the records."""
        for counter in {*self._last, *counters}:
            recorded, counted = self._last.get(counter, 0), counters.get(counter, 0)
            if counted < recorded or (counted > recorded and counter.partition(":")[0] != UNRECORDED):
                return False
        return True
