"""Every query of the dashboards, asked of the Prometheus that scraped the traffic of these tests, returns data."""

from __future__ import annotations

import asyncio
import math
import time

import pytest

from scripts.dashboards.__main__ import DASHBOARDS
from scripts.dashboards.specs import PanelQuery
from scripts.dashboards.variables import expanded
from tests.e2e.network import RealNetwork
from tests.services import PrometheusServer
from travelrule.commands.demo.scenarios import SCENARIOS, DemoStage
from travelrule.commands.demo.session import outcome_of

pytestmark = [pytest.mark.services, pytest.mark.after_traffic, pytest.mark.asyncio(loop_scope="session")]

SPAN_SECONDS = 1800
STEP_SECONDS = 15
PATIENCE_SECONDS = 60.0
MAY_BE_EMPTY_MAX = 12
"""Marked queries that returned nothing; more would mean that the traffic is not of every kind."""

QUERIES = {
    f"{spec.name}: {panel.title} {number}": query
    for spec in DASHBOARDS
    for panel in spec.panels()
    for number, query in enumerate(panel.queries)
}


def has_data(prometheus: PrometheusServer, query: PanelQuery) -> bool:
    """Whether any point of the time that was scraped has a number. A refused expression raises."""
    expression = expanded(query.expression, rate_interval="30s", span=f"{SPAN_SECONDS}s")
    now = time.time()
    series = prometheus.query_range(expression, now - SPAN_SECONDS, now, STEP_SECONDS)
    return any(not math.isnan(value) for one in series for _, value in one.points)


async def test_every_query_returns_data(network: RealNetwork, stage: DemoStage, prometheus: PrometheusServer) -> None:
    for title, story in SCENARIOS.items():
        if title not in network.played:
            assert await outcome_of(story(stage)) == "ok", title
            network.played.add(title)
    missing = dict(QUERIES)
    deadline = time.monotonic() + PATIENCE_SECONDS
    while True:
        missing = {place: query for place, query in missing.items() if not has_data(prometheus, query)}
        unmarked = sorted(place for place, query in missing.items() if not query.empty_without)
        if not unmarked or time.monotonic() > deadline:
            break
        await asyncio.sleep(1)  # until the next scrape
    assert unmarked == []
    assert len(missing) <= MAY_BE_EMPTY_MAX, sorted(missing)
