"""The surroundings of the figures: a real Kafka, a real PostgreSQL, a hub with robots, and one VASP, ``north``.

Hub, robots, Kafka and the platform that makes the load are the surroundings: they run in our case and in the
reference's, and their CPU is not counted.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import orjson
import psutil

from schemas.registry import TOPICS
from streams.admin import wanted_config
from tests.benchmarks.program import Program
from tests.services import GivenPostgres, KafkaNode, PostgresServer, run
from travelrule.commands.demo.lists import NORTH_LIST
from travelrule.commands.demo.processes import free_port
from travelrule.commands.demo.vasp import DemoVasp
from travelrule.store import schema_version
from travelrule.store.database import Database

ROBOTS = ("robot-de", "robot-fr", "robot-jp", "robot-us")
POLICY = 'sanctions = "off"'
"""The loop that the worker is compared with screens nobody; screening is measured by itself."""
PARTITIONS = 4
FAR_FUTURE = "2035-01-01T00:00:00Z"
REFERENCE = "reference"


@dataclass
class Surroundings:
    """Services and folders of a benchmark. ``short`` selects the smallest useful runs."""

    folder: Path
    short: bool
    kafka: KafkaNode
    postgres: PostgresServer | GivenPostgres
    hub_port: int = field(default_factory=free_port)

    @property
    def hub_url(self) -> str:
        """The root of the hub."""
        return f"http://127.0.0.1:{self.hub_port}"

    def postgres_pid(self) -> int:
        """The postmaster, whose tree is all of PostgreSQL."""
        return int((run.run_directory() / "postgres" / "pid").read_text())

    def vasp(self, entity_id: str, database: str, policy: str = POLICY) -> DemoVasp:
        """A VASP of the program under test, on this Kafka and the named database."""
        folder = self.folder / entity_id
        vasp = DemoVasp(entity_id, "North Exchange Ltd.", "SG", folder, self.hub_url, policy, NORTH_LIST)
        vasp.broker_url = f"kafka://{self.kafka.bootstrap}"
        vasp.database_url = self.postgres.dsn(database)
        self.create_topics(vasp.topic_prefix)
        return vasp

    def create_topics(self, prefix: str) -> None:
        """The topics of a worker, as it wants them but for the number of partitions."""
        for name, spec in TOPICS.items():
            self.kafka.create_topics([f"{prefix}{name}"], PARTITIONS, wanted_config(spec, 1))

    @asynccontextmanager
    async def database(self) -> AsyncIterator[str]:
        """The name of a fresh database with the program's tables, dropped afterwards."""
        name = await asyncio.to_thread(self.postgres.create_database)
        try:
            opened = Database(self.postgres.dsn(name))
            await schema_version.upgrade(opened)
            await opened.dispose()
            yield name
        finally:
            await asyncio.to_thread(self.postgres.drop_database, name)

    @asynccontextmanager
    async def hub(
        self, members: list[dict[str, Any]], sent: Mapping[str, list[dict[str, Any]]] | None = None
    ) -> AsyncIterator[Program]:
        """The sandbox with four robots that verify everything, and the given real members.

        ``sent``: robot to the withdrawals that its customers made (``sandbox.robots.robot_spec.WithdrawalSpec``).
        """
        world = {
            "members": [*members, *(robot(name, (sent or {}).get(name, [])) for name in ROBOTS)],
            "coinNetworks": [{"coin": "XRP", "networkList": [{"network": "XRP"}]}],
            "rateLimitPerMinute": 0,
            "memberTimeoutSeconds": 10,
            "healthIntervalSeconds": 5,
            "allowHttpCallbacks": True,
        }
        self.folder.mkdir(parents=True, exist_ok=True)
        file = self.folder / "world.json"
        file.write_bytes(orjson.dumps(world))
        listen = f"127.0.0.1:{self.hub_port}"
        hub = Program("hub", ["travelrule", "sandbox", "--world", str(file), "--listen", listen], self.folder)
        await hub.start()
        try:
            await hub.until_answering(f"{self.hub_url}/sandbox/journal?limit=1")
            yield hub
        finally:
            await hub.stop()

    @asynccontextmanager
    async def serving(self, vasp: DemoVasp, *roles: str, name: str = "", **settings: str) -> AsyncIterator[Program]:
        """A process of the program with the named roles, ready."""
        metrics_port = free_port() if name else vasp.metrics_port
        environment = vasp.environment(metrics_port=metrics_port)
        environment |= {"TRAVELRULE_DIRECTORY_REFRESH_SECONDS": "3600", "TRAVELRULE_HEALTH_REFRESH_SECONDS": "20"}
        # The load of all members comes from one here.
        environment |= {f"TRAVELRULE_GATEWAY_{rate}_RATE": "0" for rate in ("REQUEST", "SEARCH", "MISS")}
        environment |= {f"TRAVELRULE_{key}": value for key, value in settings.items()}
        program = Program(name or vasp.entity_id, ["travelrule", "serve", *roles], vasp.folder, environment)
        await program.start()
        try:
            await program.until_answering(f"http://127.0.0.1:{metrics_port}/readyz")
            yield program
        finally:
            await program.stop()


def member(entity_id: str, public_key: str, base_url: str | None = None) -> dict[str, Any]:
    """A real member as the world file lists it."""
    listed: dict[str, Any] = {
        "vaspEntityId": entity_id,
        "vaspLegalName": f"{entity_id} Exchange",
        "countryOfRegistration": "SG",
        "allianceName": "code",
        "pubkeys": [{"pubkey": public_key, "expiresAt": FAR_FUTURE}],
    }
    return listed | ({"baseUrl": base_url} if base_url else {})


def robot(entity_id: str, sent: Sequence[dict[str, Any]] = ()) -> dict[str, Any]:
    """A counterparty that owns every address and verifies everything."""
    return {
        "vaspEntityId": entity_id,
        "vaspLegalName": f"{entity_id} Exchange",
        "countryOfRegistration": "DE",
        "allianceName": "code",
        "robot": {"answers": "verified", "withdrawals": list(sent)},
    }


def kernel_share() -> float:
    """Load of the machine just now, so that a reader can judge the noise."""
    return psutil.getloadavg()[0]
