"""A message between subjects in the form of a record, so that a refusal keeps it like one that came by Kafka.

``topic`` is none of Kafka's, ``key`` is the receiver, ``offset`` is when it was queued, in microseconds (a replay has
another time). ``value`` is the content; None if the sender was erased, and what is stored if it cannot be read.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from travelrule.machine.input import RawMessage, Rejected

TOPIC = "(subjects)"
"""No topic of Kafka has parentheses."""


_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class MessageNames:
    """What is known of a message without its content. ``readable``: its record holds the content."""

    message_id: str
    sender: str
    receiver: str
    type: str
    traceparent: str | None
    readable: bool


def is_message(raw: RawMessage | None) -> bool:
    """Whether a record is a message between subjects."""
    return raw is not None and raw.topic == TOPIC


def record_of(row: Any, value: bytes | None, *, readable: bool = True) -> RawMessage:
    """The record of a row of ``tells``."""
    headers = {"id": row.id, "from": row.from_subject, "type": row.type, "readable": "yes" if readable else ""}
    if row.traceparent:
        headers["traceparent"] = row.traceparent
    return RawMessage(
        topic=TOPIC,
        partition=0,
        offset=(row.created_at - _EPOCH) // timedelta(microseconds=1),
        key=row.to_subject.encode(),
        value=value,
        headers=tuple((name, text.encode()) for name, text in headers.items()),
    )


def names_of(raw: RawMessage) -> MessageNames:
    """Read the names back from a record that ``record_of`` made."""
    headers = {name: value.decode() for name, value in raw.headers}
    return MessageNames(
        message_id=headers["id"],
        sender=headers["from"],
        receiver=(raw.key or b"").decode(),
        type=headers["type"],
        traceparent=headers.get("traceparent"),
        readable=bool(headers["readable"]),
    )


def letter_columns(rejected: Rejected) -> dict[str, str]:
    """Of which kind a dead letter is, and which subjects it concerns, as far as that is known without its content."""
    if not is_message(rejected.raw):
        return {"kind": "record", "subject": rejected.subject, "sender": ""}
    names = names_of(rejected.raw)
    return {"kind": "message", "subject": names.receiver, "sender": names.sender}
