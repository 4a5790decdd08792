"""One network for all end-to-end tests of a test process."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest
import pytest_asyncio

from tests.e2e.network import RealNetwork, until
from tests.services import GivenPostgres, KafkaNode, PostgresServer
from travelrule.commands.demo.scenarios import Stage, register_wallets


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def network(
    kafka: KafkaNode, postgres: PostgresServer | GivenPostgres, tmp_path_factory: pytest.TempPathFactory
) -> AsyncIterator[RealNetwork]:
    """North and south, running, with south's wallets registered."""
    network = RealNetwork(tmp_path_factory.mktemp("network"), kafka, postgres)
    try:
        await network.start()
        await register_wallets(Stage(network))
        await until(lambda: network.tables("south").count("wallets"), "south's wallet is registered")
        yield network
    finally:
        await network.stop()


@pytest.fixture
def stage(network: RealNetwork) -> Stage:
    """What the demo's scenarios play on."""
    return Stage(network)
