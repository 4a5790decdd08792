"""The type, subject and event id of a refused record, as far as they are readable.

An id counts only if it is the record's key and neither ``data`` nor the event's ``subject`` contradicts it: a refusal
must not be reported to another subject. It does not count on a topic of other types: permission to write one topic
must not give access to subjects of another.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

import orjson
from pydantic import TypeAdapter, ValidationError

from schemas.events.cloudevents import Source
from schemas.events.decisions import SubjectText
from schemas.registry import EVENTS, TOPICS, EventSpec, bare_id, is_qualified
from schemas.texts import Id
from streams.content_modes import attributes_of
from streams.json_text import JsonFault
from travelrule.machine.input import RawMessage

_VERSION = re.compile(r"\.v[0-9]+\Z")
_SPECS = {_VERSION.sub("", spec.type): spec for spec in EVENTS.values() if TOPICS[spec.topic].direction == "in"}
_ID = TypeAdapter(Id)
_SOURCE = TypeAdapter(Source)
_SUBJECT = TypeAdapter(SubjectText)
_EMPTY = b"{}"


@dataclass(frozen=True, slots=True)
class NamedEvent:
    """``type`` is one of our event types, ``subject`` is qualified, ``event`` is ``source#id``; empty: not readable."""

    type: str = ""
    subject: str = ""
    event: str = ""


def named_event(raw: RawMessage, topic: str, size_max: int) -> NamedEvent:
    """Read the names of a record of ``topic``. Of a value above ``size_max`` only the headers are parsed."""
    attributes = readable_attributes(raw, size_max)
    kind = attributes.get("type")
    spec = _SPECS.get(_VERSION.sub("", kind)) if isinstance(kind, str) else None
    if spec is None:
        return NamedEvent()
    source, event_id = _text(_SOURCE, attributes.get("source")), _text(_ID, attributes.get("id"))
    event = f"{source}#{event_id}" if source and event_id else ""
    subject = _subject(raw, spec, attributes) if spec.topic == topic else ""
    return NamedEvent(spec.type, subject, event)


def _subject(raw: RawMessage, spec: EventSpec, attributes: dict[str, Any]) -> str:
    try:
        key = _text(_ID, (raw.key or b"").decode())
    except UnicodeDecodeError:
        return ""
    data = attributes.get("data")
    if not spec.subject_kind:
        return _named_by_itself(key, attributes.get("subject"), data)
    given = [attributes.get("subject"), data.get(spec.key_field) if isinstance(data, dict) else None]
    ids = {one for one in given if isinstance(one, str)}
    return f"{spec.subject_kind}:{key}" if key and ids == {key} else ""


def _named_by_itself(key: str, subject: object, data: object) -> str:
    """Return the subject of an event whose data hold the qualified subject (a decision)."""
    named = _text(_SUBJECT, data.get("subject")) if isinstance(data, dict) else ""
    return named if key and key == subject == bare_id(named) and is_qualified(named) else ""


def readable_attributes(raw: RawMessage, size_max: int) -> dict[str, Any]:
    """Return the attributes and ``data``, unchecked, as far as they are readable. Headers are read first: in binary
    mode they are readable whatever the value is.
    """
    try:
        headers = attributes_of(raw, _EMPTY)
    except JsonFault:
        return {}
    body = _object(raw.value) if raw.value is not None and len(raw.value) <= size_max else {}
    return {**headers, "data": body} if "datacontenttype" in headers else body


def _object(value: bytes) -> dict[str, Any]:
    """Parse leniently: U+0000 or excessive depth elsewhere does not make an id unreadable."""
    try:
        parsed = orjson.loads(value)
    except orjson.JSONDecodeError:
        return {}
    return parsed if isinstance(parsed, dict) else {}


def _text(adapter: TypeAdapter[str], value: object) -> str:
    try:
        return adapter.validate_python(value)
    except ValidationError:
        return ""
