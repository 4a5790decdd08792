"""Builder for one decision about an assessment."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import Any

from schemas.operations import Operation
from travelrule.assessments import notifications
from travelrule.assessments.state import AssessmentState, Question
from travelrule.assessments.table import TABLE
from travelrule.machine.alert_codes import AlertCode
from travelrule.machine.decision_builder import DecisionBuilder
from travelrule.machine.effects import Severity
from travelrule.machine.ids import fresh_transfer_id
from travelrule.machine.transition_table import NEW
from travelrule.messages.assessment import AssessmentEnded

BACKOFF_FIRST_SECONDS = 2.0
BACKOFF_MAX_SECONDS = 60.0
DOUBLINGS_MAX = 10
JITTER_SHARE = 0.25
JITTER_STEPS = 1_000
HASTENED_MAX = 3
CLOCKS_DIFFER = timedelta(seconds=1)
"""The clocks of our processes may differ by this."""


class AssessmentBuilder(DecisionBuilder[AssessmentState]):
    """Builds one decision about an assessment."""

    __slots__ = ()

    def move(self, trigger: str) -> None:
        """Step through the table."""
        self.change(status=TABLE.step(self.state.status, trigger))

    def start_question(self, operation: Operation, clear: dict[str, Any], seconds: float = 0) -> None:
        """Start a question under a new id, after some seconds."""
        call_id = fresh_transfer_id(self.item.salt)
        self.change(question=Question(call_id, self.now + timedelta(seconds=seconds)))
        self.call(operation, "", call_id, clear, seconds=seconds or None)

    def repeat_question(
        self, operation: Operation, transfer_id: str, clear: dict[str, Any], seconds: float = 0
    ) -> None:
        """Repeat the call of the running question; a postponed call is replaced."""
        question = self.state.question
        if question is None:
            return
        self.drop(operation)
        asks_at = self.now + timedelta(seconds=seconds)
        self.change(question=replace(question, asks_at=asks_at, asked=question.asked + 1))
        self.call(operation, "", transfer_id, clear, seconds=seconds or None)

    def is_on_its_way(self) -> bool:
        """Whether the next call is still ahead: then an answer without a result is an old one."""
        question = self.state.question
        return question is None or (question.asks_at is not None and question.asks_at > self.now + CLOCKS_DIFFER)

    def may_hasten(self) -> bool:
        """Whether a callback may move the next call forward: it is ahead, or no call follows."""
        question = self.state.question
        if question is None or question.hastened >= HASTENED_MAX:
            return False
        return question.asks_at is None or question.asks_at > self.now

    def alert(
        self,
        code: AlertCode,
        severity: Severity = "warning",
        *,
        counterparty: str | None = None,
        attempts: int | None = None,
    ) -> None:
        """Raise an alert, once per code."""
        if code.value not in self.state.alerted:
            self.change(alerted=(*self.state.alerted, code.value))
            super().alert(code, severity, counterparty=counterparty, attempts=attempts)

    def count_failure(self) -> float:
        """Count an unusable answer; return the seconds to the next try: doubled each time, up to a limit."""
        self.change(failures=self.state.failures + 1)
        return self.grown_wait(BACKOFF_FIRST_SECONDS, self.state.failures - 1, BACKOFF_MAX_SECONDS)

    def grown_wait(self, first: float, times: int, most: float) -> float:
        """Return a wait that doubles each time, up to ``most``."""
        return self.spread_wait(min(most, first * 2 ** min(times, DOUBLINGS_MAX)))

    def spread_wait(self, seconds: float) -> float:
        """Return the wait plus up to a quarter, so that calls of many assessments spread."""
        return seconds * (1 + JITTER_SHARE * self.jitter)

    @property
    def jitter(self) -> float:
        """A number in 0..1 that depends on the input's salt alone."""
        return self.item.salt.int % JITTER_STEPS / JITTER_STEPS

    def end(self, **answer: Any) -> None:
        """End with an answer; later inputs are ignored."""
        state = self.state
        known = {
            "assessment": state.subject,
            "kind": state.wanted.kind,
            "risk": "unknown",
            "hub_request_id": state.hub_id,
        }
        self._close("ended")
        self.change(ended=AssessmentEnded.model_validate({**known, **answer}))
        notifications.publish_end(self.state, self.policy.version, self.effects)

    def end_dropped(self) -> None:
        """End without an answer."""
        self._close("dropped")

    def _close(self, trigger: str) -> None:
        if self.state.status != NEW:
            self.drop()
        self.move(trigger)
        self.change(timers={})
