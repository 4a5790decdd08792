"""The options that select dead letters."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from typing import Annotated

import typer

from schemas.moments import read_time
from travelrule.errors import UsageError
from travelrule.store.dead_letters import DeadLetterFilter

_AGE = re.compile(r"([0-9]{1,6})([smhdw])")
_SECONDS = {"s": 1, "m": 60, "h": 3600, "d": 86_400, "w": 604_800}

CodeOption = Annotated[list[str] | None, typer.Option("--code", help="only this code; may be repeated")]
TopicOption = Annotated[list[str] | None, typer.Option("--topic", help="only from this topic; may be repeated")]
SubjectOption = Annotated[str | None, typer.Option("--subject", help="only about this subject, as withdrawal:ID")]
SinceOption = Annotated[str | None, typer.Option("--since", help="failed since: ISO 8601 time (UTC), or an age as 2h")]
UntilOption = Annotated[str | None, typer.Option("--until", help="failed before: ISO 8601 time (UTC), or an age as 2h")]


def chosen(
    codes: list[str] | None,
    topics: list[str] | None,
    subject: str | None,
    since: str | None,
    until: str | None,
    *,
    waiting: bool,
) -> DeadLetterFilter:
    """The filter of the options; topics are unchanged. Raise ``UsageError``."""
    now = datetime.now(UTC)
    start, end = _moment("--since", since, now), _moment("--until", until, now)
    if start is not None and end is not None and start >= end:
        raise UsageError("--since must be before --until")
    upper = tuple(code.upper() for code in codes or ())
    return DeadLetterFilter(upper, tuple(topics or ()), subject or "", start, end, waiting)


def _moment(option: str, given: str | None, now: datetime) -> datetime | None:
    if given is None:
        return None
    age = _AGE.fullmatch(given)
    try:
        moment = now - timedelta(seconds=int(age[1]) * _SECONDS[age[2]]) if age is not None else read_time(given)
    except OverflowError:
        moment = None
    if moment is None:
        example = now.replace(microsecond=0, tzinfo=None).isoformat()
        raise UsageError(f"{option} must be an ISO 8601 time, for example {example}Z, or an age: 90s, 30m, 2h, 7d, 1w")
    return moment
