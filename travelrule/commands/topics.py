"""``travelrule topics``: the topics of the registry at the broker."""

from __future__ import annotations

import typer

from streams.admin import apply_topics, compare_topics
from streams.connection import connect
from streams.topics import Topics
from travelrule.commands.edge import Output, OutputOption, load_settings, run, write_rows

app = typer.Typer(help="Kafka topics", no_args_is_help=True)
COLUMNS = ("topic", "action", "detail")


@app.callback()
def topics() -> None:
    """Kafka topics."""


@app.command()
def apply(output: OutputOption = Output.TEXT) -> None:
    """Make the missing topics with the partitions and configuration of the registry; say what differs."""
    run(_apply(output))


async def _apply(output: Output) -> None:
    settings = load_settings()
    connection = connect(settings)
    # The embedded broker has the topics of the registry from its start, and knows no way to make others.
    work = compare_topics if connection.embedded else apply_topics
    rows = await work(connection, Topics(settings.topic_prefix))
    write_rows(({"topic": row.topic, "action": row.action, "detail": row.detail} for row in rows), output, COLUMNS)
