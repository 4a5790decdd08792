"""The story of a subject, from its inputs to its verdict, without personal data: what ``travelrule explain`` shows."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from itertools import pairwise
from typing import Any

import orjson
from pydantic import ValidationError
from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncConnection

from schemas.moments import time_text
from schemas.wire_model import Wire
from travelrule.bootstrap.installation import Installation
from travelrule.commands.explain.list_hits import hits_of, listed_of
from travelrule.commands.explain.refused_inputs import parked_inputs, refused_inputs
from travelrule.commands.readable_times import distance_text, duration_text, moment_text
from travelrule.disclosures.disclosure import DeadLetterShown
from travelrule.engine.input_envelope import unpack
from travelrule.engine.registry import MACHINES
from travelrule.exchange.originator.refused_request import RequestRefused
from travelrule.machine.internal_inputs import CallResult
from travelrule.store import tables

Fact = dict[str, Any]

SHOWN_INPUTS = ("call.", "assessment.", "owner.", "authorization.", "request.refused", "dead-letter.shown")
"""The internal inputs that are opened; only facts without personal data are shown."""


async def story_of(opened: Installation, subject: str) -> Fact:
    """``{"subject", "verdict", "status", "steps": [...], "waiting": [...], "refused": [...], "parked": [...]}``.

    The story of a deposit includes the steps and waits of the exchange that announced it, each with its ``subject``. A
    subject that does not exist yet has no steps. Times are ISO 8601 texts, each with a readable one beside it.
    """
    now = opened.clock()
    row, own = await _chapter(opened, subject, now)
    announced = _exchange_of(opened, row, own)
    chapters = [own]
    if announced is not None:
        _, other = await _chapter(opened, announced, now)
        chapters.append(other)
    steps = sorted((step for chapter in chapters for step in chapter.steps), key=_at)
    return {
        "subject": subject,
        "verdict": row.verdict if row is not None else "",
        "status": row.status if row is not None else "",
        "chain": row.chain if row is not None else "",
        "counterparty": row.counterparty if row is not None else "",
        "exchange": announced,
        "erased": row is not None and own.key is None,
        "asOf": time_text(now),
        "steps": _with_distances(_with_times(steps, now)),
        "waiting": [wait for chapter in chapters for wait in chapter.waiting],
        "nextTimer": _next_timer(row, now),
        "refused": _with_times([one for chapter in chapters for one in chapter.refused], now),
        "parked": _with_times([one for chapter in chapters for one in chapter.parked], now),
    }


@dataclass(frozen=True, slots=True)
class _Chapter:
    """The part of one subject. ``key`` None: it was erased or does not exist."""

    key: bytes | None = field(repr=False)
    steps: list[Fact]
    waiting: list[Fact]
    refused: list[Fact]
    parked: list[Fact]


async def _chapter(opened: Installation, subject: str, now: datetime) -> tuple[Any, _Chapter]:
    """The row of a subject, and its chapter."""
    async with opened.database.snapshot() as connection:
        row = next(iter(await _rows(connection, tables.subjects, opened, subject)), None)
        records = await _rows(connection, tables.audit, opened, subject, tables.audit.c.record)
        inputs = await _rows(connection, tables.inputs, opened, subject)
        events = await _rows(connection, tables.outbox, opened, subject)
        calls = await _rows(connection, tables.calls, opened, subject, tables.calls.c.due_at)
        wrapped = next(iter(await _rows(connection, tables.data_keys, opened, subject)), None)
        key = opened.vault.unwrap(subject, bytes(wrapped.wrapped)) if wrapped is not None else None
        refused = await refused_inputs(connection, opened, subject)
        parked = await parked_inputs(connection, opened, subject, key)
    said = {(event.topic, event.key, event.sequence): orjson.loads(event.value)["data"] for event in events}
    sealed = {(item.source, item.id): bytes(item.sealed) for item in inputs}
    steps = [_step(opened, subject, orjson.loads(record.body), said, sealed, key) for record in records]
    waiting = [
        {
            "subject": subject,
            "operation": call.operation,
            "target": call.target,
            "tries": call.tries,
            "dueAt": time_text(call.due_at),
            "due": distance_text(call.due_at, now),
        }
        for call in calls
    ]
    return row, _Chapter(key, steps, waiting, refused, parked)


async def _rows(connection: AsyncConnection, table: Any, opened: Installation, subject: str, *order: Any) -> list[Any]:
    query = select(table).where(table.c.vasp == opened.entity_id, table.c.subject == subject).order_by(*order)
    return list((await connection.execute(query)).all())


def _exchange_of(opened: Installation, row: Any, chapter: _Chapter) -> str | None:
    """The exchange that announced a deposit; None for other subjects and unannounced deposits."""
    if row is None or row.kind != "deposit" or chapter.key is None or row.sealed is None:
        return None
    state = MACHINES[row.kind].load(opened.vault.open(chapter.key, "state", row.subject, bytes(row.sealed)))
    return state.match.exchange if state.match is not None else None


def _next_timer(row: Any, now: datetime) -> Fact | None:
    if row is None or row.due_at is None:
        return None
    return {"name": row.due_timer, "dueAt": time_text(row.due_at), "due": distance_text(row.due_at, now)}


def _at(step: Fact) -> datetime:
    return datetime.fromisoformat(step["at"])


def _with_times(steps: list[Fact], now: datetime) -> list[Fact]:
    """The steps with readable times."""
    return [{**step, "when": moment_text(_at(step)), "ago": distance_text(_at(step), now)} for step in steps]


def _with_distances(steps: list[Fact]) -> list[Fact]:
    """The steps with the time since the earlier one."""
    after = [None, *(duration_text(_at(step) - _at(before)) for before, step in pairwise(steps))]
    return [{**step, "after": text} for step, text in zip(steps, after, strict=False)]


def _step(
    opened: Installation,
    subject: str,
    body: Fact,
    said: dict[tuple[str, str, int], Fact],
    sealed: dict[tuple[str, str], bytes],
    key: bytes | None,
) -> Fact:
    events = [(event, said.get((event["topic"], event["key"], event["sequence"]), {})) for event in body["events"]]
    packed = sealed.get((body["source"], body["id"]))
    data = None
    if key is not None and packed is not None and body["type"].startswith(SHOWN_INPUTS):
        data = _data(opened.vault.open(key, "input", subject, packed))
    return {
        "subject": subject,
        "at": body["at"],
        "input": body["type"],
        "id": f"{body['source']}#{body['id']}",
        "rule": body["rule"],
        "outcome": body["status"],
        "reasons": [reason for _, data in events for reason in data.get("reasons", ())],
        "policyVersion": body["policyVersion"],
        "actor": data.actor if isinstance(data, DeadLetterShown) else None,
        "refusal": _refusal(data) if isinstance(data, RequestRefused) else None,
        "keyId": body.get("decidedBy", {}).get("keyId"),
        "call": _call(data) if isinstance(data, CallResult) else None,
        "hits": hits_of(data),
        "listed": listed_of(data),
        "events": [_line(event, data) for event, data in events],
    }


def _data(packed: bytes) -> Wire | None:
    """The data of an internal input; None if this version cannot read it."""
    try:
        return unpack(packed).data
    except (ValidationError, KeyError):
        return None


def _refusal(data: RequestRefused) -> Fact:
    return {"deadLetter": data.dead_letter_id, "code": data.code, "field": data.field}


def _call(report: CallResult) -> Fact:
    code = report.code or report.message_code
    return {
        "operation": report.operation,
        "target": report.target,
        "transferId": report.correlation_id,
        "outcome": report.outcome,
        "code": code,
        "attempts": report.attempts,
    }


def _line(event: Fact, data: Fact) -> str:
    word = data.get("verdict") or data.get("status") or data.get("code") or ""
    reasons = ", ".join(data.get("reasons", ()))
    return f"{event['type']} #{event['sequence']} {word} {reasons}".rstrip()
