"""``travelrule serve``, ``hub``, ``sandbox`` and ``demo``: the commands that keep running."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from travelrule.bootstrap.list_import import addresses_of_folder
from travelrule.bootstrap.probe_page import OPTION as METRICS_LISTEN
from travelrule.bootstrap.probe_page import serve_with_probes
from travelrule.bootstrap.roles import ROLES, serve_roles
from travelrule.bootstrap.setting_faults import SettingFaults
from travelrule.commands.invocation import Output, fail, load_settings, not_built, run
from travelrule.errors import ConfigurationError, TravelRuleError, UsageError
from travelrule.hub.members.network_file import NetworkFile
from travelrule.hub.runtime.assembly import run_hub
from travelrule.hub.spec_files import parse_spec, read_document
from travelrule.sandbox.server import run_sandbox
from travelrule.sandbox.world.world_file import load_world
from travelrule.settings import HostPort

ListenOption = Annotated[str, typer.Option("--listen", help="host:port to listen on")]
MetricsOption = Annotated[
    str | None, typer.Option(METRICS_LISTEN, help="host:port of /metrics, /livez and /readyz; none: no page")
]


def serve(
    roles: Annotated[list[str] | None, typer.Argument(help="worker, gateway, console; none named: all")] = None,
) -> None:
    """Run the named roles in this process until SIGTERM or SIGINT."""
    wanted = roles or [role for role in ROLES if role != "console"]
    unknown = sorted(set(wanted) - set(ROLES))
    if unknown:
        fail(UsageError(f"no such role: {', '.join(unknown)}; roles are {', '.join(ROLES)}"))
    if "console" in wanted:
        not_built("the console role")
    settings = load_settings(lambda found: found.check_roles(wanted), serving=True)
    run(serve_roles(settings, frozenset(wanted)))


def hub(
    listen: ListenOption,
    members: Annotated[Path | None, typer.Option(help="TOML or JSON file with the members")] = None,
    metrics_listen: MetricsOption = None,
) -> None:
    """Run the exchange service. With TRAVELRULE_LISTS_DIR it rates wallets by those sanctions lists."""

    def check(found: SettingFaults) -> None:
        _check_listen(found, listen, metrics_listen)
        if members is not None:
            found.check(lambda: parse_spec(NetworkFile, read_document(members), members.name))

    folder = load_settings(check, serving=True).lists_dir
    try:
        lists_hit = addresses_of_folder(folder) if folder is not None else None
    except TravelRuleError as error:
        fail(error)
    serving = partial(run_hub, listen, members, lists_hit=lists_hit, handle_signals=True)
    run(serve_with_probes(metrics_listen, lambda started: serving(on_started=started)))


def _check_listen(found: SettingFaults, listen: str, metrics_listen: str | None) -> None:
    def parse(option: str, address: str) -> None:
        try:
            HostPort.parse(address)
        except ValueError as error:
            raise ConfigurationError(option, str(error)) from None

    found.check(lambda: parse("--listen", listen))
    if metrics_listen is not None:
        found.check(lambda: parse(METRICS_LISTEN, metrics_listen))


def sandbox(
    world: Annotated[Path, typer.Option(help="world file: members, robots, faults")],
    listen: ListenOption,
    data: Annotated[Path | None, typer.Option(help="folder for the journal")] = None,
    metrics_listen: MetricsOption = None,
) -> None:
    """Run a hub with the world file's members, robots and faults."""

    def check(found: SettingFaults) -> None:
        _check_listen(found, listen, metrics_listen)
        found.check(lambda: load_world(world))

    load_settings(check, serving=True)
    serving = partial(run_sandbox, world, listen, data, handle_signals=True)
    run(serve_with_probes(metrics_listen, lambda started: serving(on_started=started)))


def demo(
    once: Annotated[bool, typer.Option("--once", help="end after the scenarios")] = False,  # noqa: FBT002
    output: Annotated[Output, typer.Option("--output", help="text or json")] = Output.TEXT,
) -> None:
    """Play the scenarios between two VASPs on a network of their own."""
    from travelrule.commands.demo.session import play  # noqa: PLC0415 - only this command loads it

    del output  # the summary line is JSON in any case
    try:
        passed = play(once=once)
    except TravelRuleError as error:
        fail(error)
    if not passed:
        raise typer.Exit(1)
