"""Metrics of the exchange service, from the record of every call that ended."""

from __future__ import annotations

from schemas.operations import Operation
from travelrule import metrics
from travelrule.hub.members.member import HUB_ENTITY
from travelrule.hub.ports import Journal
from travelrule.hub.records import CallRecord
from travelrule.machine.retry_table import BY_CODE

OK = 200


class MeasuredJournal:
    """Counts calls, and passes their records on to ``journal``, if there is one."""

    def __init__(self, journal: Journal | None) -> None:
        self._journal = journal

    def record(self, record: CallRecord) -> None:
        """Count a call that ended."""
        if record.operation == Operation.CALLBACK:
            outcome = "delivered" if record.status is not None and 200 <= record.status < 300 else "lost"  # noqa: PLR2004 -- HTTP
            metrics.MEMBER_CALLBACKS_TOTAL.labels(outcome=outcome).inc()
        elif record.caller != HUB_ENTITY:
            labels = {"operation": record.operation, "result": _result(record)}
            metrics.MEMBER_REQUEST_DURATION_SECONDS.labels(**labels).observe(record.seconds)
        if self._journal is not None:
            self._journal.record(record)


def _result(record: CallRecord) -> str:
    """Return a bounded label: ``ok``, a documented ``errorType``, ``lost`` without an answer, or ``other``."""
    if record.status is None:
        return "lost"
    if record.status == OK:
        return "ok"
    code = record.error_type or record.member_error_type
    return code if code in BY_CODE else "other"
