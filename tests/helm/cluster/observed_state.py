"""What the server and its controllers made of the releases in a namespace."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from tests.helm.cluster.api import Api, Resource

PATIENCE_SECONDS = 60.0
INSTANCE, COMPONENT = "app.kubernetes.io/instance", "app.kubernetes.io/component"
# What the server itself keeps in a namespace, what the scenario made there, and what only reports.
_NOT_OURS = {"events", "leases", "serviceaccounts/default", "configmaps/kube-root-ca.crt"}


class StepError(AssertionError):
    """A step of the scenario did not have the result that it should have."""


def require(condition: object, sentence: str) -> None:
    """Raise ``StepError`` with the sentence unless the condition holds."""
    if not condition:
        raise StepError(sentence)


def until(condition: Callable[[], object], what: str, seconds: float = PATIENCE_SECONDS) -> None:
    """Ask until the answer is true: controllers work in processes of their own."""
    deadline = time.monotonic() + seconds
    while not condition():
        require(time.monotonic() < deadline, f"not within {seconds:.0f} s: {what}")
        time.sleep(0.2)  # between two real questions to the server


def until_none(remaining: Callable[[], list[str]], seconds: float = PATIENCE_SECONDS) -> None:
    """Ask until nothing remains; the message names what does."""
    deadline = time.monotonic() + seconds
    while left := remaining():
        require(time.monotonic() < deadline, f"left after {seconds:.0f} s: {', '.join(left)}")
        time.sleep(0.2)  # between two real questions to the server


@dataclass(frozen=True, slots=True)
class ObservedState:
    """One namespace."""

    api: Api
    namespace: str

    def pods(self, release: str, component: str) -> list[Resource]:
        """The pods of a component that are not about to end."""
        found = self.api.list("v1", "pods", self.namespace, f"{INSTANCE}={release},{COMPONENT}={component}")
        return [pod for pod in found if "deletionTimestamp" not in pod["metadata"]]

    def identities(self, release: str, *components: str) -> set[str]:
        """The ids of the pods of components: a pod that was replaced has another one."""
        return {pod["metadata"]["uid"] for name in components for pod in self.pods(release, name)}

    def zones(self, release: str, component: str) -> set[str]:
        """The nodes that the pods of a component are on; each is a zone of its own."""
        return {pod["spec"]["nodeName"] for pod in self.pods(release, component)}

    def messages(self, reason: str) -> list[str]:
        """The texts of the events with this reason."""
        return [one["message"] for one in self.api.list("v1", "events", self.namespace) if one["reason"] == reason]

    def warnings(self, newest: int = 8) -> list[str]:
        """The newest warnings of the controllers, with what they are about."""
        found = [one for one in self.api.list("v1", "events", self.namespace) if one["type"] == "Warning"]
        found.sort(key=lambda one: one["lastTimestamp"] or one["eventTime"] or "")
        return [f"{one['involvedObject']['name']}: {one['reason']}: {one['message']}" for one in found[-newest:]]

    def completed_jobs(self) -> set[str]:
        """The names of the jobs that completed, also of those that are gone since."""
        events = self.api.list("v1", "events", self.namespace)
        return {one["involvedObject"]["name"] for one in events if one["reason"] == "Completed"}

    def budgets(self) -> dict[str, tuple[int, int]]:
        """(pods that are counted, pods that are healthy) of each PodDisruptionBudget."""
        found = self.api.list("policy/v1", "poddisruptionbudgets", self.namespace)
        return {
            one["metadata"]["name"]: (one["status"]["expectedPods"], one["status"]["currentHealthy"]) for one in found
        }

    def endpoints(self, service: str) -> set[tuple[str, int]]:
        """(pod, port) of each ready endpoint of a service."""
        selector = f"kubernetes.io/service-name={service}"
        return {
            (endpoint["targetRef"]["name"], port["port"])
            for piece in self.api.list("discovery.k8s.io/v1", "endpointslices", self.namespace, selector)
            for endpoint in piece["endpoints"] or []
            if endpoint["conditions"]["ready"]
            for port in piece["ports"] or []
        }

    def selected(self, version: str, plural: str, labels: dict[str, str]) -> list[Resource]:
        """The objects that a selector with these labels matches."""
        return self.api.list(
            version, plural, self.namespace, ",".join(f"{key}={value}" for key, value in labels.items())
        )

    def left_over(self, kept: Iterable[str]) -> list[str]:
        """``plural/name`` of every object of the namespace but those named in ``kept``."""
        known = _NOT_OURS | set(kept)
        return sorted(
            f"{plural}/{one['metadata']['name']}"
            for version, plural in self.api.namespaced_kinds()
            if plural not in known
            for one in self.api.list(version, plural, self.namespace)
            if f"{plural}/{one['metadata']['name']}" not in known
        )
