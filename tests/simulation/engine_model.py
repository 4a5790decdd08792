"""The engine of one VASP in memory: the same laws as ``travelrule.engine``, without database, sealing and audit.

It is a stand-in, so it is held to the laws of the real one: ``test_same_laws`` runs one set of scripts on both.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any, Protocol

from tests.simulation.search_model import SearchModel
from travelrule.engine.apply.accepted_answers import with_accepted
from travelrule.engine.apply.input_decision import FINAL_CALL_TYPES
from travelrule.engine.input_outcome import InputOutcome
from travelrule.engine.stable_ids import stable_id
from travelrule.machine.decision import Decision
from travelrule.machine.effects import (
    AcceptAnswer,
    Alert,
    CallHub,
    DropCalls,
    Emit,
    EndUnsent,
    LookUp,
    Reply,
    SendMessage,
)
from travelrule.machine.input import Input
from travelrule.machine.internal_inputs import TimerDue
from travelrule.machine.port import Machine
from travelrule.machine.projection import Projection
from travelrule.machine.sources import SUBJECTS
from travelrule.policy.policy import Policy
from travelrule.store.types import instant_text


@dataclass(slots=True)
class ModelSubject:
    """One subject."""

    subject: str
    state: Any = None
    projection: Projection | None = None
    sequences: dict[str, int] = field(default_factory=dict)
    parked: list[Input] = field(default_factory=list)
    due_at: datetime | None = None
    due_timer: str = ""


@dataclass(slots=True)
class CallRow:
    """A call that is not over."""

    id: str
    subject: str
    operation: str
    target: str
    transfer_id: str
    clear: dict[str, Any]
    payload: dict[str, Any] | None
    due_at: datetime
    first_at: datetime
    tries: int = 0
    key_refreshed: bool = False
    deferred: bool = False
    hub_held: bool = False
    ends_unsent: bool = False
    note: str = ""
    leased_until: datetime | None = None


@dataclass(frozen=True, slots=True)
class MessageRow:
    """A message to another subject."""

    id: str
    subject: str
    type: str
    data: Any


@dataclass(frozen=True, slots=True)
class Event:
    """A message on an output topic."""

    topic: str
    key: str
    type: str
    subject: str
    data: dict[str, Any]


@dataclass(frozen=True, slots=True)
class _Known:
    fingerprint: tuple[str, str, bytes]
    subject: str
    status: Any
    code: str
    reply: dict[str, Any] | None


class Watcher(Protocol):
    """Sees every decision, when it was made."""

    def decided(
        self, engine_model: EngineModel, slot: ModelSubject, before: Any, item: Input, decision: Decision[Any]
    ) -> None:
        """Called after the effects stand."""

    def published(self, engine_model: EngineModel, event: Event, item: Input | None) -> None:
        """Called for each event, in order."""


class EngineModel:
    """Applies inputs for one VASP. ``strict``: a machine that raises ends the run instead of refusing the input."""

    def __init__(
        self,
        vasp: str,
        machines: dict[str, Machine],
        policy: Callable[[], Policy],
        clock: Callable[[], datetime],
        *,
        watcher: Watcher | None = None,
        strict: bool = True,
    ) -> None:
        self.vasp = vasp
        self.machines = machines
        self.policy = policy
        self.clock = clock
        self.watcher = watcher
        self.slots: dict[str, ModelSubject] = {}
        self.inputs: dict[tuple[str, str], _Known] = {}
        self._waiting: dict[tuple[str, str], tuple[str, str, bytes]] = {}
        self.calls: dict[str, CallRow] = {}
        self.calls_of: dict[str, dict[str, CallRow]] = {}
        self.tells: dict[str, MessageRow] = {}
        self.accepted: dict[str, str] = {}
        self.outbox: list[Event] = []
        self.dead_letters: list[tuple[Input, str]] = []
        self.search_model = SearchModel()
        self.on_call: Callable[[CallRow], None] = lambda row: None
        self.on_tell: Callable[[], None] = lambda: None
        self.on_due: Callable[[ModelSubject], None] = lambda slot: None
        self.on_event: Callable[[Event], None] = lambda event: None
        self._strict = strict

    def state(self, subject: str) -> Any:
        slot = self.slots.get(subject)
        return slot.state if slot is not None else None

    def states(self) -> StatesView:
        return StatesView(self.slots)

    def apply(self, item: Input) -> InputOutcome:
        """One input, one transaction."""
        if item.type in FINAL_CALL_TYPES:
            self._end_call(item.id)
        if item.source == SUBJECTS:
            self.tells.pop(item.id, None)
        fingerprint = (item.type, item.subject, item.content)
        slot = self.slots.get(item.subject) or ModelSubject(item.subject)
        known = self.inputs.get((item.source, item.id))
        if known is not None:
            if known.fingerprint != fingerprint:
                return self._refuse(slot, item, "CONFLICT")
            return InputOutcome("duplicate", known.code, reply=known.reply)
        if item.type == "timer.due" and slot.state is None:
            return self._parked_too_long(slot)
        item = with_accepted(item, self.accepted)
        machine = self.machines.get(item.subject.partition(":")[0])
        if machine is None:
            return self._refuse(slot, item, "NOT_AVAILABLE")
        try:
            decision = machine.decide(slot.state, item, self.policy(), self.clock())
        except Exception:
            if self._strict:
                raise
            return self._refuse(slot, item, "UNPROCESSABLE")
        return self._take(machine, slot, item, decision, fingerprint)

    def _take(
        self,
        machine: Machine,
        slot: ModelSubject,
        item: Input,
        decision: Decision[Any],
        fingerprint: tuple[str, str, bytes],
    ) -> InputOutcome:
        if decision.status == "rejected":
            reply = next((effect.body for effect in decision.effects if isinstance(effect, Reply)), None)
            if self.watcher is not None:
                self.watcher.decided(self, slot, slot.state, item, decision)
            if reply is not None:
                return InputOutcome("rejected", decision.code, decision.field, decision.fix, reply)
            return self._refuse(slot, item, decision.code)
        if decision.status == "parked":
            waiting = self._waiting.get((item.source, item.id))
            if waiting not in (None, fingerprint):
                return self._refuse(slot, item, "CONFLICT")
            if waiting is None:
                self._waiting[item.source, item.id] = fingerprint
                self._park(slot, item)
            return InputOutcome("parked", decision.code)
        before, slot.state = slot.state, decision.state
        self.slots[slot.subject] = slot
        reply = self._effects(slot, item, decision)
        known = _Known(fingerprint, slot.subject, decision.status, decision.code, reply)
        self.inputs[item.source, item.id] = known
        self._project(machine, slot)
        if self.watcher is not None:
            self.watcher.decided(self, slot, before, item, decision)
        if slot.parked and machine.arrived(slot.state) and not machine.arrived(before):
            parked, slot.parked = slot.parked, []
            for one in parked:
                del self._waiting[one.source, one.id]
                self.apply(one)
        return InputOutcome(decision.status, decision.code, decision.field, decision.fix, reply)

    def _effects(self, slot: ModelSubject, item: Input, decision: Decision[Any]) -> dict[str, Any] | None:
        reply = None
        for number, effect in enumerate(decision.effects):
            match effect:
                case Emit():
                    self._emit(slot, item, effect)
                case Alert():
                    self.alert(slot, effect, item)
                case CallHub():
                    self._call(slot, item, number, effect)
                case LookUp(question, parameters):
                    self._call(slot, item, number, CallHub("look-up", "", question, parameters))
                case SendMessage():
                    tell_id = stable_id(self.vasp, "tell", item.source, item.id, number)
                    self.tells[tell_id] = MessageRow(tell_id, effect.subject, effect.type, effect.data)
                    self.on_tell()
                case AcceptAnswer(seal, transfer_id):
                    assert seal not in self.accepted, "one answer was accepted twice"
                    self.accepted[seal] = transfer_id
                case DropCalls() | EndUnsent():
                    self._revoke(slot, effect)
                case Reply(body):
                    reply = body
        return reply

    def alert(self, slot: ModelSubject, alert: Alert, item: Input | None = None) -> None:
        data: dict[str, Any] = {"subject": slot.subject, "code": alert.code, "severity": alert.severity}
        if alert.counterparty:
            data["counterparty"] = alert.counterparty
        if alert.attempts is not None:
            data["attempts"] = alert.attempts
        self.slots.setdefault(slot.subject, slot)
        self._emit(slot, item, Emit("alerts", slot.subject.partition(":")[2], "operator.alert.v1", data))

    def _emit(self, slot: ModelSubject, item: Input | None, effect: Emit) -> None:
        counter = f"{effect.topic}:{effect.key}"
        slot.sequences[counter] = slot.sequences.get(counter, 0) + 1
        data = {**effect.data, "sequence": slot.sequences[counter]}
        event = Event(effect.topic, effect.key, effect.type, slot.subject, data)
        self.outbox.append(event)
        self.on_event(event)
        if self.watcher is not None:
            self.watcher.published(self, event, item)

    def _call(self, slot: ModelSubject, item: Input, number: int, call: CallHub) -> None:
        due_at = call.due_at or self.clock()
        row = CallRow(
            id=stable_id(self.vasp, "call", item.source, item.id, number),
            subject=slot.subject,
            operation=call.operation,
            target=call.target,
            transfer_id=call.correlation_id,
            clear=call.clear,
            payload=call.payload,
            due_at=due_at,
            first_at=due_at,
        )
        self.calls[row.id] = row
        self.calls_of.setdefault(slot.subject, {})[row.id] = row
        self.on_call(row)

    def _revoke(self, slot: ModelSubject, effect: DropCalls | EndUnsent) -> None:
        for row in list(self.calls_of.get(slot.subject, {}).values()):
            match effect:
                case DropCalls(operations) if not operations or row.operation in operations:
                    self._end_call(row.id)
                case EndUnsent(operation) if row.operation == operation:
                    row.ends_unsent, row.due_at = True, self.clock()
                    self.on_call(row)

    def _end_call(self, call_id: str) -> None:
        row = self.calls.pop(call_id, None)
        if row is not None:
            del self.calls_of[row.subject][call_id]

    def _park(self, slot: ModelSubject, item: Input) -> None:
        self.slots[slot.subject] = slot
        slot.parked.append(item)
        if slot.due_at is None:
            slot.due_at = self.clock() + timedelta(seconds=self.policy().time_limits.parked)
            slot.due_timer = "parked"
            self.on_due(slot)

    def _parked_too_long(self, slot: ModelSubject) -> InputOutcome:
        slot.due_at, slot.due_timer = None, ""
        if not slot.parked:
            return InputOutcome("applied")
        self.alert(slot, Alert("PARKED_TOO_LONG", attempts=len(slot.parked)))
        return InputOutcome("applied", "PARKED_TOO_LONG")

    def _refuse(self, slot: ModelSubject, item: Input, code: str) -> InputOutcome:
        if item.raw is not None or item.source == SUBJECTS:
            self.dead_letters.append((item, code))
        if item.source == SUBJECTS:
            if self._strict:
                raise AssertionError(f"{item.subject} refused {item.type} ({code}): its sender waits in vain")
            self.alert(slot, Alert("MESSAGE_REFUSED", "critical"), item)
        return InputOutcome("rejected", code)

    def _project(self, machine: Machine, slot: ModelSubject) -> None:
        before, after = slot.projection, machine.project(slot.state)
        slot.projection = after
        if before is None or before.rows != after.rows:
            self.search_model.keep(slot.subject, after)
        if (slot.due_at, slot.due_timer) != (after.due_at, after.due_timer):
            slot.due_at, slot.due_timer = after.due_at, after.due_timer
            if slot.due_at is not None:
                self.on_due(slot)


class StatesView(dict[str, Any]):
    """States by subject, read where they stand."""

    def __init__(self, slots: dict[str, ModelSubject]) -> None:
        super().__init__()
        self._slots = slots

    def __missing__(self, subject: str) -> Any:
        return self._slots[subject].state


def timer_input(subject: str, name: str, due_at: datetime, salt: Any) -> Input:
    """What ``engine.timers`` submits."""
    data = TimerDue(name=name, due_at=due_at)
    return Input(
        source="/timers",
        id=f"{subject}/{name}/{instant_text(due_at)}",
        type="timer.due",
        subject=subject,
        at=due_at,
        data=data,
        content=data.model_dump_json(by_alias=True).encode(),
        salt=salt,
    )
