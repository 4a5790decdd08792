"""The replay of dead letters: named ones, or those that a filter selects."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any

import typer

from streams.dead_letter_headers import DeadLetterHeaders
from streams.publisher import KafkaPublisher
from streams.topics import Topics
from travelrule.bootstrap.broker import open_publisher
from travelrule.bootstrap.installation import Installation
from travelrule.commands.dead_letters.content import read
from travelrule.commands.invocation import Output, write_json, write_text
from travelrule.engine.messages.message_record import is_message
from travelrule.engine.messages.requeue import requeue as replay_message
from travelrule.errors import UsageError
from travelrule.machine.input import RawMessage, Rejected
from travelrule.store import bulk, dead_letters, tables
from travelrule.store.dead_letters import DeadLetterFilter


def is_terminal() -> bool:
    """Whether standard input is a terminal."""
    return sys.stdin.isatty()


async def replay_named(opened: Installation, letter_ids: Sequence[str], output: Output) -> None:
    """Replay all of them, or none if one was erased."""
    letters = [await read(opened, letter_id) for letter_id in letter_ids]
    for row, raw in letters:
        if raw is None:
            raise UsageError(f"the content of dead letter {row.id} was erased")
    failed = await _replay(opened, letters, output, one_by_one=True)
    for row, reason in failed:
        raise UsageError(f"dead letter {row.id} cannot be replayed: {reason}")


async def replay_filtered(
    opened: Installation, wanted: DeadLetterFilter, limit: int, output: Output, *, dry_run: bool, sure: bool
) -> None:
    """Replay the oldest matching ones that were not replayed yet."""
    async with opened.database.read() as connection:
        rows = await dead_letters.find(connection, opened.entity_id, wanted, limit)
        total = sum((await dead_letters.counts(connection, opened.entity_id, wanted)).values())
    if dry_run:
        for row in rows:
            _say(row, output, replayed=False)
        _sum_up(f"{_number(len(rows))} would be replayed", total - len(rows), output)
        return
    if rows and not sure and not _is_confirmed(len(rows)):
        raise typer.Exit(1)
    letters = [await read(opened, row.id) for row in rows]
    failed = await _replay(opened, letters, output)
    _sum_up(f"{_number(len(rows) - len(failed))} {_were(len(rows) - len(failed))} replayed", total - len(rows), output)
    if failed:
        raise typer.Exit(1)


def _is_confirmed(count: int) -> bool:
    if not is_terminal():
        raise UsageError("replaying by a filter needs --yes, or --dry-run to see what would be replayed")
    return typer.confirm(f"Replay {_number(count)}?", err=True)


async def _replay(
    opened: Installation,
    letters: Sequence[tuple[Any, RawMessage | None]],
    output: Output,
    *,
    one_by_one: bool = False,
) -> list[tuple[Any, str]]:
    """Replay each and mark it. Return those that could not be replayed, with the reason."""
    failed = []
    records = [(row, raw) for row, raw in letters if raw is not None and not is_message(raw)]
    if records:
        headers = DeadLetterHeaders(Topics(opened.settings.topic_prefix))
        async with open_publisher(opened.settings) as publisher:
            for row, record in records:
                await _publish(opened, publisher, headers, row, record)
                _say(row, output, replayed=True, named=one_by_one)
    for row, raw in letters:
        if raw is not None and not is_message(raw):
            continue
        reason = await _deliver(opened, row, raw) if raw is not None else "its content was erased"
        if not reason or not one_by_one:
            _say(row, output, replayed=not reason, named=one_by_one, reason=reason)
        if reason:
            failed.append((row, reason))
    return failed


async def _deliver(opened: Installation, row: Any, raw: RawMessage) -> str:
    """Queue a message between subjects again. Return the reason if that is impossible; empty: queued."""
    now = opened.clock()
    sent = await replay_message(opened.database, opened.entity_id, opened.vault, row.id, row.code, raw, now)
    return "" if sent else "the sender was erased"


async def _publish(
    opened: Installation, publisher: KafkaPublisher, headers: DeadLetterHeaders, row: Any, raw: RawMessage
) -> None:
    again = headers(Rejected(raw, row.code, row.field, row.fix), row.failed_at)
    await publisher.publish(raw.topic, raw.key or b"", raw.value, again)
    async with opened.database.begin() as connection:
        marked = {"vasp": opened.entity_id, "id": row.id, "replayed_at": opened.clock()}
        await bulk.update(connection, tables.dead_letters, [marked])


def _say(row: Any, output: Output, *, replayed: bool, named: bool = False, reason: str = "") -> None:
    target = row.subject if row.kind == "message" else row.topic
    if output is Output.JSON:
        facts = {"id": row.id, "replayed": replayed}
        more = {} if named else {"code": row.code, "target": target, **({"reason": reason} if reason else {})}
        write_json({**facts, **more})
    elif reason:
        write_text(f"not replayed {row.id} {row.code}: {reason}")
    else:
        write_text(f"{'replayed' if replayed else 'would replay'} {row.id} {row.code} to {target}")


def _sum_up(said: str, left: int, output: Output) -> None:
    if output is Output.TEXT:
        write_text(said + (f", {left} more fit the filter: see --limit" if left else ""))


def _number(count: int) -> str:
    return f"{count} dead letter{'s' * (count != 1)}"


def _were(count: int) -> str:
    return "was" if count == 1 else "were"
