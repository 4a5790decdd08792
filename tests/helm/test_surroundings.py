"""Network policies, monitoring objects, rules and dashboards of the chart."""

from __future__ import annotations

import json
from typing import Any

import yaml

from tests.helm.chart import CHART, Rendered, Values, pick, render
from tests.helm.matrix import GUARDED, WATCHED

BROKER = {"to": [{"ipBlock": {"cidr": "10.1.0.0/16"}}]}
DATABASE = {"to": [{"ipBlock": {"cidr": "10.2.0.0/16"}}]}
HUB = {"to": [{"ipBlock": {"cidr": "10.3.0.0/16"}}]}


def _policies(**more: Any) -> dict[str, Rendered]:
    network = GUARDED["networkPolicy"] | {
        "egress": {"broker": [BROKER], "database": [DATABASE], "hub": [HUB], "members": [HUB]}
    }
    objects = render(GUARDED | {"networkPolicy": network} | more)
    return {
        one["spec"]["podSelector"]["matchLabels"]["app.kubernetes.io/component"]: one["spec"]
        for one in objects
        if one["kind"] == "NetworkPolicy"
    }


def test_each_component_reaches_what_it_needs_and_nothing_else() -> None:
    reached = {
        name: [rule for rule in policy["egress"] if rule in (BROKER, DATABASE, HUB)]
        for name, policy in _policies().items()
    }
    assert reached == {
        "worker": [BROKER, DATABASE, HUB],
        "gateway": [DATABASE, HUB],
        "migrate": [DATABASE],
        "topics": [BROKER],
        "doctor": [BROKER, DATABASE, HUB],
        "hub": [HUB],
        "sandbox": [HUB],
    }
    for policy in _policies().values():
        assert policy["policyTypes"] == ["Ingress", "Egress"]
        assert {port["port"] for rule in policy["egress"] if rule.get("ports") for port in rule["ports"]} == {53}


def test_policies_of_the_jobs_exist_before_them_and_are_removed_with_them() -> None:
    """What a hook leaves behind would outlive the release."""
    hooks = [one for one in render(GUARDED) if "helm.sh/hook" in one["metadata"].get("annotations", {})]
    assert {one["kind"] for one in hooks} == {"Job", "NetworkPolicy", "Pod"}
    weights: dict[str, set[int]] = {}
    for one in hooks:
        notes = one["metadata"]["annotations"]
        weights.setdefault(one["kind"], set()).add(int(notes.get("helm.sh/hook-weight", 0)))
        assert "hook-succeeded" in notes["helm.sh/hook-delete-policy"]
    assert max(weights["NetworkPolicy"]) < min(weights["Job"])


def test_nobody_reaches_a_port_that_is_not_named() -> None:
    ports = {
        name: sorted(port["port"] for rule in policy["ingress"] for port in rule["ports"])
        for name, policy in _policies().items()
    }
    assert ports == {
        "worker": ["metrics"],
        "gateway": ["gateway", "metrics"],
        "hub": ["hub", "metrics"],
        "sandbox": ["hub", "metrics"],
        "migrate": [],
        "topics": [],
        "doctor": [],
    }


def test_the_monitor_has_the_labels_that_its_prometheus_selects() -> None:
    monitor = pick(render(WATCHED), "ServiceMonitor", "north-travelrule")
    assert monitor["metadata"]["labels"]["release"] == "kube-prometheus-stack"
    assert monitor["spec"]["endpoints"][0]["relabelings"] == [{"targetLabel": "vasp", "replacement": "north"}]
    assert render() == [one for one in render() if one["kind"] not in {"ServiceMonitor", "PodMonitor"}]


def _rules(objects: list[Rendered]) -> list[dict[str, Any]]:
    return [
        rule
        for one in objects
        if one["kind"] == "PrometheusRule"
        for group in one["spec"]["groups"]
        for rule in group["rules"]
    ]


def test_every_rule_is_shipped_with_the_routing_and_the_runbooks_of_the_operator() -> None:
    written = [
        rule
        for path in sorted((CHART / "rules").glob("*.yaml"))
        for group in yaml.safe_load(path.read_text())["groups"]
        for rule in group["rules"]
    ]
    shipped = _rules(render(WATCHED))
    assert [(rule.get("alert"), rule.get("record"), rule["expr"]) for rule in shipped] == [
        (rule.get("alert"), rule.get("record"), rule["expr"]) for rule in written
    ]
    alerts = [(rule, source) for rule, source in zip(shipped, written, strict=True) if "alert" in rule]
    assert alerts
    for rule, source in alerts:
        assert rule["labels"] == source["labels"] | {"team": "compliance"}
        page = source["annotations"]["runbook_url"].removeprefix("docs/runbooks/")
        assert rule["annotations"] == source["annotations"] | {
            "runbook_url": f"https://runbooks.example/travelrule/{page}"
        }


def test_every_dashboard_is_shipped_unchanged() -> None:
    maps = [one for one in render(WATCHED) if one["metadata"]["name"].startswith("north-travelrule-dashboard-")]
    assert {one["metadata"]["labels"]["grafana_dashboard"] for one in maps} == {"1"}
    shipped = {name: text for one in maps for name, text in one["data"].items()}
    written = {path.name: path.read_text() for path in (CHART / "dashboards").glob("*.json")}
    assert shipped.keys() == written.keys()
    for name, text in shipped.items():
        assert json.loads(text) == json.loads(written[name])
    assert all(len(json.dumps(one)) < 1_000_000 for one in maps), "a ConfigMap holds at most 1 MiB"


def test_labels_and_annotations_that_are_given_twice_are_in_an_object_once() -> None:
    label = {"release": "kube-prometheus-stack"}
    values: Values = {
        "commonLabels": label | {"grafana_dashboard": "0"},
        "worker": {"podAnnotations": {"checksum/files": "none", "kubectl.kubernetes.io/default-container": "other"}},
        "monitoring": {
            "monitor": {"kind": "PodMonitor", "additionalLabels": label},
            "prometheusRule": {"enabled": True, "additionalLabels": label},
            "dashboards": {"enabled": True},
        },
    }
    objects = render(values)
    assert pick(objects, "PodMonitor", "north-travelrule")["metadata"]["labels"]["release"] == label["release"]
    dashboard = pick(objects, "ConfigMap", "north-travelrule-dashboard-flow")
    assert dashboard["metadata"]["labels"]["grafana_dashboard"] == "1", "the more special value counts"
    annotations = pick(objects, "Deployment", "north-travelrule-worker")["spec"]["template"]["metadata"]["annotations"]
    assert annotations["kubectl.kubernetes.io/default-container"] == "worker"
    assert len(annotations["checksum/files"]) == 64
