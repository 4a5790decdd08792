"""One network for all end-to-end tests of a test process."""

from __future__ import annotations

import json
import os
from collections.abc import AsyncIterator, Generator, Iterator
from datetime import UTC, datetime
from http import HTTPStatus

import pytest
import pytest_asyncio

from tests.e2e.network import RealNetwork
from tests.e2e.scrape_targets import scrape_targets
from tests.services import GivenPostgres, KafkaNode, PostgresServer, PrometheusServer, run
from tests.services.process import ROOT
from travelrule.commands.demo.scenarios import DemoStage, register_wallets


@pytest.fixture(scope="session")
def prometheus() -> Iterator[PrometheusServer]:
    """A Prometheus with the chart's rules; ``network`` makes it scrape all of its processes from their start on."""
    rules = sorted(ROOT.glob("helm/travelrule/rules/*.yaml"))
    directory = run.run_directory() / f"prometheus-{os.getpid()}"
    server = PrometheusServer(directory, run.run_owner(), rules=rules, interval="2s")
    server.start()
    yield server
    server.kill()


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def network(
    kafka: KafkaNode,
    postgres: PostgresServer | GivenPostgres,
    prometheus: PrometheusServer,
    tmp_path_factory: pytest.TempPathFactory,
) -> AsyncIterator[RealNetwork]:
    """North and south, running and scraped, with south's wallets registered."""
    network = RealNetwork(tmp_path_factory.mktemp("network"), kafka, postgres)
    prometheus.reload(scrape_targets(network))
    try:
        await network.start()
        await register_wallets(DemoStage(network))
        await network.until_screened(network.south)
        yield network
    finally:
        await network.stop()


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """What reads the traces of all traffic runs last, in whatever order the others run."""
    items.sort(key=lambda item: item.get_closest_marker("after_traffic") is not None)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """A failed test shows the calls that the hub could not bring to a good end meanwhile."""
    report = yield
    network = getattr(item, "funcargs", {}).get("network")
    if report.failed and isinstance(network, RealNetwork):
        since = datetime.fromtimestamp(call.start, UTC).isoformat()
        bad = [entry for entry in network.journal() if entry["time"] >= since and entry["status"] != HTTPStatus.OK]
        report.sections.append(("calls without a good end", "\n".join(json.dumps(entry) for entry in bad)))
    return report


@pytest.fixture
def stage(network: RealNetwork) -> DemoStage:
    """What the demo's scenarios play on."""
    return DemoStage(network)
