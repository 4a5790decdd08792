"""The steps that change the first release, and its end."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager

from tests.helm.cluster.observed_state import COMPONENT, INSTANCE, require, until, until_none
from tests.helm.cluster.release import HelmError
from tests.helm.cluster.release_values import STRICTER_POLICY, changed, secret
from tests.helm.cluster.stage import NAMESPACE, Stage

ROLES = ("worker", "gateway")
BESIDE = ("north-travelrule-lists-blocked-now", "weak-travelrule-migrate")


def upgrade_without_change(stage: Stage) -> str:
    """The same values again replace no pod."""
    before = stage.state.identities("north", *ROLES)
    stage.upgrade(stage.values)
    require(stage.state.identities("north", *ROLES) == before, "pods were replaced although nothing changed")
    return f"{len(before)} pods stayed"


def upgrade_of_the_policy(stage: Stage) -> str:
    """Another policy replaces every pod that reads it; never are more workers asked for than replicas."""
    before = stage.state.identities("north", *ROLES)
    with _most_workers(stage) as seen:
        stage.upgrade(changed(stage.values, "policy", STRICTER_POLICY))
    _all_replaced(stage, before)
    require(max(seen) <= 3, f"{max(seen)} workers were asked for: each one above the replicas costs rebalances")
    text = stage.api.get("v1", "configmaps", NAMESPACE, "north-travelrule-files")["data"]["policy.toml"]
    require(text.strip() == STRICTER_POLICY.strip(), f"the policy in the cluster: {text}")
    return f"{len(before)} pods replaced, at most {max(seen)} workers asked for in {len(seen)} looks"


def upgrade_after_a_secret_changed(stage: Stage) -> str:
    """The Secret has another content and the values are the same: the next upgrade replaces the pods."""
    before = stage.state.identities("north", *ROLES)
    stage.api.replace(secret("north", NAMESPACE, "bmV3"))
    stage.upgrade(stage.values)
    _all_replaced(stage, before)
    return f"{len(before)} pods replaced"


def upgrade_of_the_image(stage: Stage) -> str:
    """Another version of the program runs everywhere, and the database was migrated for it."""
    jobs = len(_completed(stage, "migrate"))
    stage.upgrade(changed(stage.values, "image.tag", "1.1.0"))
    images = {one["spec"]["containers"][0]["image"] for name in ROLES for one in stage.state.pods("north", name)}
    require(images == {"registry.example/travelrule:1.1.0"}, f"images: {images}")
    require(len(_completed(stage, "migrate")) > jobs, "no migration ran before the new version")
    return "registry.example/travelrule:1.1.0"


def upgrade_to_static_membership(stage: Stage) -> str:
    """The worker becomes a StatefulSet; the Deployment is gone."""
    stage.upgrade(changed(stage.values, "worker.kind", "StatefulSet"))
    deployments = {one["metadata"]["name"] for one in stage.api.list("apps/v1", "deployments", NAMESPACE)}
    require("north-travelrule-worker" not in deployments, f"deployments: {sorted(deployments)}")
    until(lambda: len(stage.state.pods("north", "worker")) == 3, "three workers")
    names = sorted(one["metadata"]["name"] for one in stage.state.pods("north", "worker"))
    require(names == [f"north-travelrule-worker-{index}" for index in range(3)], f"pods: {names}")
    return ", ".join(names)


def failed_upgrade_and_rollback(stage: Stage) -> str:
    """Gateways whose pods are refused: the upgrade fails, the others serve; a rollback brings the revision back."""
    good = stage.north.history()[-1][0]
    broken = changed(stage.values, "gateway.priorityClassName", "missing")
    try:
        stage.north.upgrade(broken, "--wait", "--timeout=15s")
    except HelmError as error:
        sentence = str(error).splitlines()[-1]
    else:
        require(condition=False, sentence="an upgrade whose pods are refused was reported as done")
    require(stage.north.history()[-1][1] == "failed", f"history: {stage.north.history()}")
    serving = len(stage.state.endpoints("north-travelrule-gateway"))
    require(serving == 3, f"{serving} of 3 gateways serve during the failed upgrade")
    stage.north.rollback(good)
    require(stage.north.history()[-1][1] == "deployed", f"history: {stage.north.history()}")
    require(len(stage.state.pods("north", "gateway")) == 3, "not all gateways are back")
    return f"{sentence}; {serving} gateways served; rolled back to revision {good}"


def rollback_to_the_first_revision(stage: Stage) -> str:
    """Image, policy and kind of the workers are again what was installed."""
    stage.north.rollback(1)
    images = {one["spec"]["containers"][0]["image"] for name in ROLES for one in stage.state.pods("north", name)}
    require(images == {"registry.example/travelrule:1.0.0"}, f"images: {images}")
    text = stage.api.get("v1", "configmaps", NAMESPACE, "north-travelrule-files")["data"]["policy.toml"]
    require("operator_override" not in text, f"the policy in the cluster: {text}")
    sets = {one["metadata"]["name"] for one in stage.api.list("apps/v1", "statefulsets", NAMESPACE)}
    require(sets == {"south-travelrule-worker"}, f"StatefulSets: {sorted(sets)}")
    return f"revision {stage.north.history()[-1][0]}"


def uninstall(stage: Stage) -> str:
    """Both releases leave; what is left is what was there before them, and what the scenario made beside them."""
    others = stage.state.identities("south", *ROLES)
    stage.north.uninstall()
    until_none(lambda: _of_release(stage, "north"))
    require(stage.state.identities("south", *ROLES) == others, "pods of south were replaced")
    stage.south.uninstall()
    until_none(lambda: _left(stage.state.left_over({"secrets/north", "secrets/south"})))
    return "nothing left but the Secrets"


def _of_release(stage: Stage, release: str) -> list[str]:
    kinds = stage.api.namespaced_kinds()
    return _left(
        [
            f"{plural}/{one['metadata']['name']}"
            for version, plural in kinds
            for one in stage.api.list(version, plural, NAMESPACE, f"{INSTANCE}={release}")
        ],
    )


def _left(names: list[str]) -> list[str]:
    """Those that helm should have removed; not the job made by hand, nor the failed hook, kept for its logs."""
    return [name for name in names if not name.partition("/")[2].startswith(BESIDE)]


def _completed(stage: Stage, component: str) -> list[str]:
    events = stage.api.list("v1", "events", NAMESPACE)
    return [
        one["metadata"]["name"]
        for one in events
        if one["reason"] == "Completed" and one["involvedObject"]["name"] == f"north-travelrule-{component}"
    ]


def _all_replaced(stage: Stage, before: set[str]) -> None:
    after = stage.state.identities("north", *ROLES)
    require(not after & before, f"{len(after & before)} of {len(before)} pods were not replaced")
    require(len(after) == len(before), f"{len(after)} pods instead of {len(before)}")


@contextmanager
def _most_workers(stage: Stage) -> Iterator[list[int]]:
    """Sum up the workers that are asked for, again and again, in a thread of its own, until the block ends.

    Pods are not counted: one that is about to be deleted is there for a moment beside its successor.
    """
    seen: list[int] = []
    ended = threading.Event()

    def look() -> None:
        while not ended.wait(0.05):
            found = stage.api.list("apps/v1", "replicasets", NAMESPACE, f"{INSTANCE}=north,{COMPONENT}=worker")
            seen.append(sum(one["spec"]["replicas"] for one in found))

    thread = threading.Thread(target=look)
    thread.start()
    try:
        yield seen
    finally:
        ended.set()
        thread.join()
