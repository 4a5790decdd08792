"""``travelrule decide`` and ``travelrule verdicts``."""

from __future__ import annotations

import sys
from datetime import UTC, datetime
from enum import StrEnum
from typing import Annotated, Any

import typer
from sqlalchemy import bindparam, text

from travelrule.bootstrap.broker import open_publisher
from travelrule.commands.decisions.event import DecisionEvent, decision_event, refusal_of
from travelrule.commands.decisions.outcome import DecisionOutcome, awaited_outcome, letters_of
from travelrule.commands.invocation import Output, OutputOption, installation, run, since_time, write_json, write_text
from travelrule.commands.subject_names import resolve
from travelrule.errors import UsageError
from travelrule.store.types import Instant

WAIT_SECONDS = 60.0

verdicts = typer.Typer(help="Verdict events", no_args_is_help=True)


class DecisionWord(StrEnum):
    """The decisions of an operator."""

    ALLOW = "allow"
    DENY = "deny"


def decide(
    subject: Annotated[str, typer.Argument(help="withdrawal:ID, deposit:ID, ... or a bare id")],
    decision: Annotated[DecisionWord, typer.Argument(help="allow or deny")],
    actor: Annotated[str, typer.Option(help="who decides")],
    reason: Annotated[str, typer.Option(help="why")],
    wait: Annotated[
        bool | None, typer.Option("--wait/--no-wait", help="tell what became of it; the default on a terminal")
    ] = None,
    timeout: Annotated[float, typer.Option(min=0, help="seconds that --wait waits at most")] = WAIT_SECONDS,
    output: OutputOption = Output.TEXT,
) -> None:
    """Put an operator's decision on the decisions topic; the verdict follows as for every input.

    What would be refused is not sent: exit 1. It is signed if TRAVELRULE_DECISION_KEY is a key of the actor. With
    --wait: exit 1 if it was refused, 3 if no worker took it in time.
    """
    patience = timeout if (sys.stdout.isatty() if wait is None else wait) else None
    run(_decide(subject, decision, actor, reason, patience, output))


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


async def _decide(
    subject: str, decision: DecisionWord, actor: str, reason: str, patience: float | None, output: Output
) -> None:
    async with installation() as opened:
        made = decision_event(opened, await resolve(opened, subject), decision.value, actor, reason)
        refused = await refusal_of(opened, made.item)
        if refused is not None:
            _tell(made, DecisionOutcome("not sent", refused.code, refused.field, refused.fix), output)
            raise typer.Exit(1)
        known = await letters_of(opened, made.item.subject)
        async with open_publisher(opened.settings) as publisher:
            await publisher.publish("decisions", made.key, made.value, made.headers)
        outcome = DecisionOutcome("sent")
        if patience is not None:
            outcome = await awaited_outcome(opened, made.item, known, patience)
    _tell(made, outcome, output)
    if outcome.exit_code:
        raise typer.Exit(outcome.exit_code)


def _tell(made: DecisionEvent, outcome: DecisionOutcome, output: Output) -> None:
    if output is Output.JSON:
        write_json({**made.names(), **outcome.facts()})
    else:
        write_text(f"{made.decision} for {made.item.subject} {outcome.sentence(made.item.id)}")


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
