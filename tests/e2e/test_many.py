"""Two hundred withdrawals at once: each is done, once, in order, by all of the workers and gateways together."""

from __future__ import annotations

import asyncio
from collections import Counter
from uuid import uuid4

import aiohttp
import pytest

from tests.e2e.network import RealNetwork, until
from tests.e2e.topic_log import Record
from tests.e2e.transfers import whole_way
from travelrule.commands.demo.scenarios import DemoStage

pytestmark = [pytest.mark.services, pytest.mark.asyncio(loop_scope="session")]

COUNT = 200


async def test_two_hundred_withdrawals_at_once(network: RealNetwork, stage: DemoStage) -> None:
    ids = [str(uuid4()) for _ in range(COUNT)]
    ways = dict(await asyncio.gather(*(whole_way(stage, stage.north, one) for one in ids)))
    assert len(ways) == COUNT
    await until(lambda: _confirmed(network, "north", ways), "north has confirmed all")
    await until(lambda: _confirmed(network, "south", ways), "south has confirmed all")

    calls = Counter(
        (entry["operation"], entry["ids"].get("transferId"), entry["status"])
        for entry in network.journal()
        if entry["ids"].get("transferId") in ways
    )
    once = {(operation, one, 200) for one in ways for operation in ("transfer-authorization", "txid-report")}
    assert calls == dict.fromkeys(once, 1)

    records = await network.records("north", "verdicts", "exchanges")
    for key in ids:
        assert _sequences(records, "verdicts", key) == [1]
    for key in ways:
        assert _sequences(records, "exchanges", key) == [1, 2, 3, 4, 5, 6]
        statuses = [record.data["status"] for record in records if _is(record, "exchanges", key)]
        assert statuses == ["wait", "verified", "pending", "processing", "wait-confirm", "confirmed"]
    await _everybody_worked(network)


async def _confirmed(network: RealNetwork, entity_id: str, ways: dict[str, str]) -> bool:
    rows = await network.tables(entity_id).rows(
        "SELECT transfer_id, txid FROM exchanges WHERE status = 'confirmed' AND transfer_id = ANY($1)", list(ways)
    )
    return {row["transfer_id"]: row["txid"] for row in rows} == ways


def _is(record: Record, topic: str, key: str) -> bool:
    return (record.topic, record.key) == (topic, key.encode())


def _sequences(records: list[Record], topic: str, key: str) -> list[int]:
    return [record.data["sequence"] for record in records if _is(record, topic, key)]


async def _everybody_worked(network: RealNetwork) -> None:
    """Both workers applied inputs and called the hub; both gateways answered."""
    north, south = network.north, network.south
    async with aiohttp.ClientSession() as session:
        for number in (0, 1):
            page = await _page(session, network, f"{north.entity_id}-worker-{number}")
            assert _total(page, "travelrule_inputs_total") > 0
            assert _total(page, "travelrule_call_attempts_total") > 0
            page = await _page(session, network, f"{south.entity_id}-gateway-{number}")
            assert _total(page, "travelrule_gateway_request_duration_seconds_count") > 0


async def _page(session: aiohttp.ClientSession, network: RealNetwork, name: str) -> str:
    async with session.get(network.owner(name).page(name, "metrics")) as answer:
        return await answer.text()


def _total(page: str, metric: str) -> float:
    lines = (line for line in page.splitlines() if line.startswith((f"{metric}{{", f"{metric} ")))
    return sum(float(line.rpartition(" ")[2]) for line in lines)
