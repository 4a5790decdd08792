"""What a withdrawal costs, how fast its verdict comes, and how much memory the worker takes."""

from __future__ import annotations

import asyncio
import statistics
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from typing import Any, Protocol

import asyncpg
import orjson

from schemas.registry import TOPICS
from tests.benchmarks.cpu import Meter, resident_megabytes
from tests.benchmarks.figure import Figure
from tests.benchmarks.platform import PATIENCE_SECONDS, Platform
from tests.benchmarks.program import Program, ProgramFailed
from tests.benchmarks.surroundings import PARTITIONS, REFERENCE, Surroundings, member
from travelrule.commands.demo.vasp import DemoVasp
from travelrule.commands.keys import new_seed
from travelrule.crypto.signing import SigningKey

TARGET = 3.0
HALF = 0.5
PROFILE = {
    "name": {"nameIdentifier": [{"legalPersonName": "North Exchange Ltd.", "legalPersonNameIdentifierType": "LEGL"}]},
    "geographicAddress": [
        {"addressType": "GEOG", "addressLine": ["1 Example Road"], "townName": "Example Town", "country": "SG"}
    ],
    "countryOfRegistration": "SG",
}


class Plays(Protocol):
    """A platform that makes load; ``latencies``: seconds from each event to its verdict."""

    latencies: list[float]

    async def play(self, count: int, per_second: float | None = None) -> float:
        """Send ``count`` cases, at once or evenly spread, and wait for their ends; return the seconds."""


class Case:
    """One of the two programs: its CPU per 1,000 withdrawals, its rate, its latencies."""

    def __init__(self, platform: Plays, trees: dict[str, int], settled: Callable[[], Awaitable[None]]) -> None:
        self.platform = platform
        self.trees = trees
        self.settled = settled
        self.cost: list[dict[str, float]] = []
        self.rates: list[float] = []

    async def run(self, count: int) -> None:
        """Play a burst and note what it cost."""
        meter = Meter(self.trees)
        seconds = await self.platform.play(count)
        await self.settled()
        self.cost.append({name: 1000 * spent / count for name, spent in meter.read().items()})
        self.rates.append(count / seconds)

    @property
    def least(self) -> dict[str, float]:
        """The cheapest run: what disturbs a run only ever adds to it."""
        return min(self.cost, key=lambda one: sum(one.values()))

    async def latencies(self, per_second: float, count: int) -> list[float]:
        """Milliseconds from event to verdict at a steady rate, sorted."""
        await self.platform.play(count, per_second)
        await self.settled()
        return sorted(1000 * seconds for seconds in self.platform.latencies)


async def figures(surroundings: Surroundings) -> list[Figure]:
    """CPU per 1,000 withdrawals, and latency at half of the saturation rate."""
    count, rounds = (400, 2) if surroundings.short else (1000, 3)
    seed = new_seed()
    async with surroundings.database() as database:
        vasp = surroundings.vasp("north", database)
        members = [
            member("north", vasp.public_key, vasp.base_url),
            member(REFERENCE, SigningKey.from_base64(seed).public_base64),
        ]
        async with surroundings.hub(members):
            async with worker_case(surroundings, vasp, database) as (case, worker):
                for _ in range(rounds):
                    await case.run(count)
                pace = HALF * max(case.rates)
                latencies = await case.latencies(pace, int(pace * (6 if surroundings.short else 20)))
                memory = resident_megabytes(worker.pid)
            async with _reference(surroundings, seed) as other:
                for _ in range(rounds):
                    await other.run(count)
                theirs = await other.latencies(pace, len(latencies))
    return [_cost(case, other, count), _latency(latencies, theirs, pace, memory)]


def _cost(case: Case, other: Case, count: int) -> Figure:
    extra: dict[str, Any] = {f"ours_{name}": round(value, 3) for name, value in case.least.items()}
    extra |= {
        "withdrawals": count,
        "rounds": len(case.cost),
        "all_ours": [round(sum(one.values()), 3) for one in case.cost],
        "all_reference": [round(sum(one.values()), 3) for one in other.cost],
        "rate_ours": round(max(case.rates), 1),
        "rate_reference": round(max(other.rates), 1),
    }
    ours, reference = sum(case.least.values()), sum(other.least.values())
    return Figure("cpu_per_1000_withdrawals", ours, reference, TARGET, "CPU seconds", extra=extra)


def _latency(ours: Sequence[float], reference: Sequence[float], pace: float, memory: float) -> Figure:
    extra = {
        "p50_ms": round(statistics.median(ours), 1),
        "p99_ms": round(percentile(ours, 99), 1),
        "reference_p50_ms": round(statistics.median(reference), 1),
        "withdrawals_per_second": round(pace, 1),
        "worker_rss_mb": round(memory, 1),
    }
    return Figure("event_to_verdict_p99", percentile(ours, 99), percentile(reference, 99), None, "ms", extra=extra)


def percentile(ordered: Sequence[float], percent: float) -> float:
    """The value below which so many percent lie."""
    return ordered[min(len(ordered) - 1, int(len(ordered) * percent / 100))]


@asynccontextmanager
async def worker_case(surroundings: Surroundings, vasp: DemoVasp, database: str) -> AsyncIterator[tuple[Case, Program]]:
    """The program with worker and gateway, warm, and the platform that asks it."""
    async with (
        surroundings.serving(vasp, "worker", "gateway") as worker,
        _platform(surroundings, vasp.topic_prefix) as platform,
    ):
        connection = await asyncpg.connect(surroundings.postgres.dsn(database).replace("+asyncpg", ""))

        async def settled() -> None:
            """Nothing left to call, to publish or to apply: the CPU that belongs to the burst is spent."""
            async with asyncio.timeout(PATIENCE_SECONDS):
                while await connection.fetchval(
                    "SELECT (SELECT count(*) FROM calls) + (SELECT count(*) FROM outbox WHERE sent_at IS NULL)"
                ):
                    worker.must_run()
                    await asyncio.sleep(0.1)  # the condition is in another process

        try:
            await _directory_known(connection)
            case = Case(platform, {"program": worker.pid, "postgresql": surroundings.postgres_pid()}, settled)
            await platform.play(100)  # connections, plans and caches, as in a process that has run for a while
            await settled()
            yield case, worker
        finally:
            await connection.close()


async def _directory_known(connection: asyncpg.Connection) -> None:
    for _ in range(600):
        if await connection.fetchval("SELECT count(*) FROM vasps WHERE health ILIKE 'up' AND entity_id LIKE 'robot%'"):
            return
        await asyncio.sleep(0.05)  # the condition is in another process
    raise ProgramFailed("the directory was not fetched")


@asynccontextmanager
async def _reference(surroundings: Surroundings, seed: str) -> AsyncIterator[Case]:
    surroundings.kafka.create_topics([f"{REFERENCE}.{name}" for name in TOPICS], PARTITIONS)
    ready = surroundings.folder / "reference.ready"
    options = {
        "prefix": f"{REFERENCE}.",
        "hub_url": surroundings.hub_url,
        "bootstrap": surroundings.kafka.bootstrap,
        "seed": seed,
        "profile": PROFILE,
        "ready": str(ready),
    }
    program = Program(
        REFERENCE, ["tests.benchmarks.reference_loop", orjson.dumps(options).decode()], surroundings.folder
    )
    await program.start()

    async def settled() -> None:
        program.must_run()

    try:
        await program.until_written(ready)
        async with _platform(surroundings, f"{REFERENCE}.") as platform:
            await platform.play(100)
            yield Case(platform, {"program": program.pid}, settled)
    finally:
        await program.stop()


@asynccontextmanager
async def _platform(surroundings: Surroundings, prefix: str) -> AsyncIterator[Platform]:
    platform = Platform(surroundings.kafka.bootstrap, prefix, surroundings.hub_url)
    await platform.start()
    try:
        yield platform
    finally:
        await platform.stop()
