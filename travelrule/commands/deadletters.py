"""``travelrule dead-letters``: what could not be processed, why, and sending it again."""

from __future__ import annotations

from typing import Annotated, Any

import orjson
import typer
from sqlalchemy import select

from streams.deadletters import DeadLetterHeaders
from streams.topics import Topics
from travelrule.bootstrap.broker import open_publisher
from travelrule.bootstrap.installation import Installation
from travelrule.commands.edge import Output, OutputOption, installation, run, write_json, write_rows, write_text
from travelrule.engine.envelope import unpack_raw
from travelrule.engine.message_records import is_message, names_of
from travelrule.engine.message_replay import replay as replay_message
from travelrule.errors import UsageError
from travelrule.exchange.inputs import RawMessage, Rejected
from travelrule.store import bulk, tables

app = typer.Typer(help="What could not be processed, why, and sending it again", no_args_is_help=True)

COLUMNS = ("id", "kind", "code", "field", "fix", "subject", "topic", "partition", "offset", "failedAt", "replayedAt")
IdArgument = Annotated[str, typer.Argument(help="the dead letter's id")]
IdsArgument = Annotated[list[str], typer.Argument(help="ids of dead letters")]


@app.command("list")
def list_(output: OutputOption = Output.TEXT) -> None:
    """List dead letters, oldest first."""
    run(_list(output))


@app.command()
def show(letter_id: IdArgument, output: OutputOption = Output.TEXT) -> None:
    """Show one dead letter with its content (which may be personal data)."""
    run(_show(letter_id, output))


@app.command()
def replay(letter_ids: IdsArgument, output: OutputOption = Output.TEXT) -> None:
    """Put records on their topics again, byte for byte; messages between subjects are delivered again."""
    run(_replay(letter_ids, output))


async def _list(output: Output) -> None:
    table = tables.dead_letters
    async with installation() as opened:
        query = select(table).where(table.c.vasp == opened.entity_id).order_by(table.c.failed_at)
        async with opened.database.read() as connection:
            rows = (await connection.execute(query)).all()
    write_rows((_public(row) for row in rows), output, COLUMNS)


async def _show(letter_id: str, output: Output) -> None:
    async with installation() as opened:
        row, raw = await _read(opened, letter_id)
    known = {**_public(row), "key": (raw.key or b"").decode("utf-8", "replace")}
    value = (raw.value or b"").decode("utf-8", "replace")
    if is_message(raw):
        names = names_of(raw)
        known |= {"type": names.type, "message": names.message_id}
        value = value if names.readable else ""
    if output is Output.JSON:
        write_json({**known, "value": value})
        return
    for name, field in known.items():
        write_text(f"{name:<11} {field if field is not None else ''}")
    write_text(f"{'value':<11} {value}")


async def _replay(letter_ids: list[str], output: Output) -> None:
    async with installation() as opened:
        letters = [await _read(opened, letter_id) for letter_id in letter_ids]
        records = [(row, raw) for row, raw in letters if not is_message(raw)]
        if records:
            await _replay_records(opened, records, output)
        for row, raw in letters:
            if is_message(raw):
                if not await replay_message(
                    opened.database, opened.entity_id, opened.vault, row.id, row.code, raw, opened.clock()
                ):
                    raise UsageError(f"the sender of message {row.id} was erased: it cannot be delivered")
                _say_replayed(row.id, row.subject, output)


async def _replay_records(opened: Installation, letters: list[tuple[Any, RawMessage]], output: Output) -> None:
    count = DeadLetterHeaders(Topics(opened.settings.topic_prefix))
    async with open_publisher(opened.settings) as publisher:
        for row, raw in letters:
            headers = count(Rejected(raw, row.code, row.field, row.fix), row.failed_at)
            await publisher.publish(raw.topic, raw.key or b"", raw.value, headers)
            await _mark(opened, row.id)
            _say_replayed(row.id, raw.topic, output)


def _say_replayed(letter_id: str, target: str, output: Output) -> None:
    if output is Output.JSON:
        write_json({"id": letter_id, "replayed": True})
    else:
        write_text(f"replayed {letter_id} to {target}")


async def _read(opened: Installation, letter_id: str) -> tuple[Any, RawMessage]:
    letters, keys = tables.dead_letters, tables.data_keys
    subject = f"deadletter:{letter_id}"
    async with opened.database.read() as connection:
        row = (
            await connection.execute(
                select(letters).where(letters.c.vasp == opened.entity_id, letters.c.id == letter_id)
            )
        ).first()
        wrapped = (
            await connection.execute(
                select(keys.c.wrapped).where(keys.c.vasp == opened.entity_id, keys.c.subject == subject)
            )
        ).scalar()
    if row is None:
        raise UsageError(f"no dead letter has the id {letter_id}: see `travelrule dead-letters list`")
    if wrapped is None:
        raise UsageError(f"the content of dead letter {letter_id} was erased")
    key = opened.vault.unwrap(subject, bytes(wrapped))
    return row, unpack_raw(orjson.loads(opened.vault.open(key, "deadletter", subject, bytes(row.sealed))))


async def _mark(opened: Installation, letter_id: str) -> None:
    async with opened.database.begin() as connection:
        row = {"vasp": opened.entity_id, "id": letter_id, "replayed_at": opened.clock()}
        await bulk.update(connection, tables.dead_letters, [row])


def _public(row: Any) -> dict[str, Any]:
    return {
        "id": row.id,
        "kind": row.kind,
        "code": row.code,
        "field": row.field,
        "fix": row.fix,
        "subject": row.subject or None,
        "sender": row.sender or None,
        "topic": row.topic,
        "partition": row.partition,
        "offset": row.offset,
        "failedAt": row.failed_at,
        "replayedAt": row.replayed_at,
    }
