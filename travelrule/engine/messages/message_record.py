"""A message between subjects in the form of a Kafka record: a refused one is kept like a refused record.

``topic`` is no topic of Kafka, ``key`` is the receiver, ``offset`` is the time of queueing in microseconds since 1970
(a replay has another one). ``value`` is the content; None if the sender was erased; still sealed if it cannot be
opened.
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
    """A message without its content. ``readable``: the record has the content in clear."""

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
    """Return the record of a row of ``tells``."""
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
    """Read the names from a record that ``record_of`` returned."""
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
    """Return kind, receiver and sender of a dead letter, as far as they are known without its content."""
    if not is_message(rejected.raw):
        return {"kind": "record", "subject": rejected.subject, "sender": ""}
    names = names_of(rejected.raw)
    return {"kind": "message", "subject": names.receiver, "sender": names.sender}
