"""Sources of inputs, and the one function that makes internal inputs.

An input is identified by (``source``, ``id``), and the ids of internal inputs are predictable. A platform that could
send under an internal source could occupy the id of a future message, which would then be refused. ``Source`` is a type
of its own, so that a plain text does not become one: ``external_source`` checks the source of an external event,
``internal_input`` takes an ``InternalSource``.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import datetime
from enum import StrEnum
from functools import lru_cache
from urllib.parse import unquote
from uuid import UUID

from schemas.wire_model import Wire
from travelrule.machine.input import Input, RawMessage, Source


class InternalSource(StrEnum):
    """The parts of this program that make inputs. No platform may use these sources or paths below them."""

    HUB = "/hub"
    TIMERS = "/timers"
    SUBJECTS = "/subjects"
    LISTS = "/lists"
    DIRECTORY = "/directory"
    GATEWAY = "/gateway"
    KAFKA = "/kafka"
    """Tombstones, which carry no source."""


SUBJECTS = Source(InternalSource.SUBJECTS.value)
"""The source of messages between subjects."""

_RESERVED = frozenset(source.removeprefix("/") for source in InternalSource)
_SEPARATORS = re.compile(r"[/\\?#]")


def external_source(source: str) -> Source | None:
    """Return the source of an external event; None if it is reserved, in any spelling that a URI parser accepts,
    whether or not it resolves dot segments.
    """
    segments = _segments(source)
    return None if _RESERVED & {*segments[:1], *_resolved(segments)[:1]} else Source(source)


def internal_input(
    source: InternalSource,
    input_id: str,
    kind: str,
    subject: str,
    data: Wire,
    *,
    at: datetime,
    salt: UUID,
    path: str = "",
    content: bytes | None = None,
    traceparent: str | None = None,
    raw: RawMessage | None = None,
    reply_to_unknown: bool = False,
) -> Input:
    """Return an internal input. ``path`` continues the source; ``content`` defaults to the JSON of the data."""
    return Input(
        source=Source(f"{source}/{path}" if path else source.value),
        id=input_id,
        type=kind,
        subject=subject,
        at=at,
        data=data,
        content=data.model_dump_json(by_alias=True).encode() if content is None else content,
        salt=salt,
        traceparent=traceparent,
        raw=raw,
        reply_to_unknown=reply_to_unknown,
    )


@lru_cache(maxsize=512)
def source_class(source: str) -> str:
    """Return a bounded label for metrics: the part of this program, ``operator``, or ``platform``."""
    first = next(iter(_resolved(_segments(source))), "")
    return first if first in _RESERVED or first == "operator" else "platform"


def _segments(source: str) -> list[str]:
    """Return the decoded segments of an absolute path, without empty ones; none for any other source."""
    text = source
    while (decoded := unquote(text)) != text:  # each round is shorter, so this ends
        text = decoded
    first, *others = _SEPARATORS.split(text.strip().casefold())
    return [] if first else [segment for segment in others if segment not in {"", "."}]


def _resolved(segments: Sequence[str]) -> list[str]:
    """Return the path after each ``..`` removed the segment before it."""
    path: list[str] = []
    for segment in segments:
        if segment == "..":
            path = path[:-1]
        else:
            path.append(segment)
    return path
