"""``travelrule explain``: from inputs to verdict, without personal data."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from typing import Annotated, Any

import orjson
import typer
from rich.console import Console
from rich.tree import Tree
from sqlalchemy import select

from schemas.text import time_text
from travelrule.bootstrap.installation import Installation
from travelrule.commands.edge import Output, OutputOption, installation, run, write_json
from travelrule.commands.subjects import resolve
from travelrule.engine.envelope import unpack
from travelrule.engine.kinds import MACHINES
from travelrule.exchange.reports import CallReport
from travelrule.store import tables


def command(
    subject: Annotated[str, typer.Argument(help="withdrawal:ID, exchange:ORIGIN/TRANSFERID, ... or a bare id")],
    output: OutputOption = Output.TEXT,
) -> None:
    """Show every input of a subject, the rule that decided, what was said and which calls were made."""
    run(_explain(subject, output))


async def _explain(text: str, output: Output) -> None:
    async with installation() as opened:
        story = await explain(opened, await resolve(opened, text))
    if output is Output.JSON:
        write_json(story)
        return
    tree = Tree(f"{story['subject']}: {story['verdict'] or 'no verdict'} (exchange {story['status'] or 'none'})")
    for step in story["steps"]:
        other = f"{step['subject']} " if step["subject"] != story["subject"] else ""
        line = f"{step['at']} {other}{step['input']} → {step['rule'] or step['outcome']}"
        branch = tree.add(line)
        if step["call"]:
            call = step["call"]
            branch.add(f"{call['operation']} to {call['target']}: {call['outcome']} {call['code']}".rstrip())
        for said in step["events"]:
            branch.add(said)
    Console().print(tree)


async def explain(opened: Installation, subject: str) -> dict[str, Any]:
    """The story of one subject: ``{"subject", "verdict", "status", "steps": [...], "waiting": [...]}``.

    The story of a deposit holds the steps and waits of the exchange that announced it, each with its ``subject``.
    """
    row, own = await _chapter(opened, subject)
    announced = _exchange_of(opened, row, own)
    chapters = [own]
    if announced is not None:
        _, other = await _chapter(opened, announced)
        chapters.append(other)
    steps = [step for chapter in chapters for step in chapter.steps]
    return {
        "subject": subject,
        "verdict": row.verdict,
        "status": row.status,
        "chain": row.chain,
        "counterparty": row.counterparty,
        "exchange": announced,
        "erased": own.key is None,
        "steps": sorted(steps, key=lambda step: datetime.fromisoformat(step["at"])),
        "waiting": [wait for chapter in chapters for wait in chapter.waiting],
    }


@dataclass(frozen=True, slots=True)
class _Chapter:
    """What one subject went through. ``key`` None: it was erased."""

    key: bytes | None = field(repr=False)
    steps: list[dict[str, Any]]
    waiting: list[dict[str, Any]]


async def _chapter(opened: Installation, subject: str) -> tuple[Any, _Chapter]:
    """The row of a subject, and its chapter."""
    async with opened.database.read() as connection:
        row = (await connection.execute(_of(tables.subjects, opened, subject))).one()
        records = (await connection.execute(_of(tables.audit, opened, subject).order_by(tables.audit.c.record))).all()
        inputs = (await connection.execute(_of(tables.inputs, opened, subject))).all()
        events = (await connection.execute(_of(tables.outbox, opened, subject))).all()
        calls = (await connection.execute(_of(tables.calls, opened, subject))).all()
        wrapped = (await connection.execute(_of(tables.data_keys, opened, subject))).first()
    key = opened.vault.unwrap(subject, bytes(wrapped.wrapped)) if wrapped is not None else None
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
        }
        for call in calls
    ]
    return row, _Chapter(key, steps, waiting)


def _exchange_of(opened: Installation, row: Any, chapter: _Chapter) -> str | None:
    """The exchange that announced a deposit; None for other subjects, and where nobody did."""
    if row.kind != "deposit" or chapter.key is None or row.sealed is None:
        return None
    state = MACHINES[row.kind].load(opened.vault.open(chapter.key, "state", row.subject, bytes(row.sealed)))
    return state.match.exchange if state.match is not None else None


def _of(table: Any, opened: Installation, subject: str) -> Any:
    return select(table).where(table.c.vasp == opened.entity_id, table.c.subject == subject)


def _step(
    opened: Installation,
    subject: str,
    body: dict[str, Any],
    said: dict[tuple[str, str, int], dict[str, Any]],
    sealed: dict[tuple[str, str], bytes],
    key: bytes | None,
) -> dict[str, Any]:
    events = [(event, said.get((event["topic"], event["key"], event["sequence"]), {})) for event in body["events"]]
    reasons = [reason for _, data in events for reason in data.get("reasons", ())]
    call = None
    packed = sealed.get((body["source"], body["id"]))
    if key is not None and packed is not None and body["type"].startswith("call."):
        report = unpack(opened.vault.open(key, "input", subject, packed)).data
        call = _call(report) if isinstance(report, CallReport) else None
    return {
        "subject": subject,
        "at": body["at"],
        "input": body["type"],
        "id": f"{body['source']}#{body['id']}",
        "rule": body["rule"],
        "outcome": body["status"],
        "reasons": reasons,
        "policyVersion": body["policyVersion"],
        "call": call,
        "events": [_line(event, data) for event, data in events],
    }


def _call(report: CallReport) -> dict[str, Any]:
    code = report.code or report.message_code
    return {
        "operation": report.operation,
        "target": report.target,
        "transferId": report.transfer_id,
        "outcome": report.outcome,
        "code": code,
        "attempts": report.attempts,
    }


def _line(event: dict[str, Any], data: dict[str, Any]) -> str:
    word = data.get("verdict") or data.get("status") or data.get("code") or ""
    reasons = ", ".join(data.get("reasons", ()))
    return f"{event['type']} #{event['sequence']} {word} {reasons}".rstrip()
