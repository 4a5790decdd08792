"""The metrics and labels that a PromQL expression names."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import promql_parser

from scripts.alert_rules.rule_files import recordings
from travelrule.metric_registry import MetricSpec
from travelrule.metrics import METRICS

SCRAPED = frozenset({"namespace", "job", "instance"})
"""Labels that a scrape adds."""
FOREIGN = dict.fromkeys(
    ("up", "process_cpu_seconds_total", "process_open_fds", "process_resident_memory_bytes"), SCRAPED
) | {"ALERTS": frozenset({"alertname", "alertstate", "severity", "namespace", "job"})}
"""Series that are not in our table: of Prometheus itself, and of its client library."""
HISTOGRAM = {"_bucket": frozenset({"le"}), "_count": frozenset[str](), "_sum": frozenset[str]()}


def served(spec: MetricSpec) -> Iterator[tuple[str, frozenset[str]]]:
    """Return the series of a metric as Prometheus stores them: name and labels."""
    labels = frozenset(spec.labels) | SCRAPED
    if spec.type == "histogram":
        yield from ((spec.name + suffix, labels | more) for suffix, more in HISTOGRAM.items())
    else:
        yield spec.name, labels


def known() -> dict[str, frozenset[str]]:
    """Return every series that may be named, with its labels."""
    ours = {name: labels for spec in METRICS for name, labels in served(spec)}
    recorded = {rule.record: frozenset({"namespace", "job", "slo"}) for rule in recordings()}
    return {**ours, **FOREIGN, **recorded}


@dataclass(frozen=True, slots=True)
class Named:
    """What an expression names: metrics, the labels that each is selected by, and labels of aggregations."""

    metrics: frozenset[str]
    selected: frozenset[tuple[str, str]]
    grouped: frozenset[str]


def names_in(expression: str) -> Named:
    """Parse an expression; raises ``ValueError`` if it is none."""
    nodes = list(walk(promql_parser.parse(expression)))
    selectors = [node for node in nodes if isinstance(node, promql_parser.VectorSelector)]
    selected = {(one.name, matcher.name) for one in selectors for matcher in one.matchers.matchers}
    groups = [node.modifier.labels for node in nodes if isinstance(node, promql_parser.AggregateExpr) and node.modifier]
    groups += [
        node.modifier.matching.labels
        for node in nodes
        if isinstance(node, promql_parser.BinaryExpr) and node.modifier and node.modifier.matching
    ]
    return Named(
        frozenset(one.name for one in selectors),
        frozenset(selected),
        frozenset(label for group in groups for label in group),
    )


def walk(node: Any) -> Iterator[Any]:
    """Return a parsed expression and everything inside it."""
    yield node
    for name in ("lhs", "rhs", "expr", "param", "vector_selector"):
        inner = getattr(node, name, None)
        if inner is not None and type(inner).__module__ == type(node).__module__:
            yield from walk(inner)
    for inner in getattr(node, "args", ()):
        yield from walk(inner)


def unknown(expression: str) -> list[str]:
    """Return the metrics and labels of an expression that no process serves."""
    named = names_in(expression)
    series = known()
    missing = sorted(named.metrics - set(series))
    missing += sorted(f"{name}{{{label}}}" for name, label in named.selected if label not in series.get(name, {label}))
    labels = {label for name in named.metrics for label in series.get(name, ())}
    return missing + sorted(named.grouped - labels)
