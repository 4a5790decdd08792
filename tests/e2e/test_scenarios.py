"""The demo's scenarios, on Apache Kafka and PostgreSQL with several workers and gateways."""

from __future__ import annotations

import pytest

from travelrule.commands.demo import scenarios
from travelrule.commands.demo.play import outcome_of
from travelrule.commands.demo.scenarios import SCENARIOS, Stage

pytestmark = [pytest.mark.services, pytest.mark.asyncio(loop_scope="session")]


# The scenarios of deposits need a policy with short time limits, which this network does not have yet: they are
# played by the demo.
OF_WITHDRAWALS = [title for title, story in SCENARIOS.items() if story.__module__ == scenarios.__name__]


@pytest.mark.parametrize("title", OF_WITHDRAWALS)
async def test_scenario(title: str, stage: Stage) -> None:
    assert await outcome_of(SCENARIOS[title](stage)) == "ok"
