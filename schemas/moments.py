"""Moments and days on the wire."""

from __future__ import annotations

import re
from datetime import UTC, date, datetime
from typing import Annotated, Any

from pydantic import PlainSerializer, PlainValidator, WithJsonSchema

from schemas.field_faults import fault
from schemas.input_forms import absent, anything

DATE_PATTERN = r"^[0-9]{4}-[0-9]{2}-[0-9]{2}$"
TIME_PATTERN = (
    r"^[0-9]{4}-[0-9]{2}-[0-9]{2}([T ][0-9]{2}:[0-9]{2}(:[0-9]{2}([.,][0-9]{1,9})?)?(Z|[+-][0-9]{2}(:?[0-9]{2})?)?)?$"
)
_DATE = re.compile(DATE_PATTERN, re.ASCII)
_TIME = re.compile(TIME_PATTERN, re.ASCII)


def read_time(value: Any) -> datetime | None:
    """Return the moment of a text, None if it has none (D35). Seconds, colon and zone (then UTC) may be absent."""
    if isinstance(value, datetime):
        moment = value
    elif isinstance(value, str):
        try:
            moment = datetime.fromisoformat(value.strip())
        except ValueError:
            return None
    else:
        return None
    try:
        return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)
    except (OverflowError, ValueError):
        return None  # the offset leads before year 1 or past year 9999


def time_text(moment: datetime) -> str:
    """Return a moment in the form of the protocol: ``YYYY-MM-DDTHH:MM:SSZ``."""
    return moment.astimezone(UTC).replace(microsecond=0, tzinfo=None).isoformat() + "Z"


def _documented(text: str) -> bool:
    """Whether a moment has a form of ``TIME_PATTERN``; the usual form is recognised without the pattern."""
    usual = len(text) == len("YYYY-MM-DDTHH:MM:SSZ") and text[4::3] == "--T::Z"
    return usual or _TIME.fullmatch(text) is not None


def _timestamp(value: Any) -> datetime:
    moment = read_time(value) if not isinstance(value, str) or _documented(value) else None
    if moment is None:
        raise fault("INVALID_TIME", "must be a moment such as 2026-11-20T09:00:00Z in a JSON string")
    return moment


_time_out = PlainSerializer(time_text, return_type=str, when_used="json")

Timestamp = Annotated[
    datetime, PlainValidator(_timestamp), _time_out, WithJsonSchema({"type": "string", "pattern": TIME_PATTERN})
]
"""An aware UTC moment. Read in the forms of ``TIME_PATTERN`` (D35), written to the second."""

MaybeTime = Annotated[Timestamp | None, absent]
"""A moment that may be absent, as in our events."""

MaybeTimestamp = Annotated[
    Annotated[
        datetime | None,
        PlainSerializer(lambda moment: moment and time_text(moment), return_type=str | None, when_used="json"),
        WithJsonSchema({"anyOf": [{"type": "string", "format": "date-time"}, {"type": "null"}]}),
    ],
    anything(read_time),
]
"""A moment of a peer in any form: an unreadable one is unknown (None), never an error (D35)."""


def _calendar_day(value: Any) -> date:
    if isinstance(value, date) and not isinstance(value, datetime):
        return value
    if not isinstance(value, str):
        raise fault("WRONG_TYPE", "must be a date in a JSON string")
    if _DATE.fullmatch(value) is None:
        raise fault("INVALID_DATE", "must be a calendar day YYYY-MM-DD")
    try:
        return date.fromisoformat(value)
    except ValueError:
        raise fault("INVALID_DATE", "must be a day that exists, YYYY-MM-DD") from None


Day = Annotated[
    date,
    PlainValidator(_calendar_day),
    PlainSerializer(date.isoformat, return_type=str, when_used="json"),
    WithJsonSchema({"type": "string", "format": "date", "pattern": DATE_PATTERN}),
]
"""A calendar day, ``YYYY-MM-DD``."""
