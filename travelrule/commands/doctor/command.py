"""``travelrule doctor``: whether this installation can run, and what to fix if not."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from functools import partial

import typer

from travelrule.client.diagnosis import URL
from travelrule.commands.doctor import broker, hub, listeners, local_setup
from travelrule.commands.doctor.check import SETTINGS, Check, SingleCheck
from travelrule.commands.doctor.clock import clock
from travelrule.commands.doctor.database import StoredChecks
from travelrule.commands.doctor.open_files import open_files
from travelrule.commands.invocation import Output, OutputOption, examine_settings, run, write_json, write_text
from travelrule.environment import PREFIX
from travelrule.errors import ConfigurationFault
from travelrule.settings import Settings


def command(output: OutputOption = Output.TEXT) -> None:
    """Check settings, keys, files, broker, topics, database, lists, hub, clock and listeners; exit 1 if one fails.

    Every check is made, whatever became of the others, and each within a limit. Nothing is changed.
    """
    run(_doctor(output))


async def _doctor(output: Output) -> None:
    checks = await all_checks(*examine_settings())
    ok = all(check.ok for check in checks)
    if output is Output.JSON:
        rows = [{"name": c.name, "ok": c.ok, "detail": c.detail, "fix": c.fix} for c in checks]
        write_json({"ok": ok, "checks": rows})
    else:
        for check in checks:
            detail = check.detail.replace("\n", "\n     ")
            write_text(f"{'ok  ' if check.ok else 'FAIL'} {check.name}: {detail}")
            if not check.ok and check.fix not in check.detail:
                write_text(f"     → {check.fix}")
    if not ok:
        raise typer.Exit(1)


async def all_checks(settings: Settings, faults: Sequence[ConfigurationFault] = ()) -> list[Check]:
    """Run every check concurrently. Return the results in the order in which they are shown.

    ``faults`` are those of the settings; a check that uses one of these is not run.
    """
    single = [
        SingleCheck("packages", "the environment", local_setup.packages),
        SingleCheck(SETTINGS, "the settings", partial(local_setup.settings_and_keys, faults=faults)),
        SingleCheck("profile", f"{PREFIX}VASP_PROFILE_FILE", local_setup.profile, ("VASP_PROFILE_FILE",)),
        SingleCheck("metrics listener", f"{PREFIX}METRICS_LISTEN", listeners.metrics_listener, ("METRICS_LISTEN",)),
        SingleCheck("gateway listener", f"{PREFIX}GATEWAY_LISTEN", listeners.gateway_listener, ("GATEWAY_",)),
        SingleCheck("open files", "the limit of open files", open_files),
        SingleCheck("broker", f"{PREFIX}BROKER_URL", broker.topics, ("BROKER_", "TOPIC_", "DATA_DIR")),
        SingleCheck("hub", URL, hub.hub, ("HUB_", "SIGNING_KEY", "VASP_ENTITY_ID")),
    ]
    stored = StoredChecks(settings, faults)
    async with asyncio.TaskGroup() as group:
        of_database = group.create_task(stored.run())
        hub_time = group.create_task(hub.hub_time(settings))
        asked = [group.create_task(one.answer(settings, faults)) for one in single]
    ahead = {"hub": hub_time.result(), "database": stored.ahead}
    return [*(task.result() for task in asked), *of_database.result(), clock(ahead)]
