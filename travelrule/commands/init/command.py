"""``travelrule init``: a folder with everything that a first installation needs."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from travelrule.commands.init.choices import InstallationChoices
from travelrule.commands.init.contents import contents
from travelrule.commands.init.new_files import write_new_files
from travelrule.commands.init.start_commands import load_command, start_commands
from travelrule.commands.invocation import Output, OutputOption, fail, write_json, write_text
from travelrule.errors import TravelRuleError
from travelrule.setting_types import EMBEDDED


def init(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="folder of the installation; made if it is missing")],
    entity_id: Annotated[str, typer.Option(help="entity id of the VASP in the hub's directory")] = "north",
    legal_name: Annotated[str, typer.Option(help="its legal name")] = "North Exchange Ltd. (invented)",
    country: Annotated[str, typer.Option(help="where it is registered, ISO 3166-1 alpha-2")] = "SG",
    broker: Annotated[str, typer.Option(help="kafka://HOST:PORT,... or embedded:// for trying out")] = EMBEDDED,
    database: Annotated[
        str | None, typer.Option(envvar="TRAVELRULE_DATABASE_URL", help="default: SQLite in the folder")
    ] = None,
    hub: Annotated[str | None, typer.Option(help="root URL of a hub; default: a sandbox on this machine")] = None,
    topic_prefix: Annotated[str, typer.Option(help="what the names of all topics begin with")] = "travelrule.",
    gateway_listen: Annotated[str, typer.Option(help="host:port of the gateway")] = "127.0.0.1:8080",
    metrics_listen: Annotated[str, typer.Option(help="host:port of metrics and probes")] = "127.0.0.1:9100",
    sandbox_listen: Annotated[str, typer.Option(help="host:port of the sandbox")] = "127.0.0.1:8090",
    output: OutputOption = Output.TEXT,
) -> None:
    """Write what a first installation needs into DIR: keys, profile, policy, a list, a sandbox's world, the settings.

    Nothing is overwritten: if a file exists, nothing is written, exit 2. Prints the commands to start.
    """
    choices = InstallationChoices(
        folder=folder.absolute(),
        entity_id=entity_id,
        legal_name=legal_name,
        country=country,
        broker_url=broker,
        database_url=database,
        hub_url=hub,
        topic_prefix=topic_prefix,
        gateway_listen=gateway_listen,
        metrics_listen=metrics_listen,
        sandbox_listen=sandbox_listen,
    )
    try:
        readable = contents(choices)
        private = {choices.secret_file(name): value + "\n" for name, value in choices.secrets().items()}
        write_new_files(choices.folder, readable, private)
    except TravelRuleError as error:
        fail(error)
    _report(choices, [*private, *readable], output)


def _report(choices: InstallationChoices, files: list[Path], output: Output) -> None:
    commands = start_commands(choices)
    if output is Output.JSON:
        write_json(
            {
                "folder": str(choices.folder),
                "files": [str(path) for path in files],
                "publicKey": choices.public_key,
                "load": load_command(choices),
                "commands": [{"purpose": one.purpose, "command": one.command, "stays": one.stays} for one in commands],
            }
        )
        return
    write_text(f"# {len(files)} files in {choices.folder}; keep a copy of secrets: without them the data are lost")
    write_text(f"# in each terminal\n{load_command(choices)}")
    for one in commands:
        write_text(f"# {one.purpose}\n{one.command}")
    if choices.hub_url is not None:
        write_text(f"# the hub's operator registers this public key for {choices.entity_id}:\n# {choices.public_key}")
