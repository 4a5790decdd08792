"""The numbers of recorded events have no gap and no repetition, but for alerts."""

from __future__ import annotations

from typing import Any

import pytest

from travelrule.engine.audit.recorded_events import RecordedEvents


def event(number: int, topic: str = "verdicts", key: str = "w-1") -> dict[str, Any]:
    return {"topic": topic, "key": key, "type": "x", "sequence": number}


@pytest.mark.parametrize(
    ("events", "whole"),
    [
        ([event(1), event(2)], True),
        ([event(1), event(1, key="w-2"), event(2)], True),
        ([event(2)], False),
        ([event(1), event(3)], False),
        ([event(1), event(1)], False),
        ([event(2, "alerts"), event(5, "alerts")], True),
        ([event(2, "alerts"), event(2, "alerts")], False),
    ],
)
def test_events_follow_each_other(events: list[dict[str, Any]], whole: bool) -> None:
    counted = RecordedEvents()
    assert counted.follow(events) is whole


@pytest.mark.parametrize(
    ("counters", "whole"),
    [
        ({"verdicts:w-1": 2, "alerts:w-1": 1}, True),
        ({"verdicts:w-1": 2, "alerts:w-1": 4}, True),
        ({"verdicts:w-1": 3, "alerts:w-1": 1}, False),
        ({"verdicts:w-1": 1, "alerts:w-1": 1}, False),
        ({"verdicts:w-1": 2}, False),
        ({"verdicts:w-1": 2, "alerts:w-1": 1, "verdicts:w-2": 1}, False),
    ],
)
def test_the_row_counts_what_the_records_tell(counters: dict[str, int], whole: bool) -> None:
    counted = RecordedEvents()
    assert counted.follow([event(1), event(2), event(1, "alerts")])
    assert counted.end_at(counters) is whole
