"""``travelrule topics``: the topics of the registry at the broker."""

from __future__ import annotations

from typing import Annotated

import typer

from streams.admin import alter_topics, apply_topics, compare_topics
from streams.connection import connect
from streams.topics import Topics
from travelrule.bootstrap.setting_faults import SettingFaults
from travelrule.commands.invocation import Output, OutputOption, load_settings, run, write_rows
from travelrule.errors import UsageError

app = typer.Typer(help="Kafka topics", no_args_is_help=True)
COLUMNS = ("topic", "action", "detail")


@app.callback()
def topics() -> None:
    """Kafka topics."""


@app.command()
def apply(
    check: Annotated[bool, typer.Option("--check", help="only say what is missing or differs")] = False,  # noqa: FBT002
    alter: Annotated[  # noqa: FBT002
        bool, typer.Option("--alter", help="change the configuration of topics that differ, never their partitions")
    ] = False,
    output: OutputOption = Output.TEXT,
) -> None:
    """Make the missing topics with the partitions and configuration of the registry; exit 1 if one differs."""
    run(_apply(output, check=check, alter=alter))


async def _apply(output: Output, *, check: bool, alter: bool) -> None:
    if check and alter:
        raise UsageError("--check changes nothing: leave out --check or --alter")
    settings = load_settings(SettingFaults.check_broker)
    connection = connect(settings)
    work = alter_topics if alter else apply_topics
    # The embedded broker creates the topics of the registry at its start and cannot create others.
    if check or connection.embedded:
        work = compare_topics
    rows = await work(connection, Topics(settings.topic_prefix))
    write_rows(({"topic": row.topic, "action": row.action, "detail": row.detail} for row in rows), output, COLUMNS)
    if any(row.action in ("differs", "failed") for row in rows):
        raise typer.Exit(1)
