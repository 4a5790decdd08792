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

Row = dict[str, Any]


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
            self._observe_verdict(item, data)
        self.facts.event(topic, data, sequence, traceparent)

    def _observe_verdict(self, item: Input | None, data: dict[str, Any]) -> None:
        kind = str(data["subject"]).partition(":")[0]
        reasons = data.get("reasons") or [""]
        labels = {"kind": kind, "verdict": data["verdict"], "reason": reasons[0]}
        self.observations.append(Observation("verdicts", labels))
        if item is not None:
            self.observations.append(Observation("age", {}, (self.now - item.at).total_seconds()))


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
