"""Commands of the contract that this version does not have: each reports that and exits 2."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated

import typer

from travelrule.commands.invocation import not_built

ANYTHING = {"allow_extra_args": True, "ignore_unknown_options": True}
Arguments = Annotated[list[str] | None, typer.Argument(hidden=True)]


def register(app: typer.Typer) -> None:
    """Add the commands."""
    for name in ("builder", "certify", "erase", "hold", "restore-check", "retention", "users"):
        app.command(name, context_settings=ANYTHING, help="Not built yet in this version.")(_saying(name))


def _saying(name: str) -> Callable[..., None]:
    def command(_arguments: Arguments = None) -> None:
        not_built(f"travelrule {name}")

    return command
