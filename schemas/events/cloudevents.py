"""The envelope of every event: CloudEvents 1.0, with the tracing extension; written as structured JSON."""

from __future__ import annotations

import re
from datetime import datetime
from decimal import Decimal
from typing import Annotated, Any, Literal

import orjson
from pydantic import StringConstraints

from schemas.events.decisions import SubjectText
from schemas.input_forms import InputForm, absent_is_none, any_case_pattern, anything, or_absent
from schemas.moments import MaybeTime, time_text
from schemas.numbers import decimal_text
from schemas.texts import LINE_PATTERN, Id
from schemas.wire_model import Wire

Source = Annotated[str, StringConstraints(strict=True, pattern=LINE_PATTERN, min_length=1, max_length=500)]

JSON_TYPE = "application/json"
JSON_TYPE_PATTERN = (
    rf"^ *{any_case_pattern('application')[1:-1]}/([A-Za-z0-9.+-]+\+)?{any_case_pattern('json')[1:-1]} *(;[ -~]*)?$"
)
_TRACEPARENT = re.compile(r"[0-9a-f]{2}-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}")
TRACESTATE_MAX = 512


def traceparent_or_none(value: Any) -> str | None:
    """Return a valid W3C trace context, else None: an invalid one never refuses an event."""
    return value if isinstance(value, str) and _TRACEPARENT.fullmatch(value) else None


def _tracestate_or_none(value: Any) -> str | None:
    good = isinstance(value, str) and value.isascii() and value.isprintable()
    return value if good and 0 < len(value) <= TRACESTATE_MAX else None


def _or_json(value: Any) -> Any:
    return JSON_TYPE if absent_is_none(value) is None else value


MediaType = Annotated[
    Annotated[str, StringConstraints(strict=True, pattern=JSON_TYPE_PATTERN, max_length=200)],
    InputForm(_or_json, or_absent),
]


class CloudEvent(Wire):
    """The envelope of every event: CloudEvents 1.0, structured or binary mode. An input is known by ``source`` and
    ``id``; attributes that are not listed here are ignored.
    """

    specversion: Literal["1.0"] = "1.0"
    """Version of CloudEvents: ``1.0``, the only one that is read."""
    id: Id
    """Id of the event, unique within its ``source``. The same id with other content is refused as ``CONFLICT``.
    Example: "8d0c6a0e-7c2f-4b57-9f0e-3f6f8c1f0a11"
    """
    source: Source
    """The system that sends, as a URI reference. Events of this program have ``/travelrule/`` and the entity id.
    Example: "/platform"
    """
    type: Id
    """Type of the event with its version; it decides what ``data`` holds.
    Example: "withdrawal.requested.v1"
    """
    time: MaybeTime = None
    """Moment of the event: ISO 8601, UTC if no zone is given. Left out, the moment of receipt counts.
    Example: "2026-11-20T09:00:00Z"
    """
    subject: SubjectText
    """Id that the event is about: equal to the record's key and to the id in ``data``.
    Example: "0b6f3c1e-7d0a-4f6e-9a51-2f1d9d1f7c11"
    """
    datacontenttype: MediaType = JSON_TYPE
    """Media type of ``data``: ``application/json``, or one that ends in ``+json``.
    Example: "application/json"
    """
    traceparent: Annotated[str | None, anything(traceparent_or_none)] = None
    """W3C trace context, continued in all that follows from the event: version, trace id, parent id and flags in small
    hexadecimal digits. Anything else is ignored.
    Example: "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
    """
    tracestate: Annotated[str | None, anything(_tracestate_or_none)] = None
    """W3C trace state, passed on: 1 to 512 visible ASCII characters. Anything else is ignored.
    Example: "vendor=value"
    """
    data: dict[str, Any]
    """The content, in the form that belongs to ``type``. Fields that are not known are ignored."""


def write_event(
    *,
    type: str,  # noqa: A002 - the attributes keep their names in CloudEvents
    source: str,
    id: str,  # noqa: A002
    subject: str,
    time: datetime,
    data: dict[str, Any],
    traceparent: str | None = None,
    tracestate: str | None = None,
) -> bytes:
    """Return one of our events as structured JSON. Equal arguments give equal bytes.

    ``data`` has the wire's names; decimals become their exact text. What JSON does not know is a TypeError.
    """
    event: dict[str, Any] = {
        "specversion": "1.0",
        "id": id,
        "source": source,
        "type": type,
        "time": time_text(time),
        "subject": subject,
        "datacontenttype": "application/json",
    }
    if traceparent:
        event["traceparent"] = traceparent
    if tracestate:
        event["tracestate"] = tracestate
    return orjson.dumps({**event, "data": data}, default=_exact_text)


def _exact_text(value: object) -> str:
    if isinstance(value, Decimal):
        return decimal_text(value)
    raise TypeError(value.__class__.__name__)
