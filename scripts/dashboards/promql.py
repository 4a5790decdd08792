"""Expressions of the panels: each takes the series of the chosen jobs and instances.

Several workers of one VASP report the same value of what the database or the broker holds. Such a value is taken once
for each release (``job``, and ``namespace`` where the scrape adds it) and then added up or compared between releases.
"""

from __future__ import annotations

CHOSEN = 'job=~"$job", instance=~"$instance"'
RELEASE = "namespace, job"


def selected(metric: str, matchers: str = "") -> str:
    """The series of a metric; ``matchers`` are further ones, as in PromQL."""
    return f"{metric}{{{CHOSEN}{', ' if matchers else ''}{matchers}}}"


def rate(metric: str, by: str = "", matchers: str = "") -> str:
    """How much a counter rises each second, added up over processes. ``by`` names the labels that are kept."""
    return f"{_aggregated('sum', by)} (rate({selected(metric, matchers)}[$__rate_interval]))"


def increase(metric: str, by: str = "", matchers: str = "") -> str:
    """How much a counter rose between two points of the graph; zero is left out, so that a bar is an event."""
    return f"{_aggregated('sum', by)} (increase({selected(metric, matchers)}[$__rate_interval])) > 0"


def total(metric: str, by: str = "", matchers: str = "") -> str:
    """A gauge that each process has of its own, added up."""
    return f"{_aggregated('sum', by)} ({selected(metric, matchers)})"


def highest(metric: str, by: str = "", matchers: str = "") -> str:
    """The highest value of a gauge."""
    return f"{_aggregated('max', by)} ({selected(metric, matchers)})"


def lowest(metric: str, by: str = "", matchers: str = "") -> str:
    """The lowest value of a gauge."""
    return f"{_aggregated('min', by)} ({selected(metric, matchers)})"


def shared(metric: str, by: str = "", matchers: str = "") -> str:
    """A count that every worker of a release reports alike: once for each release, added up over releases."""
    once = f"max by ({', '.join(filter(None, (RELEASE, by)))}) ({selected(metric, matchers)})"
    return f"{_aggregated('sum', by)} ({once})"


def quantile(share: float, metric: str, by: str = "", matchers: str = "") -> str:
    """A quantile of a histogram over the interval of a point."""
    return f"histogram_quantile({share:g}, {rate(f'{metric}_bucket', ', '.join(filter(None, ('le', by))), matchers)})"


def mean(metric: str, by: str = "", matchers: str = "") -> str:
    """The mean of what a histogram observed in the interval of a point."""
    return f"{rate(f'{metric}_sum', by, matchers)} / {rate(f'{metric}_count', by, matchers)}"


def since(metric: str, by: str = "", matchers: str = "") -> str:
    """Seconds since the newest of the timestamps that a gauge reports."""
    return f"time() - {highest(metric, by, matchers)}"


def _aggregated(operator: str, by: str) -> str:
    return f"{operator} by ({by})" if by else operator
