"""What breaks on the way to the sender of an anonymous deposit: searches, their results, callbacks, the hub itself."""

from __future__ import annotations

import asyncio
import random

import aiohttp

from tests.chaos.fault_run_network import FaultRun
from tests.chaos.faults import Fault, hold, hub
from tests.chaos.forged_callbacks import CallbackForger
from tests.chaos.stored_events import UNREADABLE

SEARCHING = ("txid-search", "txid-search-result", "txid-check", "data-request", "status-search")
ASKED = ("txid-check", "data-request", "status-search")
LOOK_SECONDS = 0.05
SLOW_SECONDS = 0.8
"""How long every member takes to answer a search then; it has one second."""
RUNNING_LEAST = 3
ROUND_SECONDS = 0.5
SEARCH_PATIENCE_SECONDS = 30

_RUNNING = (
    "SELECT subject, request_id FROM searches WHERE operation = 'txid-search'"
    f" AND created_at > now() - interval '{SLOW_SECONDS - 0.1} s'"
)


async def forged(fault_run: FaultRun, rng: random.Random) -> list[str]:
    """For a while no callback of the hub arrives, but a lot of others do, while the searches are still running."""
    await fault_run.sandbox("POST", "/sandbox/faults", {"operation": "callback", "fault": "lose-callback"})
    await _slow_searches(fault_run)
    forgers = [
        CallbackForger(member, fault_run.network.tables(name), fault_run.forged)
        for name, member in fault_run.network.members.items()
    ]
    clock = asyncio.get_running_loop().time
    until = clock() + rng.uniform(6, 9)
    async with aiohttp.ClientSession() as session:
        while clock() < until:
            for forger in forgers:
                await forger.round(session, rng)
            await asyncio.sleep(ROUND_SECONDS)
    await fault_run.sandbox("DELETE", "/sandbox/faults")
    return []


async def hub_kill(fault_run: FaultRun, rng: random.Random) -> list[str]:
    """The hub is killed in the middle of searches and forgets them; its members, keys and journal stay."""
    await _slow_searches(fault_run)
    fault_run.interrupted += await _running_searches(fault_run)
    await fault_run.network.sandbox.kill()
    await hold(rng, 1, 4)
    await fault_run.start_hub()
    return []


async def hub_restart(fault_run: FaultRun, rng: random.Random) -> list[str]:
    """The hub ends in order: running searches get a moment to end, and are then dropped."""
    await fault_run.network.sandbox.stop()
    await hold(rng, 0, 2)
    await fault_run.start_hub()
    return []


async def _slow_searches(fault_run: FaultRun) -> None:
    slow = {"operation": "txid-check", "fault": "latency", "delaySeconds": SLOW_SECONDS}
    await fault_run.sandbox("POST", "/sandbox/faults", slow)


async def _running_searches(fault_run: FaultRun) -> list[tuple[str, str]]:
    """Wait until searches run; return (subject, requestId) of each."""
    async with asyncio.timeout(SEARCH_PATIENCE_SECONDS):
        while True:
            running: list[tuple[str, str]] = []
            for name in fault_run.network.members:
                try:
                    rows = await fault_run.network.tables(name).rows(_RUNNING)
                except UNREADABLE:
                    continue
                running += [(row["subject"], row["request_id"]) for row in rows]
            if len(running) >= RUNNING_LEAST:
                return running
            await asyncio.sleep(LOOK_SECONDS)


SEARCH_FAULTS = {
    fault.name: fault
    for fault in (
        Fault("callbacks-lost", hub("lose-callback", share=1, operations=("callback",))),
        Fault("callbacks-doubled", hub("duplicate-callback", share=1, operations=("callback",))),
        Fault("callbacks-forged", forged),
        Fault("search-500", hub("status", status=500, operations=SEARCHING)),
        Fault("search-429", hub("status", status=429, operations=SEARCHING)),
        Fault("search-408", hub("status", status=408, operations=ASKED)),
        Fault("search-garbage", hub("garbage", operations=SEARCHING)),
        Fault("search-missing-field", hub("missing-field", operations=SEARCHING)),
        Fault("search-hang", hub("hang", share=0.2, operations=SEARCHING)),
        Fault("search-drop-before", hub("drop-before", operations=SEARCHING)),
        Fault("search-drop-after", hub("drop-after", operations=SEARCHING)),
        Fault("search-cut-off", hub("drop-after", status=0, operations=SEARCHING)),
        Fault("hub-kill", hub_kill),
        Fault("hub-restart", hub_restart),
    )
}
