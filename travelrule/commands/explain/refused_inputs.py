"""Inputs of a subject that were not applied: refused ones, and parked ones that wait for the subject."""

from __future__ import annotations

from typing import Any

import orjson
from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncConnection

from schemas.moments import time_text
from streams.codec import SIZE_MAX
from streams.named_events import named_event
from travelrule.bootstrap.installation import Installation
from travelrule.engine.input_envelope import packed_name, unpack_raw
from travelrule.engine.messages.message_record import is_message, names_of
from travelrule.machine.input import RawMessage
from travelrule.store import tables

Fact = dict[str, Any]


async def refused_inputs(connection: AsyncConnection, opened: Installation, subject: str) -> list[Fact]:
    """The dead letters about a subject in the order of their failure; of their content only type and id."""
    letters, keys = tables.dead_letters, tables.data_keys
    query = (
        select(letters, keys.c.wrapped)
        .outerjoin(keys, (keys.c.vasp == letters.c.vasp) & (keys.c.subject == "deadletter:" + letters.c.id))
        .where(letters.c.vasp == opened.entity_id, letters.c.subject == subject)
        .order_by(letters.c.failed_at, letters.c.id)
    )
    return [_refused(opened, row) for row in (await connection.execute(query)).all()]


async def parked_inputs(
    connection: AsyncConnection, opened: Installation, subject: str, key: bytes | None
) -> list[Fact]:
    """The inputs parked for a subject, in the order of arrival."""
    table = tables.parked
    query = (
        select(table)
        .where(table.c.vasp == opened.entity_id, table.c.subject == subject)
        .order_by(table.c.parked_at, table.c.source, table.c.id)
    )
    return [
        {
            "subject": subject,
            "at": time_text(row.parked_at),
            "input": _parked_type(opened, subject, key, bytes(row.sealed)),
            "id": f"{row.source}#{row.id}",
        }
        for row in (await connection.execute(query)).all()
    ]


def _parked_type(opened: Installation, subject: str, key: bytes | None, sealed: bytes) -> str:
    if key is None:
        return ""
    _, _, kind, _, _ = packed_name(opened.vault.open(key, "parked", subject, sealed))
    return kind


def _refused(opened: Installation, row: Any) -> Fact:
    kind, event = _names(opened, row)
    return {
        "subject": row.subject,
        "at": time_text(row.failed_at),
        "input": kind,
        "id": event,
        "code": row.code,
        "field": row.field,
        "fix": row.fix,
        "deadLetter": row.id,
        "replayedAt": time_text(row.replayed_at) if row.replayed_at is not None else None,
    }


def _names(opened: Installation, row: Any) -> tuple[str, str]:
    """Type and id of a refused input; empty if they cannot be read or were erased."""
    if row.wrapped is None:
        return "", ""
    letter = f"deadletter:{row.id}"
    key = opened.vault.unwrap(letter, bytes(row.wrapped))
    raw: RawMessage = unpack_raw(orjson.loads(opened.vault.open(key, "deadletter", letter, bytes(row.sealed))))
    if is_message(raw):
        names = names_of(raw)
        return names.type, names.message_id
    named = named_event(raw, raw.topic, SIZE_MAX)
    return named.type, named.event
