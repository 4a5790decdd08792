"""Where a fault run takes place: services of its own, the network, and what an orchestrator does for its processes."""

from __future__ import annotations

import asyncio
import contextlib
import random
from collections import Counter
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import aiohttp

from tests.chaos.answer_proxy import AnswerLog, AnswerProxy
from tests.chaos.forged_callbacks import Forged
from tests.chaos.members import ADDRESSES, POLICY, TAG, TAGS, Payment, robots, with_lasting_keys
from tests.chaos.platform import PersistentPlatform
from tests.e2e.member import Member, own_port
from tests.e2e.network import Brokers, RealNetwork, until
from tests.services import KafkaCluster, KafkaNode, PostgresServer
from tests.services.run import run_directory, run_owner
from travelrule.commands.demo.platform import DemoPlatform
from travelrule.commands.demo.scenarios import ERIK

LOOK_SECONDS = 1.0
PROBE_SECONDS = 5.0
PROBES_FAILED_MAX = 3


@dataclass
class WatchedMember(Member):
    """A VASP each of whose processes reaches the hub through a proxy of its own, at the port in ``hub_ports``."""

    hub_ports: dict[str, int] = field(default_factory=dict)

    def settings_of(self, name: str) -> dict[str, str]:
        port = self.hub_ports.setdefault(name, own_port())
        return super().settings_of(name) | {"TRAVELRULE_HUB_URL": f"http://127.0.0.1:{port}"}


class ChaosNetwork(RealNetwork):
    """The network with platforms that never give up, a hub that can be started again, and a proxy between it and each
    process. ``payments``: what the robot that announces nothing has sent.
    """

    member_type = WatchedMember

    def __init__(
        self,
        folder: Path,
        kafka: Brokers,
        postgres: PostgresServer,
        payments: Sequence[Payment],
        seed: int,
    ) -> None:
        super().__init__(folder, kafka, postgres, POLICY)
        self._payments = payments
        self._seed = seed
        self.answers = AnswerLog()
        self._proxies: list[AnswerProxy] = []

    async def start(self) -> None:
        for member in self.members.values():
            assert isinstance(member, WatchedMember)
            for name in member.names():
                member.settings_of(name)
                self._proxies.append(AnswerProxy(member.entity_id, member.hub_ports[name], self.hub_url, self.answers))
        await asyncio.gather(*(proxy.start() for proxy in self._proxies))
        await super().start()

    async def stop(self) -> None:
        await super().stop()
        await asyncio.gather(*(proxy.stop() for proxy in self._proxies))

    def _world(self) -> dict[str, Any]:
        world = super()._world()
        world["members"] += robots(self._payments)
        return with_lasting_keys(world, random.Random(self._seed))

    async def _platform(self, member: Member) -> DemoPlatform:
        platform = PersistentPlatform(self.bootstrap, member.topic_prefix)
        await platform.start()
        return platform


class FaultRun:
    """The network and the services under it. ``away`` are processes that a fault keeps down.

    ``forged`` counts callbacks that the hub did not send; ``interrupted`` are the searches, as (subject, requestId), in
    the middle of which the hub was killed.
    """

    def __init__(self, network: ChaosNetwork, kafka: Brokers, postgres: PostgresServer) -> None:
        self.network = network
        self.kafka = kafka
        self.postgres = postgres
        self.away: set[str] = set()
        self.ended_by_itself: Counter[str] = Counter()
        self.not_alive: Counter[str] = Counter()
        self.forged: Forged = Counter()
        self.interrupted: list[tuple[str, str]] = []

    @property
    def brokers(self) -> int:
        """How many there are."""
        return len(self.kafka.nodes) if isinstance(self.kafka, KafkaCluster) else 1

    def platform(self, entity_id: str) -> PersistentPlatform:
        """The platform of a VASP."""
        platform = self.network.platforms[entity_id]
        assert isinstance(platform, PersistentPlatform)
        return platform

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

    async def start_hub(self) -> None:
        """Start the hub again, with its members' keys as they are now."""
        network = self.network
        network.write_world()
        await network.sandbox.start()
        await network.sandbox.until_answering(f"{network.hub_url}/sandbox/journal?limit=1")

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
async def open_arena(folder: Path, payments: Sequence[Payment], seed: int, brokers: int) -> AsyncIterator[FaultRun]:
    """Start everything, with customers at each VASP; end everything afterwards. ``brokers``: one, or three."""
    made = KafkaNode if brokers == 1 else KafkaCluster
    kafka: Brokers = await asyncio.to_thread(made, run_directory() / "kafka", run_owner())
    postgres = await asyncio.to_thread(PostgresServer, run_directory() / "postgres", run_owner())
    await asyncio.gather(asyncio.to_thread(kafka.start), asyncio.to_thread(postgres.start))
    network = ChaosNetwork(folder, kafka, postgres, payments, seed)
    fault_run = FaultRun(network, kafka, postgres)
    try:
        await network.start()
        for entity_id in network.members:
            await _register(fault_run, entity_id)
        yield fault_run
    finally:
        for process in network.processes.values():
            await process.kill()
        await network.stop()


async def _register(fault_run: FaultRun, entity_id: str) -> None:
    platform = fault_run.platform(entity_id)
    await asyncio.gather(*(_register_one(platform, entity_id, tag) for tag in (TAG, *TAGS)))
    tables = fault_run.network.tables(entity_id)

    async def all_there() -> bool:
        return await tables.count("wallets") == 1 + len(TAGS)

    await until(all_there, f"{entity_id}'s wallets are registered")


async def _register_one(platform: PersistentPlatform, entity_id: str, tag: str) -> None:
    wallet_id = f"wallet-{tag}"
    data = {
        "walletId": wallet_id,
        "address": ADDRESSES[entity_id],
        "tag": tag,
        "currencies": ["XRP"],
        "networks": ["XRP"],
        "customerId": f"s-{tag}",
        "kyc": True,
        "owner": ERIK,
    }
    await platform.send("wallets", "wallet.registered.v1", wallet_id, data)
