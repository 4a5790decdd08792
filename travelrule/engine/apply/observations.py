"""Metrics of one batch: collected while it is decided, counted after its commit."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from travelrule import metrics


@dataclass(slots=True)
class Observation:
    """One value to count after the commit: a batch that is rolled back is not counted."""

    metric: str
    labels: dict[str, str]
    value: float = 1.0


def count_observations(observations: Iterable[Observation]) -> None:
    """Count what is committed."""
    for seen in observations:
        match seen.metric:
            case "inputs":
                metrics.INPUTS_TOTAL.labels(**seen.labels).inc()
            case "verdicts":
                metrics.VERDICTS_TOTAL.labels(**seen.labels).inc()
            case "age":
                metrics.INPUT_AGE_SECONDS.observe(seen.value)
            case "alerts":
                metrics.ALERTS_TOTAL.labels(**seen.labels).inc()
            case "dead_letters":
                metrics.DEAD_LETTERS_TOTAL.labels(**seen.labels).inc()
