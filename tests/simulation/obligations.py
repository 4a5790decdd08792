"""After ``verified`` an exchange is concluded in time, or an alert exists (invariant 4), judged from the outside:
from the events on topic ``exchanges``, from what the counterparty answered, and from the alerts.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from tests.simulation.clock import Clock
from tests.simulation.engine_model import EngineModel, Event
from travelrule.machine.internal_inputs import CallResult

SLACK = timedelta(hours=3)
"""A timer waits for an outage of its own process."""
ALERTS = frozenset({"EXCHANGE_NOT_CONCLUDED", "TXID_REPORT_FAILED", "FINISH_FAILED"})
SENT = frozenset({"verified", "pending", "processing", "wait-confirm", "confirmed"})


@dataclass(slots=True)
class Obligation:
    """One exchange that was verified. ``since``: since when its conclusion is pending; None: it is not."""

    subject: str
    transfer_id: str
    status: str
    since: datetime | None
    reported: bool = False
    finished: bool = False


class Obligations:
    """All exchanges of one VASP that were ever verified."""

    def __init__(self, engine_model: EngineModel, clock: Clock) -> None:
        self.obligations: dict[str, Obligation] = {}
        self.asleep = timedelta()
        self._house = engine_model
        self._clock = clock
        self._alerted: dict[str, list[datetime]] = {}

    def published(self, event: Event) -> None:
        if event.topic == "alerts" and event.data["code"] in ALERTS:
            self._alerted.setdefault(event.subject, []).append(self._clock.now)
        if event.topic != "exchanges" or event.data["side"] != "originating":
            return
        name, status = event.key, event.data["status"]
        if status == "verified":
            self.obligations[name] = obligation = Obligation(event.subject, name, status, None)
            self._judge(obligation)
        elif name in self.obligations:
            obligation = self.obligations[name]
            if status == "canceled" and obligation.status != "canceled":
                obligation.since = None
            obligation.status = status
            self._judge(obligation)

    def heard(self, subject: str, report: CallResult) -> None:
        """What the counterparty said to a report or a finish; a refusal counts only with its alert."""
        obligation = self.obligations.get(report.correlation_id)
        if obligation is None or report.outcome not in ("answered", "failed"):
            return
        done = report.outcome == "answered" or self._just_alerted(subject)
        if report.operation == "txid-report":
            obligation.reported = obligation.reported or done
        if report.operation == "finish":
            obligation.finished = obligation.finished or done or report.code == "UNKNOWN_TRANSFER_ID"
        self._judge(obligation)

    def _just_alerted(self, subject: str) -> bool:
        return self._alerted.get(subject, [])[-1:] == [self._clock.now]

    def _judge(self, obligation: Obligation) -> None:
        owes = not obligation.finished if obligation.status == "canceled" else not obligation.reported
        if not owes:
            obligation.since = None
        elif obligation.since is None:
            obligation.since = since = self._clock.now
            limit = timedelta(seconds=self._house.policy().time_limits.conclusion)
            self._clock.at(since + limit + SLACK, lambda: self._due(obligation, since, limit))

    def _due(self, obligation: Obligation, since: datetime, limit: timedelta) -> None:
        if obligation.since != since or any(at >= since for at in self._alerted.get(obligation.subject, ())):
            return
        if self.asleep > timedelta():  # an outage in between: the timer has the same time again
            self._clock.at(self._clock.now + self.asleep, lambda: self._late(obligation, since))
            return
        self._late(obligation, since)

    def _late(self, obligation: Obligation, since: datetime) -> None:
        if obligation.since == since and not any(at >= since for at in self._alerted.get(obligation.subject, ())):
            raise AssertionError(
                f"{obligation.subject}: {obligation.transfer_id} is {obligation.status} "
                f"and not concluded since {since}, without an alert"
            )
