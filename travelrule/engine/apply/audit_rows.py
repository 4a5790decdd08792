"""The audit record of one decision, chained to the subject's earlier records."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from travelrule.crypto.audit_chain import record_hash
from travelrule.engine.apply.batch_rows import BatchRows
from travelrule.engine.apply.locked_subject import LockedSubject
from travelrule.engine.audit import record
from travelrule.machine.decision import Decision
from travelrule.machine.input import Input
from travelrule.machine.port import Machine
from travelrule.machine.projection import Projection
from travelrule.policy.policy import Policy


@dataclass(frozen=True, slots=True)
class DecidedInput:
    """A decision whose effects are in the batch. ``first_event`` is the place of its first event in the batch,
    ``created``: the subject had no state before.
    """

    item: Input
    fingerprint: bytes
    decision: Decision[Any]
    reply: dict[str, Any] | None
    first_event: int
    created: bool


def add_audit_record(
    batch: BatchRows, subject: LockedSubject, machine: Machine, policy: Policy, decided: DecidedInput
) -> None:
    """Add the record to the batch and move the head of the subject's chain to it."""
    state = subject.dumped = machine.dump(subject.state)
    if subject.state is not None:
        subject.projected = machine.project(subject.state)
    before = subject.before
    sealed_before = batch.vault.seal(subject.data_key, "before", subject.name, before) if before else None
    subject.before = b""
    subject.machine_version, subject.machine_records = machine.version, subject.records
    body = record.write(
        record.RecordedDecision(
            subject.name,
            subject.records,
            batch.now,
            decided.item,
            decided.fingerprint,
            decided.decision,
            machine.version,
            decided.created,
            state,
            subject.projected or Projection(),
            decided.reply,
            batch.events.rows[decided.first_event :],
        ),
        policy,
        batch.vault,
    )
    subject.head = record_hash(subject.head, body)
    batch.audit.append(
        {
            "vasp": batch.vasp,
            "subject": subject.name,
            "record": subject.records,
            "body": body,
            "sealed_before": sealed_before,
            "hash": subject.head,
            "at": batch.now,
        }
    )
