"""How many events one worker accepts per second: applied, durable in PostgreSQL, acknowledged.

The events are wallet registrations: accepting one is all there is to it. A withdrawal's calls and verdicts are measured
elsewhere.
"""

from __future__ import annotations

import asyncio
from time import perf_counter
from typing import Any

import asyncpg
import orjson
from aiokafka import AIOKafkaProducer

from tests.benchmarks.cpu import Meter
from tests.benchmarks.figure import Figure
from tests.benchmarks.filled_installation import wallet_of
from tests.benchmarks.platform import PATIENCE_SECONDS, event
from tests.benchmarks.program import Program
from tests.benchmarks.surroundings import Surroundings
from travelrule.commands.demo.vasp import DemoVasp

TARGET = 0.65
LOOK_SECONDS = 0.1


async def figures(surroundings: Surroundings) -> list[Figure]:
    """Events per second of one worker, and of an agent that only decodes; the best of some rounds of each."""
    count, rounds = (3000, 1) if surroundings.short else (20_000, 3)
    ours: list[float] = []
    costs: list[dict[str, float]] = []
    reference: list[float] = []
    for number in range(rounds):
        async with surroundings.database() as database:
            vasp = surroundings.vasp(f"accepting{number}", database)
            await _produce(surroundings, vasp, count)
            rate, cost = await _accept(surroundings, vasp, count, database)
            ours.append(rate)
            costs.append(cost)
            reference.append(await _decode(surroundings, vasp, count))
    best = costs[ours.index(max(ours))]
    extra: dict[str, Any] = {
        "events": count,
        "all_ours": [round(rate, 1) for rate in ours],
        "all_reference": [round(rate, 1) for rate in reference],
        **{f"cpu_us_per_event_{name}": round(value, 1) for name, value in best.items()},
    }
    return [
        Figure(
            "events_accepted_per_second", max(ours), max(reference), TARGET, "events/s", bound="at-least", extra=extra
        )
    ]


async def _produce(surroundings: Surroundings, vasp: DemoVasp, count: int) -> None:
    surroundings.create_topics(vasp.topic_prefix)
    producer = AIOKafkaProducer(bootstrap_servers=surroundings.kafka.bootstrap, acks="all", linger_ms=20)
    await producer.start()
    try:
        for number in range(count):
            data = wallet_of(number)
            key = data["walletId"]
            value = event("wallet.registered.v1", key, data)
            await producer.send(f"{vasp.topic_prefix}wallets", value, key.encode())
    finally:
        await producer.stop()


async def _accept(
    surroundings: Surroundings, vasp: DemoVasp, count: int, database: str
) -> tuple[float, dict[str, float]]:
    connection = await asyncpg.connect(surroundings.postgres.dsn(database).replace("+asyncpg", ""))
    try:
        async with surroundings.serving(vasp, "worker") as worker, asyncio.timeout(PATIENCE_SECONDS):
            first, first_at, meter = 0, 0.0, Meter({})
            while True:
                accepted = await connection.fetchval("SELECT count(*) FROM wallets")
                now = perf_counter()
                if accepted and not first:
                    first, first_at = accepted, now
                    meter = Meter({"program": worker.pid, "postgresql": surroundings.postgres_pid()})
                if accepted == count:
                    spent = meter.read()
                    rest = count - first
                    assert rest > 0, "all events were accepted before the first look: too few of them"
                    return rest / (now - first_at), {name: 1e6 * one / rest for name, one in spent.items()}
                worker.must_run()
                await asyncio.sleep(LOOK_SECONDS)  # the condition is in another process
    finally:
        await connection.close()


async def _decode(surroundings: Surroundings, vasp: DemoVasp, count: int) -> float:
    result = surroundings.folder / f"{vasp.entity_id}.result"
    options = orjson.dumps({"count": count, "result": str(result)}).decode()
    environment = vasp.environment() | {"TRAVELRULE_CONSUMER_GROUP": f"{vasp.entity_id}-reference"}
    program = Program(
        "reference-agent", ["tests.benchmarks.reference_agent", options], surroundings.folder, environment
    )
    await program.start()
    try:
        seconds = (await program.until_written(result))["seconds"]
        assert isinstance(seconds, float)
        return count / seconds
    finally:
        await program.stop()
