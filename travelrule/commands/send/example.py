"""A committed example as a new event: fresh ids, the present time, a source of its own."""

from __future__ import annotations

import difflib
import json
from datetime import datetime
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import Any
from uuid import uuid4

from schemas.events.cloudevents import write_event
from schemas.registry import EVENTS, TOMBSTONES, TOPICS, EventSpec, bare_id, is_qualified
from travelrule.commands.validate.answer import answer_to
from travelrule.commands.validate.event_file import FileRecord, record_of
from travelrule.errors import UsageError

SOURCE = "/example"
INPUT_TYPES = tuple(spec.type for spec in EVENTS.values() if TOPICS[spec.topic].direction == "in")
USUAL = {
    "withdrawal.requested.v1": "natural-with-tag",
    "withdrawal.amended.v1": "beneficiary",
    "withdrawal.cancelled.v1": "unknown",
    "withdrawal.recorded.v1": "vasp",
    "withdrawal.broadcast.v1": "txid",
    "deposit.detected.v1": "with-tag",
    "wallet.registered.v1": "natural",
    "screening.requested.v1": "wallet",
    "decision.recorded.v1": "allow",
}
"""The example of a type that has several; of others it is the first by name."""


def example_record(name: str, subject_id: str | None, now: datetime) -> FileRecord:
    """Return an example as a record: ``TYPE`` or ``TYPE/NAME``. ``subject_id`` is the id that it is about; None: a
    fresh one. Raise ``UsageError`` for an unknown example, and for one that needs the id of a known subject.
    """
    kind, _, variant = name.partition("/")
    spec = EVENTS[kind] if kind in INPUT_TYPES else None
    if spec is None:
        nearest = difflib.get_close_matches(kind, INPUT_TYPES, n=1)
        raise UsageError(f"no example of {kind}: {_hint(nearest)}types are {', '.join(INPUT_TYPES)}")
    event = json.loads(_example(spec, variant).read_bytes())
    if subject_id is None and _is_about_a_known_subject(spec, event, now):
        raise UsageError(f"{kind} is about a subject that exists: give its id with --id")
    subject = subject_id or f"example-{uuid4()}"
    if not spec.subject_kind and not is_qualified(subject):
        raise UsageError(f"{kind} names its subject with its kind: --id withdrawal:ID or deposit:ID")
    if spec in TOMBSTONES.values():
        return record_of(None, spec.topic, subject)
    data = event["data"] | {spec.key_field: subject}
    if "txid" in data:
        data["txid"] = _fresh_txid(data["txid"])
    value = write_event(type=kind, source=SOURCE, id=str(uuid4()), subject=bare_id(subject), time=now, data=data)
    return record_of(value, spec.topic, bare_id(subject))


def example_names(event_type: str) -> list[str]:
    """Return the names of the examples of a type."""
    folder = files("schemas") / "examples" / event_type
    names = (path.name.removesuffix(".json") for path in folder.iterdir())
    return sorted(name.removeprefix("valid-") for name in names if name.startswith("valid-"))


def _example(spec: EventSpec, variant: str) -> Traversable:
    names = example_names(spec.type)
    wanted = variant or USUAL.get(spec.type, names[0])
    if wanted not in names:
        raise UsageError(f"no example {wanted} of {spec.type}: there are {', '.join(names)}")
    return files("schemas") / "examples" / spec.type / f"valid-{wanted}.json"


def _hint(nearest: list[str]) -> str:
    return f"did you mean {nearest[0]}? " if nearest else ""


def _is_about_a_known_subject(spec: EventSpec, event: dict[str, Any], now: datetime) -> bool:
    if spec in TOMBSTONES.values():
        return True
    return answer_to(record_of(json.dumps(event).encode(), spec.topic, event["subject"]), now).waits


def _fresh_txid(old: str) -> str:
    """Return a random id in the form of the example's: digits, case and prefix."""
    fresh = (uuid4().hex + uuid4().hex)[: len(old.removeprefix("0x"))]
    return ("0x" if old.startswith("0x") else "") + (fresh.upper() if old == old.upper() else fresh)
