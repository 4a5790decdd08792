"""What a deposit costs that nobody announced: found by a TXID search, asked about, credited. Informs only.

The reference is a withdrawal of the same processes in the same run: one exchange each with a counterparty, begun on
the other side.
"""

from __future__ import annotations

import asyncio
import contextlib
import statistics
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from secrets import token_hex
from time import perf_counter
from typing import Any
from uuid import uuid4

import asyncpg
import orjson
from aiokafka import AIOKafkaConsumer, AIOKafkaProducer

from tests.benchmarks.figure import Figure
from tests.benchmarks.filled_installation import open_filled, wallet_of
from tests.benchmarks.platform import PATIENCE_SECONDS, event
from tests.benchmarks.program import ProgramFailed
from tests.benchmarks.surroundings import ROBOTS, Surroundings, member
from tests.benchmarks.withdrawals import Case, percentile, worker_case

WALLETS = 100
WARM = 50
AMOUNT = "250.5"
SENDER = {"natural": {"lastName": "Okafor", "firstName": "Ngozi"}}


async def figures(surroundings: Surroundings) -> list[Figure]:
    """CPU per 1,000 anonymous deposits, of all our processes and PostgreSQL."""
    count, rounds = (200, 1) if surroundings.short else (1000, 3)
    wallets = [wallet_of(number) for number in range(WALLETS)]
    txids = [token_hex(32) for _ in range(WARM + rounds * count)]
    async with surroundings.database() as database:
        vasp = surroundings.vasp("north", database)
        async with open_filled(vasp) as filled:
            await filled.apply(filled.inputs("wallet.registered.v1", "wallets", "walletId", wallets))
        members = [member("north", vasp.public_key, vasp.base_url)]
        async with (
            surroundings.hub(members, _sent(txids, wallets)),
            worker_case(surroundings, vasp, database) as (withdrawals, worker),
            _platform(surroundings.kafka.bootstrap, vasp.topic_prefix, txids, wallets) as platform,
        ):
            deposits = Case(platform, withdrawals.trees, withdrawals.settled)
            await platform.play(WARM)
            await deposits.settled()
            for _ in range(rounds):
                await _analyze(vasp.database_url or "")
                await deposits.run(count)
                await withdrawals.run(count)
            worker.must_run()
    return [_cost(deposits, withdrawals, platform, count)]


async def _analyze(dsn: str) -> None:
    """Refresh the planner's statistics, as autovacuum does within a minute: the tables grow from nothing here."""
    connection = await asyncpg.connect(dsn.replace("+asyncpg", ""))
    try:
        await connection.execute("ANALYZE")
    finally:
        await connection.close()


def _cost(deposits: Case, withdrawals: Case, platform: DepositPlatform, count: int) -> Figure:
    latencies = sorted(1000 * seconds for seconds in platform.latencies)
    extra = {
        **{f"ours_{name}": round(value, 3) for name, value in deposits.least.items()},
        "deposits": count,
        "all_ours": [round(sum(one.values()), 3) for one in deposits.cost],
        "all_ours_postgresql": [round(one["postgresql"], 3) for one in deposits.cost],
        "all_reference": [round(sum(one.values()), 3) for one in withdrawals.cost],
        "rate": round(max(deposits.rates), 1),
        "p50_ms_all_at_once": round(statistics.median(latencies), 1),
        "p99_ms_all_at_once": round(percentile(latencies, 99), 1),
    }
    ours, reference = sum(deposits.least.values()), sum(withdrawals.least.values())
    unit = "CPU seconds (reference: 1,000 withdrawals)"
    return Figure("cpu_per_1000_anonymous_deposits", ours, reference, None, unit, extra=extra)


def _sent(txids: Sequence[str], wallets: Sequence[dict[str, Any]]) -> dict[str, list[dict[str, Any]]]:
    """What the robots' customers sent, by robot."""
    sent: dict[str, list[dict[str, Any]]] = {name: [] for name in ROBOTS}
    for number, txid in enumerate(txids):
        wallet = wallets[number % len(wallets)]
        address = f"{wallet['address']}:{wallet['tag']}"
        specified = {"txid": txid, "address": address, "currency": "XRP", "amount": AMOUNT, "originator": SENDER}
        sent[ROBOTS[number % len(ROBOTS)]].append(specified)
    return sent


class DepositPlatform:
    """Sends deposits with the given txids, each final immediately, and consumes the verdicts."""

    def __init__(self, bootstrap: str, prefix: str, txids: Sequence[str], wallets: Sequence[dict[str, Any]]) -> None:
        self._topic = f"{prefix}deposits"
        self._txids = enumerate(txids)
        self._wallets = wallets
        self._producer = AIOKafkaProducer(bootstrap_servers=bootstrap, acks="all", linger_ms=2)
        self._consumer = AIOKafkaConsumer(
            f"{prefix}verdicts", bootstrap_servers=bootstrap, group_id=None, auto_offset_reset="latest"
        )
        self._seen: dict[str, float] = {}
        self._held: dict[str, list[str]] = {}
        self._reading: asyncio.Task[None] | None = None
        self.latencies: list[float] = []

    async def start(self) -> None:
        """Connect and begin to listen."""
        await self._producer.start()
        await self._consumer.start()
        await self._consumer.seek_to_end()
        self._reading = asyncio.create_task(self._read())

    async def stop(self) -> None:
        """Disconnect."""
        if self._reading is not None:
            self._reading.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._reading
        await self._consumer.stop()
        await self._producer.stop()

    async def play(self, count: int, per_second: float | None = None) -> float:
        """Send ``count`` deposits, at once or evenly spread, and wait until each is allowed; return the seconds."""
        self.latencies = []
        began = perf_counter()
        for sent in range(count):
            if per_second:
                await asyncio.sleep(max(0.0, began + sent / per_second - perf_counter()))  # the pace of the load
            await self._send(*next(self._txids))
        while self._seen:
            if perf_counter() - began > PATIENCE_SECONDS:
                raise ProgramFailed(f"{len(self._seen)} of {count} not allowed: {list(self._held.values())[:3]}")
            await asyncio.sleep(0.05)  # the condition is in another process
        return perf_counter() - began

    async def _send(self, number: int, txid: str) -> None:
        wallet = self._wallets[number % len(self._wallets)]
        key = f"d-{uuid4()}"
        data = {
            "depositId": key,
            "txid": txid,
            "currency": "XRP",
            "network": "XRP",
            "amount": AMOUNT,
            "address": wallet["address"],
            "tag": wallet["tag"],
        }
        self._seen[key] = perf_counter()
        for kind, content in (("deposit.detected.v1", data), ("deposit.confirmed.v1", {"depositId": key})):
            await self._producer.send(self._topic, event(kind, key, content), key.encode())

    async def _read(self) -> None:
        async for record in self._consumer:
            key = record.key.decode()
            if key not in self._seen:
                continue
            verdict = orjson.loads(record.value)["data"]
            if verdict["verdict"] == "allow":
                assert "DATA_RECEIVED" in verdict["reasons"], verdict["reasons"]
                self.latencies.append(perf_counter() - self._seen.pop(key))
                self._held.pop(key, None)
            else:
                self._held[key] = verdict["reasons"]


@asynccontextmanager
async def _platform(
    bootstrap: str, prefix: str, txids: Sequence[str], wallets: Sequence[dict[str, Any]]
) -> AsyncIterator[DepositPlatform]:
    platform = DepositPlatform(bootstrap, prefix, txids, wallets)
    await platform.start()
    try:
        yield platform
    finally:
        await platform.stop()
