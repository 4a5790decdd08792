"""What each role and Job looks like, where a mistake would cost events, privacy or a rollout."""

from __future__ import annotations

from typing import Any

from tests.helm.chart import MINIMAL, Rendered, merged, pick, pod_of, render
from tests.helm.matrix import EXTENDED, HUB_ONLY, LISTS, OPENSHIFT, SCALED


def _pod(objects: list[Rendered], kind: str, name: str) -> dict[str, Any]:
    pod = pod_of(pick(objects, kind, name))
    assert pod is not None
    return pod


def test_a_rollout_costs_the_workers_one_rebalance_per_pod() -> None:
    objects = render()
    worker = pick(objects, "Deployment", "north-travelrule-worker")["spec"]
    assert worker["strategy"]["rollingUpdate"] == {"maxSurge": 0, "maxUnavailable": 1}
    gateway = pick(objects, "Deployment", "north-travelrule-gateway")["spec"]
    assert gateway["strategy"]["rollingUpdate"] == {"maxSurge": 1, "maxUnavailable": 0}


def test_static_membership_is_for_stateful_sets_only() -> None:
    name = "TRAVELRULE_CONSUMER_INSTANCE_ID"
    plain = _pod(render(), "Deployment", "north-travelrule-worker")["containers"][0]
    assert name not in {variable["name"] for variable in plain["env"]}
    objects = render({"worker": {"kind": "StatefulSet"}})
    static = pick(objects, "StatefulSet", "north-travelrule-worker")["spec"]
    assert static["podManagementPolicy"] == "Parallel"
    (variable,) = [one for one in static["template"]["spec"]["containers"][0]["env"] if one["name"] == name]
    assert variable["valueFrom"] == {"fieldRef": {"fieldPath": "metadata.name"}}
    service = pick(objects, "Service", static["serviceName"])["spec"]
    assert service["clusterIP"] == "None"


def test_keda_scales_the_object_that_exists_and_never_to_zero() -> None:
    scaled = pick(render(SCALED), "ScaledObject", "north-travelrule-worker")["spec"]
    assert scaled["scaleTargetRef"]["kind"] == "StatefulSet"
    assert scaled["minReplicaCount"] >= 1
    trigger = scaled["triggers"][0]["metadata"]
    assert trigger["bootstrapServers"] == "kafka-1:9092,kafka-2:9092"
    assert trigger["consumerGroup"] == "north.travelrule"
    assert trigger["lagThreshold"] == "200"


def test_probes_ask_the_metrics_port_and_can_be_changed_field_by_field() -> None:
    worker = _pod(render(EXTENDED), "Deployment", "exchange-north-worker")["containers"][0]
    assert worker["livenessProbe"]["httpGet"] == {"path": "/livez", "port": "metrics"}
    assert worker["livenessProbe"]["periodSeconds"] == 20
    assert worker["livenessProbe"]["failureThreshold"] == 3
    assert worker["readinessProbe"]["httpGet"] == {"path": "/readyz", "port": "metrics"}


def test_pods_spread_over_nodes_and_zones_by_their_own_labels() -> None:
    names = ("name", "instance", "component")
    own = {f"app.kubernetes.io/{name}": text for name, text in zip(names, ("tr", "north", "gateway"), strict=True)}
    (given,) = _pod(render(EXTENDED), "Deployment", "exchange-north-gateway")["topologySpreadConstraints"]
    assert given == EXTENDED["gateway"]["topologySpreadConstraints"][0] | {"labelSelector": {"matchLabels": own}}
    built_in = _pod(render(), "Deployment", "north-travelrule-gateway")["topologySpreadConstraints"]
    assert [one["topologyKey"] for one in built_in] == ["kubernetes.io/hostname", "topology.kubernetes.io/zone"]
    assert all(one["labelSelector"]["matchLabels"]["app.kubernetes.io/component"] == "gateway" for one in built_in)
    assert "topologySpreadConstraints" not in _pod(render(EXTENDED), "Deployment", "exchange-north-worker")


def test_a_hub_is_replaced_and_never_doubled() -> None:
    objects = render(HUB_ONLY, base={})
    hub = pick(objects, "Deployment", "north-travelrule-hub")["spec"]
    assert (hub["replicas"], hub["strategy"]) == (1, {"type": "Recreate"})
    assert {one["kind"] for one in objects} == {"Deployment", "Service", "ServiceAccount"}
    (volume,) = [one for one in hub["template"]["spec"]["volumes"] if one["name"] == "files"]
    assert volume["secret"]["secretName"] == "network"


def test_hooks_run_before_the_release_and_need_none_of_its_objects() -> None:
    objects = render({"migrate": {"podLabels": {"a": "b"}}})
    own = {one["metadata"]["name"] for one in objects if "helm.sh/hook" not in one["metadata"].get("annotations", {})}
    order = []
    for job in (one for one in objects if one["kind"] == "Job"):
        notes = job["metadata"]["annotations"]
        assert notes["helm.sh/hook"] == "pre-install,pre-upgrade"
        assert "before-hook-creation" in notes["helm.sh/hook-delete-policy"]
        order.append((int(notes["helm.sh/hook-weight"]), job["metadata"]["labels"]["app.kubernetes.io/component"]))
        pod = job["spec"]["template"]["spec"]
        assert pod["restartPolicy"] == "Never"
        assert pod.get("serviceAccountName", "default") not in own
        named = {volume.get("configMap", {}).get("name") for volume in pod["volumes"]}
        assert not named & own
    assert [name for _, name in sorted(order)] == ["migrate", "topics"]


def test_each_list_is_a_cron_job() -> None:
    objects = render(LISTS)
    ofac = pick(objects, "CronJob", "north-travelrule-lists-ofac-sdn")["spec"]
    assert (ofac["schedule"], ofac["timeZone"], ofac["concurrencyPolicy"]) == ("17 4 * * *", "Etc/UTC", "Forbid")
    pod = ofac["jobTemplate"]["spec"]["template"]["spec"]
    assert pod["containers"][0]["args"] == ["lists", "import", "ofac-csv", "/lists/ofac-csv", "--code", "ofac-sdn"]
    (volume,) = [one for one in pod["volumes"] if one["name"] == "lists"]
    assert volume["persistentVolumeClaim"]["claimName"] == "sanctions-lists"
    united = pick(objects, "CronJob", "north-travelrule-lists-un")["spec"]
    pod = united["jobTemplate"]["spec"]["template"]["spec"]
    assert united["schedule"] == "7 5 * * 1-5"
    assert pod["containers"][0]["args"][-1] == "--allow-shrink"
    (volume,) = [one for one in pod["volumes"] if one["name"] == "lists"]
    assert volume["emptyDir"] == {"sizeLimit": "1Gi"}
    fetch = pod["initContainers"][0]
    assert fetch["securityContext"]["allowPrivilegeEscalation"] is False


def test_files_come_from_the_release_or_from_a_config_map_that_exists() -> None:
    own = _pod(render({"policy": "x"}), "Deployment", "north-travelrule-worker")
    (volume,) = [one for one in own["volumes"] if one["name"] == "files"]
    assert volume["configMap"]["name"] == "north-travelrule-files"
    objects = render(OPENSHIFT)
    assert not [one for one in objects if one["kind"] in {"ConfigMap", "ServiceAccount"}]
    other = _pod(objects, "Deployment", "north-travelrule-worker")
    (volume,) = [one for one in other["volumes"] if one["name"] == "files"]
    assert volume["configMap"] == {
        "name": "north-files",
        "items": [{"key": "own.toml", "path": "profile.toml"}, {"key": "rules.toml", "path": "policy.toml"}],
    }
    assert "runAsUser" not in other["securityContext"]


def _checksums(component: str, **more: Any) -> dict[str, str]:
    one = pick(render(more), "Deployment", f"north-travelrule-{component}")
    notes = one["spec"]["template"]["metadata"]["annotations"]
    return {name: text for name, text in notes.items() if name.startswith("checksum/")}


def test_pods_restart_when_what_they_read_changed() -> None:
    before = _checksums("worker")
    assert before == _checksums("worker", gateway={"replicas": 3})
    files = _checksums("worker", policy="[assets.XRP]\n")
    assert files["checksum/files"] != before["checksum/files"]
    assert files["checksum/secrets"] == before["checksum/secrets"]
    for more in ({"revision": "2"}, {"existingSecret": "north-2"}, {"keys": {"INDEX_KEY": {"name": "other"}}}):
        assert _checksums("worker", secrets=more)["checksum/secrets"] != before["checksum/secrets"]
    kafka = {"tls": {"broker": {"existingSecret": "kafka"}}}
    assert _checksums("worker", **kafka)["checksum/secrets"] != before["checksum/secrets"]
    assert _checksums("gateway", **kafka) == _checksums("gateway")


def _names(objects: list[Rendered]) -> set[tuple[str, str]]:
    return {(one["kind"], one["metadata"]["name"]) for one in objects}


def test_several_vasps_are_several_releases() -> None:
    """In one namespace no object has the same name, and no selector selects the other's pods."""
    more = {"worker": {"kind": "StatefulSet"}, "monitoring": {"monitor": {"kind": "ServiceMonitor"}}}
    north, south = render(more, release="north"), render(more, release="south")
    assert not _names(north) & _names(south)
    labels = [
        one["spec"]["template"]["metadata"]["labels"]
        for one in south
        if one["kind"] in {"Deployment", "StatefulSet", "Job"}
    ]
    for one in north:
        selector = one.get("spec", {}).get("selector", {})
        selector = selector.get("matchLabels", selector)
        if one["kind"] != "ServiceMonitor" and selector:
            assert not [found for found in labels if selector.items() <= found.items()], one["metadata"]["name"]


def test_a_release_may_be_called_like_a_boolean() -> None:
    worker = pick(render(release="on"), "Deployment", "on-travelrule-worker")
    assert worker["spec"]["selector"]["matchLabels"]["app.kubernetes.io/instance"] == "on"


def test_values_of_one_role_leave_the_other_alone() -> None:
    objects = render(merged(MINIMAL, {"worker": {"podLabels": {"only": "worker"}}}))
    gateway = pick(objects, "Deployment", "north-travelrule-gateway")["spec"]["template"]["metadata"]["labels"]
    assert "only" not in gateway
