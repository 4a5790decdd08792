"""One subject, its machine and the time: the scene of every test of a machine."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any
from uuid import uuid5

from schemas.registry import EVENTS
from schemas.wire_model import Wire
from tests.support.events import WITHDRAWAL_ID
from tests.support.vasps import NOW, SALTS, policy
from travelrule.engine.registry import MACHINES
from travelrule.machine.decision import Decision
from travelrule.machine.effects import Alert, CallHub, DropCalls, Emit, LookUp, Reply, SendMessage
from travelrule.machine.input import Input
from travelrule.machine.internal_inputs import CallResult, TimerDue
from travelrule.messages.arrival import ARRIVAL_MESSAGES
from travelrule.messages.assessment import ASSESSMENT_MESSAGES
from travelrule.messages.inbound_request import AuthorizationReceived, FinishReceived, TxidReportReceived
from travelrule.messages.owner import OWNER_MESSAGES
from travelrule.policy.policy import Policy

TYPES: dict[type[Wire], str] = {
    **{spec.model: spec.type for spec in EVENTS.values()},
    **{model: name for name, model in (ARRIVAL_MESSAGES | ASSESSMENT_MESSAGES | OWNER_MESSAGES).items()},
    AuthorizationReceived: "authorization.received",
    TxidReportReceived: "txid-report.received",
    FinishReceived: "finish.received",
    TimerDue: "timer.due",
}
"""The type under which the data of an input come."""


def input_type(data: Wire) -> str:
    """The type of an input with these data."""
    return f"call.{data.outcome}" if isinstance(data, CallResult) else TYPES.get(type(data), "unknown")


def check_event(emitted: Emit) -> None:
    """An event fits the model of its type; the engine adds the sequence."""
    model = EVENTS[emitted.type].model
    added = {"sequence": 1} if "sequence" in model.model_fields else {}
    model.model_validate({**emitted.data, **added})


@dataclass
class Scene:
    """The room of a machine sets the subject and the policy, and adds what only its subjects have."""

    subject: str = f"withdrawal:{WITHDRAWAL_ID}"
    rules: Policy = field(default_factory=policy)
    now: datetime = NOW
    state: Any = None
    inputs: int = 0
    last: Decision[Any] = field(default_factory=lambda: Decision(None))
    history: list[Any] = field(default_factory=list)

    def submit(self, *items: Wire) -> Decision[Any]:
        """Decide on each in turn; a stored state reads back equal, an emitted event fits its model."""
        for data in items:
            machine = MACHINES[self.subject.partition(":")[0]]
            self.last = machine.decide(self.state, self.input(data), self.rules, self.now)
            self.state = self.last.state
            self.history += self.last.effects
            for emitted in self.of(Emit):
                check_event(emitted)
            if self.state is not None:
                assert machine.load(machine.dump(self.state)) == self.state
                machine.project(self.state)
        return self.last

    def input(self, data: Wire) -> Input:
        """The next input with these data; its id and salt are those of its number."""
        self.inputs += 1
        name = f"input-{self.inputs}"
        content = data.model_dump_json(by_alias=True).encode()
        return Input("/test", name, input_type(data), self.subject, self.now, data, content, uuid5(SALTS, name))

    def fire(self, name: str) -> Decision[Any]:
        """Move the time to a timer and submit it."""
        due_at = self.state.timers[name]
        self.now = max(self.now, due_at)
        return self.submit(TimerDue(name=name, due_at=due_at))

    def wait(self, seconds: float) -> None:
        """Move the time."""
        self.now += timedelta(seconds=seconds)

    def of(self, kind: type[Any]) -> list[Any]:
        """The effects of a kind in the last decision."""
        return [effect for effect in self.last.effects if isinstance(effect, kind)]

    @property
    def calls(self) -> list[CallHub]:
        return self.of(CallHub)

    @property
    def operations(self) -> list[str]:
        return [call.operation for call in self.calls]

    @property
    def look_ups(self) -> list[LookUp]:
        return self.of(LookUp)

    @property
    def drops(self) -> list[tuple[str, ...]]:
        """The operations that each dropping effect names."""
        return [effect.operations for effect in self.of(DropCalls)]

    @property
    def alerts(self) -> list[str]:
        return [effect.code for effect in self.of(Alert)]

    @property
    def messages(self) -> list[SendMessage]:
        return self.of(SendMessage)

    @property
    def message_types(self) -> list[tuple[str, str]]:
        return [(message.subject, message.type) for message in self.messages]

    def message_data(self, kind: str = "") -> list[Any]:
        """The data of the messages of a type, of all without one."""
        return [message.data for message in self.messages if kind in ("", message.type)]

    @property
    def events(self) -> dict[str, dict[str, Any]]:
        """The emitted events by type."""
        return {effect.type: effect.data for effect in self.of(Emit)}

    def emitted(self, topic: str) -> list[dict[str, Any]]:
        """The data of the events for a topic."""
        return [effect.data for effect in self.of(Emit) if effect.topic == topic]

    @property
    def verdicts(self) -> list[dict[str, Any]]:
        return self.emitted("verdicts")

    @property
    def callbacks(self) -> list[dict[str, Any]]:
        return self.emitted("callbacks")

    @property
    def statuses(self) -> list[str]:
        """The statuses of the exchange, in order."""
        return [data["status"] for data in self.emitted("exchanges")]

    @property
    def reply(self) -> dict[str, Any]:
        """The body of the one reply."""
        (effect,) = self.of(Reply)
        return effect.body
