"""Declaration of metrics: the registry, the row of the metrics table, and one function per type.

A gauge without labels appears under ``/metrics`` once it was set. A process serves only the values of its roles: a
gateway that showed an empty outbox, or a last success in 1970, would hide the true value or raise an alarm.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Literal

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, ProcessCollector, disable_created_metrics
from prometheus_client.exposition import choose_encoder

REGISTRY = CollectorRegistry(auto_describe=True)
"""Our registry: metrics that a library registers globally do not appear under ``/metrics``."""

ProcessCollector(registry=REGISTRY)
# Without a second series beside each counter and histogram, which no rule needs.
disable_created_metrics()  # type: ignore[no-untyped-call]


@dataclass(frozen=True, slots=True)
class MetricSpec:
    """One row of the metrics table, on which charts and alert rules may rely."""

    name: str
    type: Literal["counter", "gauge", "histogram"]
    unit: str
    labels: tuple[str, ...]
    meaning: str


METRICS: list[MetricSpec] = []
"""All metrics in the order of their declaration."""

Values = Mapping[str, Sequence[str]]
"""The closed values of labels by their name."""


class LateGauge(Gauge):
    """A gauge without labels that is served from the first ``set`` on."""

    served = False

    def set(self, value: float) -> None:
        """Set the value, and serve it from now on."""
        super().set(value)
        if not self.served:
            self.served = True
            REGISTRY.register(self)


def counter(name: str, meaning: str, *labels: str, unit: str, values: Values | None = None) -> Counter:
    """Declare a counter. With ``values`` of all its labels every series begins at 0: the first increase is seen."""
    METRICS.append(MetricSpec(name, "counter", unit, labels, meaning))
    declared = Counter(name, meaning, labels, registry=REGISTRY)
    if values is not None:
        for row in product(*(values[label] for label in labels)):
            declared.labels(**dict(zip(labels, row, strict=True)))
    return declared


def gauge(name: str, meaning: str, *labels: str, unit: str) -> Gauge:
    """Declare a gauge."""
    METRICS.append(MetricSpec(name, "gauge", unit, labels, meaning))
    if labels:
        return Gauge(name, meaning, labels, registry=REGISTRY)
    return LateGauge(name, meaning, registry=None)


def histogram(name: str, meaning: str, *labels: str, buckets: tuple[float, ...], unit: str = "seconds") -> Histogram:
    """Declare a histogram with the upper bounds of its buckets."""
    METRICS.append(MetricSpec(name, "histogram", unit, labels, meaning))
    return Histogram(name, meaning, labels, registry=REGISTRY, buckets=buckets)


def exposition(accept: str = "") -> tuple[bytes, str]:
    """Return all metrics as text, with its content type.

    ``accept`` is the request's ``Accept`` header: OpenMetrics if it is listed there, else Prometheus text.
    """
    encode, content_type = choose_encoder(accept)
    return encode(REGISTRY), content_type
