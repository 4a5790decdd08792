"""The queries of a panel, asked of a Prometheus for the time that a picture shows."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from scripts.dashboards.variables import expanded


class AnsweredSeries(Protocol):
    """One series of an answer."""

    @property
    def labels(self) -> Mapping[str, str]:
        """Its labels."""

    @property
    def points(self) -> Sequence[tuple[float, float]]:
        """Its points: unix time in seconds, value."""


class QuerySource(Protocol):
    """A Prometheus."""

    def query(self, expression: str, at: float) -> Sequence[AnsweredSeries]:
        """Return the value of an expression at a unix time."""

    def query_range(self, expression: str, start: float, end: float, step: float) -> Sequence[AnsweredSeries]:
        """Return the values of an expression from ``start`` to ``end``, one every ``step`` seconds."""


@dataclass(frozen=True, slots=True)
class DrawnSeries:
    """One series with the name that its query's legend gives it."""

    name: str
    labels: Mapping[str, str]
    points: tuple[tuple[float, float], ...]


@dataclass(frozen=True, slots=True)
class PictureTime:
    """What a picture shows: unix times, and the distance of its points in seconds."""

    start: float
    end: float
    step: float

    @property
    def rate_interval(self) -> str:
        """As Grafana's: four times the distance of two points."""
        return f"{4 * self.step:.0f}s"

    @property
    def span(self) -> str:
        """The length of the time."""
        return f"{self.end - self.start:.0f}s"


def panel_series(panel: Mapping[str, Any], source: QuerySource, time: PictureTime) -> list[DrawnSeries]:
    """Ask each query of a panel; the series with any number, in the order of their names."""
    found: list[DrawnSeries] = []
    for target in panel["targets"]:
        expression = expanded(target["expr"], rate_interval=time.rate_interval, span=time.span)
        if target.get("instant"):
            answer = source.query(expression, time.end)
        else:
            answer = source.query_range(expression, time.start, time.end, time.step)
        found += [
            DrawnSeries(_name(target["legendFormat"], one.labels), one.labels, tuple(one.points))
            for one in answer
            if not all(math.isnan(value) for _, value in one.points)
        ]
    return sorted(found, key=lambda one: one.name)


def _name(legend: str, labels: Mapping[str, str]) -> str:
    return re.sub(r"{{\s*(\w+)\s*}}", lambda found: labels.get(found[1], ""), legend).strip()
