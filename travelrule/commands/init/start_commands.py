"""The commands that start a first installation, as text for a shell."""

from __future__ import annotations

import shlex
import shutil
import sys
from dataclasses import dataclass
from pathlib import Path

from travelrule.commands.init.choices import InstallationChoices
from travelrule.commands.init.contents import ENVIRONMENT, WORLD

FIRST_EXAMPLE = "withdrawal.requested.v1"


@dataclass(frozen=True, slots=True)
class StartCommand:
    """One command. ``stays``: it runs until it is stopped, so it needs a terminal of its own."""

    purpose: str
    command: str
    stays: bool = False


def start_commands(choices: InstallationChoices) -> list[StartCommand]:
    """Return the commands in their order; each needs the environment of ``load_command``."""
    program = program_name()
    commands = [StartCommand("once: the tables of the database", f"{program} migrate")]
    if choices.has_kafka:
        commands.append(StartCommand("once: the topics", f"{program} topics apply"))
    if choices.hub_url is None:
        world = shlex.quote(str(choices.folder / WORLD))
        sandbox = f"{program} sandbox --world {world} --listen {choices.sandbox_listen}"
        commands.append(StartCommand("a terminal of its own: the sandbox, hub and counterparties", sandbox, stays=True))
    return [
        *commands,
        StartCommand("a terminal of its own: worker and gateway", f"{program} serve", stays=True),
        StartCommand("a third one: an example, and what follows of it", f"{program} send --example {FIRST_EXAMPLE}"),
    ]


def load_command(choices: InstallationChoices) -> str:
    """Return the command that reads the environment file into a shell."""
    return f"set -a; . {shlex.quote(str(choices.folder / ENVIRONMENT))}; set +a"


def program_name() -> str:
    """Return how this program is called: by its name if a shell finds it, else by its path."""
    started = Path(sys.argv[0])
    found = shutil.which("travelrule")
    if started.name != "travelrule":
        return f"{shlex.quote(sys.executable)} -m travelrule"
    if found is not None and Path(found).resolve() == started.resolve():
        return "travelrule"
    return shlex.quote(str(started.absolute()))
