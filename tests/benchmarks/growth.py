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

from tests.benchmarks.cpu import Meter
from tests.benchmarks.desk import Desk, open_desk
from tests.benchmarks.figure import Figure
from tests.benchmarks.filling import ADDRESS, fill, some_txids
from tests.benchmarks.platform import request_of
from tests.benchmarks.requests import Measured, Requests
from tests.benchmarks.stage import Stage, member
from tests.benchmarks.withdrawals import percentile
from travelrule.commands.demo.processes import free_port
from travelrule.commands.demo.vasp import Vasp
from travelrule.crypto.signing import SigningKey

TARGET = 1.3
SENDER = "sender"
SEARCHED = 500
SEARCHES_PER_SECOND = 100.0


@dataclass
class Store:
    """A VASP with ``size`` concluded withdrawals, and what was measured with it."""

    size: int
    vasp: Vasp
    desk: Desk
    postgres_pid: int
    fill_seconds: float
    costs: list[dict[str, float]] = field(default_factory=list)
    searches: Measured = field(default_factory=Measured)

    async def round(self, count: int) -> None:
        """``count`` withdrawals asked for and cancelled, by ``apply()`` in this process; CPU per 1,000 inputs."""
        requests = [request_of(number) for number in range(count)]
        cancelled = [{"withdrawalId": one["withdrawalId"], "reason": "UNKNOWN"} for one in requests]
        inputs = [
            *self.desk.inputs("withdrawal.requested.v1", "withdrawals", "withdrawalId", requests),
            *self.desk.inputs("withdrawal.cancelled.v1", "withdrawals", "withdrawalId", cancelled),
        ]
        meter = Meter({"postgresql": self.postgres_pid})
        before = process_time()
        await self.desk.apply(inputs)
        scale = 1000 / len(inputs)
        self.costs.append(
            {"program": scale * (process_time() - before), "postgresql": scale * meter.read()["postgresql"]}
        )

    @property
    def least(self) -> dict[str, float]:
        """The cheapest round: what disturbs one only ever adds to it."""
        return min(self.costs, key=lambda one: sum(one.values()))


async def figures(stage: Stage) -> list[Figure]:
    """Both figures, measured in turn with few and with many stored withdrawals."""
    sizes = (5_000, 50_000) if stage.short else (10_000, 1_000_000)
    rounds, count, seconds = (4, 300, 4) if stage.short else (8, 500, 20)
    async with AsyncExitStack() as stack:
        few, many = [await stack.enter_async_context(_store(stage, size)) for size in sizes]
        for number in range(rounds + 1):
            for store in (few, many):
                await store.round(count)
                if not number:
                    store.costs.clear()  # plans, caches and the pages' first images after the checkpoint
        for store in (few, many):
            store.searches = await _search(stage, store, int(SEARCHES_PER_SECOND * seconds))
    return [_apply(few, many), _searches(few, many)]


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


def _searches(few: Store, many: Store) -> Figure:
    ours, reference = (1000 * statistics.median(store.searches.seconds) for store in (many, few))
    extra = {
        "stored": many.size,
        "stored_reference": few.size,
        "p99_ms": round(1000 * percentile(many.searches.seconds, 99), 2),
        "reference_p99_ms": round(1000 * percentile(few.searches.seconds, 99), 2),
        "searches": len(many.searches.seconds),
        "searches_per_second": SEARCHES_PER_SECOND,
    }
    return Figure("txid_search_growth_p50", ours, reference, TARGET, "ms", extra=extra)


async def _search(stage: Stage, store: Store, count: int) -> Measured:
    """Half of the searches are for withdrawals that are there, half for some that are not."""
    sender = SigningKey(os.urandom(32))
    await store.desk.list_members([member(SENDER, sender.public_base64)])
    there = await some_txids(store.vasp.database_url or "", SEARCHED)
    txids = [txid for known in there for txid in (known, token_hex(32))]
    bodies = [orjson.dumps({"txid": txid, "beneficiaryAddress": ADDRESS}) for txid in txids]
    answers: list[str] = []

    def fits(answer: bytes) -> bool:
        answers.append(orjson.loads(answer)["result"])
        return answers[-1] in {"valid", "invalid"}

    async with stage.serving(store.vasp, "gateway"):
        headers = {"X-Request-Origin": f"code:{SENDER}"}
        requests = Requests(f"{store.vasp.base_url}/v1/verification/tx", headers, bodies, fits)
        await requests.closed(2 * SEARCHED)  # plans and caches, as in a process that has run for a while
        assert answers.count("valid") == answers.count("invalid") == SEARCHED
        return await requests.paced(SEARCHES_PER_SECOND, count)


@asynccontextmanager
async def _store(stage: Stage, size: int) -> AsyncIterator[Store]:
    async with stage.database() as database:
        vasp = Vasp("north", "North Exchange Ltd.", "SG", stage.folder / f"with-{size}", stage.hub_url)
        vasp.database_url = stage.postgres.dsn(database)
        vasp.gateway_port, vasp.metrics_port = free_port(), free_port()
        async with open_desk(vasp) as desk:
            began = perf_counter()
            await fill(vasp.database_url, size, desk.opened.vault)
            yield Store(size, vasp, desk, stage.postgres_pid(), perf_counter() - began)
