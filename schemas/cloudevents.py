"""The envelope of every event: CloudEvents 1.0, with the tracing extension; written as structured JSON."""

from __future__ import annotations

import re
from datetime import datetime
from decimal import Decimal
from typing import Annotated, Any, Literal

import orjson
from pydantic import BeforeValidator, StringConstraints, field_validator

from schemas.base import Wire
from schemas.decisions import SubjectText
from schemas.faults import fault
from schemas.text import LINE_PATTERN, Id, Timestamp, absent_is_none, decimal_text, time_text

Source = Annotated[str, StringConstraints(strict=True, pattern=LINE_PATTERN, min_length=1, max_length=500)]

_JSON_TYPE = re.compile(r"application/([a-z0-9.+-]+\+)?json", re.IGNORECASE)
_TRACEPARENT = re.compile(r"[0-9a-f]{2}-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}")
TRACESTATE_MAX = 512


def traceparent_or_none(value: Any) -> str | None:
    """Read a W3C trace context leniently: tracing helps, it never refuses an event."""
    return value if isinstance(value, str) and _TRACEPARENT.fullmatch(value) else None


def _tracestate_or_none(value: Any) -> str | None:
    good = isinstance(value, str) and value.isascii() and value.isprintable()
    return value if good and 0 < len(value) <= TRACESTATE_MAX else None


class CloudEvent(Wire):
    """An event with its attributes. An input is known by (``source``, ``id``); extensions are ignored."""

    specversion: Literal["1.0"] = "1.0"
    id: Id
    source: Source
    type: Id
    time: Annotated[Timestamp | None, BeforeValidator(absent_is_none)] = None
    subject: SubjectText
    datacontenttype: Annotated[Id | None, BeforeValidator(absent_is_none)] = "application/json"
    traceparent: Annotated[str | None, BeforeValidator(traceparent_or_none)] = None
    tracestate: Annotated[str | None, BeforeValidator(_tracestate_or_none)] = None
    data: dict[str, Any]

    @field_validator("datacontenttype")
    @classmethod
    def _is_json(cls, value: str | None) -> str:
        media_type = (value or "application/json").split(";")[0].strip()
        if _JSON_TYPE.fullmatch(media_type) is None:
            raise fault("INVALID_VALUE", "must be application/json")
        return value or "application/json"


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
    """Write an event of ours as structured JSON. The same arguments give the same bytes.

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
