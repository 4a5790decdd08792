"""Metrics of one batch: collected while it is decided, counted after its commit."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from prometheus_client import Counter

from travelrule import metrics


@dataclass(slots=True)
class Observation:
    """One value to count after the commit: a batch that is rolled back is not counted."""

    metric: str
    labels: dict[str, str]
    value: float = 1.0


COUNTERS: Mapping[str, Counter] = {
    "inputs": metrics.INPUTS_TOTAL,
    "verdicts": metrics.VERDICTS_TOTAL,
    "limit": metrics.VERDICT_LIMIT_TOTAL,
    "denials": metrics.DENIALS_TOTAL,
    "alerts": metrics.ALERTS_TOTAL,
    "operator alerts": metrics.OPERATOR_ALERTS_TOTAL,
    "dead_letters": metrics.DEAD_LETTERS_TOTAL,
}
"""The counter of each observation but ``age``."""


def count_observations(observations: Iterable[Observation]) -> None:
    """Count what is committed."""
    for seen in observations:
        if seen.metric == "age":
            metrics.INPUT_AGE_SECONDS.observe(seen.value)
        else:
            COUNTERS[seen.metric].labels(**seen.labels).inc()
