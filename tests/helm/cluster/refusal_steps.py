"""The steps that must be refused, with a sentence that an operator can act on."""

from __future__ import annotations

from typing import Any

from tests.helm.cluster.api import ApiError, Resource
from tests.helm.cluster.observed_state import require, until
from tests.helm.cluster.release import HelmError
from tests.helm.cluster.release_values import changed, minimal, north, own_hub, south
from tests.helm.cluster.stage import Stage

# Path, value, and what the sentence must contain.
WRONG_VALUES: tuple[tuple[str, Any, str], ...] = (
    ("worker.replica", 3, "replica"),
    ("worker.replicas", -1, "replicas"),
    ("image.repository", "", "image.repository"),
    ("secrets.existingSecret", "", "secrets.existingSecret"),
    ("settings.HUB_ULR", "https://hub.example", "HUB_ULR"),
    ("settings.GATEWAY_SOURCES", None, "GATEWAY_SOURCES"),
    ("worker.autoscaling.lag.threshold", None, "threshold"),
    ("worker.podDisruptionBudget.minAvailable", 1, "podDisruptionBudget"),
    ("worker.terminationGracePeriodSeconds", 10, "terminationGracePeriodSeconds"),
)

EVERY_KIND = {
    "ConfigMap", "CronJob", "Deployment", "HorizontalPodAutoscaler", "Ingress", "Job", "NetworkPolicy", "Pod",
    "PodDisruptionBudget", "PodMonitor", "PrometheusRule", "ScaledObject", "Service", "ServiceAccount",
    "ServiceMonitor", "StatefulSet",
}  # fmt: skip


def wrong_values(stage: Stage) -> str:
    """Each wrong value is refused by a sentence that names it; nothing is installed."""
    release = stage.release("wrong")
    for path, value, named in WRONG_VALUES:
        try:
            release.install(changed(south(), path, value), "--dry-run=server")
        except HelmError as error:
            require(named in str(error), f"{path}: the message does not name {named}: {error}")
        else:
            require(condition=False, sentence=f"{path}={value!r} was accepted")
    require(not stage.state.selected("apps/v1", "deployments", {"app.kubernetes.io/instance": "wrong"}), "installed")
    return f"{len(WRONG_VALUES)} values"


def every_object_is_strict(stage: Stage) -> str:
    """The server takes every object of several sets of values, hooks and tests included, without an unknown field."""
    release = stage.release("strict")
    kinds: set[str] = set()
    count = 0
    for values in (north(), south(), minimal(), own_hub()):
        for resource in release.objects(values):
            stage.api.create(_with_account(resource), dry=True)
            kinds.add(resource["kind"])
            count += 1
    missing = EVERY_KIND - kinds
    require(not missing, f"of these kinds there was no object: {sorted(missing)}")
    return f"{count} objects of {len(kinds)} kinds"


def _with_account(resource: Resource) -> Resource:
    """A pod with the account that exists: of the chart's own one nothing is left after a dry run."""
    if resource["kind"] != "Pod":
        return resource
    return {**resource, "spec": {**resource["spec"], "serviceAccountName": "default"}}


def planted_faults_in_objects(stage: Stage) -> str:
    """What the check above asks finds an unknown field and a wrong value."""
    objects = stage.release("strict").objects(north())
    budget = next(one for one in objects if one["kind"] == "PodDisruptionBudget")
    for fault in ({"maxUnavailible": 1}, {"minAvailable": 1}):
        planted = {**budget, "spec": {**budget["spec"], **fault}}
        try:
            stage.api.create(planted, dry=True)
        except ApiError:
            continue
        require(condition=False, sentence=f"the server took a PodDisruptionBudget with {fault}")
    return "unknown field, both limits"


def pods_that_are_not_hardened(stage: Stage) -> str:
    """With a weaker security context the namespace refuses the pods: the first hook gets none, the install fails."""
    release = stage.release("weak")
    weak = changed(south(), "podSecurityContext.runAsNonRoot", value=False)
    weak = changed(weak, "securityContext.allowPrivilegeEscalation", value=True)
    try:
        release.install(weak, "--wait", "--timeout=10s")
    except HelmError:
        until(lambda: _violations(stage), "the server reports the violation")
    else:
        require(condition=False, sentence="pods that are not hardened were admitted")
    release.uninstall()
    return _violations(stage)[0].partition("violates ")[2][:120]


def _violations(stage: Stage) -> list[str]:
    return [text for text in stage.state.messages("FailedCreate") if 'violates PodSecurity "restricted' in text]
