"""One input against one locked subject: known already, refused, parked, or decided."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

import orjson

from travelrule import logs
from travelrule.crypto.audit_chain import record_hash
from travelrule.engine.apply.accepted_answers import AcceptedAnswers, with_accepted
from travelrule.engine.apply.batch_rows import BatchRows, Observation
from travelrule.engine.apply.decision_guard import DecisionGuard, note_refused
from travelrule.engine.apply.locked_subject import LockedSubject
from travelrule.engine.audit import record
from travelrule.engine.input_envelope import unpack
from travelrule.engine.input_outcome import InputOutcome
from travelrule.machine.decision import Decision
from travelrule.machine.decision_authority import AuthorityRefusal
from travelrule.machine.effects import AcceptAnswer, Alert
from travelrule.machine.input import Input, RawMessage, Rejected
from travelrule.machine.port import Machine
from travelrule.machine.projection import Projection
from travelrule.machine.sources import SUBJECTS, source_class
from travelrule.policy.policy import Policy

log = logs.get("engine")

FINAL_CALL_TYPES = {"call.answered", "call.failed"}


@dataclass(frozen=True, slots=True)
class KnownInput:
    """A stored input: what is needed to answer it again, or to see that it is another one."""

    fingerprint: bytes
    subject: str
    status: str
    code: str
    sealed_reply: bytes | None


class InputDecider:
    """Applies inputs to slots in arrival order; all effects go into the batch."""

    def __init__(self, machines: dict[str, Machine], policy: Policy, batch: BatchRows) -> None:
        self._machines = machines
        self._policy = policy
        self._batch = batch
        self.guard = DecisionGuard(policy, batch)
        self.own: LockedSubject | None = None
        """Our own VASP, locked for what is told of no subject that is there."""
        self.accepted: AcceptedAnswers = {}
        """The sealed answers of this batch that were accepted before it, or by an input before."""

    def apply(
        self,
        item: Input,
        slot: LockedSubject,
        known: dict[tuple[str, str], KnownInput],
        now: datetime,
        *,
        waited: bool = False,
    ) -> InputOutcome:
        """Decide one input. A repeated id with equal content is answered from the store; with other content it is
        refused as ``CONFLICT``. ``waited``: it was parked, and another input let it in.
        """
        fingerprint = self._fingerprint(item)
        if item.type in FINAL_CALL_TYPES:
            self._batch.finished_calls.append(item.id)
        if item.source == SUBJECTS:
            self._batch.finished_tells.append(item.id)  # a refused one is kept as a dead letter
        item = with_accepted(item, self.accepted)
        stored = known.get((item.source, item.id))
        if stored is not None:
            return self._repeat(item, slot, stored, fingerprint)
        allowed = self.guard.check(item, now)
        if isinstance(allowed, AuthorityRefusal):
            return self._refuse_decision(item, slot, allowed)
        item = allowed
        if slot.erased:
            if item.type == "timer.due":
                return self._forget_timer(slot)
            return self._refuse(item, slot, "ERASED", "", "the subject's data were erased; use a new id")
        if item.type == "timer.due" and slot.state is None:
            return self._parked_too_long(slot, item)
        if slot.kind not in self._machines:
            return self._refuse(item, slot, "NOT_AVAILABLE", "subject", "this kind of subject is not served yet")
        decision = self._decide(item, slot, now, waited=waited)
        outcome = self._take(item, slot, decision, fingerprint, now)
        if outcome.status in {"applied", "duplicate"}:
            sealed = self._batch.inputs[-1]["reply"]
            known[item.source, item.id] = KnownInput(fingerprint, slot.subject, outcome.status, outcome.code, sealed)
        return outcome

    def arrived(self, slot: LockedSubject) -> bool:
        """Whether what is parked for the subject can be decided now."""
        return slot.state is not None and self._machines[slot.kind].arrived(slot.state)

    def release_parked(
        self, slot: LockedSubject, parked: list[bytes], known: dict[tuple[str, str], KnownInput], now: datetime
    ) -> None:
        """The subject has arrived: apply what waited for it, in the order in which it came."""
        slot.parked = 0
        slot.changed = True
        for sealed in parked:
            item = unpack(self._batch.vault.open(slot.data_key, "parked", slot.subject, sealed))
            self._batch.unparked.append({"vasp": self._batch.vasp, "source": item.source, "id": item.id})
            outcome = self.apply(item, slot, known, now, waited=True)
            self._observe(item, f"unparked-{outcome.status}")

    def _decide(self, item: Input, slot: LockedSubject, now: datetime, *, waited: bool) -> Decision[Any]:
        try:
            return self._machines[slot.kind].decide(slot.state, item, self._policy, now)
        except Exception as error:
            if not waited:
                raise
            failure = error
        # The culprit is the input that waited, not the one that let it in: only that one is refused.
        log.error("input-unprocessable", subject=item.subject, error=failure, type=item.type)
        fix = "the message was kept; report it with its dead-letter id"
        return Decision(slot.state, status="rejected", code="UNPROCESSABLE", fix=fix)

    def _take(
        self, item: Input, slot: LockedSubject, decision: Decision[Any], fingerprint: bytes, now: datetime
    ) -> InputOutcome:
        batch = self._batch
        if decision.status == "rejected":
            reply = next((effect.body for effect in decision.effects if hasattr(effect, "body")), None)
            if reply is not None:
                return InputOutcome("rejected", decision.code, decision.field, decision.fix, reply)
            return self._refuse(item, slot, decision.code, decision.field, decision.fix)
        if decision.status == "parked":
            self._park(item, slot, now)
            return InputOutcome("parked", decision.code)
        before = slot.state
        slot.state = decision.state
        slot.changed = True
        slot.records += 1
        slot.traceparent = item.traceparent or slot.traceparent
        emitted = len(batch.outbox)
        reply = batch.effects(slot, item, decision.effects)
        self.accepted |= {one.seal: one.transfer_id for one in decision.effects if isinstance(one, AcceptAnswer)}
        self._audit(item, slot, decision, fingerprint, emitted, reply, now, created=before is None)
        batch.remember(slot, item, fingerprint, decision.status, decision.code, reply)
        return InputOutcome(decision.status, decision.code, decision.field, decision.fix, reply)

    def _audit(
        self,
        item: Input,
        slot: LockedSubject,
        decision: Decision[Any],
        fingerprint: bytes,
        emitted: int,
        reply: dict[str, Any] | None,
        now: datetime,
        *,
        created: bool,
    ) -> None:
        batch = self._batch
        machine = self._machines[slot.kind]
        state = slot.dumped = machine.dump(slot.state)
        if slot.state is not None:
            slot.projected = machine.project(slot.state)
        sealed_before = batch.vault.seal(slot.data_key, "before", slot.subject, slot.before) if slot.before else None
        slot.before = b""
        slot.machine_version, slot.machine_records = machine.version, slot.records
        decided = record.RecordedDecision(
            slot.subject,
            slot.records,
            now,
            item,
            fingerprint,
            decision,
            machine.version,
            created,
            state,
            slot.projected or Projection(),
            reply,
            batch.outbox[emitted:],
        )
        body = record.write(decided, self._policy, batch.vault)
        slot.head = record_hash(slot.head, body)
        batch.audit.append(
            {
                "vasp": batch.vasp,
                "subject": slot.subject,
                "record": slot.records,
                "body": body,
                "sealed_before": sealed_before,
                "hash": slot.head,
                "at": now,
            }
        )

    def _repeat(self, item: Input, slot: LockedSubject, stored: KnownInput, fingerprint: bytes) -> InputOutcome:
        if stored.fingerprint != fingerprint or stored.subject != slot.subject:
            return self.conflict(item, slot)
        reply = None
        if stored.sealed_reply is not None and not slot.erased:
            reply = orjson.loads(self._batch.vault.open(slot.data_key, "reply", slot.subject, stored.sealed_reply))
        return InputOutcome("duplicate", stored.code, reply=reply)

    def conflict(self, item: Input, slot: LockedSubject) -> InputOutcome:
        """The id is known, or waits, with other content."""
        return self._refuse(item, slot, "CONFLICT", "id", "an id names one content; send the change under a new id")

    def _refuse(self, item: Input, slot: LockedSubject, code: str, field: str, fix: str) -> InputOutcome:
        if item.raw is not None:
            self._batch.refuse(_rejected(item, item.raw, slot, code, field, fix), slot, item)
        return InputOutcome("rejected", code, field, fix)

    def _refuse_decision(self, item: Input, slot: LockedSubject, refusal: AuthorityRefusal) -> InputOutcome:
        """It was not authorized: the subject stays as it is, and an operator is told."""
        told = slot if slot.state is not None or slot.erased or self.own is None else self.own
        if item.raw is not None:
            rejected = _rejected(item, item.raw, slot, refusal.code, refusal.field, refusal.fix)
            note_refused(self._batch, told, item, rejected)
        return self._refuse(item, slot, refusal.code, refusal.field, refusal.fix)

    def _park(self, item: Input, slot: LockedSubject, now: datetime) -> None:
        self._batch.park(slot, item)
        slot.parked += 1
        slot.changed = True
        if slot.state is None and slot.due_at is None:
            slot.due_at = now + timedelta(seconds=self._policy.time_limits.parked)

    def _parked_too_long(self, slot: LockedSubject, item: Input) -> InputOutcome:
        """Input for a subject that never came: kept, and said aloud once."""
        slot.due_at = None
        slot.changed = True
        if slot.parked:
            self._batch.alert(slot, item, Alert("PARKED_TOO_LONG", attempts=slot.parked))
        return InputOutcome("applied", "PARKED_TOO_LONG" if slot.parked else "")

    def _forget_timer(self, slot: LockedSubject) -> InputOutcome:
        """Nothing can come of a timer of an erased subject: without this it would come due for ever."""
        slot.due_at = None
        slot.changed = True
        return InputOutcome("applied", "ERASED")

    def _fingerprint(self, item: Input) -> bytes:
        return self._batch.vault.index.fingerprint(item.type.encode(), item.subject.encode(), item.content)

    def _observe(self, item: Input, outcome: str) -> None:
        labels = {"source": source_class(item.source), "type": item.type}
        self._batch.observations.append(Observation("inputs", {**labels, "outcome": outcome}))


def _rejected(item: Input, raw: RawMessage, slot: LockedSubject, code: str, field: str, fix: str) -> Rejected:
    return Rejected(raw, code, field, fix, slot.subject, item.type, item.event)
