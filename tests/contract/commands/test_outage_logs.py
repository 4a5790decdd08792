"""What a worker logs while its brokers are away: few lines, each with new information."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest

from tests.contract.commands.logged_worker import LoggedWorker, busiest_minute
from tests.services import KafkaCluster, KafkaNode
from tests.support.command_line import Cli

pytestmark = [pytest.mark.services, pytest.mark.operations]  # outages of 30 s

OUTAGE_SECONDS = 30
LINES_A_MINUTE_MAX = 100
TEMPLATE = re.compile(r"%[rsd]|%\(")


@contextmanager
def outage(stop: Callable[[], None], start: Callable[[], None]) -> Iterator[None]:
    """Brokers are away for 30 seconds of the clock, however fast anything is."""
    stop()
    ends = time.monotonic() + OUTAGE_SECONDS
    yield
    time.sleep(max(0.0, ends - time.monotonic()))  # the length of the outage is what is specified
    start()


def check(worker: LoggedWorker, before: int) -> None:
    """The lines since ``before``: few, none a template, and the outage is among them."""
    lines = worker.lines()[before:]
    library = [line for line in lines if line["event"].startswith("library")]
    assert busiest_minute(lines) <= LINES_A_MINUTE_MAX
    assert library, "an outage is told of"
    assert [line for line in library if TEMPLATE.search(line["message"])] == []


@pytest.fixture
def worker(request: pytest.FixtureRequest, installed: Cli) -> Iterator[LoggedWorker]:
    worker = LoggedWorker(installed, request.getfixturevalue(request.param))
    worker.start()
    yield worker
    worker.kill()


@pytest.mark.parametrize("worker", ["own_kafka"], indirect=True)
@pytest.mark.parametrize("kind", ["stopped", "frozen"])
def test_an_outage_of_the_only_broker_stays_quiet(worker: LoggedWorker, own_kafka: KafkaNode, kind: str) -> None:
    before = len(worker.lines())
    stop, start = (own_kafka.stop, own_kafka.start) if kind == "stopped" else (own_kafka.freeze, own_kafka.thaw)
    with outage(stop, start):
        pass
    worker.until(worker.ready, "it consumes again")
    worker.stop()
    check(worker, before)
    ours = own_kafka.bootstrap
    assert any(ours in line["message"] for line in worker.lines() if line["event"] == "library"), "the broker is named"


@pytest.mark.parametrize("worker", ["kafka_cluster"], indirect=True)
def test_an_outage_of_two_brokers_of_three_stays_quiet(worker: LoggedWorker, kafka_cluster: KafkaCluster) -> None:
    before = len(worker.lines())

    def stop() -> None:
        for node in kafka_cluster.nodes[:2]:
            node.kill()

    with outage(stop, kafka_cluster.start):
        pass
    worker.until(worker.ready, "it consumes again")
    worker.stop()
    check(worker, before)
