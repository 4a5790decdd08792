"""The demo's network on Apache Kafka and PostgreSQL, every role in processes of its own."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from functools import partial
from pathlib import Path
from typing import Any

import orjson

from tests.e2e.commands import must
from tests.e2e.forwarder import Forwarder
from tests.e2e.member import Member, own_port
from tests.e2e.tables import Tables
from tests.e2e.topic_log import Record, read_topics
from tests.services import GivenPostgres, KafkaCluster, KafkaNode, PostgresServer
from travelrule.commands.demo.lists import NORTH_LIST, SOUTH_LIST
from travelrule.commands.demo.network import DEMO_POLICY, DemoNetwork
from travelrule.commands.demo.platform import OUT, DemoPlatform
from travelrule.commands.demo.processes import DemoProcess
from travelrule.commands.demo.vasp import DemoVasp
from travelrule.policy.policy import Policy

Brokers = KafkaNode | KafkaCluster

LOOK_SECONDS = 0.2
PATIENCE_SECONDS = 120.0
MEMBER_TIMEOUT_SECONDS = 8
ROBOT = "robot-eu"

POLICY = f"{DEMO_POLICY}\n[assets.XRP]\n\n[assets.USDT]\n"
"""The demo's rules; two assets are served, so that others are not."""


class RealNetwork(DemoNetwork):
    """``north`` and ``south`` with two workers and two gateways each; all but the services lives in ``folder``."""

    north: Member
    south: Member
    member_type: type[Member] = Member

    def __init__(
        self,
        folder: Path,
        kafka: Brokers,
        postgres: PostgresServer | GivenPostgres,
        policy: str = POLICY,
    ) -> None:
        super().__init__(folder)
        self._postgres = postgres
        self._policy = policy
        self.bootstrap = kafka.bootstrap
        self.databases: dict[str, str] = {}
        self.members: dict[str, Member] = {}
        self.balancers: dict[str, Forwarder] = {}
        self.played: set[str] = set()
        """Titles of the scenarios that were played on it."""
        self.sandbox_metrics_port = own_port()
        self.north = self._member("north", "North Exchange Ltd.", "SG")
        self.south = self._member("south", "South Exchange Ltd.", "SE")
        self.sandbox = DemoProcess(
            "sandbox",
            [
                *("sandbox", "--world", str(folder / "world.json")),
                *("--listen", f"127.0.0.1:{self.hub_port}", "--data", str(folder)),
                *("--metrics-listen", f"127.0.0.1:{self.sandbox_metrics_port}"),
            ],
            {},
            folder,
        )

    def _member(self, entity_id: str, legal_name: str, country: str) -> Member:
        database = self._postgres.create_database()
        self.databases[entity_id] = database
        member = self.member_type(
            entity_id,
            legal_name,
            country,
            self.folder / entity_id,
            self.hub_url,
            self._policy,
            NORTH_LIST if entity_id == "north" else SOUTH_LIST,
            broker_url=f"kafka://{self.bootstrap}",
            database_url=self._postgres.dsn(database),
            run=self.databases["north"],
        )
        self.members[entity_id] = member
        self.balancers[entity_id] = Forwarder(member.gateway_port, member.gateway_ports)
        return member

    async def start(self) -> None:
        for balancer in self.balancers.values():
            await balancer.start()
        await asyncio.gather(*(self._prepare(member) for member in self.members.values()))
        await super().start()
        for entity_id in self.members:
            await self.until_known(entity_id)

    async def _prepare(self, member: Member) -> None:
        await asyncio.gather(
            must(member.settings(), "topics", "apply"),
            must(member.settings(), "migrate"),
        )

    async def start_vasp(self, vasp: DemoVasp) -> None:
        member = self.members[vasp.entity_id]
        names = member.names()
        for name in names:
            process = self.processes.setdefault(name, member.process(name))
            process.environment = member.settings_of(name)
        await asyncio.gather(*(self.processes[name].start() for name in names))
        await asyncio.gather(*(self.until_ready(name) for name in names))
        if vasp.entity_id not in self.platforms:
            self.platforms[vasp.entity_id] = await self._platform(member)

    async def _platform(self, member: Member) -> DemoPlatform:
        platform = DemoPlatform(self.bootstrap, member.topic_prefix)
        await platform.start()
        return platform

    async def stop_vasp(self, vasp: DemoVasp) -> None:
        names = self.members[vasp.entity_id].names()
        await asyncio.gather(*(self.processes[name].stop() for name in names))

    async def stop(self) -> None:
        for platform in self.platforms.values():
            await platform.stop()
        await asyncio.gather(*(process.stop() for process in self.processes.values()))
        await self.sandbox.stop()
        for balancer in self.balancers.values():
            await balancer.stop()
        for database in self.databases.values():
            await asyncio.to_thread(self._postgres.drop_database, database)

    async def until_ready(self, name: str) -> None:
        """Wait until one process says that it is ready."""
        await self.processes[name].until_answering(self.owner(name).page(name, "readyz"))

    async def until_known(self, entity_id: str) -> None:
        """Wait until a VASP has the directory: before that it asks for it first."""
        tables = self.tables(entity_id)
        await until(lambda: tables.count("vasps"), f"{entity_id} has the directory")

    async def until_screened(self, vasp: DemoVasp) -> None:
        """Wait until the owner of every wallet was screened, by whichever of its workers."""
        tables = self.tables(vasp.entity_id)
        await until(lambda: tables.count("wallets"), f"a wallet of {vasp.entity_id} is registered")
        if Policy.from_toml(vasp.policy).sanctions != "off":
            await until(partial(_nobody_unscreened, tables), f"the owners of {vasp.entity_id} are screened")

    async def until_said(self) -> None:
        """Wait until everything that was decided so far is on the topics."""
        for entity_id in self.members:
            tables = self.tables(entity_id)
            await until(partial(_nothing_unsent, tables), f"{entity_id} has published everything")

    async def records(self, entity_id: str, *topics: str) -> list[Record]:
        """Return the records of topics of a VASP (all that it writes, if none is named), from the beginning."""
        await self.until_said()
        return await read_topics(self.bootstrap, self.members[entity_id].topic_prefix, topics or OUT)

    def owner(self, name: str) -> Member:
        """The VASP that a process belongs to."""
        return self.members[name.partition("-")[0]]

    def metrics_pages(self) -> dict[str, str]:
        """The URL of the metrics of each running process, by its name."""
        running = [name for name, process in self.processes.items() if process.running]
        pages = {name: self.owner(name).page(name, "metrics") for name in running}
        return {**pages, "sandbox": f"http://127.0.0.1:{self.sandbox_metrics_port}/metrics"}

    def tables(self, entity_id: str) -> Tables:
        """The database of a VASP, looked at from outside."""
        return Tables(self._postgres.dsn(self.databases[entity_id]))

    def journal(self) -> list[dict[str, Any]]:
        """Every call that went through the hub so far."""
        return [orjson.loads(line) for line in (self.folder / "journal.jsonl").read_bytes().splitlines()]

    def _world(self) -> dict[str, Any]:
        robot = {
            "vaspEntityId": ROBOT,
            "vaspLegalName": "Robot Europe",
            "countryOfRegistration": "DE",
            "allianceName": "code",
            "robot": {"answers": "verified"},
        }
        world = super()._world()
        world["members"].append(robot)
        world["memberTimeoutSeconds"] = MEMBER_TIMEOUT_SECONDS
        return world


async def _nobody_unscreened(tables: Tables) -> bool:
    return await tables.count("wallets", "sanctioned IS NULL") == 0


async def _nothing_unsent(tables: Tables) -> bool:
    return await tables.count("outbox", "sent_at IS NULL") == 0


async def until(condition: Callable[[], Awaitable[Any]], what: str, seconds: float = PATIENCE_SECONDS) -> None:
    """Ask until the answer is true: what is asked about lives in other processes, which tell nobody."""
    try:
        async with asyncio.timeout(seconds):
            while not await condition():
                await asyncio.sleep(LOOK_SECONDS)
    except TimeoutError:
        raise AssertionError(f"not within {seconds:.0f} s: {what}") from None
