"""A database is lost: from a dump it catches up from the topics, from a received log nothing is missing."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import AsyncIterator, Callable
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from uuid import uuid4

import pytest
import pytest_asyncio

from schemas.registry import TOPICS
from tests.e2e.commands import must, travelrule
from tests.e2e.network import RealNetwork, until
from tests.e2e.tables import Tables
from tests.e2e.transfers import whole_way
from tests.restore.archived_postgres import ArchivedPostgres
from tests.restore.restored_database import dump, lose, restore, set_back
from tests.services import GivenPostgres, KafkaNode, PostgresServer, run
from travelrule.commands.demo.scenarios import WRONG, DemoStage, register_wallets

pytestmark = [pytest.mark.services, pytest.mark.operations, pytest.mark.asyncio(loop_scope="module")]

JSON = ("--output", "json")
EACH = 5


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def network(
    kafka: KafkaNode, postgres: PostgresServer | GivenPostgres, tmp_path_factory: pytest.TempPathFactory
) -> AsyncIterator[RealNetwork]:
    """North and south, running, with south's wallets registered."""
    network = RealNetwork(tmp_path_factory.mktemp("restore"), kafka, postgres)
    try:
        await network.start()
        await register_wallets(DemoStage(network))
        await network.until_screened(network.south)
        yield network
    finally:
        await network.stop()


async def _concluded(tables: Tables, withdrawals: list[str]) -> bool:
    named = ",".join(f"'withdrawal:{one}'" for one in withdrawals)
    return await tables.count("calls", f"subject IN ({named})") == 0 and await _answered(tables, withdrawals)


async def _answered(tables: Tables, withdrawals: list[str]) -> bool:
    named = ",".join(f"'withdrawal:{one}'" for one in withdrawals)
    return await tables.count("inputs", f"subject IN ({named}) AND type = 'withdrawal.settled.v1'") == len(withdrawals)


async def test_a_restored_database_catches_up_from_the_topics(
    network: RealNetwork, postgres: PostgresServer | GivenPostgres, tmp_path: Path
) -> None:
    stage, member, database = DemoStage(network), network.north, network.databases["north"]
    before, after, held = [str(uuid4()) for _ in range(EACH)], [str(uuid4()) for _ in range(EACH)], str(uuid4())
    for one in before:
        await whole_way(stage, stage.north, one)
    await stage.request(held, beneficiary=WRONG)
    await stage.north.verdict(held, "hold", "DENIED_INPUT_NAME_MISMATCHED")
    tables = network.tables("north")
    await until(partial(_concluded, tables, before), "the first withdrawals are settled")

    at = datetime.now(UTC)
    await dump(postgres, database, tmp_path / "north.dump")
    for one in after:
        await whole_way(stage, stage.north, one)
    await must(member.settings(), "decide", held, "deny", "--actor", "op", "--reason", "test", "--wait")
    await until(partial(_concluded, tables, after), "the later withdrawals are settled")
    said = await network.records("north", "verdicts")

    names = member.names()
    await asyncio.gather(*(network.processes[name].kill() for name in names))
    await lose(postgres, database)
    assert (await travelrule(member.settings(), "migrate", "--check")).code == 3, "it is lost"
    await restore(postgres, database, tmp_path / "north.dump")
    assert (await must(member.settings(), "migrate", "--check", *JSON)).one["keysChecked"]
    assert await tables.count("inputs", f"subject = 'withdrawal:{after[0]}'") == 0, "the dump is older"

    inputs = [f"{member.topic_prefix}{name}" for name, spec in TOPICS.items() if spec.direction == "in"]
    assert await asyncio.to_thread(set_back, network.bootstrap, member.group, inputs, at) >= EACH
    await asyncio.gather(*(network.processes[name].start() for name in names))
    await asyncio.gather(*(network.until_ready(name) for name in names))
    await until(partial(_concluded, tables, after), "the later withdrawals are settled again")

    proof = (await must(member.settings(), "audit", "verify", *JSON)).one
    assert proof["ok"], proof["faults"]
    for one in (*before, *after):
        assert (await must(member.settings(), "explain", one, *JSON)).one["verdict"] == "allow"
    assert (await must(member.settings(), "explain", held, *JSON)).one["verdict"] == "deny"
    assert await network.tables("south").count("subjects", "subject LIKE 'exchange:north/%'") == 2 * EACH + 1

    assert len(await network.records("north", "verdicts")) > len(said), "they were decided again"
    await assert_each_verdict_is_one(network)


async def assert_each_verdict_is_one(network: RealNetwork) -> None:
    """What the platform sees: no other verdict under a known event id, no other event under a known number."""
    contents: dict[str, set[str]] = defaultdict(set)
    numbers: dict[tuple[bytes | None, int], set[str]] = defaultdict(set)
    for record in await network.records("north", "verdicts"):
        event = record.event
        contents[event["id"]].add(str((event["data"]["verdict"], event["data"]["reasons"], event["data"]["final"])))
        numbers[record.key, event["data"]["sequence"]].add(event["id"])
    assert {event_id: told for event_id, told in contents.items() if len(told) > 1} == {}
    assert all(len(ids) == 1 for ids in numbers.values())


async def test_a_server_that_is_lost_under_load_is_restored_from_its_log_without_a_gap(
    kafka: KafkaNode, own_directory: Callable[[str], Path], tmp_path: Path
) -> None:
    """Both VASPs lose their database at once; their processes keep running, and no offset is set back."""
    server = ArchivedPostgres(own_directory("archived"), run.run_owner())
    server.start()
    network = RealNetwork(tmp_path, kafka, server)
    try:
        await network.start()
        stage = DemoStage(network)
        await register_wallets(stage)
        await network.until_screened(network.south)
        await asyncio.to_thread(server.begin_archive)
        before, during = [str(uuid4()) for _ in range(EACH)], [str(uuid4()) for _ in range(4 * EACH)]
        for one in before:
            await whole_way(stage, stage.north, one)
        for one in during:
            await stage.request(one)
        await stage.north.verdict(during[0], "allow", "VERIFIED")
        await asyncio.to_thread(server.lose)
        await asyncio.to_thread(server.restore)

        for one in during:
            await stage.north.verdict(one, "allow", "VERIFIED")
        for one in before:
            assert (await must(network.north.settings(), "explain", one, *JSON)).one["verdict"] == "allow"
        for member in (network.north, network.south):
            proof = (await must(member.settings(), "audit", "verify", *JSON)).one
            assert proof["ok"], proof["faults"]
        exchanges = network.tables("south")
        assert await exchanges.count("subjects", "subject LIKE 'exchange:north/%'") == len(before) + len(during)
        await assert_each_verdict_is_one(network)
    finally:
        await network.stop()
        await asyncio.to_thread(server.kill)
