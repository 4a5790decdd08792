"""What the exchange service counts of a call that ended."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from travelrule import metrics
from travelrule.hub.measured_journal import MeasuredJournal
from travelrule.hub.members.member import HUB_ENTITY
from travelrule.hub.records import CallRecord


class Kept:
    def __init__(self) -> None:
        self.records: list[CallRecord] = []

    def record(self, record: CallRecord) -> None:
        self.records.append(record)


def record(**changes: Any) -> CallRecord:
    one = CallRecord(at=datetime(2026, 11, 22, tzinfo=UTC), operation="finish", caller="north", target="south")
    for name, value in changes.items():
        setattr(one, name, value)
    return one


def requests(result: str) -> float:
    labels = {"operation": "finish", "result": result}
    return metrics.REGISTRY.get_sample_value("travelrule_member_request_duration_seconds_count", labels) or 0.0


def callbacks(outcome: str) -> float:
    return metrics.REGISTRY.get_sample_value("travelrule_member_callbacks_total", {"outcome": outcome}) or 0.0


@pytest.mark.parametrize(
    ("changes", "result"),
    [
        ({"status": 200}, "ok"),
        ({"status": 422, "error_type": "UNKNOWN_TRANSFER_ID"}, "UNKNOWN_TRANSFER_ID"),
        ({"status": 503, "member_error_type": "VASP_BACKEND_INTERNAL_ERROR"}, "VASP_BACKEND_INTERNAL_ERROR"),
        ({"status": 503, "member_error_type": "Anna Berg, rPEPPER7kfTD9w2To4CQk6UCfuHM9c6GDY"}, "other"),
        ({"status": None}, "lost"),
    ],
)
def test_a_request_of_a_member_is_counted_by_a_documented_result(changes: dict[str, Any], result: str) -> None:
    before, kept = requests(result), Kept()
    one = record(**changes)
    MeasuredJournal(kept).record(one)
    assert requests(result) == before + 1
    assert kept.records == [one]


def test_what_the_hub_itself_sends_is_no_request_of_a_member() -> None:
    before = [requests("ok"), callbacks("delivered"), callbacks("lost")]
    journal = MeasuredJournal(None)
    journal.record(record(operation="health", caller=HUB_ENTITY, status=200))
    journal.record(record(operation="callback", caller=HUB_ENTITY, status=204))
    journal.record(record(operation="callback", caller=HUB_ENTITY, status=500))
    journal.record(record(operation="callback", caller=HUB_ENTITY))
    assert [requests("ok"), callbacks("delivered"), callbacks("lost")] == [before[0], before[1] + 1, before[2] + 2]
