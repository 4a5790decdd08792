"""``travelrule explain``: from inputs to verdict, without personal data."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from datetime import UTC, datetime, tzinfo
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.tree import Tree

from travelrule.commands.explain.story import story_of
from travelrule.commands.invocation import Output, OutputOption, installation, run, write_json
from travelrule.commands.readable_times import moment_text
from travelrule.commands.subject_names import resolve
from travelrule.commands.terminal_text import one_line

Fact = dict[str, Any]

WIDTH_OF_A_PIPE = 10_000


def command(
    subject: Annotated[str, typer.Argument(help="withdrawal:ID, exchange:ORIGIN/TRANSFERID, ... or a bare id")],
    utc: Annotated[bool, typer.Option("--utc", help="times in UTC instead of this machine's zone")] = False,  # noqa: FBT002
    output: OutputOption = Output.TEXT,
) -> None:
    """Show every input of a subject, the rule that decided, the verdicts, and the calls that were made.

    Refused and parked inputs are included. In JSON, times are UTC.
    """
    run(_explain(subject, output, UTC if utc else None))


async def _explain(text: str, output: Output, zone: tzinfo | None) -> None:
    async with installation() as opened:
        story = await story_of(opened, await resolve(opened, text, refused=True))
    if output is Output.JSON:
        write_json(story)
        return
    # A pipe has no width: write complete lines.
    width = None if sys.stdout.isatty() else WIDTH_OF_A_PIPE
    Console(markup=False, emoji=False, width=width).print(_tree(story, zone))


def _tree(story: Fact, zone: tzinfo | None) -> Tree:
    as_of = moment_text(datetime.fromisoformat(story["asOf"]), zone)
    heading = f"{story['subject']}: {story['verdict'] or 'no verdict'} (exchange {story['status'] or 'none'})"
    tree = Tree(f"{heading}, as of {as_of}")
    told = [(one, lines) for name, lines in _LINES.items() for one in story[name]]
    for one, lines in sorted(told, key=lambda pair: datetime.fromisoformat(pair[0]["at"])):
        other = f"{one['subject']} " if one["subject"] != story["subject"] else ""
        first, *more = map(one_line, lines(one))
        after = f" (+{one['after']})" if one.get("after") else ""
        branch = tree.add(f"{moment_text(datetime.fromisoformat(one['at']), zone)}{after} {other}{first}")
        for line in more:
            branch.add(line)
    for wait in story["waiting"]:
        tree.add(f"waits for {wait['operation']} to {wait['target']}: {wait['tries']} tries so far, due {wait['due']}")
    if story["nextTimer"]:
        tree.add(f"next timer: {story['nextTimer']['name'] or 'unnamed'}, due {story['nextTimer']['due']}")
    return tree


def _of_step(step: Fact) -> Iterator[str]:
    yield f"{step['input']} → {step['rule'] or step['outcome']}"
    if step["keyId"]:
        yield f"signed with key {step['keyId']}"
    if step["actor"]:
        yield f"to {step['actor']}"
    if step["refusal"]:
        refusal = step["refusal"]
        place = f" at {refusal['field']}" if refusal["field"] else ""
        yield f"dead letter {refusal['deadLetter']}: {refusal['code']}{place}"
    if step["call"]:
        call = step["call"]
        yield f"{call['operation']} to {call['target']}: {call['outcome']} {call['code']}".rstrip()
    for hit in step["hits"]:
        yield f"list {hit['list']}, entry {hit['entry']} ({hit['what']}), score {hit['score']}"
    for listed in step["listed"]:
        named = "the originator" if listed == "originator" else f"address or owner: travelrule explain {listed}"
        yield f"the lists name {named}"
    yield from step["events"]


def _of_refused(refused: Fact) -> Iterator[str]:
    place = f" at {refused['field']}" if refused["field"] else ""
    yield f"{refused['input'] or 'an input'} refused: {refused['code']}{place} ({refused['ago']})"
    if refused["fix"]:
        yield refused["fix"]
    again = ", sent again since" if refused["replayedAt"] else ""
    yield f"dead letter {refused['deadLetter']}{again}"


def _of_parked(parked: Fact) -> Iterator[str]:
    yield f"{parked['input'] or 'an input'} waits for its subject since {parked['ago'].removesuffix(' ago')}"
    yield parked["id"]


_LINES = {"steps": _of_step, "refused": _of_refused, "parked": _of_parked}
