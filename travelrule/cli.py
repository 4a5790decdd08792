"""The command line (contract section 1). ``--help`` describes each command; ``--output json`` is for programs."""

from __future__ import annotations

from typing import Annotated

import typer

from travelrule.commands import audit, keys, lists, migrate, serve, topics, unbuilt
from travelrule.commands.dead_letters import command as dead_letters
from travelrule.commands.decisions import command as decisions
from travelrule.commands.doctor import command as doctor
from travelrule.commands.explain import command as explain
from travelrule.commands.init import command as init
from travelrule.commands.policy import command as policy
from travelrule.commands.send import command as send
from travelrule.commands.validate import command as validate

app = typer.Typer(
    name="travelrule",
    help="Travel Rule processor: withdrawals, deposits and screening between a trading platform and other VASPs.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)

app.command("serve")(serve.serve)
app.command("hub")(serve.hub)
app.command("sandbox")(serve.sandbox)
app.command("demo")(serve.demo)
app.command("init")(init.init)
app.command("send")(send.send)
app.command("validate")(validate.validate)
app.command("migrate")(migrate.command)
app.command("decide")(decisions.decide)
app.command("explain")(explain.command)
app.command("doctor")(doctor.command)
app.add_typer(topics.app, name="topics")
app.add_typer(keys.app, name="keys")
app.add_typer(dead_letters.app, name="dead-letters")
app.add_typer(decisions.verdicts, name="verdicts")
app.add_typer(audit.app, name="audit")
app.add_typer(policy.app, name="policy")
app.add_typer(lists.app, name="lists")
unbuilt.register(app)


@app.callback(invoke_without_command=True)
def root(
    version: Annotated[  # noqa: FBT002 - a command-line switch
        bool, typer.Option("--version", help="print the version and leave", is_eager=True, callback=None)
    ] = False,
) -> None:
    """Travel Rule processor."""
    if version:
        from importlib.metadata import version as installed  # noqa: PLC0415 - only this switch needs it

        typer.echo(installed("travelrule"))
        raise typer.Exit


def main() -> None:
    """The entry point of the wheel."""
    app()
