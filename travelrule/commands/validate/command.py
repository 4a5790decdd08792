"""``travelrule validate FILE``: the worker's answer to each event of a file."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from travelrule.bootstrap.installation import utc_now
from travelrule.commands.invocation import Output, OutputOption, fail, write_json, write_text
from travelrule.commands.validate.answer import NOT_CHECKED, answer_to
from travelrule.commands.validate.event_file import RecordOptions, read_event_file
from travelrule.errors import UsageError

FileArgument = Annotated[
    Path, typer.Argument(metavar="FILE", help="one event, or one on each line; - is standard input")
]
TopicOption = Annotated[str | None, typer.Option(help="input topic, without prefix; default: that of the event's type")]
KeyOption = Annotated[str | None, typer.Option(help="the record's key; default: the subject of the event")]
HeaderOption = Annotated[
    list[str] | None, typer.Option("--header", help="NAME=VALUE of binary mode: FILE is then the data of one event")
]


def validate(
    file: FileArgument,
    topic: TopicOption = None,
    key: KeyOption = None,
    header: HeaderOption = None,
    output: OutputOption = Output.TEXT,
) -> None:
    """Say of each event what a worker would say: accepted, or the code, field and fix of its dead letter.

    Needs no settings and no services. Exit 1 if one is refused. What depends on stored data is not checked: duplicates
    and conflicts, the state of the subject, the right to decide, policy, lists and counterparties.
    """
    try:
        records = read_event_file(file, RecordOptions.parse(topic, key, header or ()))
    except UsageError as error:
        fail(error)
    now = utc_now()
    answers = [answer_to(record, now) for record in records]
    for answer in answers:
        if output is Output.JSON:
            write_json({**answer.facts(), "notChecked": list(NOT_CHECKED)})
        else:
            write_text(answer.sentence())
    if output is Output.TEXT:
        write_text("\n  ".join(("not checked:", *NOT_CHECKED)))
    if not all(answer.is_accepted for answer in answers):
        raise typer.Exit(1)
