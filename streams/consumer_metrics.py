"""Metrics of the consumer: lag, partitions, progress."""

from __future__ import annotations

from streams.worker import FaustWorker
from travelrule import metrics


def show_consumer(worker: FaustWorker) -> None:
    """Serve the present state of ``worker``."""
    for topic, seconds in worker.lag_seconds().items():
        metrics.CONSUMER_LAG_SECONDS.labels(topic=topic).set(seconds)
    for topic, records in worker.lag_records().items():
        metrics.CONSUMER_LAG_RECORDS.labels(topic=topic).set(records)
    for topic, number in worker.partitions_assigned().items():
        metrics.PARTITIONS_ASSIGNED.labels(topic=topic).set(number)
    metrics.PARTITIONS_UNSERVED.clear()
    for topic, number in worker.partitions_unserved().items():
        metrics.PARTITIONS_UNSERVED.labels(topic=topic).set(number)
    metrics.CONSUMER_STALLED_SECONDS.set(worker.stalled_seconds())
    age = worker.broker_answer_age_seconds()
    if age is not None:
        metrics.BROKER_ANSWER_AGE_SECONDS.set(age)
