"""After ``verified`` an exchange is concluded in time, or an alert exists (invariant 4), judged from the outside:
from the events on topic ``exchanges``, from what the counterparty answered, and from the alerts.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from tests.simulation.clock import Clock
from tests.simulation.engine_model import Event, House
from travelrule.machine.internal_inputs import CallResult

SLACK = timedelta(hours=3)
"""A timer waits for an outage of its own process."""
ALERTS = frozenset({"EXCHANGE_NOT_CONCLUDED", "TXID_REPORT_FAILED", "FINISH_FAILED"})
SENT = frozenset({"verified", "pending", "processing", "wait-confirm", "confirmed"})


@dataclass(slots=True)
class Debt:
    """One exchange that was verified. ``since``: since when its conclusion is pending; None: it is not."""

    subject: str
    transfer_id: str
    status: str
    since: datetime | None
    reported: bool = False
    finished: bool = False


class Debts:
    """All exchanges of one VASP that were ever verified."""

    def __init__(self, house: House, clock: Clock) -> None:
        self.debts: dict[str, Debt] = {}
        self.asleep = timedelta()
        self._house = house
        self._clock = clock
        self._alerted: dict[str, list[datetime]] = {}

    def published(self, event: Event) -> None:
        if event.topic == "alerts" and event.data["code"] in ALERTS:
            self._alerted.setdefault(event.subject, []).append(self._clock.now)
        if event.topic != "exchanges" or event.data["side"] != "originating":
            return
        name, status = event.key, event.data["status"]
        if status == "verified":
            self.debts[name] = debt = Debt(event.subject, name, status, None)
            self._judge(debt)
        elif name in self.debts:
            debt = self.debts[name]
            if status == "canceled" and debt.status != "canceled":
                debt.since = None
            debt.status = status
            self._judge(debt)

    def heard(self, subject: str, report: CallResult) -> None:
        """What the counterparty said to a report or a finish; a refusal counts only with its alert."""
        debt = self.debts.get(report.correlation_id)
        if debt is None or report.outcome not in ("answered", "failed"):
            return
        done = report.outcome == "answered" or self._just_alerted(subject)
        if report.operation == "txid-report":
            debt.reported = debt.reported or done
        if report.operation == "finish":
            debt.finished = debt.finished or done or report.code == "UNKNOWN_TRANSFER_ID"
        self._judge(debt)

    def _just_alerted(self, subject: str) -> bool:
        return self._alerted.get(subject, [])[-1:] == [self._clock.now]

    def _judge(self, debt: Debt) -> None:
        owes = not debt.finished if debt.status == "canceled" else not debt.reported
        if not owes:
            debt.since = None
        elif debt.since is None:
            debt.since = since = self._clock.now
            limit = timedelta(seconds=self._house.policy().time_limits.conclusion)
            self._clock.at(since + limit + SLACK, lambda: self._due(debt, since, limit))

    def _due(self, debt: Debt, since: datetime, limit: timedelta) -> None:
        if debt.since != since or any(at >= since for at in self._alerted.get(debt.subject, ())):
            return
        if self.asleep > timedelta():  # an outage in between: the timer has the same time again
            self._clock.at(self._clock.now + self.asleep, lambda: self._late(debt, since))
            return
        self._late(debt, since)

    def _late(self, debt: Debt, since: datetime) -> None:
        if debt.since == since and not any(at >= since for at in self._alerted.get(debt.subject, ())):
            raise AssertionError(
                f"{debt.subject}: {debt.transfer_id} is {debt.status} and not concluded since {since}, without an alert"
            )
