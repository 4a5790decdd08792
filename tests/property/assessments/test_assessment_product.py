"""Every state of an assessment that can be reached meets every input: nothing raises, and every law holds afterwards.

States are distinguished by what decides about them; a breadth-first search visits each kind once.
"""

from __future__ import annotations

from collections import deque
from typing import Any

import pytest

from tests.property.assessments.catalogue import for_assessment
from tests.property.assessments.laws import check
from tests.support.assessment_scenes import ASSESSMENT, SCREENING, AssessmentScene
from travelrule.assessments.state import AssessmentState
from travelrule.assessments.table import TABLE
from travelrule.engine.registry import MACHINES
from travelrule.machine.transition_table import NEW

STATES_MAX = 400


def kind_of(state: AssessmentState | None) -> object:
    """What decides about a state, without its ids, times and counts."""
    if state is None:
        return None
    question = state.question
    asked = question and (
        question.asks_at is None, bool(question.hub_id), min(question.hastened, 1), question.called_back, question.last
    )  # fmt: skip
    ended = state.ended and (state.ended.risk, state.ended.reason, state.ended.proven)
    here = (state.wanted.kind, state.wanted.network == "ETH", state.status, state.pending, state.forced, state.force)
    return here, asked, ended, state.failures > 0, bool(state.error), state.alerted, tuple(sorted(state.timers))


@pytest.mark.parametrize("subject", [SCREENING, ASSESSMENT])
def test_every_assessment_meets_every_input(subject):
    scene = AssessmentScene(subject=subject)
    machine = MACHINES[subject.partition(":")[0]]
    seen: dict[object, Any] = {None: None}
    waiting: deque[Any] = deque([None])
    visited = 0
    while waiting and visited < STATES_MAX:
        state = waiting.popleft()
        visited += 1
        for data in for_assessment(subject, state):
            item = scene.input(data)
            decision = machine.decide(state, item, scene.rules, scene.now)
            check(state, item, decision, scene.rules)
            kind = kind_of(decision.state)
            if kind not in seen:
                seen[kind] = decision.state
                waiting.append(decision.state)
    quiet = {"dropped"} if subject == SCREENING else set()
    assert {state.status for state in seen.values() if state is not None} == set(TABLE.transitions) - {NEW} - quiet
