"""The worker's answer to one record, as far as it follows from the record alone."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from schemas.registry import is_qualified
from streams.codec import read
from travelrule.commands.validate.event_file import FileRecord
from travelrule.engine.registry import MACHINES
from travelrule.machine.input import Input, Rejected
from travelrule.policy.policy import Policy

NOT_CHECKED = (
    "whether the event is a duplicate, or in CONFLICT with one that was sent",
    "whether the state of its subject permits it (ALREADY_FINAL, NOT_BROADCAST, ERASED, ...)",
    "whether a decision is signed and its actor entitled",
    "what policy, lists and counterparties lead to",
)
"""What depends on what a worker has stored, and on others."""
REQUEST = "withdrawal.requested.v1"


@dataclass(frozen=True, slots=True)
class WorkerAnswer:
    """``code``, ``field`` and ``fix`` are those of the dead letter, empty if the record is accepted. ``waits``: a
    worker keeps the event until its subject is known. ``topic``, ``type``, ``subject`` and ``event`` are empty if they
    are not readable.
    """

    line: int
    topic: str
    type: str
    subject: str
    event: str
    code: str = ""
    field: str = ""
    fix: str = ""
    waits: bool = False

    @property
    def is_accepted(self) -> bool:
        """Whether the record becomes an input."""
        return not self.code

    @property
    def is_held(self) -> bool:
        """Whether the refused record names a withdrawal, which is then on hold if its id is new."""
        return bool(self.code and self.subject) and self.type == REQUEST

    def facts(self) -> dict[str, Any]:
        """The fields that the command reports."""
        named = {"topic": self.topic, "type": self.type, "subject": self.subject, "event": self.event}
        refusal = {"code": self.code, "field": self.field, "fix": self.fix}
        facts = {name: value or None for name, value in (named | refusal).items()}
        return {"line": self.line, "ok": self.is_accepted, **facts, "waits": self.waits, "held": self.is_held}

    def sentence(self) -> str:
        """The answer as a line of text."""
        if self.is_accepted:
            end = "; it waits until its subject is known" if self.waits else ""
            return f"line {self.line}: accepted: {self.type} for {self.subject} on topic {self.topic}{end}"
        place = f" {self.field}" if self.field else ""
        end = "; the withdrawal is held as REJECTED_INPUT if its id is new" if self.is_held else ""
        return f"line {self.line}: refused: {self.code}{place}: {self.fix}{end}"


def answer_to(record: FileRecord, now: datetime) -> WorkerAnswer:
    """Return the answer of a worker that has stored nothing yet."""
    item = read(record.raw, record.topic, received_at=now)
    topic = record.topic if record.topic_known else ""
    if isinstance(item, Rejected):
        return WorkerAnswer(record.line, topic, item.type, item.subject, item.event, item.code, item.field, item.fix)
    return WorkerAnswer(record.line, topic, item.type, item.subject, item.event, waits=_waits(item, now))


def _waits(item: Input, now: datetime) -> bool:
    """Whether the machine of the subject keeps the event until the subject is known; unknown for a bare id."""
    if not is_qualified(item.subject):
        return False
    machine = MACHINES.get(item.subject.partition(":")[0])
    return machine is not None and machine.decide(None, item, Policy.default(), now).status == "parked"
