"""The steps up to two installed releases, and what must hold between their objects."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import yaml

from tests.helm.cluster.observed_state import COMPONENT, require, until
from tests.helm.cluster.release_values import secret
from tests.helm.cluster.stage import NAMESPACE, Stage

RESTRICTED = {f"pod-security.kubernetes.io/{mode}": "restricted" for mode in ("enforce", "warn", "audit")}


def definitions_of_the_operators(stage: Stage) -> str:
    """The resources of the Prometheus operator and of KEDA are known to the server."""
    names = [_define(stage, path) for path in stage.definitions]
    until(lambda: all(_established(stage, name) for name in names), "the definitions are established")
    return f"{len(names)} definitions"


def _define(stage: Stage, path: Path) -> str:
    definition = yaml.safe_load(path.read_text(encoding="utf-8"))
    stage.api.create(definition)
    return str(definition["metadata"]["name"])


def _established(stage: Stage, name: str) -> bool:
    found = stage.api.get("apiextensions.k8s.io/v1", "customresourcedefinitions", "", name)
    conditions = found.get("status", {}).get("conditions") or []  # null until the server has looked
    return any(one["type"] == "Established" and one["status"] == "True" for one in conditions)


def namespace_with_restricted_pods(stage: Stage) -> str:
    """The namespace refuses every pod that is not hardened; the Secrets exist before the chart."""
    stage.api.create({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": NAMESPACE, "labels": RESTRICTED}})
    for name in ("north", "south"):
        stage.api.create(secret(name, NAMESPACE))
    accounts = lambda: stage.api.list("v1", "serviceaccounts", NAMESPACE)  # noqa: E731 - one condition
    until(accounts, "the namespace has its service account")
    return "pod-security.kubernetes.io/enforce=restricted"


def install(stage: Stage) -> str:
    """The chart with everything on: hooks complete before the first pod, all pods become ready."""
    stage.north.install(stage.values)
    require(stage.north.history() == [(1, "deployed")], f"history: {stage.north.history()}")
    jobs = stage.state.completed_jobs()
    for component in ("migrate", "topics"):
        require(any(component in name for name in jobs), f"the job {component} did not complete: {sorted(jobs)}")
    first = min(one["metadata"]["creationTimestamp"] for one in stage.state.pods("north", "worker"))
    done = [one for one in stage.api.list("v1", "events", NAMESPACE) if one["reason"] == "Completed"]
    late = [one["involvedObject"]["name"] for one in done if one["lastTimestamp"] > first]
    require(not late, f"completed after the first worker was made: {late}")
    return f"jobs {', '.join(sorted(jobs))}; {_count(stage, 'north')}"


def second_release(stage: Stage) -> str:
    """Another VASP in the same namespace: static membership, autoscaling by lag and by CPU."""
    before = stage.state.identities("north", "worker", "gateway")
    stage.south.install(stage.south_values)
    require(stage.state.identities("north", "worker", "gateway") == before, "pods of the first release were replaced")
    names = sorted(one["metadata"]["name"] for one in stage.state.pods("south", "worker"))
    require(all(name[-1].isdigit() for name in names), f"names of the StatefulSet's pods: {names}")
    return _count(stage, "south")


def _count(stage: Stage, release: str) -> str:
    found = {name: len(stage.state.pods(release, name)) for name in ("worker", "gateway", "sandbox")}
    return ", ".join(f"{count} {name}" for name, count in found.items() if count)


def nothing_was_refused(stage: Stage) -> str:
    """No controller was refused a pod."""
    refused = stage.state.messages("FailedCreate")
    require(not refused, f"refused: {refused}")
    return "no event FailedCreate"


def pods_are_spread(stage: Stage) -> str:
    """Three workers and three gateways are in three zones."""
    for component in ("worker", "gateway"):
        zones = stage.state.zones("north", component)
        require(len(zones) == 3, f"{component}: only {sorted(zones)}")
    return "three zones each"


def services_reach_their_own_pods(stage: Stage) -> str:
    """Each service leads to all pods of its component, of its own release, by an open port."""
    for release in ("north", "south"):
        until(partial(_leads_to_its_pods, stage, release), f"the service of {release}'s gateway leads to its pods")
    metrics = {name for name, port in stage.state.endpoints("north-travelrule-metrics") if port == 9100}
    wanted = {one["metadata"]["name"] for name in ("worker", "gateway") for one in stage.state.pods("north", name)}
    require(wanted <= metrics, f"without metrics: {sorted(wanted - metrics)}")
    require(all(name.startswith("north-") for name in metrics), f"metrics of another release: {sorted(metrics)}")
    return f"{len(metrics)} pods with metrics"


def _leads_to_its_pods(stage: Stage, release: str) -> bool:
    pods = {(one["metadata"]["name"], 8080) for one in stage.state.pods(release, "gateway")}
    return stage.state.endpoints(f"{release}-travelrule-gateway") == pods


def budgets_count_their_own_pods(stage: Stage) -> str:
    """The disruption controller finds the pods of each budget, and no others."""
    until(lambda: stage.state.budgets() == _running(stage), "each budget counts the pods of its component")
    return ", ".join(f"{name} {count}" for name, (count, _) in sorted(_running(stage).items()))


def _running(stage: Stage) -> dict[str, tuple[int, int]]:
    """Twice the number of pods by name of their workload; an autoscaler may change it at any time."""
    counts = {
        f"{release}-travelrule-{component}": len(stage.state.pods(release, component))
        for release in ("north", "south")
        for component in ("worker", "gateway")
    }
    return {name: (count, count) for name, count in counts.items()}


def monitors_select_what_has_the_port(stage: Stage) -> str:
    """What the Prometheus operator would find: objects of this release with a port of the endpoint's name."""
    (service,) = stage.api.list("monitoring.coreos.com/v1", "servicemonitors", NAMESPACE)
    found = stage.state.selected("v1", "services", service["spec"]["selector"]["matchLabels"])
    ports = {port["name"] for one in found for port in one["spec"]["ports"]}
    require(len(found) == 1, f"the ServiceMonitor selects {len(found)} services")
    require({one["port"] for one in service["spec"]["endpoints"]} <= ports, f"ports of the service: {ports}")
    (pod,) = stage.api.list("monitoring.coreos.com/v1", "podmonitors", NAMESPACE)
    selected = stage.state.selected("v1", "pods", pod["spec"]["selector"]["matchLabels"])
    wanted = {one["port"] for one in pod["spec"]["podMetricsEndpoints"]}
    having = [one for one in selected if wanted <= _ports(one)]
    expected = len(stage.state.pods("south", "worker")) + len(stage.state.pods("south", "gateway"))
    require(len(having) == expected, f"the PodMonitor finds {len(having)} of {expected} pods")
    return f"1 service, {len(having)} pods"


def _ports(pod: dict[str, object]) -> set[str]:
    return {port["name"] for one in pod["spec"]["containers"] for port in one.get("ports", [])}  # type: ignore[index]


def policies_select_pods(stage: Stage) -> str:
    """Each NetworkPolicy of a component that runs selects its pods."""
    counts = {}
    for policy in stage.api.list("networking.k8s.io/v1", "networkpolicies", NAMESPACE):
        labels = policy["spec"]["podSelector"]["matchLabels"]
        if labels[COMPONENT] in ("worker", "gateway", "sandbox"):
            counts[policy["metadata"]["name"]] = len(stage.state.selected("v1", "pods", labels))
    require(len(counts) == 5, f"policies: {sorted(counts)}")
    require(all(counts.values()), f"policies without pods: {counts}")
    return f"{len(counts)} policies"


def autoscalers_find_their_target(stage: Stage) -> str:
    """The autoscaler reads the scale of the gateway; the ScaledObject names a workload that exists."""

    def able() -> bool:
        (scaler,) = stage.api.list("autoscaling/v2", "horizontalpodautoscalers", NAMESPACE)
        conditions = scaler.get("status", {}).get("conditions") or []
        return any(one["type"] == "AbleToScale" and one["status"] == "True" for one in conditions)

    until(able, "the HorizontalPodAutoscaler reads the scale of its target")
    (scaled,) = stage.api.list("keda.sh/v1alpha1", "scaledobjects", NAMESPACE)
    target = scaled["spec"]["scaleTargetRef"]
    stage.api.get(target["apiVersion"], f"{target['kind'].lower()}s", NAMESPACE, target["name"])
    return f"{target['kind']} {target['name']}, {len(scaled['spec']['triggers'])} triggers"


def list_job_runs(stage: Stage) -> str:
    """A job made of the CronJob's template is admitted and completes."""
    (cron,) = stage.api.list("batch/v1", "cronjobs", NAMESPACE)
    name = f"{cron['metadata']['name']}-now"
    job = {"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": name, "namespace": NAMESPACE}}
    stage.api.create({**job, "spec": cron["spec"]["jobTemplate"]["spec"]})
    until(lambda: name in stage.state.completed_jobs(), f"the job {name} completes")
    return name
