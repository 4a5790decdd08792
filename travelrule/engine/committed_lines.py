"""The log lines of facts: one for each verdict, alert and dead letter, written after the commit.

A batch collects its facts beside the rows they belong to; a batch that is rolled back or repeated writes none. Only
names and codes that those rows hold in clear are logged (ADR 0024).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from schemas.registry import EVENTS
from travelrule import logs
from travelrule.engine.messages.message_record import is_message
from travelrule.machine.input import Input, RawMessage, Rejected

log = logs.get("facts")

_VERDICT = {
    "subject": "subject",
    "verdict": "verdict",
    "reasons": "reasons",
    "needs": "needs",
    "final": "final",
    "counterparty": "counterparty",
    "transferId": "transfer_id",
    "exchangeStatus": "exchange_status",
    "policyVersion": "policy_version",
}
_ALERT = {name: name for name in ("subject", "code", "severity", "counterparty", "attempts")}


@dataclass(frozen=True, slots=True)
class Fact:
    """One line to write when the transaction is committed."""

    event: str
    level: logs.Level
    fields: Mapping[str, object]
    traceparent: str | None = None


def verdict_fact(data: Mapping[str, Any], sequence: int, traceparent: str | None) -> Fact:
    """The fact of a verdict event."""
    joined = {name: ",".join(data.get(name, ())) or None for name in ("reasons", "needs")}
    return Fact("verdict", "info", {**_named(_VERDICT, {**data, **joined}), "sequence": sequence}, traceparent)


def alert_fact(data: Mapping[str, Any], sequence: int, traceparent: str | None) -> Fact:
    """The fact of an operator alert."""
    level: logs.Level = "error" if data["severity"] == "critical" else "warning"
    return Fact("alert", level, {**_named(_ALERT, data), "sequence": sequence}, traceparent)


def dead_letter_fact(rejected: Rejected, letter_id: str, subject: str, traceparent: str | None) -> Fact:
    """The fact of a stored dead letter."""
    raw = rejected.raw
    fields: dict[str, object] = {"id": letter_id, "code": rejected.code, "kind": "message"}
    if not is_message(raw):
        fields |= {"kind": "record", "topic": raw.topic, "partition": raw.partition, "offset": raw.offset}
    given = {"field": rejected.field, "subject": subject, "type": rejected.type if rejected.type in EVENTS else ""}
    fields |= {name: value for name, value in given.items() if value}
    return Fact("dead-letter", "warning", fields, traceparent or _trace_of(raw))


class FactLog:
    """The facts of one batch."""

    def __init__(self) -> None:
        self._of_events: list[Fact] = []
        self._of_letters: dict[str, Fact] = {}

    def event(self, topic: str, data: Mapping[str, Any], sequence: int, traceparent: str | None) -> None:
        """An event is to be published: a verdict and an alert are facts."""
        if topic == "verdicts":
            self._of_events.append(verdict_fact(data, sequence, traceparent))
        elif topic == "alerts":
            self._of_events.append(alert_fact(data, sequence, traceparent))

    def letter(self, row: Mapping[str, Any], rejected: Rejected, item: Input | None) -> None:
        """A dead letter is to be stored."""
        traceparent = item.traceparent if item is not None else None
        self._of_letters[row["id"]] = dead_letter_fact(rejected, row["id"], row["subject"], traceparent)

    def committed(self, letters: Iterable[str]) -> list[Fact]:
        """What to log after the commit. ``letters`` are the ids that were stored: one that was known is no fact."""
        return [*self._of_events, *(self._of_letters[letter_id] for letter_id in letters)]


def write_facts(facts: Iterable[Fact]) -> None:
    """Log what is committed now."""
    for fact in facts:
        with logs.trace(fact.traceparent):
            log.write(fact.level, fact.event, fact.fields)


def _named(names: Mapping[str, str], data: Mapping[str, Any]) -> dict[str, object]:
    return {ours: data[name] for name, ours in names.items() if data.get(name) is not None}


def _trace_of(raw: RawMessage) -> str | None:
    return next((value.decode("ascii", "replace") for name, value in raw.headers if name == "traceparent"), None)
