"""``travelrule decide`` and ``travelrule verdicts``: what an operator sends."""

from __future__ import annotations

from datetime import UTC, datetime
from enum import StrEnum
from typing import Annotated, Any
from uuid import uuid4

import typer
from sqlalchemy import bindparam, text

from schemas.cloudevents import write_event
from schemas.registry import bare_id
from travelrule.bootstrap.broker import open_publisher
from travelrule.commands.edge import Output, OutputOption, installation, run, since_time, write_json, write_text
from travelrule.commands.subjects import resolve
from travelrule.errors import UsageError
from travelrule.store.types import Instant

verdicts = typer.Typer(help="Verdict events", no_args_is_help=True)


class Word(StrEnum):
    """What an operator may decide."""

    ALLOW = "allow"
    DENY = "deny"


def decide(
    subject: Annotated[str, typer.Argument(help="withdrawal:ID, deposit:ID, ... or a bare id")],
    decision: Annotated[Word, typer.Argument(help="allow or deny")],
    actor: Annotated[str, typer.Option(help="who decides")],
    reason: Annotated[str, typer.Option(help="why")],
    output: OutputOption = Output.TEXT,
) -> None:
    """Put an operator's decision on the decisions topic; the verdict follows as for every input."""
    run(_decide(subject, decision, actor, reason, output))


@verdicts.command()
def republish(
    since: Annotated[str | None, typer.Option(help="ISO 8601 time; without a zone it is UTC")] = None,
    subject: Annotated[str | None, typer.Option(help="only this subject")] = None,
    refused: Annotated[  # noqa: FBT002 - a command-line switch
        bool, typer.Option("--refused", help="events of any topic that the broker refused, instead of verdicts")
    ] = False,
    output: OutputOption = Output.TEXT,
) -> None:
    """Publish the same verdict events again, with the same ids, for a platform that lost some.

    With --refused: what the broker would not take (alert EVENT_REFUSED), after its topic takes larger records.
    """
    run(_republish(since, subject, output, refused=refused))


async def _decide(subject: str, decision: Word, actor: str, reason: str, output: Output) -> None:
    async with installation() as opened:
        name = await resolve(opened, subject)
        event_id = str(uuid4())
        data: dict[str, Any] = {"subject": name, "decision": decision.value, "actor": actor, "reason": reason}
        key = bare_id(name)
        value = write_event(
            type="decision.recorded.v1",
            source=f"/operator/{opened.entity_id}",
            id=event_id,
            subject=key,
            time=opened.clock(),
            data=data,
        )
        headers = [("content-type", b"application/cloudevents+json")]
        async with open_publisher(opened.settings) as publisher:
            await publisher.publish("decisions", key.encode(), value, headers)
    if output is Output.JSON:
        write_json({"subject": name, "decision": decision.value, "event": event_id})
    else:
        write_text(f"{decision.value} for {name} was sent as event {event_id}")


async def _republish(since: str | None, subject: str | None, output: Output, *, refused: bool) -> None:
    if since is None and not refused:
        raise UsageError("give --since TIME, or --refused")
    async with installation() as opened:
        sql = "UPDATE outbox SET sent_at = NULL, lease_until = NULL, refused = NULL"
        sql += " WHERE vasp = :vasp AND created_at >= :since AND sent_at IS NOT NULL"
        sql += " AND refused IS NOT NULL" if refused else " AND topic = 'verdicts'"
        start = since_time(since) if since is not None else datetime.min.replace(tzinfo=UTC)
        parameters: dict[str, Any] = {"vasp": opened.entity_id, "since": start}
        if subject is not None:
            sql += " AND subject = :subject"
            parameters["subject"] = await resolve(opened, subject)
        statement = text(sql).bindparams(bindparam("since", type_=Instant()))
        async with opened.database.begin() as connection:
            count = (await connection.execute(statement, parameters)).rowcount
    if output is Output.JSON:
        write_json({"republished": count})
    else:
        write_text(f"{count} {'refused' if refused else 'verdict'} events go out again, as soon as a worker runs")
