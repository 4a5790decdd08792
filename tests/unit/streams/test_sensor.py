"""Our Faust sensor: it counts with our metrics, and Faust calls it."""

from __future__ import annotations

from typing import Any

from faust.types import TP

from streams.app import create_app
from streams.connection import Connection
from streams.sensor import ConsumerSensor
from streams.topics import Topics
from travelrule import metrics
from travelrule.settings import Settings

ANY: Any = None


def value(name: str, **labels: str) -> float:
    return metrics.REGISTRY.get_sample_value(f"travelrule_{name}", labels) or 0.0


async def test_faust_passes_records_rebalances_and_commits_to_the_sensor() -> None:
    app = create_app(Settings(consumer_group="north"), Connection(("127.0.0.1:1",)))
    app.sensors.add(ConsumerSensor(Topics("north.")))
    names = ("rebalances_total", "rebalance_duration_seconds_count", "offset_commit_duration_seconds_count")
    before = [value(name) for name in names]
    taken = value("consumer_records_total", topic="deposits")

    for offset in range(3):
        app.sensors.on_message_in(TP("north.deposits", 0), offset, ANY)
    state = app.sensors.on_rebalance_start(app)
    assert [value(name) for name in names[:2]] == [before[0] + 1, before[1]], "a rebalance is measured when it ends"
    app.sensors.on_rebalance_end(app, state)
    app.sensors.on_commit_completed(ANY, app.sensors.on_commit_initiated(ANY))

    assert value("consumer_records_total", topic="deposits") == taken + 3
    assert [value(name) for name in names] == [one + 1 for one in before]
