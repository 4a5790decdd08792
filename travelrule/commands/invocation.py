"""What all commands share: settings, output, errors and exit codes (contract section 1).

0 done, 1 the command ran and its answer is no, 2 wrong use, 3 a required service could not be reached.
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncIterator, Callable, Coroutine, Iterable
from contextlib import asynccontextmanager
from datetime import datetime
from enum import StrEnum
from typing import Annotated, Any, NoReturn

import orjson
import typer
import uvloop
from rich.console import Console
from rich.table import Table

from schemas.moments import read_time
from travelrule import logs
from travelrule.bootstrap.installation import Installation, open_installation
from travelrule.bootstrap.log_names import library_messages
from travelrule.bootstrap.setting_faults import SettingFaults
from travelrule.commands.terminal_text import one_line, printable
from travelrule.errors import ConfigurationError, ConfigurationFault, NotBuiltError, TravelRuleError, UsageError
from travelrule.settings import Settings


class Output(StrEnum):
    """The format of an answer."""

    TEXT = "text"
    JSON = "json"


OutputOption = Annotated[Output, typer.Option("--output", help="text for people, json for programs")]


def run(work: Coroutine[Any, Any, None]) -> None:
    """Run a command's coroutine; turn our exceptions into one line on standard error and an exit code."""
    before = asyncio.get_event_loop_policy()
    # As the policy, because the thread that consumes from Kafka creates its own loop.
    asyncio.set_event_loop_policy(uvloop.EventLoopPolicy())
    try:
        asyncio.run(work)
    except TravelRuleError as error:
        fail(error)
    except KeyboardInterrupt:
        raise typer.Exit(0) from None
    finally:
        asyncio.set_event_loop_policy(before)


def fail(error: TravelRuleError) -> NoReturn:
    """Write the error to standard error, and exit with its code."""
    sys.stderr.write(f"travelrule: {printable(str(error))}\n")
    raise typer.Exit(error.exit_code) from error


def since_time(given: str) -> datetime:
    """The time of an option ``--since``; without a zone it is UTC."""
    moment = read_time(given)
    if moment is None:
        raise UsageError("--since must be an ISO 8601 time, for example 2026-01-31T09:00:00Z")
    return moment


def not_built(what: str) -> NoReturn:
    """Exit 2 for a command of the contract that this version does not have yet."""
    fail(NotBuiltError(what))


def load_settings(check: Callable[[SettingFaults], None] | None = None, *, serving: bool = False) -> Settings:
    """Load the settings of the environment, and configure the logs. Exit 2 with all faults at once, with those that
    ``check`` adds.

    A command that answers and ends logs only uncaught errors, unless ``LOG_LEVEL`` is set.
    """
    settings, faults = examine_settings(serving=serving)
    found = SettingFaults(settings, faults)
    if check is not None:
        check(found)
    try:
        found.raise_any()
    except ConfigurationError as error:
        fail(error)
    return settings


def examine_settings(*, serving: bool = False) -> tuple[Settings, list[ConfigurationFault]]:
    """Load the settings together with their faults, for a command that reports the faults and continues."""
    settings, faults = Settings.examine()
    _set_up_logs(settings, serving=serving)
    return settings, faults


def _set_up_logs(settings: Settings, *, serving: bool) -> None:
    asked = serving or "log_level" in settings.model_fields_set
    messages = library_messages(settings)
    logs.configure(settings.log_format, settings.log_level, messages=messages, only_uncaught=not asked)


@asynccontextmanager
async def installation(*, require_schema: bool = True) -> AsyncIterator[Installation]:
    """The installation of the environment's settings, closed afterwards."""
    settings = load_settings(SettingFaults.check_installation)
    opened = await open_installation(settings, require_schema=require_schema)
    try:
        async with opened.database.explained():
            yield opened
    finally:
        await opened.close()


def write_json(value: object) -> None:
    """Write one JSON object on one line of standard output."""
    sys.stdout.write(orjson.dumps(value).decode() + "\n")


def write_rows(rows: Iterable[dict[str, Any]], output: Output, columns: tuple[str, ...]) -> None:
    """Write one JSON object per line, or a table."""
    if output is Output.JSON:
        for row in rows:
            write_json(row)
        return
    table = Table(*columns)
    for row in rows:
        table.add_row(*("" if row.get(name) is None else one_line(str(row[name])) for name in columns))
    Console().print(table)


def write_text(text: str) -> None:
    """Write a line of text."""
    sys.stdout.write(printable(text) + "\n")
