"""Who an input comes from, and the one place that makes inputs of our own.

An input is known by (``source``, ``id``), and the ids of internal inputs can be predicted. A platform that could send
under an internal source could therefore occupy the id of a message that is still to come, which would then be refused.
``Source`` is a type of its own, so that a plain text does not become one: ``external_source`` checks what came from
outside, ``internal_input`` names the parts of this program.
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
    """The parts of this program that make inputs. No platform may send under these sources or paths below them."""

    HUB = "/hub"
    TIMERS = "/timers"
    SUBJECTS = "/subjects"
    LISTS = "/lists"
    DIRECTORY = "/directory"
    GATEWAY = "/gateway"
    KAFKA = "/kafka"
    """Tombstones, which have no source of their own."""


SUBJECTS = Source(InternalSource.SUBJECTS.value)
"""The source of what one subject tells another."""

_RESERVED = frozenset(source.removeprefix("/") for source in InternalSource)
_SEPARATORS = re.compile(r"[/\\?#]")


def external_source(source: str) -> Source | None:
    """The source of an event from outside; None if it is reserved, in whatever spelling a URI parser would accept, with
    or without resolving dot segments.
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
    """Make an input of our own. ``path`` continues the source; ``content`` is the data's JSON unless given."""
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
    """A bounded label for metrics: the part of this program, ``operator``, or ``platform``."""
    first = next(iter(_resolved(_segments(source))), "")
    return first if first in _RESERVED or first == "operator" else "platform"


def _segments(source: str) -> list[str]:
    """The segments of an absolute path, decoded, without empty ones; none for any other source."""
    text = source
    while (decoded := unquote(text)) != text:  # each round is shorter, so this ends
        text = decoded
    first, *others = _SEPARATORS.split(text.strip().casefold())
    return [] if first else [segment for segment in others if segment not in {"", "."}]


def _resolved(segments: Sequence[str]) -> list[str]:
    """The path that is left when each ``..`` has taken the segment before it away."""
    path: list[str] = []
    for segment in segments:
        if segment == "..":
            path = path[:-1]
        else:
            path.append(segment)
    return path
