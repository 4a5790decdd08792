"""Kafka records into inputs and back (contract section 3).

``read`` returns an ``Input`` or a ``Rejected`` and never raises: an exception in a consumer would stop or skip the
records after it. A ``Rejected`` has a stable code, the path of the first fault and what to send instead; none of
them repeats the message.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Any, TypeVar
from uuid import uuid4

from pydantic import ValidationError

from schemas.events.cloudevents import CloudEvent, traceparent_or_none, write_event
from schemas.field_faults import field_faults
from schemas.person_names import NAME_FIX, nameless_fields
from schemas.registry import EVENTS, TOMBSTONES, TOPICS, EventSpec, subject_of
from schemas.wire_model import Wire
from streams.content_modes import attributes_of, traceparent_of
from streams.json_text import JsonFault, canonical
from streams.named_events import named_event
from travelrule.machine.input import Input, RawMessage, Rejected, Source
from travelrule.machine.sources import InternalSource, external_source, internal_input

__all__ = ["CODES", "SIZE_MAX", "read", "reader", "write_event"]

SIZE_MAX = 1_048_576
"""Bytes of a value: the default limit of a broker."""

M = TypeVar("M", bound=Wire)

CODES = {
    "TOO_LARGE": "the value is larger than the limit",
    "TOO_DEEP": "the JSON is nested too deeply",
    "UNSUPPORTED_FORMAT": "a CloudEvents format that is not JSON, or a batch",
    "UNKNOWN_TYPE": "no event type of ours",
    "WRONG_TOPIC": "an event type that belongs on another topic",
    "KEY_MISMATCH": "record key, subject of the event and id in the data are not the same",
    "RESERVED_SOURCE": "an event under a source that belongs to a part of this program",
    "INVALID_NAME": "a name without a letter or digit that can be seen",
    "TOMBSTONE_NOT_ALLOWED": "a record without value on a topic that is not compacted",
    "UNREADABLE": "the record could not be read for a reason of ours",
}
"""The stable codes that this room adds to those of ``schemas.field_faults``."""


@dataclass
class _Refused(Exception):  # noqa: N818 -- ends the steps below; ``read`` turns it into a value
    code: str
    field: str
    fix: str


def reader(clock: Callable[[], datetime]) -> Callable[[RawMessage], Input | Rejected]:
    """Return ``read`` for records whose topic name has no prefix, with the clock's time as time of receipt."""

    def read_one(raw: RawMessage) -> Input | Rejected:
        return read(raw, raw.topic, received_at=clock())

    return read_one


def read(raw: RawMessage, topic: str, *, received_at: datetime) -> Input | Rejected:
    """Read one record of ``topic`` (name without prefix).

    ``received_at`` replaces a missing ``time``: it is optional in an event, and a tombstone has none.
    """
    try:
        if raw.value is None:
            return _read_tombstone(raw, topic, received_at)
        return _read_event(raw, raw.value, topic, received_at)
    except _Refused as refused:
        names = named_event(raw, topic, SIZE_MAX)
        return Rejected(raw, refused.code, refused.field, refused.fix, names.subject, names.type, names.event)
    except Exception:  # noqa: BLE001 -- the boundary to foreign bytes: our mistake must not stop the topic
        return Rejected(raw, "UNREADABLE", "", "report the dead letter to the maintainers")


def _read_event(raw: RawMessage, value: bytes, topic: str, received_at: datetime) -> Input:
    if len(value) > SIZE_MAX:
        raise _Refused("TOO_LARGE", "", f"at most {SIZE_MAX} bytes")
    try:
        attributes = attributes_of(raw, value)
    except JsonFault as fault:
        raise _Refused(fault.code, "", fault.fix) from None
    spec = _spec_of(attributes.get("type"), topic)
    event = _valid(CloudEvent, attributes, "")
    source = _source_of(event.source)
    data = _valid(spec.model, event.data, "data")
    _check_names(data)
    _check_key(raw, event.subject, spec.key_of(data), spec.key_field)
    return Input(
        source=source,
        id=event.id,
        type=event.type,
        subject=subject_of(event.type, data),
        at=event.time or received_at,
        data=data,
        content=canonical(event.data),
        salt=uuid4(),
        traceparent=event.traceparent,
        raw=raw,
    )


def _read_tombstone(raw: RawMessage, topic: str, received_at: datetime) -> Input:
    spec = TOMBSTONES.get(topic)
    if spec is None:
        raise _Refused("TOMBSTONE_NOT_ALLOWED", "", "send a value: this topic is not compacted")
    content = {spec.key_field: _key_text(raw)}
    data = _valid(spec.model, content, "")
    try:
        trace = traceparent_or_none(traceparent_of(raw))
    except JsonFault:
        trace = None  # nothing but the key matters
    return internal_input(
        InternalSource.KAFKA,
        f"{raw.partition}-{raw.offset}",
        spec.type,
        subject_of(spec.type, data),
        data,
        path=topic,
        at=received_at,
        salt=uuid4(),
        content=canonical(content),
        traceparent=trace,
        raw=raw,
    )


def _source_of(text: str) -> Source:
    source = external_source(text)
    if source is None:
        raise _Refused("RESERVED_SOURCE", "source", "name the system that sends, for example /platform")
    return source


def _spec_of(event_type: object, topic: str) -> EventSpec:
    if event_type is None:
        raise _Refused("MISSING_FIELD", "type", "add the field")
    spec = EVENTS.get(event_type) if isinstance(event_type, str) else None
    if spec is None:
        raise _Refused("UNKNOWN_TYPE", "type", "send a type of the topic's table, with its version")
    if TOPICS[spec.topic].direction == "out":
        raise _Refused("WRONG_TOPIC", "type", "this program writes this type: send a type of the topic's table")
    if spec.topic != topic:
        raise _Refused("WRONG_TOPIC", "type", f"send this type to topic {spec.topic}")
    return spec


def _valid(model: type[M], content: dict[str, Any], prefix: str) -> M:
    try:
        return model.from_wire(content)
    except ValidationError as error:
        first = field_faults(error)[0]
        path = ".".join(part for part in (prefix, first.path) if part)
        raise _Refused(first.code, path, first.fix) from None


def _check_names(data: Wire) -> None:
    for path in nameless_fields(data):
        raise _Refused("INVALID_NAME", f"data.{path}", NAME_FIX)


def _key_text(raw: RawMessage) -> str:
    try:
        return (raw.key or b"").decode()
    except UnicodeDecodeError:
        raise _Refused("KEY_MISMATCH", "key", "send the id as UTF-8 text as the record's key") from None


def _check_key(raw: RawMessage, subject: str, own_id: str, key_field: str) -> None:
    if _key_text(raw) != own_id:
        raise _Refused("KEY_MISMATCH", "key", f"the record's key must be the id in data ({key_field})")
    if subject != own_id:
        raise _Refused("KEY_MISMATCH", "subject", f"the event's subject must be the id in data ({key_field})")
