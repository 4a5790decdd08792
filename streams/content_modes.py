"""The two content modes of a CloudEvent in a Kafka record: structured JSON and binary.

The CloudEvents Kafka binding 1.0, read leniently: a record whose ``content-type`` begins with
``application/cloudevents`` is structured; else ``ce_`` headers make it binary; a record with neither (a plain
producer without headers) is read as structured. Header names are compared without case.
"""

from __future__ import annotations

from typing import Any

from streams.json_text import JsonFault, parse_object
from travelrule.machine.input import RawMessage

_STRUCTURED = "application/cloudevents"
_STRUCTURED_JSON = "application/cloudevents+json"
_ATTRIBUTE = "ce_"
_ATTRIBUTES_MAX = 64


def attributes_of(raw: RawMessage, value: bytes) -> dict[str, Any]:
    """Return the event's attributes with ``data``, not yet validated; JsonFault if there are none."""
    headers = _text_headers(raw)
    content_type = headers.get("content-type", "")
    media_type = content_type.split(";")[0].strip().lower()
    binary = {name: text for name, text in headers.items() if name.startswith(_ATTRIBUTE)}
    if media_type.startswith(_STRUCTURED):
        if media_type not in (_STRUCTURED, _STRUCTURED_JSON):
            raise JsonFault("UNSUPPORTED_FORMAT", "send application/cloudevents+json, one event per record")
        return parse_object(value)
    if not binary:
        return _with_trace(parse_object(value), headers)
    attributes: dict[str, Any] = {name.removeprefix(_ATTRIBUTE): text for name, text in binary.items()}
    attributes["datacontenttype"] = content_type or attributes.get("datacontenttype")
    attributes["data"] = parse_object(value)
    return _with_trace(attributes, headers)


def traceparent_of(raw: RawMessage) -> str | None:
    """Return the trace context of a record without event, from either form of the header."""
    headers = _text_headers(raw)
    return headers.get("ce_traceparent") or headers.get("traceparent")


def _with_trace(attributes: dict[str, Any], headers: dict[str, str]) -> dict[str, Any]:
    """Add the W3C trace context of plain headers, unless the event has its own."""
    for name in ("traceparent", "tracestate"):
        if name in headers:
            attributes.setdefault(name, headers[name])
    return attributes


def _text_headers(raw: RawMessage) -> dict[str, str]:
    """Return the relevant headers as text: the first of a name counts, as in HTTP intermediaries."""
    found: dict[str, str] = {}
    for name, content in raw.headers:
        lower = name.lower()
        wanted = lower.startswith(_ATTRIBUTE) or lower in ("content-type", "traceparent", "tracestate")
        if not wanted or lower in found:
            continue
        try:
            found[lower] = (content or b"").decode()
        except UnicodeDecodeError:
            raise JsonFault("INVALID_TEXT", "send the headers of the event in UTF-8") from None
        if len(found) > _ATTRIBUTES_MAX:
            raise JsonFault("TOO_LONG", f"at most {_ATTRIBUTES_MAX} ce_ headers")
    return found
