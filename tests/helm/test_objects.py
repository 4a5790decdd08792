"""What holds for every object of every installation."""

from __future__ import annotations

import json
import re
from typing import Any

import kubernetes_validate
import pytest

from tests.helm.chart import Rendered, pod_of
from tests.helm.custom_schemas import CUSTOM, custom_faults
from tests.helm.pod_files import WRITABLE

VERSIONS = ("1.30.0", "1.32.0", "1.34.0", "1.37.0")
"""From the oldest version that the chart accepts to the newest with a published schema."""
_validated: set[tuple[str, str]] = set()


@pytest.mark.parametrize("version", VERSIONS)
def test_the_strict_schemas_accept_every_object(installation: list[Rendered], version: str) -> None:
    own = [one for one in installation if one["kind"] not in CUSTOM]
    assert own
    for one in own:
        if (key := (version, json.dumps(one, sort_keys=True))) not in _validated:
            assert kubernetes_validate.validate(one, version, strict=True) == version.rpartition(".")[0]
            _validated.add(key)


def test_the_strict_schemas_refuse_an_unknown_field(installation: list[Rendered]) -> None:
    wrong = installation[0] | {"metdata": {}}
    with pytest.raises(kubernetes_validate.ValidationError):
        kubernetes_validate.validate(wrong, VERSIONS[0], strict=True)


def test_objects_of_other_operators_have_known_fields_only(installation: list[Rendered]) -> None:
    custom = [one for one in installation if one["apiVersion"].split("/")[0] in {"monitoring.coreos.com", "keda.sh"}]
    assert {one["kind"] for one in custom} <= CUSTOM.keys()
    for one in custom:
        assert custom_faults(one) == []
        assert custom_faults(one | {"spec": one["spec"] | {"unknown": 1}})


def test_names_are_unique_and_labels_are_valid(installation: list[Rendered]) -> None:
    names = [(one["kind"], one["metadata"]["name"]) for one in installation]
    assert len(names) == len(set(names))
    for one in installation:
        assert re.fullmatch(r"[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?", one["metadata"]["name"])
        for value in one["metadata"].get("labels", {}).values():
            assert re.fullmatch(r"([A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?)?", value)


def _selects(selector: dict[str, str], labels: dict[str, str]) -> bool:
    return selector.items() <= labels.items()


def _templates(objects: list[Rendered]) -> list[Rendered]:
    return [one["spec"]["template"] for one in objects if one["kind"] in {"Deployment", "StatefulSet"}]


def test_each_selector_selects_its_pods_alone(installation: list[Rendered]) -> None:
    labels = [template["metadata"]["labels"] for template in _templates(installation)]
    for one in installation:
        spec = one.get("spec", {})
        if one["kind"] in {"Deployment", "StatefulSet", "PodDisruptionBudget"}:
            selected = [found for found in labels if _selects(spec["selector"]["matchLabels"], found)]
            assert len(selected) == 1, one["metadata"]["name"]
            assert (
                selected[0]["app.kubernetes.io/component"] == one["metadata"]["labels"]["app.kubernetes.io/component"]
            )
        elif one["kind"] in {"Service", "PodMonitor"}:
            selector = spec["selector"].get("matchLabels", spec["selector"])
            assert any(_selects(selector, found) for found in labels), one["metadata"]["name"]
        elif one["kind"] == "ServiceMonitor":
            services = [found["metadata"]["labels"] for found in installation if found["kind"] == "Service"]
            assert len([found for found in services if _selects(spec["selector"]["matchLabels"], found)]) == 1


def test_a_service_leads_to_ports_that_exist(installation: list[Rendered]) -> None:
    for service in (one for one in installation if one["kind"] == "Service"):
        for template in _templates(installation):
            if _selects(service["spec"]["selector"], template["metadata"]["labels"]):
                ports = {port["name"] for port in template["spec"]["containers"][0]["ports"]}
                wanted = {port["targetPort"] for port in service["spec"]["ports"]}
                assert wanted <= ports


def test_what_is_scaled_exists_and_counts_no_replicas(installation: list[Rendered]) -> None:
    for one in installation:
        if one["kind"] in {"HorizontalPodAutoscaler", "ScaledObject"}:
            target = one["spec"]["scaleTargetRef"]
            (found,) = [
                other
                for other in installation
                if (other["kind"], other["metadata"]["name"]) == (target["kind"], target["name"])
            ]
            assert "replicas" not in found["spec"]


def _pods(objects: list[Rendered]) -> list[dict[str, Any]]:
    return [pod for one in objects if (pod := pod_of(one)) is not None]


def test_every_container_is_confined(installation: list[Rendered]) -> None:
    assert _pods(installation)
    for pod in _pods(installation):
        assert pod["securityContext"]["runAsNonRoot"] is True
        assert pod["securityContext"]["seccompProfile"] == {"type": "RuntimeDefault"}
        assert pod["automountServiceAccountToken"] is False
        assert pod["enableServiceLinks"] is False
        own = pod["containers"][0]
        assert own["securityContext"] == {
            "allowPrivilegeEscalation": False,
            "readOnlyRootFilesystem": True,
            "capabilities": {"drop": ["ALL"]},
        }
        assert own["resources"]["requests"].keys() == {"cpu", "memory"}
        assert "memory" in own["resources"]["limits"]
        writable = {mount["mountPath"] for mount in own["volumeMounts"] if not mount.get("readOnly")}
        assert writable == set(WRITABLE)


def test_mounts_and_volumes_belong_together(installation: list[Rendered]) -> None:
    for pod in _pods(installation):
        volumes = [volume["name"] for volume in pod["volumes"]]
        assert len(volumes) == len(set(volumes))
        own = pod["containers"][0]
        mounted = {mount["name"] for mount in own["volumeMounts"]}
        assert mounted == set(volumes)
        paths = [mount["mountPath"] for mount in own["volumeMounts"]]
        assert len(paths) == len(set(paths))
        for name in (variable["name"] for variable in own["env"]):
            assert [variable["name"] for variable in own["env"]].count(name) == 1


def test_no_secret_is_in_an_object(installation: list[Rendered]) -> None:
    assert not [one for one in installation if one["kind"] == "Secret"]
    for pod in _pods(installation):
        for variable in pod["containers"][0]["env"]:
            name = variable["name"]
            if any(part in name for part in ("PASSWORD", "_KEY", "DATABASE_URL", "SEED")):
                assert name.endswith("_FILE"), name
                assert variable["value"].startswith("/run/secrets/travelrule/")
