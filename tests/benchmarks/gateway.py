"""What an address verification costs the gateway, and how fast it is under load.

Sanctions lists are in force and the owners were screened with them: the gateway looks for the addresses, and for the
people that a request names. The figure with a target asks as most do, without naming anybody.
"""

from __future__ import annotations

import os
import shutil
import statistics
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import orjson

from tests.benchmarks.cpu import Meter
from tests.benchmarks.figure import Figure
from tests.benchmarks.filled_installation import open_filled, wallet_of
from tests.benchmarks.list_import import OFAC, ofac_folder
from tests.benchmarks.program import Program
from tests.benchmarks.requests import Measured, Requests
from tests.benchmarks.surroundings import Surroundings, member
from tests.benchmarks.withdrawals import percentile
from travelrule.commands.demo.processes import free_port
from travelrule.commands.demo.vasp import DemoVasp
from travelrule.crypto.sealing import NONCE_BYTES, seal
from travelrule.crypto.signing import SigningKey
from travelrule.gateway.endpoints.verify_address import LATE

CPU_TARGET = 3.0
P99_LIMIT_MS = 50.0
LOAD = 0.7
WALLETS = 1000
SENDER = "sender"
PATH = "/v1/beneficiary/VerifyAddress"
SCREENING = 'sanctions = "required"'
OWNER = {
    "naturalPerson": {
        "name": {
            "nameIdentifier": [
                {"primaryIdentifier": "Lind", "secondaryIdentifier": "Erik", "nameIdentifierType": "LEGL"}
            ]
        }
    }
}


@dataclass
class Server:
    """One of the two servers, and what its bursts cost in microseconds of CPU per request."""

    requests: Requests
    trees: dict[str, int]
    costs: list[dict[str, float]] = field(default_factory=list)
    rates: list[float] = field(default_factory=list)

    async def burst(self, count: int) -> None:
        """One burst, metered."""
        meter = Meter(self.trees)
        measured = await self.requests.closed(count)
        self.costs.append({name: 1e6 * spent / count for name, spent in meter.read().items()})
        self.rates.append(measured.per_second)

    @property
    def least(self) -> dict[str, float]:
        """The cheapest burst of the server itself: what disturbs a run only ever adds to it."""
        return min(self.costs, key=lambda one: one["server"])


async def figures(surroundings: Surroundings) -> list[Figure]:
    """CPU per request, and the latency at 70 % of the rate at which the gateway is saturated."""
    count, rounds, seconds = (1500, 2, 5) if surroundings.short else (5000, 4, 20)
    async with surroundings.database() as database:
        vasp = surroundings.vasp("north", database, SCREENING)
        _lists(vasp)
        sender = SigningKey(os.urandom(32))
        async with open_filled(vasp) as filled:
            await filled.list_members([member(SENDER, sender.public_base64)])
            wallets = [wallet_of(number) for number in range(WALLETS)]
            await filled.apply(filled.inputs("wallet.registered.v1", "wallets", "walletId", wallets))
            assert await filled.screen_owners() == WALLETS
        async with surroundings.serving(vasp, "gateway") as program, _reference(surroundings, vasp) as (reference, url):
            trees = {"server": program.pid, "postgresql": surroundings.postgres_pid()}
            ours = Server(_requests(vasp.base_url, vasp, sender), trees)
            other = Server(_requests(url, vasp, sender), {"server": reference.pid})
            named = Server(_requests(vasp.base_url, vasp, sender, [OWNER]), trees)
            servers = (ours, other, named)
            for server in servers:
                await server.requests.closed(count // 4)
            for _ in range(rounds):
                for server in servers:
                    await server.burst(count)
            pace = LOAD * max(ours.rates)
            latencies = await ours.requests.paced(pace, int(pace * seconds))
            theirs = await other.requests.paced(pace, int(pace * seconds))
    cost = _cost("verify_address_cpu", ours, other, CPU_TARGET)
    names = _cost("verify_address_with_name_cpu", named, other, None)
    return [cost, names, _latency(latencies, theirs, pace, ours.requests.late)]


def _lists(vasp: DemoVasp) -> None:
    """Return the VASP OFAC's list beside its own."""
    folder = vasp.folder / "lists" / "ofac-csv"
    folder.mkdir(parents=True, exist_ok=True)
    for name in OFAC:
        shutil.copyfile(ofac_folder() / name, folder / name)


def _cost(name: str, ours: Server, other: Server, target: float | None) -> Figure:
    mine, reference = ours.least["server"], other.least["server"]
    database = ours.least["postgresql"]
    extra: dict[str, Any] = {
        "ours_postgresql": round(database, 1),
        "ratio_with_postgresql": round((mine + database) / reference, 3),
        "all_ours": [round(one["server"], 1) for one in ours.costs],
        "all_reference": [round(one["server"], 1) for one in other.costs],
        "rate_ours": round(max(ours.rates), 1),
        "rate_reference": round(max(other.rates), 1),
    }
    return Figure(name, mine, reference, target, "CPU microseconds of the gateway", extra=extra)


def _latency(ours: Measured, theirs: Measured, pace: float, late: int) -> Figure:
    """The target is a number of milliseconds, so the reference is that number."""
    p99 = 1000 * percentile(ours.seconds, 99)
    extra = {
        "p50_ms": round(1000 * statistics.median(ours.seconds), 2),
        "constant_answer_p99_ms": round(1000 * percentile(theirs.seconds, 99), 2),
        "requests_per_second": round(pace, 1),
        "requests": len(ours.seconds),
        "late_answers_in_all_runs": late,
    }
    return Figure("verify_address_p99", p99, P99_LIMIT_MS, 1.0, "ms (reference: the limit)", extra=extra)


def _requests(base_url: str, vasp: DemoVasp, sender: SigningKey, named: Sequence[dict[str, Any]] = ()) -> Requests:
    headers = {
        "X-Request-Origin": f"code:{SENDER}",
        "X-Code-Req-PubKey": sender.public_base64,
        "X-Code-Req-Remote-PubKey": vasp.public_key,
    }
    return Requests(
        base_url + PATH,
        headers,
        [_body(vasp, sender, wallet_of(number), named) for number in range(WALLETS)],
        lambda answer: orjson.loads(answer)["result"] == "valid",
        late=lambda answer: orjson.loads(answer) == LATE,
    )


def _body(vasp: DemoVasp, sender: SigningKey, wallet: dict[str, Any], named: Sequence[dict[str, Any]]) -> bytes:
    account = f"{wallet['address']}:{wallet['tag']}"
    plain = {"ivms101": {"Beneficiary": {"beneficiaryPersons": list(named), "accountNumber": [account]}}}
    payload = seal(sender, vasp.public_key, orjson.dumps(plain), os.urandom(NONCE_BYTES))
    return orjson.dumps({"currency": "XRP", "network": "XRP", "address": wallet["address"], "payload": payload})


@asynccontextmanager
async def _reference(surroundings: Surroundings, vasp: DemoVasp) -> AsyncIterator[tuple[Program, str]]:
    port = free_port()
    options = orjson.dumps({"seeds": ",".join(vasp.seeds), "port": port}).decode()
    program = Program("reference-gateway", ["tests.benchmarks.reference_gateway", options], surroundings.folder)
    await program.start()
    try:
        url = f"http://127.0.0.1:{port}"
        await program.until_answering(f"{url}/readyz")
        yield program, url
    finally:
        await program.stop()
