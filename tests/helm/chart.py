"""The chart as helm renders it."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any

import yaml

from tests.services.helm import helm
from tests.services.process import ROOT

CHART = ROOT / "helm" / "travelrule"
KUBERNETES = "1.32.3"

Values = dict[str, Any]
Rendered = dict[str, Any]

MINIMAL: Values = {
    "image": {"repository": "registry.example/travelrule"},
    "settings": {
        "VASP_ENTITY_ID": "north",
        "HUB_URL": "https://hub.example",
        "BROKER_URL": "kafka://kafka-1:9092,kafka-2:9092",
        "GATEWAY_SOURCES": ["10.20.0.0/16"],
    },
    "profile": 'legal_name = "North Exchange Ltd."\n',
    "secrets": {"existingSecret": "north"},
}
"""The least that an installation needs."""


class ChartRefusedError(Exception):
    """Helm refused the values; the text is its message."""


class _UniqueNames(yaml.SafeLoader):
    """Refuses a table that has a name twice, of which a reader would take either value."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        names = [self.construct_object(name) for name, _ in node.value]
        twice = {name for name in names if names.count(name) > 1}
        assert not twice, f"{sorted(twice)} twice in line {node.start_mark.line}"
        return super().construct_mapping(node, deep)


def merged(base: Values, more: Values) -> Values:
    """``base`` with ``more`` over it, table by table, as helm merges values."""
    result = dict(base)
    for name, value in more.items():
        below = result.get(name)
        result[name] = merged(below, value) if isinstance(below, dict) and isinstance(value, dict) else value
    return result


def render(
    more: Values | None = None,
    *,
    base: Values = MINIMAL,
    release: str = "north",
    namespace: str = "compliance",
    kubernetes: str = KUBERNETES,
) -> list[Rendered]:
    """The objects of a release, hooks included.

    Raises:
        ChartRefusedError: the values are refused.
    """
    command = [helm(), "template", release, str(CHART), "--namespace", namespace, "--kube-version", kubernetes]
    given = yaml.safe_dump(merged(base, more or {}))
    done = subprocess.run([*command, "-f", "-"], input=given, capture_output=True, text=True, check=False)
    if done.returncode:
        raise ChartRefusedError(done.stderr)
    return [document for document in yaml.load_all(done.stdout, Loader=_UniqueNames) if document]


def lint(values: Path) -> subprocess.CompletedProcess[str]:
    """``helm lint --strict`` with a file of values."""
    command = [helm(), "lint", "--strict", str(CHART), "--kube-version", KUBERNETES, "-f", str(values)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def pick(objects: list[Rendered], kind: str, name: str) -> Rendered:
    """The one object of this kind and name."""
    (found,) = [one for one in objects if one["kind"] == kind and one["metadata"]["name"] == name]
    return found


def pod_of(one: Rendered) -> Rendered | None:
    """The specification of the pods that an object makes, if it makes any."""
    spec = one.get("spec", {})
    match one["kind"]:
        case "Pod":
            return dict(spec)
        case "Deployment" | "StatefulSet" | "Job":
            return dict(spec["template"]["spec"])
        case "CronJob":
            return dict(spec["jobTemplate"]["spec"]["template"]["spec"])
        case _:
            return None
