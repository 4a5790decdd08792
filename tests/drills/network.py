"""The network of the drills: two VASPs with one worker and one gateway each, scraped by a Prometheus with the rules."""

from __future__ import annotations

import asyncio
import contextlib
import random
import secrets
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from uuid import uuid4

import asyncpg
from confluent_kafka.admin import AdminClient

from scripts.alert_rules import rule_files
from tests.chaos.members import with_lasting_keys
from tests.drills.runbook import Runbook
from tests.e2e.commands import Ended, must, travelrule
from tests.e2e.member import Member
from tests.e2e.network import POLICY, RealNetwork, until
from tests.e2e.scrape_targets import scrape_targets
from tests.services import KafkaNode, PostgresServer, PrometheusServer
from tests.services.kafka import admin_client
from tests.services.run import run_directory, run_owner
from travelrule.commands.demo.platform import DemoPlatform, SeenEvent
from travelrule.commands.demo.risks import SLOW_TXID
from travelrule.commands.demo.scenarios import DemoStage, register_wallets, withdrawal

SPEED = 60
WAIT_SECONDS = 90.0
RECOVERY_SECONDS = 180.0
KYT_SECONDS = 12
WORST = {
    alert.name: alert.severity for alert in sorted(rule_files.alerts(), key=lambda one: one.severity, reverse=True)
}
"""The higher severity of each alert."""
DRILL_POLICY = POLICY.replace("[time_limits]", "[time_limits]\nverdict = 2")
"""Short enough that a slow counterparty misses it."""


class SmallMember(Member):
    """A VASP with one process for each role."""

    def names(self) -> list[str]:
        return [f"{self.entity_id}-worker-0", f"{self.entity_id}-gateway-0"]


class DrillNetwork(RealNetwork):
    """The real network, small. A hub that is started again has the same keys."""

    member_type = SmallMember

    def _world(self) -> dict[str, Any]:
        world = super()._world()
        world["screening"]["kyt"][SLOW_TXID]["pendingSeconds"] = KYT_SECONDS
        return with_lasting_keys(world, random.Random(1))


@dataclass
class Ground:
    """Where a drill takes place: the network, the services under it and the Prometheus that watches."""

    network: DrillNetwork
    kafka: KafkaNode
    postgres: PostgresServer
    prometheus: PrometheusServer

    @property
    def north(self) -> Member:
        """The VASP that things happen to."""
        return self.network.north

    @property
    def platform(self) -> DemoPlatform:
        """The trading platform of north."""
        return self.network.platforms["north"]

    @property
    def admin(self) -> AdminClient:
        """A client of the broker."""
        return admin_client(self.kafka.bootstrap)

    def topic(self, name: str) -> str:
        """A topic of north as the broker names it."""
        return f"{self.north.topic_prefix}{name}"

    async def command(self, *arguments: str) -> Ended:
        """Run ``travelrule ARGUMENTS`` with north's settings."""
        return await travelrule(self.north.settings(), *arguments)

    async def follow(self, alert: str, line: str, **values: str) -> Ended:
        """Run a command of the section "What to do" of a runbook, with values for its capitals; it has to succeed."""
        assert line in Runbook.of(alert).remedies, f"{alert} has no command {line!r}"
        words = [values.get(word, word) for word in line.removeprefix("travelrule ").split()]
        words = [word.replace(":ID", f":{values['ID']}") if "ID" in values else word for word in words]
        return await must(self.north.settings(), *words)

    async def request(self, **changes: Any) -> str:
        """Request a withdrawal from north to south; return its id."""
        withdrawal_id = str(uuid4())
        data = withdrawal(withdrawal_id) | changes
        await self.platform.send("withdrawals", "withdrawal.requested.v1", withdrawal_id, data)
        return withdrawal_id

    async def sql(self, statement: str, *values: object) -> list[Any]:
        """Run a statement in north's database from outside."""
        return await self.network.tables("north").rows(statement, *values)

    async def until_allowed(self, withdrawal_id: str) -> None:
        """Wait for the final verdict, for longer than a circuit stays open."""

        def allowed(seen: SeenEvent) -> bool:
            return (seen.topic, seen.key) == ("verdicts", withdrawal_id) and seen.data["verdict"] == "allow"

        await self.platform.expect(f"allow {withdrawal_id}", allowed, RECOVERY_SECONDS)

    @asynccontextmanager
    async def locked(self, *tables: str) -> AsyncIterator[None]:
        """Lock tables of north's database in a session of somebody else."""
        dsn = self.postgres.dsn(self.network.databases["north"]).replace("+asyncpg", "")
        connection = await asyncpg.connect(dsn)
        try:
            async with connection.transaction():
                for table in tables:
                    await connection.execute(f"LOCK TABLE {table} IN ACCESS EXCLUSIVE MODE")
                yield
        finally:
            await connection.close()

    async def analyse(self, txid: str) -> None:
        """Request the analysis of a transaction."""
        request_id = f"k-{uuid4()}"
        data = {"requestId": request_id, "kind": "kyt", "chain": "ETH", "txid": txid}
        await self.platform.send("screenings", "screening.requested.v1", request_id, data)

    async def entry(self, vasp: Member, **changes: Any) -> None:
        """Change a VASP's entry in the directory."""
        entry = self.network.member(vasp) | changes
        await self.network.control("PUT", f"/sandbox/members/{vasp.entity_id}", entry)

    async def fault(self, operation: str, fault: str, **more: Any) -> None:
        """Make the sandbox answer an operation wrongly."""
        spec = {"operation": operation, "fault": fault, "share": 1, "seed": secrets.randbits(31), **more}
        await self.network.control("POST", "/sandbox/faults", spec)

    async def no_fault(self) -> None:
        """End all faults of the sandbox."""
        await self.network.control("DELETE", "/sandbox/faults")

    async def start(self, *names: str) -> None:
        """Start processes again."""
        for name in names:
            process = self.network.processes[name]
            process.environment = self.network.owner(name).settings_of(name)
            await process.start()
        await asyncio.gather(*(self.network.until_ready(name) for name in names))

    async def start_hub(self) -> None:
        """Start the hub again with the same members."""
        self.network.write_world()
        await self.network.sandbox.start()
        await self.network.sandbox.until_answering(f"{self.network.hub_url}/sandbox/journal?limit=1")

    def active(self) -> dict[str, dict[str, Any]]:
        """The alerts about north that are pending or firing, by name. Of an alert with two severities the critical one
        counts: the windows of the other one are long even in a rehearsal.
        """
        return {
            one["labels"]["alertname"]: one
            for one in self.prometheus.alerts()
            if one["labels"].get("job", "north") == "north"
            and one["labels"]["severity"] == WORST[one["labels"]["alertname"]]
        }

    async def until_firing(self, wanted: Iterable[str], seconds: float = WAIT_SECONDS) -> dict[str, dict[str, Any]]:
        """Wait until every named alert has fired; return them by name."""
        seen: dict[str, dict[str, Any]] = {}
        names = set(wanted)

        async def firing() -> bool:
            now = await asyncio.to_thread(self.active)
            seen.update({name: one for name, one in now.items() if name in names and one["state"] == "firing"})
            return seen.keys() == names

        with contextlib.suppress(AssertionError):
            await until(firing, "alerts", seconds)
        missing = names - seen.keys()
        if missing:
            raise AssertionError(
                f"not fired within {seconds:.0f} s: {sorted(missing)}; active: {sorted(self.active())}"
            )
        return seen

    async def until_quiet(self, names: Iterable[str], seconds: float = WAIT_SECONDS) -> None:
        """Wait until none of the named alerts is active."""
        watched = set(names)

        async def quiet() -> bool:
            return not watched & (await asyncio.to_thread(self.active)).keys()

        await until(quiet, f"{sorted(watched)} end", seconds)


@asynccontextmanager
async def open_ground(folder: Path) -> AsyncIterator[Ground]:
    """Start everything; end everything afterwards."""
    kafka = await asyncio.to_thread(KafkaNode, run_directory() / "kafka", run_owner())
    postgres = await asyncio.to_thread(PostgresServer, run_directory() / "postgres", run_owner())
    await asyncio.gather(asyncio.to_thread(kafka.start), asyncio.to_thread(postgres.start))
    network = DrillNetwork(folder, kafka, postgres, DRILL_POLICY)
    rules = folder / "rules"
    rule_files.write(rules, SPEED)
    prometheus = PrometheusServer(folder / "prometheus", run_owner(), rules=sorted(rules.glob("*")))
    await asyncio.to_thread(prometheus.start, scrape_targets(network))
    try:
        await network.start()
        await register_wallets(DemoStage(network))
        await network.until_screened(network.south)
        ground = Ground(network, kafka, postgres, prometheus)
        await ground.platform.verdict(await ground.request(), "allow", "VERIFIED")
        await asyncio.to_thread(prometheus.until_up)
        yield ground
    finally:
        await network.stop()
        prometheus.kill()
