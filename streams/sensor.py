"""Our Faust sensor: records taken, rebalances and commits of offsets as metrics of ``travelrule.metrics``.

Faust's own Prometheus sensor is not used: it counts in milliseconds, and counters are gauges there.
"""

from __future__ import annotations

from time import perf_counter
from typing import Any

import faust
from faust.types import TP, AppT, Message
from faust.types.transports import ConsumerT
from prometheus_client import Counter

from streams.topics import Topics
from travelrule import metrics


class ConsumerSensor(faust.Sensor):
    """Counts what the consumer does. Faust calls it several times per record, so each call is cheap."""

    def __init__(self, topics: Topics) -> None:
        super().__init__()
        self._topics = topics
        self._taken: dict[str, Counter] = {}

    def on_message_in(self, tp: TP, offset: int, message: Message) -> None:
        """Count a record that the consumer took; the label is the topic without prefix."""
        del offset, message
        taken = self._taken.get(tp.topic)
        if taken is None:
            topic = self._topics.logical(tp.topic)
            taken = self._taken[tp.topic] = metrics.CONSUMER_RECORDS_TOTAL.labels(topic=topic)
        taken.inc()

    def on_rebalance_start(self, app: AppT) -> dict[str, float]:
        """Count a rebalance; return when it began."""
        del app
        metrics.REBALANCES_TOTAL.inc()
        return {"began": perf_counter()}

    def on_rebalance_end(self, app: AppT, state: dict[str, float]) -> None:
        """Measure a rebalance up to the moment at which the consumer continues."""
        del app
        metrics.REBALANCE_DURATION_SECONDS.observe(perf_counter() - state["began"])

    def on_commit_initiated(self, consumer: ConsumerT) -> float:
        """Return when the commit began."""
        del consumer
        return perf_counter()

    def on_commit_completed(self, consumer: ConsumerT, state: Any) -> None:
        """Measure a commit of offsets."""
        del consumer
        metrics.OFFSET_COMMIT_DURATION_SECONDS.observe(perf_counter() - state)
