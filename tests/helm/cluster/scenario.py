"""The scenario: its steps in their order, each with its result."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from tests.helm.cluster import change_steps, installation_steps, refusal_steps
from tests.helm.cluster.api import ApiError
from tests.helm.cluster.observed_state import StepError
from tests.helm.cluster.release import HelmError
from tests.helm.cluster.stage import Stage

Step = Callable[[Stage], str]

STEPS: tuple[Step, ...] = (
    installation_steps.definitions_of_the_operators,
    installation_steps.namespace_with_restricted_pods,
    refusal_steps.wrong_values,
    refusal_steps.every_object_is_strict,
    refusal_steps.planted_faults_in_objects,
    installation_steps.install,
    installation_steps.second_release,
    installation_steps.nothing_was_refused,
    installation_steps.pods_are_spread,
    installation_steps.services_reach_their_own_pods,
    installation_steps.budgets_count_their_own_pods,
    installation_steps.monitors_select_what_has_the_port,
    installation_steps.policies_select_pods,
    installation_steps.autoscalers_find_their_target,
    installation_steps.list_job_runs,
    change_steps.upgrade_without_change,
    change_steps.upgrade_of_the_policy,
    change_steps.upgrade_after_a_secret_changed,
    change_steps.upgrade_of_the_image,
    change_steps.upgrade_to_static_membership,
    change_steps.failed_upgrade_and_rollback,
    change_steps.rollback_to_the_first_revision,
    refusal_steps.pods_that_are_not_hardened,
    change_steps.uninstall,
)


@dataclass(frozen=True, slots=True)
class StepResult:
    """``detail``: what was seen, or why the step failed."""

    step: str
    ok: bool
    detail: str
    seconds: float


def play(stage: Stage) -> Iterator[StepResult]:
    """Play the steps; the first one that fails ends it, because the later ones build on it."""
    for step in STEPS:
        name = step.__name__.replace("_", " ")
        begun = time.monotonic()
        try:
            ok, detail = True, step(stage)
        except (StepError, HelmError, ApiError) as error:
            ok, detail = False, "\n".join([str(error), *stage.state.warnings()])
        yield StepResult(name, ok, detail, round(time.monotonic() - begun, 1))
        if not ok:
            return
