"""One run of the demo: start the network, play every scenario, print the results."""

from __future__ import annotations

import asyncio
import contextlib
import signal
import sys
import tempfile
from collections.abc import Awaitable
from pathlib import Path

import orjson

from travelrule import logs
from travelrule.commands.demo import (  # noqa: F401 - they add scenarios
    deposit_scenarios,
    sanctions_scenarios,
    screening_scenarios,
)
from travelrule.commands.demo.network import DemoNetwork
from travelrule.commands.demo.platform import ScenarioFailedError, SeenEvent
from travelrule.commands.demo.scenarios import SCENARIOS, DemoStage, register_wallets
from travelrule.commands.demo.view import ScenarioView
from travelrule.errors import TravelRuleError

log = logs.get("demo")


def play(*, once: bool) -> bool:
    """Play the scenarios; without ``once`` stay up afterwards until Ctrl-C. Return whether every scenario passed."""
    logs.configure("auto", "warning")
    folder = Path(tempfile.mkdtemp(prefix="travelrule-demo-"))
    return asyncio.run(_play(folder, once=once))


async def _play(folder: Path, *, once: bool) -> bool:
    stopped = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, stopped.set)
    network = DemoNetwork(folder)
    playing = asyncio.create_task(scenarios(network, ScenarioView(list(SCENARIOS))))
    stopping = asyncio.create_task(stopped.wait())
    try:
        await asyncio.wait({playing, stopping}, return_when=asyncio.FIRST_COMPLETED)
        if not playing.done():
            playing.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await playing
            return False
        results = playing.result()
        _summary(results)
        if not once:
            _places(network)
            await stopped.wait()
    finally:
        stopping.cancel()
        await network.stop()
    return all(result == "ok" for result in results.values())


async def scenarios(network: DemoNetwork, view: ScenarioView) -> dict[str, str]:
    """Start the network and play every scenario on it. Return the result of each: ``ok`` or the reason."""
    results: dict[str, str] = {}
    await network.start()
    stage = DemoStage(network)
    await register_wallets(stage)
    await network.until_screened(network.south)
    with view.shown():
        for title, story in SCENARIOS.items():
            _watch(network, view)
            view.begin(title)
            results[title] = await outcome_of(story(stage))
            view.end(title, results[title])
    return results


async def outcome_of(story: Awaitable[None]) -> str:
    """Play one scenario. Return ``ok``, or the reason for its failure."""
    try:
        await story
    except (ScenarioFailedError, TravelRuleError) as error:
        return str(error)
    return "ok"


def _watch(network: DemoNetwork, view: ScenarioView) -> None:
    """Show the records of both platforms (a restarted VASP has a new platform)."""
    for entity_id, platform in network.platforms.items():

        def see(seen: SeenEvent, entity_id: str = entity_id) -> None:
            view.see(entity_id, seen)

        platform.on_seen = see


def _summary(results: dict[str, str]) -> None:
    passed = sum(result == "ok" for result in results.values())
    summary = {"scenarios": len(results), "passed": passed, "failed": len(results) - passed, "results": results}
    sys.stdout.write(orjson.dumps(summary).decode() + "\n")
    sys.stdout.flush()


def _places(network: DemoNetwork) -> None:
    lines = [
        f"hub and sandbox  {network.hub_url}/sandbox/journal",
        f"north            gateway {network.north.base_url}/v1/vasp/health, metrics {network.north.ready_url}",
        f"south            gateway {network.south.base_url}/v1/vasp/health, metrics {network.south.ready_url}",
        f"logs             {network.folder}",
        "Ctrl-C ends it.",
    ]
    sys.stderr.write("\n".join(lines) + "\n")
