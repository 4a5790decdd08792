"""One decision about an assessment in the making, as ``deposits.builder`` is for a deposit."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any, Literal

from travelrule.assessments import notifications
from travelrule.assessments.alert_codes import AlertCode
from travelrule.assessments.state import AssessmentState, Question
from travelrule.assessments.table import step
from travelrule.machine.alert_codes import AlertCode as SharedCode
from travelrule.machine.decision import Decision
from travelrule.machine.effects import Alert, CallHub, DropCalls, Effect
from travelrule.machine.ids import fresh_transfer_id
from travelrule.machine.input import Input
from travelrule.machine.transition_table import NEW
from travelrule.messages.assessment import AssessmentEnded
from travelrule.policy.policy import Policy

Operation = Literal[
    "wallet-screening", "transaction-screening", "kyt-search", "kyt-report", "unhosted-token", "unhosted-result"
]

BACKOFF_FIRST_SECONDS = 2.0
BACKOFF_MAX_SECONDS = 60.0
DOUBLINGS_MAX = 10
JITTER_SHARE = 0.25
JITTER_STEPS = 1_000
HASTENED_MAX = 3
CLOCKS_DIFFER = timedelta(seconds=1)
"""Two processes of ours may see the same moment this far apart."""


class AssessmentTurn:
    """Collects one decision; lives for one call of ``decide`` and changes nothing that it was given."""

    __slots__ = ("effects", "item", "now", "policy", "state")

    def __init__(self, state: AssessmentState, item: Input, policy: Policy, now: datetime) -> None:
        self.state = state
        self.item = item
        self.policy = policy
        self.now = now
        self.effects: list[Effect] = []

    def change(self, **changes: Any) -> None:
        """Replace fields of the state."""
        self.state = replace(self.state, **changes)

    def move(self, trigger: str) -> None:
        """Step through the table."""
        self.change(status=step(self.state.status, trigger))

    def ask(self, operation: Operation, clear: dict[str, Any], seconds: float = 0) -> None:
        """Begin a question under a fresh id, after some seconds."""
        call_id = fresh_transfer_id(self.item.salt)
        self.change(question=Question(call_id, self.now + timedelta(seconds=seconds)))
        self._call(operation, call_id, clear, seconds)

    def ask_again(self, operation: Operation, transfer_id: str, clear: dict[str, Any], seconds: float = 0) -> None:
        """Make one more call for the question that runs; one that was put off is replaced."""
        question = self.state.question
        if question is None:
            return
        self.drop(operation)
        asks_at = self.now + timedelta(seconds=seconds)
        self.change(question=replace(question, asks_at=asks_at, asked=question.asked + 1))
        self._call(operation, transfer_id, clear, seconds)

    def _call(self, operation: Operation, transfer_id: str, clear: dict[str, Any], seconds: float) -> None:
        due_at = self.now + timedelta(seconds=seconds) if seconds else None
        self.effects.append(CallHub(operation, "", transfer_id, clear, due_at=due_at))

    def is_on_its_way(self) -> bool:
        """Whether the next call is still to be made: then an answer without a result is an old one."""
        question = self.state.question
        return question is None or (question.asks_at is not None and question.asks_at > self.now + CLOCKS_DIFFER)

    def may_hasten(self) -> bool:
        """Whether a callback moves the next call forward: it lies ahead, or none is made any more."""
        question = self.state.question
        if question is None or question.hastened >= HASTENED_MAX:
            return False
        return question.asks_at is None or question.asks_at > self.now

    def drop(self, *operations: str) -> None:
        """Take back calls that were not sent yet; without names all of them."""
        self.effects.append(DropCalls(operations))

    def alert(
        self,
        code: AlertCode | SharedCode,
        severity: Literal["warning", "critical"] = "warning",
        attempts: int | None = None,
    ) -> None:
        """Tell an operator, once per code."""
        if code.value not in self.state.alerted:
            self.change(alerted=(*self.state.alerted, code.value))
            self.effects.append(Alert(code.value, severity, None, attempts))

    def set_timer(self, name: str, seconds: float) -> None:
        """Start a timer, or start it anew."""
        self.change(timers={**self.state.timers, name: self.now + timedelta(seconds=seconds)})

    def clear_timer(self, name: str) -> None:
        """Drop a timer if it runs."""
        self.change(timers={key: due for key, due in self.state.timers.items() if key != name})

    def failed(self) -> float:
        """Count an answer that said nothing; give the seconds to the next try: doubled each time, up to a limit."""
        self.change(failures=self.state.failures + 1)
        return self.grown(BACKOFF_FIRST_SECONDS, self.state.failures - 1, BACKOFF_MAX_SECONDS)

    def grown(self, first: float, times: int, most: float) -> float:
        """Give a wait that doubles each time, up to ``most``."""
        return self.spread(min(most, first * 2 ** min(times, DOUBLINGS_MAX)))

    def spread(self, seconds: float) -> float:
        """Lengthen a wait by up to a quarter, so that many assessments do not ask at the same moment."""
        return seconds * (1 + JITTER_SHARE * self.jitter)

    @property
    def jitter(self) -> float:
        """A number in 0..1 that depends on the input's salt alone."""
        return self.item.salt.int % JITTER_STEPS / JITTER_STEPS

    def end(self, **answer: Any) -> None:
        """Give the answer: nothing is heard after it."""
        state = self.state
        known = {
            "assessment": state.subject,
            "kind": state.wanted.kind,
            "risk": "unknown",
            "hub_request_id": state.hub_id,
        }
        self._close("ended")
        self.change(ended=AssessmentEnded.model_validate({**known, **answer}))
        notifications.say_end(self.state, self.policy.version, self.effects)

    def quit(self) -> None:
        """End without an answer."""
        self._close("dropped")

    def _close(self, trigger: str) -> None:
        if self.state.status != NEW:
            self.drop()
        self.move(trigger)
        self.change(timers={})

    def done(self, rule: str) -> Decision[AssessmentState]:
        """Finish and hand over."""
        return Decision(self.state, tuple(self.effects), rule=rule)


def ignored(state: AssessmentState, rule: str, *effects: Effect) -> Decision[AssessmentState]:
    """What came changes nothing: it came before, or too late."""
    return Decision(state, effects, status="duplicate", rule=rule)


def rejected(state: AssessmentState | None, code: str, field: str, fix: str) -> Decision[Any]:
    """What came cannot be; it is not remembered and may be replayed."""
    return Decision(state, status="rejected", code=code, field=field, fix=fix, rule=code)
