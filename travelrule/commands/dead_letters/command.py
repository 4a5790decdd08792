"""``travelrule dead-letters``: records that could not be processed, the reasons, and their replay."""

from __future__ import annotations

import shutil
from dataclasses import replace
from typing import Annotated, Any

import typer

from schemas.registry import TOPICS
from travelrule.bootstrap.installation import Installation
from travelrule.commands.dead_letters.content import read, reader, record_disclosure, resolve_id
from travelrule.commands.dead_letters.filter import (
    CodeOption,
    SinceOption,
    SubjectOption,
    TopicOption,
    UntilOption,
    chosen,
)
from travelrule.commands.dead_letters.page import page
from travelrule.commands.dead_letters.replay import replay_filtered, replay_named
from travelrule.commands.invocation import Output, OutputOption, fail, installation, run, write_json, write_text
from travelrule.commands.terminal_text import one_line
from travelrule.engine.messages.message_record import is_message, names_of
from travelrule.errors import UsageError
from travelrule.store import dead_letters
from travelrule.store.dead_letters import DeadLetterFilter

app = typer.Typer(help="What could not be processed, why, and sending it again", no_args_is_help=True)

PAGE_LIMIT = 100
REPLAY_LIMIT = 1000
IdArgument = Annotated[str, typer.Argument(metavar="ID", help="the dead letter's id, or how it begins")]
IdsArgument = Annotated[list[str] | None, typer.Argument(metavar="ID...", help="ids, or how they begin")]
WaitingOption = Annotated[bool, typer.Option("--waiting", help="only those that were not replayed yet")]
LimitOption = Annotated[int | None, typer.Option(min=1, help=f"the newest so many; {PAGE_LIMIT} in text")]
ReplayLimitOption = Annotated[int, typer.Option("--limit", min=1, help="by filter: the oldest so many")]
ActorOption = Annotated[str | None, typer.Option(help="who reads it; the login, unless given")]
DryRunOption = Annotated[bool, typer.Option("--dry-run", help="by filter: only list what would be replayed")]
YesOption = Annotated[bool, typer.Option("--yes", help="by filter: do not ask")]


@app.command("list")
def list_(
    code: CodeOption = None,
    topic: TopicOption = None,
    subject: SubjectOption = None,
    since: SinceOption = None,
    until: UntilOption = None,
    waiting: WaitingOption = False,  # noqa: FBT002 - a command-line switch
    limit: LimitOption = None,
    output: OutputOption = Output.TEXT,
) -> None:
    """List dead letters without their content, oldest first."""
    run(_list(_filter(code, topic, subject, since, until, waiting=waiting), limit, output))


@app.command()
def show(letter_id: IdArgument, actor: ActorOption = None, output: OutputOption = Output.TEXT) -> None:
    """Show one dead letter with its content (which may be personal data). Who reads it is recorded in the audit log."""
    run(_show(letter_id, actor, output))


@app.command()
def replay(
    letter_ids: IdsArgument = None,
    code: CodeOption = None,
    topic: TopicOption = None,
    subject: SubjectOption = None,
    since: SinceOption = None,
    until: UntilOption = None,
    limit: ReplayLimitOption = REPLAY_LIMIT,
    dry_run: DryRunOption = False,  # noqa: FBT002 - a command-line switch
    yes: YesOption = False,  # noqa: FBT002 - a command-line switch
    output: OutputOption = Output.TEXT,
) -> None:
    """Put records on their topics again, byte for byte; messages between subjects are delivered again.

    Name dead letters, or choose by filter among those that were not replayed yet.
    """
    wanted = _filter(code, topic, subject, since, until, waiting=True)
    filtered = wanted != DeadLetterFilter(waiting=True)
    if filtered == bool(letter_ids):
        fail(UsageError("name dead letters, or give a filter: --code, --topic, --subject, --since, --until"))
    if filtered:
        run(_replay_filtered(wanted, limit, output, dry_run=dry_run, sure=yes))
    else:
        run(_replay_named(letter_ids or [], output))


def _filter(
    codes: list[str] | None,
    topics: list[str] | None,
    subject: str | None,
    since: str | None,
    until: str | None,
    *,
    waiting: bool,
) -> DeadLetterFilter:
    try:
        return chosen(codes, topics, subject, since, until, waiting=waiting)
    except UsageError as error:
        fail(error)


async def _list(wanted: DeadLetterFilter, limit: int | None, output: Output) -> None:
    text = output is Output.TEXT
    async with installation() as opened:
        found = _with_topics(opened, wanted)
        async with opened.database.read() as connection:
            most = limit or (PAGE_LIMIT if text else None)
            rows = await dead_letters.find(connection, opened.entity_id, found, most, newest=most is not None)
            counts = await dead_letters.counts(connection, opened.entity_id, found) if text else {}
    if text:
        write_text(page(rows, counts, shutil.get_terminal_size().columns))
    else:
        for row in rows:
            write_json(_public(row))


async def _show(given: str, actor: str | None, output: Output) -> None:
    name = reader(actor)
    async with installation() as opened:
        row, raw = await read(opened, await resolve_id(opened, given))
        if raw is None:
            raise UsageError(f"the content of dead letter {row.id} was erased")
        before = await record_disclosure(opened, row.id, name)
    known = {**_public(row), "key": (raw.key or b"").decode("utf-8", "replace")}
    value = (raw.value or b"").decode("utf-8", "replace")
    if is_message(raw):
        names = names_of(raw)
        known |= {"type": names.type, "message": names.message_id}
        value = value if names.readable else ""
    if output is Output.JSON:
        write_json({**known, "value": value, "shownBefore": before})
        return
    if before is not None:
        times = f"{before['times']} time{'s' * (before['times'] != 1)}"
        known["shown"] = f"{times} before, last to {before['by']} at {before['at']}"
    for label, field in known.items():
        write_text(f"{label:<11} {one_line(str(field)) if field is not None else ''}")
    write_text(f"{'value':<11} {value}")


async def _replay_named(given: list[str], output: Output) -> None:
    async with installation() as opened:
        ids = dict.fromkeys([await resolve_id(opened, one) for one in given])
        await replay_named(opened, list(ids), output)


async def _replay_filtered(wanted: DeadLetterFilter, limit: int, output: Output, *, dry_run: bool, sure: bool) -> None:
    async with installation() as opened:
        found = _with_topics(opened, wanted)
        await replay_filtered(opened, found, limit, output, dry_run=dry_run, sure=sure)


def _with_topics(opened: Installation, wanted: DeadLetterFilter) -> DeadLetterFilter:
    """Accept topic names with the prefix that they have at the broker."""
    prefix = opened.settings.topic_prefix
    topics = tuple(topic if topic in TOPICS else topic.removeprefix(prefix) for topic in wanted.topics)
    return replace(wanted, topics=topics)


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
