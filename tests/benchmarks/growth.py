"""What a hundred times more stored withdrawals change: for ``apply()`` and for searches by txid."""

from __future__ import annotations

import os
import statistics
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from secrets import token_hex
from time import perf_counter, process_time

import orjson

from tests.benchmarks.bulk_rows import ADDRESS, fill, some_txids
from tests.benchmarks.cpu import Meter
from tests.benchmarks.figure import Figure
from tests.benchmarks.filled_installation import FilledInstallation, open_filled
from tests.benchmarks.platform import request_of
from tests.benchmarks.requests import Requests
from tests.benchmarks.surroundings import Surroundings, member
from tests.benchmarks.withdrawals import percentile
from travelrule.commands.demo.lists import NORTH_LIST
from travelrule.commands.demo.processes import free_port
from travelrule.commands.demo.vasp import DemoVasp
from travelrule.crypto.signing import SigningKey

TARGET = 1.3
SENDER = "sender"
SEARCHED = 500
SEARCHES_PER_SECOND = 100.0


@dataclass
class Searches:
    """A gateway that is searched, and what each round cost: milliseconds at p50 and p99, microseconds of CPU."""

    requests: Requests
    trees: dict[str, int]
    p50: list[float] = field(default_factory=list)
    p99: list[float] = field(default_factory=list)
    cpu: list[float] = field(default_factory=list)

    async def round(self, count: int) -> None:
        """One round at a steady pace, metered."""
        meter = Meter(self.trees)
        measured = await self.requests.paced(SEARCHES_PER_SECOND, count)
        self.cpu.append(1e6 * sum(meter.read().values()) / count)
        self.p50.append(1000 * statistics.median(measured.seconds))
        self.p99.append(1000 * percentile(measured.seconds, 99))


@dataclass
class Store:
    """A VASP with ``size`` concluded withdrawals, and what was measured with it."""

    size: int
    vasp: DemoVasp
    filled: FilledInstallation
    postgres_pid: int
    fill_seconds: float
    costs: list[dict[str, float]] = field(default_factory=list)

    async def round(self, count: int) -> None:
        """``count`` withdrawals asked for and cancelled, by ``apply()`` in this process; CPU per 1,000 inputs."""
        requests = [request_of(number) for number in range(count)]
        cancelled = [{"withdrawalId": one["withdrawalId"], "reason": "UNKNOWN"} for one in requests]
        inputs = [
            *self.filled.inputs("withdrawal.requested.v1", "withdrawals", "withdrawalId", requests),
            *self.filled.inputs("withdrawal.cancelled.v1", "withdrawals", "withdrawalId", cancelled),
        ]
        meter = Meter({"postgresql": self.postgres_pid})
        before = process_time()
        await self.filled.apply(inputs)
        scale = 1000 / len(inputs)
        self.costs.append(
            {"program": scale * (process_time() - before), "postgresql": scale * meter.read()["postgresql"]}
        )

    @property
    def least(self) -> dict[str, float]:
        """The cheapest round: what disturbs one only ever adds to it."""
        return min(self.costs, key=lambda one: sum(one.values()))


async def figures(surroundings: Surroundings) -> list[Figure]:
    """All figures, measured in turn with few and with many stored withdrawals."""
    sizes = (5_000, 50_000) if surroundings.short else (10_000, 1_000_000)
    rounds, count, seconds = (4, 300, 2) if surroundings.short else (8, 500, 5)
    async with AsyncExitStack() as stack:
        few, many = [await stack.enter_async_context(_store(surroundings, size)) for size in sizes]
        for number in range(rounds + 1):
            for store in (few, many):
                await store.round(count)
                if not number:
                    store.costs.clear()  # plans, caches and the pages' first images after the checkpoint
        searches = [await stack.enter_async_context(_searched(surroundings, store)) for store in (few, many)]
        for _ in range(rounds):
            for one in searches:
                await one.round(int(SEARCHES_PER_SECOND * seconds))
    return [_apply(few, many), *_searches(few, many, *searches)]


def _apply(few: Store, many: Store) -> Figure:
    ours, reference = sum(many.least.values()), sum(few.least.values())
    extra = {
        "stored": many.size,
        "stored_reference": few.size,
        "fill_seconds": round(many.fill_seconds, 1),
        **{f"ours_{name}": round(value, 3) for name, value in many.least.items()},
        **{f"reference_{name}": round(value, 3) for name, value in few.least.items()},
        "all_ours": [round(sum(one.values()), 3) for one in many.costs],
        "all_reference": [round(sum(one.values()), 3) for one in few.costs],
    }
    return Figure("apply_growth", ours, reference, TARGET, "CPU seconds per 1,000 inputs", extra=extra)


def _searches(few: Store, many: Store, reference: Searches, ours: Searches) -> list[Figure]:
    """The least of the rounds counts: what else the machine does makes a search slower, and never faster."""
    extra = {"stored": many.size, "stored_reference": few.size, "searches_per_second": SEARCHES_PER_SECOND}
    found = []
    for name, unit in (("p50", "ms"), ("p99", "ms"), ("cpu", "CPU microseconds, PostgreSQL included")):
        all_ours, all_reference = getattr(ours, name), getattr(reference, name)
        rounds = {
            "all_ours": [round(one, 2) for one in all_ours],
            "all_reference": [round(one, 2) for one in all_reference],
        }
        target = None if name == "p99" else TARGET
        figure = f"txid_search_growth_{name}"
        found.append(Figure(figure, min(all_ours), min(all_reference), target, unit, extra=extra | rounds))
    return found


@asynccontextmanager
async def _searched(surroundings: Surroundings, store: Store) -> AsyncIterator[Searches]:
    """Half of the searches are for withdrawals that are there, half for some that are not."""
    sender = SigningKey(os.urandom(32))
    await store.filled.list_members([member(SENDER, sender.public_base64)])
    there = await some_txids(store.vasp.database_url or "", SEARCHED)
    txids = [txid for known in there for txid in (known, token_hex(32))]
    bodies = [orjson.dumps({"txid": txid, "beneficiaryAddress": ADDRESS}) for txid in txids]
    answers: list[str] = []

    def fits(answer: bytes) -> bool:
        answers.append(orjson.loads(answer)["result"])
        return answers[-1] in {"valid", "invalid"}

    async with surroundings.serving(store.vasp, "gateway") as gateway:
        headers = {"X-Request-Origin": f"code:{SENDER}"}
        requests = Requests(f"{store.vasp.base_url}/v1/verification/tx", headers, bodies, fits)
        await requests.closed(2 * SEARCHED)  # plans and caches, as in a process that has run for a while
        assert answers.count("valid") == answers.count("invalid") == SEARCHED
        yield Searches(requests, {"gateway": gateway.pid, "postgresql": surroundings.postgres_pid()})


@asynccontextmanager
async def _store(surroundings: Surroundings, size: int) -> AsyncIterator[Store]:
    async with surroundings.database() as database:
        folder = surroundings.folder / f"with-{size}"
        vasp = DemoVasp("north", "North Exchange Ltd.", "SG", folder, surroundings.hub_url, listed=NORTH_LIST)
        vasp.database_url = surroundings.postgres.dsn(database)
        vasp.gateway_port, vasp.metrics_port = free_port(), free_port()
        async with open_filled(vasp) as filled:
            began = perf_counter()
            await fill(vasp.database_url, size, filled.opened.vault)
            yield Store(size, vasp, filled, surroundings.postgres_pid(), perf_counter() - began)
