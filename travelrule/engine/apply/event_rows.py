"""The outbox rows of one batch: events and operator alerts, in the order in which they are published."""

from __future__ import annotations

import base64
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

import orjson

from schemas.events.cloudevents import write_event
from travelrule.engine.apply.locked_subject import LockedSubject
from travelrule.engine.apply.observations import Observation
from travelrule.engine.committed_lines import FactLog
from travelrule.engine.stable_ids import stable_id
from travelrule.machine.effects import Alert
from travelrule.machine.input import Input
from travelrule.machine.sources import source_class

Row = dict[str, Any]

DENIED = "DENIED_"
"""The prefix of a reason for which a counterparty denied a transfer."""
PLATFORM = frozenset({"platform", "operator"})
"""The classes of sources outside this program."""


@dataclass(slots=True)
class EventRows:
    """Collects events. The metrics and log lines of their facts go into ``observations`` and ``facts``."""

    vasp: str
    now: datetime
    observations: list[Observation]
    facts: FactLog
    rows: list[Row] = field(default_factory=list)

    def alert(self, subject: LockedSubject, item: Input | None, alert: Alert) -> None:
        """Add an operator alert about ``subject``; ``item`` is the input that led to it, if one did."""
        data: dict[str, Any] = {
            "subject": subject.name,
            "code": alert.code,
            "severity": alert.severity,
            "runbook": f"docs/runbooks/{alert.code}.md",
        }
        if alert.counterparty:
            data["counterparty"] = alert.counterparty
        if alert.attempts is not None:
            data["attempts"] = alert.attempts
        self.emit(subject, item, "alerts", subject.bare_id, "operator.alert.v1", data)
        self.observations.append(Observation("alerts", {"code": alert.code}))
        self.observations.append(Observation("operator alerts", {"severity": alert.severity}))

    def emit(
        self, subject: LockedSubject, item: Input | None, topic: str, key: str, kind: str, data: dict[str, Any]
    ) -> None:
        """Add an event of type ``kind`` with the next sequence number of its topic and key."""
        counter = f"{topic}:{key}"
        sequence = subject.sequences.get(counter, 0) + 1
        subject.sequences[counter] = sequence
        subject.changed = True
        traceparent = item.traceparent if item is not None else None
        value = write_event(
            type=kind,
            source=f"/travelrule/{self.vasp}",
            id=stable_id(self.vasp, topic, key, subject.name, sequence),
            subject=key,
            time=self.now,
            data={**data, "sequence": sequence},
            traceparent=traceparent,
        )
        headers = [("content-type", b"application/cloudevents+json")]
        if traceparent:
            headers.append(("traceparent", traceparent.encode()))
        self.rows.append(
            outbox_row(self.vasp, topic, key, key.encode(), subject.name, kind, sequence, value, headers, self.now)
        )
        if topic == "verdicts":
            self._observe_verdict(subject, item, data)
        self.facts.event(topic, data, sequence, traceparent)

    def _observe_verdict(self, subject: LockedSubject, item: Input | None, data: dict[str, Any]) -> None:
        """Count a verdict. Its age is that of the platform's event that it answers: of the request for the first one,
        else of an event that led to it at once. A later verdict that something else led to has none.
        """
        subject.reason = (data.get("reasons") or [""])[0]
        labels = {"kind": subject.kind, "verdict": data["verdict"], "reason": subject.reason}
        self.observations.append(Observation("verdicts", labels))
        if subject.reason.startswith(DENIED):
            denial = {"vasp": data.get("counterparty") or "", "reason": subject.reason.removeprefix(DENIED)}
            self.observations.append(Observation("denials", {**denial, "side": "originating"}))
        asked_at = subject.requested_at if subject.answer_due_at is not None else None
        if subject.answer_due_at is not None:
            result = "met" if self.now <= subject.answer_due_at else "missed"
            self.observations.append(Observation("limit", {"kind": subject.kind, "result": result}))
            subject.answer_due_at = None
        elif item is not None and source_class(item.source) in PLATFORM:
            asked_at = item.at
        if asked_at is not None:
            self.observations.append(Observation("age", {}, max((self.now - asked_at).total_seconds(), 0.0)))


def outbox_row(
    vasp: str,
    topic: str,
    key: str,
    record_key: bytes | None,
    subject: str,
    kind: str,
    sequence: int,
    value: bytes,
    headers: list[tuple[str, bytes]],
    now: datetime,
) -> Row:
    """Return the row of one record to publish. ``key`` orders the rows of a topic, ``record_key`` is Kafka's key."""
    return {
        "vasp": vasp,
        "topic": topic,
        "key": key,
        "record_key": record_key,
        "subject": subject,
        "type": kind,
        "sequence": sequence,
        "value": value,
        "headers": orjson.dumps([[name, base64.b64encode(content).decode()] for name, content in headers]).decode(),
        "created_at": now,
        "lease_owner": None,
        "lease_until": None,
    }
