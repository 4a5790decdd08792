"""One input against one locked subject: known, refused, parked or decided."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

import orjson

from travelrule import logs
from travelrule.engine.apply.accepted_answers import AcceptedAnswers, with_accepted
from travelrule.engine.apply.answer_limit import answer_due_at
from travelrule.engine.apply.audit_rows import DecidedInput, add_audit_record
from travelrule.engine.apply.batch_rows import BatchRows
from travelrule.engine.apply.decision_guard import DecisionGuard, note_refused
from travelrule.engine.apply.known_inputs import KnownInput, KnownInputs
from travelrule.engine.apply.locked_subject import LockedSubject
from travelrule.engine.apply.observations import Observation
from travelrule.engine.input_envelope import unpack
from travelrule.engine.input_outcome import InputOutcome
from travelrule.machine.decision import Decision
from travelrule.machine.decision_authority import AuthorityRefusal
from travelrule.machine.effects import AcceptAnswer, Alert
from travelrule.machine.input import Input, RawMessage, Rejected
from travelrule.machine.port import Machine
from travelrule.machine.sources import SUBJECTS, source_class
from travelrule.policy.policy import Policy

log = logs.get("engine")

FINAL_CALL_TYPES = {"call.answered", "call.failed"}


class InputDecider:
    """Applies inputs to locked subjects in order of arrival. All effects go into the batch."""

    def __init__(self, machines: dict[str, Machine], policy: Policy, batch: BatchRows) -> None:
        self._machines = machines
        self._policy = policy
        self._batch = batch
        self.guard = DecisionGuard(policy, batch)
        self.own: LockedSubject | None = None
        """Our VASP, locked for alerts about unknown subjects."""
        self.accepted: AcceptedAnswers = {}
        """The sealed answers of this batch that were accepted earlier, by a stored input or by one of this batch."""

    def apply(
        self,
        item: Input,
        subject: LockedSubject,
        known: KnownInputs,
        now: datetime,
        *,
        was_parked: bool = False,
    ) -> InputOutcome:
        """Decide one input. A repeated id with equal content is answered from the store; with other content it is
        refused as ``CONFLICT``. ``was_parked``: another input has let the subject arrive.
        """
        fingerprint = self._fingerprint(item)
        if item.type in FINAL_CALL_TYPES:
            self._batch.finished_calls.append(item.id)
        if item.source == SUBJECTS:
            self._batch.delivered_messages.append(item.id)  # a refused one is kept as a dead letter
        item = with_accepted(item, self.accepted)
        stored = known.get((item.source, item.id))
        if stored is not None:
            return self._answer_again(item, subject, stored, fingerprint)
        allowed = self.guard.check(item, now)
        if isinstance(allowed, AuthorityRefusal):
            return self._refuse_decision(item, subject, allowed)
        item = allowed
        if subject.erased:
            if item.type == "timer.due":
                return self._clear_timer(subject)
            return self._refuse(item, subject, "ERASED", "", "the subject's data were erased; use a new id")
        if item.type == "timer.due" and subject.state is None:
            return self._end_parking(subject, item)
        if subject.kind not in self._machines:
            return self._refuse(item, subject, "NOT_AVAILABLE", "subject", "this kind of subject is not served yet")
        decision = self._decide(item, subject, now, was_parked=was_parked)
        outcome = self._accept(item, subject, decision, fingerprint, now)
        if outcome.status in {"applied", "duplicate"}:
            sealed = self._batch.inputs[-1]["reply"]
            known[item.source, item.id] = KnownInput(fingerprint, subject.name, outcome.status, outcome.code, sealed)
        return outcome

    def has_arrived(self, subject: LockedSubject) -> bool:
        """Whether the parked inputs of the subject can be decided now."""
        return subject.state is not None and self._machines[subject.kind].arrived(subject.state)

    def release_parked(self, subject: LockedSubject, parked: list[bytes], known: KnownInputs, now: datetime) -> None:
        """Apply the sealed parked inputs of a subject that has arrived, in order."""
        subject.parked = 0
        subject.changed = True
        for sealed in parked:
            item = unpack(self._batch.vault.open(subject.data_key, "parked", subject.name, sealed))
            self._batch.unparked.append({"vasp": self._batch.vasp, "source": item.source, "id": item.id})
            outcome = self.apply(item, subject, known, now, was_parked=True)
            labels = {"source": source_class(item.source), "type": item.type, "outcome": f"unparked-{outcome.status}"}
            self._batch.observations.append(Observation("inputs", labels))

    def refuse_conflict(self, item: Input, subject: LockedSubject) -> InputOutcome:
        """Refuse an input whose id is known, or parked, with other content."""
        return self._refuse(item, subject, "CONFLICT", "id", "an id names one content; send the change under a new id")

    def _decide(self, item: Input, subject: LockedSubject, now: datetime, *, was_parked: bool) -> Decision[Any]:
        try:
            return self._machines[subject.kind].decide(subject.state, item, self._policy, now)
        except Exception as error:
            if not was_parked:
                raise
            failure = error
        # The parked input is at fault, not the one that let the subject arrive: only the parked one is refused.
        log.error("input-unprocessable", subject=item.subject, error=failure, type=item.type)
        fix = "the message was kept; report it with its dead-letter id"
        return Decision(subject.state, status="rejected", code="UNPROCESSABLE", fix=fix)

    def _accept(
        self, item: Input, subject: LockedSubject, decision: Decision[Any], fingerprint: bytes, now: datetime
    ) -> InputOutcome:
        batch = self._batch
        if decision.status == "rejected":
            reply = next((effect.body for effect in decision.effects if hasattr(effect, "body")), None)
            if reply is not None:
                return InputOutcome("rejected", decision.code, decision.field, decision.fix, reply)
            return self._refuse(item, subject, decision.code, decision.field, decision.fix)
        if decision.status == "parked":
            self._park(item, subject, now)
            return InputOutcome("parked", decision.code)
        created = subject.state is None
        if created and (due_at := answer_due_at(item, self._policy)) is not None:
            subject.requested_at, subject.answer_due_at = item.at, due_at
        subject.state = decision.state
        subject.changed = True
        subject.records += 1
        subject.traceparent = item.traceparent or subject.traceparent
        first_event = len(batch.events.rows)
        reply = batch.add_effects(subject, item, decision.effects)
        self.accepted |= {one.seal: one.transfer_id for one in decision.effects if isinstance(one, AcceptAnswer)}
        decided = DecidedInput(item, fingerprint, decision, reply, first_event, created)
        add_audit_record(batch, subject, self._machines[subject.kind], self._policy, decided)
        batch.add_input(subject, item, fingerprint, decision.status, decision.code, reply)
        return InputOutcome(decision.status, decision.code, decision.field, decision.fix, reply)

    def _answer_again(
        self, item: Input, subject: LockedSubject, stored: KnownInput, fingerprint: bytes
    ) -> InputOutcome:
        if stored.fingerprint != fingerprint or stored.subject != subject.name:
            return self.refuse_conflict(item, subject)
        reply = None
        if stored.sealed_reply is not None and not subject.erased:
            sealed = stored.sealed_reply
            reply = orjson.loads(self._batch.vault.open(subject.data_key, "reply", subject.name, sealed))
        return InputOutcome("duplicate", stored.code, reply=reply)

    def _refuse(self, item: Input, subject: LockedSubject, code: str, field: str, fix: str) -> InputOutcome:
        if item.raw is not None:
            self._batch.refuse(_rejected(item, item.raw, subject, code, field, fix), subject, item)
        return InputOutcome("rejected", code, field, fix)

    def _refuse_decision(self, item: Input, subject: LockedSubject, refusal: AuthorityRefusal) -> InputOutcome:
        """Refuse an unauthorized decision with an alert about the subject, or about us if the subject is unknown."""
        named = subject if subject.state is not None or subject.erased or self.own is None else self.own
        if item.raw is not None:
            rejected = _rejected(item, item.raw, subject, refusal.code, refusal.field, refusal.fix)
            note_refused(self._batch, named, item, rejected)
        return self._refuse(item, subject, refusal.code, refusal.field, refusal.fix)

    def _park(self, item: Input, subject: LockedSubject, now: datetime) -> None:
        self._batch.park(subject, item)
        subject.parked += 1
        subject.changed = True
        if subject.state is None and subject.due_at is None:
            subject.due_at = now + timedelta(seconds=self._policy.time_limits.parked)

    def _end_parking(self, subject: LockedSubject, item: Input) -> InputOutcome:
        """The subject did not arrive in time: its inputs are retained; one alert is raised."""
        subject.due_at = None
        subject.changed = True
        if subject.parked:
            self._batch.events.alert(subject, item, Alert("PARKED_TOO_LONG", attempts=subject.parked))
        return InputOutcome("applied", "PARKED_TOO_LONG" if subject.parked else "")

    def _clear_timer(self, subject: LockedSubject) -> InputOutcome:
        """Clear the timer of an erased subject, which would otherwise come due indefinitely."""
        subject.due_at = None
        subject.changed = True
        return InputOutcome("applied", "ERASED")

    def _fingerprint(self, item: Input) -> bytes:
        return self._batch.vault.index.fingerprint(item.type.encode(), item.subject.encode(), item.content)


def _rejected(item: Input, raw: RawMessage, subject: LockedSubject, code: str, field: str, fix: str) -> Rejected:
    return Rejected(raw, code, field, fix, subject.name, item.type, item.event)
