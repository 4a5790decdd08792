"""Every container's command runs with the rendered environment and files, against a real Kafka and PostgreSQL."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from uuid import uuid4

import orjson
import pytest
from confluent_kafka.admin import AdminClient

from tests.helm.chart import Rendered, Values, pick, render
from tests.helm.container import ContainerProcess, pod_address
from tests.helm.installed_secrets import PROFILE, key, vasp_secret
from tests.services import GivenPostgres, KafkaNode, PostgresServer
from tests.support.events import request
from travelrule.commands.demo.platform import DemoPlatform
from travelrule.crypto.signing import SigningKey

pytestmark = pytest.mark.services

PREFIX = "chart.travelrule."
HUB, GATEWAY = pod_address(), pod_address()
WORLD = {
    "members": [
        {
            "vaspEntityId": "north",
            "vaspLegalName": "North Exchange Ltd.",
            "countryOfRegistration": "SG",
            "pubkeys": [{"pubkey": SigningKey.from_base64(key(1)).public_base64}],
            "baseUrl": f"http://{GATEWAY}:8080",
        },
        {"vaspEntityId": "robot", "vaspLegalName": "Robot Ltd.", "countryOfRegistration": "DE", "robot": {}},
    ],
    "coinNetworks": [{"coin": "XRP", "networkList": [{"network": "XRP"}]}],
    "healthIntervalSeconds": 1,
    "allowHttpCallbacks": True,
}
LIST = "name\nPetra Planted\n"


def values(bootstrap: str) -> Values:
    """One VASP with a sandbox and an imported list."""
    return {
        "image": {"repository": "registry.example/travelrule"},
        "settings": {
            "VASP_ENTITY_ID": "north",
            "HUB_URL": f"http://{HUB}:8090",
            "PUBLIC_URL": f"http://{GATEWAY}:8080",
            "BROKER_URL": f"kafka://{bootstrap}",
            "GATEWAY_SOURCES": ["127.0.0.0/8"],
            "TOPIC_PREFIX": PREFIX,
            "CONSUMER_GROUP": "chart",
            "HEALTH_REFRESH_SECONDS": 1,
        },
        "profile": PROFILE,
        "policy": "[assets.XRP]\n",
        "secrets": {"existingSecret": "north"},
        "worker": {"kind": "StatefulSet"},
        "sandbox": {"enabled": True, "file": {"existingConfigMap": "world"}},
        "hub": {"enabled": True, "file": {"existingSecret": "network"}},
        "lists": {
            "enabled": True,
            "imports": [
                {"format": "own-csv", "code": "own", "path": "own.csv", "volume": {"configMap": {"name": "lists"}}}
            ],
        },
    }


class Installed:
    """The release's containers as processes, each with a folder as its file system."""

    def __init__(self, bootstrap: str, database_url: str, folder: Path) -> None:
        self.objects: list[Rendered] = render(values(bootstrap), base={})
        self._folder = folder
        self._existing = {
            "north": vasp_secret(database_url),
            "world": {"world.json": orjson.dumps(WORLD).decode()},
            "network": {"network.json": orjson.dumps({"hub": {"seed": key(9)}, "members": []}).decode()},
        }
        self.sandbox = self._container("Deployment", "sandbox", HUB)
        self.hub = self._container("Deployment", "hub", pod_address())
        self.worker = self._container("StatefulSet", "worker", pod_address())
        self.gateway = self._container("Deployment", "gateway", GATEWAY)
        self.roles = (self.sandbox, self.hub, self.worker, self.gateway)

    def _container(self, kind: str, name: str, address: str = "127.0.0.1") -> ContainerProcess:
        one = pick(self.objects, kind, f"north-travelrule-{name}")
        return ContainerProcess(one, self.objects, self._existing, self._folder / name, address)

    async def complete(self, kind: str, name: str) -> str:
        """Run a Job, a CronJob or a test once."""
        job = self._container(kind, name)
        lists = job.files.root / "lists"
        lists.mkdir(parents=True)
        (lists / "own.csv").write_text(LIST)
        return await job.complete()


@pytest.fixture
async def installed(
    kafka: KafkaNode, postgres: PostgresServer | GivenPostgres, tmp_path: Path
) -> AsyncIterator[Installed]:
    database = postgres.create_database()
    one = Installed(kafka.bootstrap, postgres.dsn(database), tmp_path)
    try:
        yield one
    finally:
        await asyncio.gather(*(role.kill() for role in one.roles))
        postgres.drop_database(database)


async def test_the_release_runs_as_it_is_rendered(installed: Installed, kafka: KafkaNode) -> None:
    """Hooks, roles with their probes, list, doctor, one withdrawal, and SIGTERM within the grace period."""
    migrated, topics = await asyncio.gather(installed.complete("Job", "migrate"), installed.complete("Job", "topics"))
    assert "this version needs" in migrated
    assert f"{PREFIX}withdrawals" in topics
    await asyncio.gather(*(role.start() for role in installed.roles))
    listed = await installed.complete("CronJob", "lists-own")
    assert "now in force" in listed
    await asyncio.gather(*(role.until("startup") for role in installed.roles))
    await asyncio.gather(*(role.until("readiness") for role in installed.roles))
    assert all([await role.answers("liveness") for role in installed.roles])
    checked = await installed.complete("Pod", "doctor")
    assert "broker" in checked
    assert await _members(kafka) == {"north-travelrule-worker-0"}

    platform = DemoPlatform(kafka.bootstrap, PREFIX)
    await platform.start()
    try:
        name = str(uuid4())
        destination = {"kind": "vasp", "vaspEntityId": "robot", "address": "rPEPPER7kfTD9w2To4CQk6UCfuHM9c6GDY"}
        data = request(withdrawalId=name, destination=destination)
        await platform.send("withdrawals", "withdrawal.requested.v1", name, data)
        await platform.verdict(name, "allow", "VERIFIED")
    finally:
        await platform.stop()

    ended = await asyncio.gather(*(role.terminate() for role in installed.roles))
    assert ended == [0, 0, 0, 0], [role.log.read_text() for role in installed.roles]
    for role in (installed.worker, installed.gateway):
        assert '"event":"stopped"' in role.log.read_text().replace(": ", ":")
        assert role.files.read_only() == role.mounted


async def _members(kafka: KafkaNode) -> set[str]:
    """The static names of the group's members, as the broker has them."""
    admin = AdminClient({"bootstrap.servers": kafka.bootstrap, "log_level": 0})
    (asked,) = admin.describe_consumer_groups(["chart"]).values()
    described = await asyncio.to_thread(asked.result)
    return {member.group_instance_id for member in described.members}
