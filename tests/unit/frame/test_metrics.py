"""The metrics that others chart (contract section 6) and the naming rules they follow."""

import re

import pytest
from prometheus_client import CollectorRegistry
from prometheus_client.parser import text_string_to_metric_families

from travelrule import metric_registry, metrics
from travelrule.metrics import METRICS

CONTRACT = {
    "travelrule_inputs_total": ("counter", ("source", "type", "outcome")),
    "travelrule_verdicts_total": ("counter", ("kind", "verdict", "reason")),
    "travelrule_input_age_seconds": ("histogram", ()),
    "travelrule_gateway_request_duration_seconds": ("histogram", ("operation", "result")),
    "travelrule_hub_request_duration_seconds": ("histogram", ("operation", "outcome")),
    "travelrule_calls_due": ("gauge", ()),
    "travelrule_call_attempts_total": ("counter", ("operation", "outcome")),
    "travelrule_outbox_unsent": ("gauge", ()),
    "travelrule_oldest_unsent_seconds": ("gauge", ()),
    "travelrule_exchanges_open": ("gauge", ("side", "status")),
    "travelrule_dead_letters_total": ("counter", ("code",)),
    "travelrule_alerts_total": ("counter", ("code",)),
    "travelrule_counterparty_up": ("gauge", ("vasp",)),
    "travelrule_consumer_lag_seconds": ("gauge", ("topic",)),
    "travelrule_list_entries": ("gauge", ("list",)),
    "travelrule_list_age_seconds": ("gauge", ("list",)),
}


def test_every_metric_of_the_contract_is_declared_with_its_labels() -> None:
    declared = {spec.name: (spec.type, spec.labels) for spec in METRICS}
    assert {name: declared.get(name) for name in CONTRACT} == CONTRACT


def test_names_follow_the_rules_of_prometheus() -> None:
    for spec in METRICS:
        assert re.fullmatch(r"travelrule_[a-z][a-z0-9_]*", spec.name)
        assert spec.name.endswith("_total") == (spec.type == "counter"), spec.name
        assert (spec.unit == "seconds") == spec.name.endswith("_seconds"), spec.name
        assert spec.meaning


BOUNDED_BY_CODE = {
    *("age", "change", "code", "direction", "health", "kind", "lease", "listener", "operation", "outcome", "owner"),
    *("periodic_job", "python", "reason", "result", "severity", "side", "source", "state", "status", "topic", "type"),
    *("verdict", "version", "what"),
}
BOUNDED_BY_AN_OPERATOR = {"list", "vasp"}
SET_BY_PROMETHEUS = {"job", "instance"}


def test_no_label_could_hold_a_person_an_address_or_a_subject() -> None:
    labels = {label for spec in METRICS for label in spec.labels}
    assert labels <= BOUNDED_BY_CODE | BOUNDED_BY_AN_OPERATOR
    assert not labels & SET_BY_PROMETHEUS


def test_a_constant_is_named_like_its_metric() -> None:
    for spec in METRICS:
        assert hasattr(metrics, spec.name.removeprefix("travelrule_").upper()), spec.name


def test_the_page_can_be_parsed_and_holds_only_ours_and_the_process() -> None:
    metrics.INPUTS_TOTAL.labels(source="kafka", type="withdrawal.requested.v1", outcome="applied").inc()
    body, _ = metrics.exposition()
    families = {family.name for family in text_string_to_metric_families(body.decode())}
    assert {name for name in families if not name.startswith(("travelrule_", "process_"))} == set()
    late = {spec.name for spec in METRICS if spec.type == "gauge" and not spec.labels}
    assert {name.removesuffix("_total") for name in CONTRACT.keys() - late} <= families


def test_a_gauge_is_served_from_the_first_value_on(monkeypatch: pytest.MonkeyPatch) -> None:
    registry = CollectorRegistry()
    monkeypatch.setattr(metric_registry, "REGISTRY", registry)
    monkeypatch.setattr(metric_registry, "METRICS", [])
    backlog = metric_registry.gauge("travelrule_backlog", "Rows", unit="rows")
    assert b"travelrule_backlog" not in metric_registry.exposition()[0]
    backlog.set(0)
    assert b"travelrule_backlog 0.0" in metric_registry.exposition()[0]
    backlog.set(3)
    assert registry.get_sample_value("travelrule_backlog") == 3


def test_the_closed_values_of_a_counter_begin_at_zero() -> None:
    for kind in metrics.VERDICT_KINDS:
        for result in ("met", "missed"):
            labels = {"kind": kind, "result": result}
            assert metrics.REGISTRY.get_sample_value("travelrule_verdict_limit_total", labels) is not None
