"""Builder for one decision: the next state and the effects, collected in order."""

from __future__ import annotations

from dataclasses import Field, replace
from datetime import datetime, timedelta
from typing import Any, ClassVar, Generic, Protocol, TypeVar

from schemas.operations import Operation
from schemas.wire_model import Wire
from travelrule.machine.alert_codes import AlertCode
from travelrule.machine.decision import Decision
from travelrule.machine.effects import (
    AcceptAnswer,
    Alert,
    CallHub,
    DropCalls,
    Effect,
    Emit,
    Reply,
    SendMessage,
    Severity,
    Topic,
)
from travelrule.machine.input import Input
from travelrule.machine.internal_inputs import CallResult
from travelrule.policy.policy import Policy


class TimedState(Protocol):
    """A state dataclass with timers by name."""

    __dataclass_fields__: ClassVar[dict[str, Field[Any]]]

    @property
    def timers(self) -> dict[str, datetime]:
        """When each timer comes due."""
        ...


State = TypeVar("State", bound=TimedState)


class DecisionBuilder(Generic[State]):
    """Collects one decision on ``item``; lives for one call of ``decide`` and changes nothing that it was given."""

    __slots__ = ("effects", "item", "now", "policy", "state")

    def __init__(self, state: State, item: Input, policy: Policy, now: datetime) -> None:
        self.state = state
        self.item = item
        self.policy = policy
        self.now = now
        self.effects: list[Effect] = []

    @property
    def counterparty(self) -> str | None:
        """The VASP that alerts name unless the caller names another one."""
        return None

    def change(self, **changes: Any) -> None:
        """Replace fields of the state."""
        self.state = replace(self.state, **changes)

    def set_timer(self, name: str, seconds: float) -> None:
        """Start or restart a timer."""
        self.change(timers={**self.state.timers, name: self.now + timedelta(seconds=seconds)})

    def clear_timer(self, name: str) -> None:
        """Drop a timer, if it runs."""
        if name in self.state.timers:
            self.change(timers={key: due for key, due in self.state.timers.items() if key != name})

    def keep_timer(self, name: str, seconds: float, *, needed: bool) -> None:
        """Start a timer that is needed and does not run; drop one that is not needed."""
        if not needed:
            self.clear_timer(name)
        elif name not in self.state.timers:
            self.set_timer(name, seconds)

    def call(
        self,
        operation: Operation,
        target: str,
        correlation_id: str,
        clear: dict[str, Any],
        payload: dict[str, Any] | None = None,
        *,
        seconds: float | None = None,
    ) -> None:
        """Call the hub (``target`` empty) or, through it, a VASP; after some seconds, if given."""
        due_at = None if seconds is None else self.now + timedelta(seconds=seconds)
        self.effects.append(CallHub(operation, target, correlation_id, clear, payload, due_at))

    def drop(self, *operations: str) -> None:
        """Withdraw calls that were not sent yet; without names all of them."""
        self.effects.append(DropCalls(operations))

    def accept_answer(self, result: CallResult) -> None:
        """Record that the sealed answer was acted on."""
        if result.answer_seal and not result.accepted_for:
            self.effects.append(AcceptAnswer(result.answer_seal, result.correlation_id))

    def send(self, subject: str, kind: str, data: Wire) -> None:
        """Send a message to another subject."""
        self.effects.append(SendMessage(subject, kind, data))

    def emit(self, topic: Topic, key: str, kind: str, data: dict[str, Any]) -> None:
        """Emit an event."""
        self.effects.append(Emit(topic, key, kind, data))

    def alert(
        self,
        code: AlertCode,
        severity: Severity = "warning",
        *,
        counterparty: str | None = None,
        attempts: int | None = None,
    ) -> None:
        """Raise an alert."""
        named = self.counterparty if counterparty is None else counterparty
        self.effects.append(Alert(code.value, severity, named, attempts))

    def reply(self, body: dict[str, Any]) -> None:
        """Answer the synchronous caller."""
        self.effects.append(Reply(body))

    def done(self, rule: str) -> Decision[State]:
        """Return the decision; ``rule`` names the line of the law that was applied."""
        return Decision(self.state, tuple(self.effects), rule=rule)
