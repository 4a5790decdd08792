"""What breaks, and how it is repaired: one function per fault, all of them random only through ``rng``.

``strike`` breaks something and, for an outage, keeps it broken for a while and repairs it; the clock of the recovery
runs from its end. What it killed stays down until the rest has recovered without it.
"""

from __future__ import annotations

import asyncio
import random
import signal
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from tests.chaos.consumer_groups import until_rebalancing
from tests.chaos.fault_run_network import FaultRun
from travelrule.commands.keys import new_seed

FORWARDED = ("address-search", "transfer-authorization", "txid-report", "finish")
LONG_AGO, LONG_HENCE = "2030-01-01T00:00:00Z", "2031-01-01T00:00:00Z"

Step = Callable[[FaultRun, random.Random], Awaitable[list[str]]]
"""Does its part and names the processes that are still down."""


@dataclass(frozen=True, slots=True)
class Fault:
    """``strike`` as above. ``kills_worker``: measure how long its partitions wait for the other one."""

    name: str
    strike: Step
    kills_worker: bool = False


async def hold(rng: random.Random, shortest: float, longest: float) -> None:
    """The time for which something stays broken."""
    await asyncio.sleep(rng.uniform(shortest, longest))


def _some(fault_run: FaultRun, rng: random.Random, role: str) -> str:
    return rng.choice(
        [name for name in fault_run.network.processes if f"-{role}-" in name and name not in fault_run.away]
    )


async def kill_worker(fault_run: FaultRun, rng: random.Random) -> list[str]:
    name = _some(fault_run, rng, "worker")
    await fault_run.kill(name)
    return [name]


async def kill_gateway(fault_run: FaultRun, rng: random.Random) -> list[str]:
    name = _some(fault_run, rng, "gateway")
    await fault_run.kill(name)
    return [name]


async def kill_in_rebalance(fault_run: FaultRun, rng: random.Random) -> list[str]:
    """A worker comes back, and while the group shares out its partitions the other one is killed."""
    first = _some(fault_run, rng, "worker")
    owner = fault_run.network.owner(first)
    (second,) = [name for name in owner.names() if "-worker-" in name and name != first]
    await fault_run.kill(first)
    coming = asyncio.create_task(fault_run.start(first))
    await until_rebalancing(fault_run.kafka.bootstrap, owner.group)
    await fault_run.kill(second)
    await coming
    return [second]


async def freeze_worker(fault_run: FaultRun, rng: random.Random) -> list[str]:
    """A worker stands still for longer than the session, loses its partitions, and goes on as if nothing was."""
    name = _some(fault_run, rng, "worker")
    fault_run.away.add(name)
    fault_run.network.processes[name].send(signal.SIGSTOP)
    await hold(rng, 20, 24)
    fault_run.network.processes[name].send(signal.SIGCONT)
    fault_run.away.discard(name)
    return []


async def postgres_restart(fault_run: FaultRun, rng: random.Random) -> list[str]:
    await asyncio.to_thread(fault_run.postgres.stop)
    await hold(rng, 1, 3)
    await asyncio.to_thread(fault_run.postgres.start)
    return []


async def postgres_kill(fault_run: FaultRun, rng: random.Random) -> list[str]:
    await asyncio.to_thread(fault_run.postgres.kill)
    await hold(rng, 0, 2)
    await asyncio.to_thread(fault_run.postgres.start)
    return []


def hub(fault: str, share: float = 0.5, status: int | None = None, operations: tuple[str, ...] = FORWARDED) -> Step:
    """A fault of the sandbox on these operations, for everybody, for a while."""

    async def strike(fault_run: FaultRun, rng: random.Random) -> list[str]:
        for operation in operations:
            spec = {"operation": operation, "fault": fault, "share": share, "seed": rng.getrandbits(32)}
            await fault_run.sandbox("POST", "/sandbox/faults", spec | ({} if status is None else {"status": status}))
        await hold(rng, 4, 8)
        await fault_run.sandbox("DELETE", "/sandbox/faults")
        return []

    return strike


async def member_down(fault_run: FaultRun, rng: random.Random) -> list[str]:
    """The hub cannot reach a member's health page for so long that every VASP lists it as down."""
    target = rng.choice(["north", "south"])
    sick = {"operation": "health", "member": target, "fault": "status", "status": 503}
    await fault_run.sandbox("POST", "/sandbox/faults", sick)
    await fault_run.network.until_up(target, up=False)
    await hold(rng, 16, 20)
    await fault_run.sandbox("DELETE", "/sandbox/faults")
    await fault_run.network.until_up(target)
    return []


async def key_rotation(fault_run: FaultRun, rng: random.Random) -> list[str]:
    """A member lists a new key beside the old one, signs with it, and then takes the old one off the list at once.

    Until then the old key has the later expiry, so everybody else still seals to it: they find out by being refused.
    """
    member = fault_run.network.members[rng.choice(["north", "south"])]
    entry = fault_run.network.member(member)
    old = entry["pubkeys"][0]["pubkey"]
    member.seeds.insert(0, new_seed())
    both = [{"pubkey": member.public_key, "expiresAt": LONG_AGO}, {"pubkey": old, "expiresAt": LONG_HENCE}]
    await fault_run.sandbox("PUT", f"/sandbox/members/{member.entity_id}", entry | {"pubkeys": both})
    for name in member.names():
        await fault_run.restart(name)
    await fault_run.sandbox("PUT", f"/sandbox/members/{member.entity_id}", fault_run.network.member(member))
    return []


FAULTS = {
    fault.name: fault
    for fault in (
        Fault("kill-worker", kill_worker, kills_worker=True),
        Fault("kill-gateway", kill_gateway),
        Fault("kill-in-rebalance", kill_in_rebalance, kills_worker=True),
        Fault("freeze-worker", freeze_worker),
        Fault("postgres-restart", postgres_restart),
        Fault("postgres-kill", postgres_kill),
        Fault("hub-500", hub("status", status=500)),
        Fault("hub-408", hub("status", status=408)),
        Fault("hub-429", hub("status", status=429)),
        Fault("hub-garbage", hub("garbage")),
        Fault("hub-missing-field", hub("missing-field")),
        Fault("hub-hang", hub("hang", share=0.2)),
        Fault("hub-drop-before", hub("drop-before")),
        Fault("hub-drop-after", hub("drop-after")),
        Fault("hub-cut-off", hub("drop-after", status=0)),
        Fault("directory-garbage", hub("garbage", share=1, operations=("vasp-list", "public-key", "coin-network"))),
        Fault("member-down", member_down),
        Fault("key-rotation", key_rotation),
    )
}
