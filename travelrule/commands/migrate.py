"""``travelrule migrate``: the upgrade of the database to this version's tables."""

from __future__ import annotations

from typing import Annotated

import typer

from travelrule.bootstrap.installation import KEY_SETTINGS, verify_keys
from travelrule.commands.invocation import Output, OutputOption, load_settings, run, write_json, write_text
from travelrule.environment import PREFIX
from travelrule.store import schema_version
from travelrule.store.database import Database
from travelrule.store.limits import MIGRATING


def command(
    check: Annotated[bool, typer.Option("--check", help="only say whether something is missing: exit 1 if so")] = False,  # noqa: FBT002
    output: OutputOption = Output.TEXT,
) -> None:
    """Bring the database to the form that this version needs."""
    run(_migrate(check=check, output=output))


async def _migrate(*, check: bool, output: Output) -> None:
    settings = load_settings()
    unset = [name for name in KEY_SETTINGS if getattr(settings, name) is None]
    database = Database.of(settings, MIGRATING)
    try:
        async with database.explained():
            await database.check()
            if not unset:
                await verify_keys(settings, database)
            before = await schema_version.stored_revision(database)
            after = before if check else await schema_version.upgrade(database)
    finally:
        await database.dispose()
    newest = schema_version.newest_revision()
    answer = {"ok": after == newest, "before": before, "after": after, "newest": newest, "keysChecked": not unset}
    if output is Output.JSON:
        write_json(answer)
    else:
        write_text(f"database is at {after or 'nothing'}, this version needs {newest}")
        if unset:
            write_text(f"keys were not checked: {', '.join(PREFIX + name.upper() for name in unset)} not set")
    if after != newest:
        raise typer.Exit(1)
