"""Where a fault run takes place: services of its own, the network, and what an orchestrator does for its processes."""

from __future__ import annotations

import asyncio
import contextlib
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import aiohttp

from tests.chaos.desk import Desk
from tests.e2e.member import Member
from tests.e2e.network import RealNetwork, until
from tests.services import KafkaNode, PostgresServer
from tests.services.run import run_directory, run_owner
from travelrule.commands.demo.platform import Platform
from travelrule.commands.demo.scenarios import ERIK

LOOK_SECONDS = 1.0
PROBE_SECONDS = 5.0
PROBES_FAILED_MAX = 3
ADDRESSES = {
    "north": "rNORTHkfTD9w2To4CQk6UCfuHM9c6GDY",
    "south": "rPEPPER7kfTD9w2To4CQk6UCfuHM9c6GDY",
    "robot-eu": "rROBOT7kfTD9w2To4CQk6UCfuHM9c6GDYx",
}


class ChaosNetwork(RealNetwork):
    """The network with platforms that never give up."""

    async def _platform(self, member: Member) -> Platform:
        desk = Desk(self.bootstrap, member.topic_prefix)
        await desk.start()
        return desk


class Arena:
    """The network and the services under it. ``away`` are processes that a fault keeps down."""

    def __init__(self, network: ChaosNetwork, kafka: KafkaNode, postgres: PostgresServer) -> None:
        self.network = network
        self.kafka = kafka
        self.postgres = postgres
        self.away: set[str] = set()
        self.ended_by_itself: Counter[str] = Counter()
        self.not_alive: Counter[str] = Counter()

    def desk(self, entity_id: str) -> Desk:
        """The platform of a VASP."""
        desk = self.network.platforms[entity_id]
        assert isinstance(desk, Desk)
        return desk

    async def kill(self, name: str) -> None:
        """SIGKILL a process and keep it down."""
        self.away.add(name)
        await self.network.processes[name].kill()

    async def start(self, name: str) -> None:
        """Start a process again, with the keys as they are now, and wait until it is ready."""
        process = self.network.processes[name]
        process.environment = self.network.owner(name).settings_of(name)
        await process.start()
        await self.network.until_ready(name)
        self.away.discard(name)

    async def restart(self, name: str) -> None:
        """An orderly end and a new beginning."""
        self.away.add(name)
        await self.network.processes[name].stop()
        await self.start(name)

    async def supervise(self) -> None:
        """What an orchestrator does: start what ended by itself, end what is not alive. Until cancelled."""
        async with asyncio.TaskGroup() as group:
            for name in self.network.processes:
                group.create_task(self._supervise(name))

    async def _supervise(self, name: str) -> None:
        failed = 0
        while True:
            await asyncio.sleep(LOOK_SECONDS)
            if name in self.away:
                failed = 0
                continue
            process = self.network.processes[name]
            if not process.running:
                self.ended_by_itself[name] += 1
                await process.start()
                continue
            failed = 0 if await self._alive(name) else failed + 1
            if failed >= PROBES_FAILED_MAX:
                self.not_alive[name] += 1
                failed = 0
                await process.kill()

    async def _alive(self, name: str) -> bool:
        url = self.network.owner(name).page(name, "livez")
        limit = aiohttp.ClientTimeout(total=PROBE_SECONDS)
        with contextlib.suppress(aiohttp.ClientError, TimeoutError):
            async with aiohttp.ClientSession(timeout=limit) as session, session.get(url) as answer:
                return answer.status == 200
        return False

    async def sandbox(self, method: str, path: str, body: Any = None) -> Any:
        """Ask the sandbox's control side."""
        return await self.network.control(method, path, body)


@asynccontextmanager
async def open_arena(folder: Path) -> AsyncIterator[Arena]:
    """Start everything, with a customer at each VASP; end everything afterwards."""
    kafka = await asyncio.to_thread(KafkaNode, run_directory() / "kafka", run_owner())
    postgres = await asyncio.to_thread(PostgresServer, run_directory() / "postgres", run_owner())
    await asyncio.gather(asyncio.to_thread(kafka.start), asyncio.to_thread(postgres.start))
    network = ChaosNetwork(folder, kafka, postgres)
    arena = Arena(network, kafka, postgres)
    try:
        await network.start()
        for entity_id in network.members:
            await _register(arena, entity_id)
        yield arena
    finally:
        for process in network.processes.values():
            await process.kill()
        await network.stop()


async def _register(arena: Arena, entity_id: str) -> None:
    data = {
        "walletId": "wallet-erik",
        "address": ADDRESSES[entity_id],
        "tag": "77001",
        "currencies": ["XRP"],
        "networks": ["XRP"],
        "customerId": "s-77001",
        "kyc": True,
        "owner": ERIK,
    }
    await arena.desk(entity_id).send("wallets", "wallet.registered.v1", "wallet-erik", data)
    tables = arena.network.tables(entity_id)
    await until(lambda: tables.count("wallets"), f"{entity_id}'s wallet is registered")
