"""What runs beside the machines of a VASP: timers, messages between subjects, Kafka, and outages of all of it."""

from __future__ import annotations

import random
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from schemas.wire_model import Wire
from tests.simulation.clock import Clock
from tests.simulation.engine_model import EngineModel, Event, ModelSubject, timer_input
from tests.simulation.member_endpoints import Member
from tests.simulation.operator import CallOperator
from travelrule.machine.input import Input, RawMessage
from travelrule.machine.sources import SUBJECTS

DOUBLED = 0.04
DISORDERED = 0.02


class EngineJobs:
    """One VASP's processes on virtual time. All their state is in the engine model, so an outage only delays."""

    def __init__(
        self, engine_model: EngineModel, member: Member, operator: CallOperator, clock: Clock, dice: random.Random
    ) -> None:
        self.engine_model = engine_model
        self.member = member
        self.operator = operator
        self.doubles = 0
        self._clock = clock
        self._dice = dice
        self._telling = False
        self._kafka_until: dict[tuple[str, str], datetime] = {}
        self._offset = 0
        self._until = clock.now
        engine_model.on_due = self._timer_set
        engine_model.on_tell = self._told

    def sleep(self, seconds: float) -> None:
        """Nothing of this VASP runs for a while."""
        self._until = self._clock.now + timedelta(seconds=seconds)
        self.operator.asleep_until = self.member.asleep_until = self._until

    def _awake(self, when: datetime, longest: float) -> datetime:
        return max(when, self._until) + timedelta(seconds=self._dice.uniform(0.001, longest))

    # Timers

    def _timer_set(self, slot: ModelSubject) -> None:
        due_at = slot.due_at
        assert due_at is not None
        self._clock.at(self._awake(due_at, 0.6), lambda: self._timer_looked_at(slot, due_at))

    def _timer_looked_at(self, slot: ModelSubject, due_at: datetime) -> None:
        if slot.due_at != due_at:
            return
        if self._clock.now < self._until:
            self._timer_set(slot)
            return
        name = slot.due_timer
        # Between the look and the decision another input may move the timer.
        self._clock.after(self._dice.uniform(0.001, 0.2), lambda: self._timer_due(slot, name, due_at))

    def _timer_due(self, slot: ModelSubject, name: str, due_at: datetime) -> None:
        still = (slot.due_at, slot.due_timer) == (due_at, name)
        self.engine_model.apply(timer_input(slot.subject, name, due_at, self._salt()))
        if still and (slot.due_at, slot.due_timer) == (due_at, name):
            raise AssertionError(f"timer {name} of {slot.subject} came due and still stands there: it would spin")

    # Messages between subjects

    def _told(self) -> None:
        if not self._telling:
            self._telling = True
            self._clock.at(self._awake(self._clock.now, 1.5), self._deliver)

    def _deliver(self) -> None:
        if self._clock.now < self._until:
            self._clock.at(self._awake(self._until, 1.5), self._deliver)
            return
        self._telling = False
        for row in list(self.engine_model.tells.values()):
            item = self._input(SUBJECTS, row.id, row.type, row.subject, row.data)
            outcome = self.engine_model.apply(item)
            if outcome.status != "rejected" and self._dice.random() < DOUBLED:
                self.again(item)

    # Kafka

    def send(self, topic: str, kind: str, subject: str, data: Wire) -> None:
        """A platform's event: in order per topic and key but for a few, delivered at least once."""
        key = subject.partition(":")[2]
        content = data.model_dump_json(by_alias=True, exclude_none=True).encode()
        self._offset += 1
        raw = RawMessage(topic, 0, self._offset, key.encode(), content)
        item = self._input("/platform", str(self._salt()), kind, subject, data, content, raw)
        when = self._clock.now + timedelta(seconds=self._dice.choice((0.05, 0.2, 1.0, 5.0, 40.0)))
        if self._dice.random() >= DISORDERED:
            when = max(when, self._kafka_until.get((topic, key), when))
            self._kafka_until[topic, key] = when
        self._clock.at(when, lambda: self._arrive(item))

    def _arrive(self, item: Input) -> None:
        if self._clock.now < self._until:
            self._clock.at(self._awake(self._until, 0.1), lambda: self._arrive(item))
            return
        outcome = self.engine_model.apply(item)
        if outcome.status in ("applied", "duplicate") and self._dice.random() < DOUBLED:
            self._clock.after(self._dice.choice((0.1, 30.0, 4000.0)), lambda: self.again(item))

    def again(self, item: Input) -> None:
        """The same input once more: it must change nothing (invariant 1)."""
        self.doubles += 1
        before = (
            self.engine_model.state(item.subject),
            len(self.engine_model.outbox),
            len(self.engine_model.calls),
            len(self.engine_model.tells),
        )
        outcome = self.engine_model.apply(item)
        after = (
            self.engine_model.state(item.subject),
            len(self.engine_model.outbox),
            len(self.engine_model.calls),
            len(self.engine_model.tells),
        )
        if outcome.status not in ("duplicate", "parked") or before != after:
            raise AssertionError(f"{item.type} for {item.subject} had an effect twice")

    def hears(self, platform: Any) -> None:
        """Events reach the platform late, and some of them twice."""

        def publish(event: Event) -> None:
            when = self._awake(self._clock.now, 3.0)
            self._clock.at(when, lambda: platform.hear(event))
            if self._dice.random() < DOUBLED:
                self._clock.at(when + timedelta(seconds=5), lambda: platform.hear(event))

        self.engine_model.on_event = publish

    def _input(
        self, source: str, name: str, kind: str, subject: str, data: Any, content: bytes = b"", raw: Any = None
    ) -> Input:
        content = content or data.model_dump_json(by_alias=True).encode()
        return Input(source, name, kind, subject, self._clock.now, data, content, self._salt(), raw=raw)

    def _salt(self) -> UUID:
        return UUID(int=self._dice.getrandbits(128), version=4)
