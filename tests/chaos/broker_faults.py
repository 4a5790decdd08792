"""What breaks the brokers: one broker is the whole cluster, of three each fault hits one, and leaders move."""

from __future__ import annotations

import asyncio
import random

from streams.topics import Topics
from tests.chaos.fault_run_network import FaultRun
from tests.chaos.faults import Fault, hold, kill_worker
from tests.services import KafkaCluster, KafkaNode


def _one(fault_run: FaultRun, rng: random.Random) -> KafkaNode:
    return rng.choice(fault_run.kafka.nodes) if isinstance(fault_run.kafka, KafkaCluster) else fault_run.kafka


async def broker_restart(fault_run: FaultRun, rng: random.Random) -> list[str]:
    node = _one(fault_run, rng)
    await asyncio.to_thread(node.stop)
    await hold(rng, 1, 4)
    await asyncio.to_thread(node.start)
    return []


async def broker_kill(fault_run: FaultRun, rng: random.Random) -> list[str]:
    node = _one(fault_run, rng)
    await asyncio.to_thread(node.kill)
    await hold(rng, 1, 4)
    await asyncio.to_thread(node.start)
    return []


async def broker_freeze(fault_run: FaultRun, rng: random.Random) -> list[str]:
    node = _one(fault_run, rng)
    await asyncio.to_thread(node.freeze)
    await hold(rng, 8, 12)
    await asyncio.to_thread(node.thaw)
    return []


async def leaders_move(fault_run: FaultRun, rng: random.Random) -> list[str]:
    """A broker is restarted, so that others lead what was its own; then it leads again; then a worker is killed."""
    cluster = fault_run.kafka
    assert isinstance(cluster, KafkaCluster)
    topics = [Topics(member.topic_prefix).physical("withdrawals") for member in fault_run.network.members.values()]
    await asyncio.to_thread(cluster.move_leaders_from, rng.randint(1, len(cluster.nodes)), topics)
    await asyncio.to_thread(cluster.elect_preferred_leaders)
    return await kill_worker(fault_run, rng)


BROKER_FAULTS = {
    fault.name: fault
    for fault in (
        Fault("broker-restart", broker_restart),
        Fault("broker-kill", broker_kill),
        Fault("broker-freeze", broker_freeze),
        Fault("leaders-move", leaders_move, kills_worker=True),
    )
}
