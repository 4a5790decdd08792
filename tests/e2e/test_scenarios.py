"""The demo's scenarios, on Apache Kafka and PostgreSQL with several workers and gateways."""

from __future__ import annotations

import pytest

from tests.e2e.network import RealNetwork
from travelrule.commands.demo.scenarios import SCENARIOS, DemoStage
from travelrule.commands.demo.session import outcome_of

pytestmark = [pytest.mark.services, pytest.mark.asyncio(loop_scope="session")]


@pytest.mark.parametrize("title", SCENARIOS)
async def test_scenario(title: str, network: RealNetwork, stage: DemoStage) -> None:
    assert await outcome_of(SCENARIOS[title](stage)) == "ok"
    network.played.add(title)
