"""An assessment that never answers: its gate has a timer, the verdict is emitted, and it is requested again."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from tests.support.events import UNHOSTED, decided, requested
from tests.support.scene import Scene
from tests.unit.exchange.originator.test_gates import BOTH, LISTS, WALLET, ended, gated, said
from travelrule.exchange.originator.builder import GATE, WAKE
from travelrule.machine.internal_inputs import TimerDue
from travelrule.messages.assessment import AssessmentWanted, answer_limit


def asked(scene: Scene) -> list[tuple[str, str]]:
    """The messages to assessments: subject and type."""
    return [(tell.subject, tell.type) for tell in scene.messages]


@pytest.mark.parametrize(
    ("rules", "changes"), [(LISTS, {}), (WALLET, {}), ("", {"destination": UNHOSTED})], ids=["lists", "wallet", "own"]
)
def test_an_open_gate_has_a_timer_that_leaves_the_assessment_its_time(rules: str, changes: dict[str, Any]) -> None:
    scene = gated(rules, **changes)
    limits = scene.rules.time_limits
    wait = scene.state.timers[GATE] - scene.now
    assert wait == timedelta(seconds=answer_limit(scene.state.gate.kind, limits))
    longest = 2 * limits.ownership + limits.screening if changes else limits.screening
    assert wait > timedelta(seconds=longest)


@pytest.mark.parametrize("rules", [LISTS, WALLET])
def test_an_assessment_that_never_answers_leads_to_a_hold_and_is_asked_again(rules: str) -> None:
    scene = gated(rules)
    (first,) = scene.messages
    scene.fire(GATE)
    assert said(scene)[0] == "hold"
    assert scene.alerts == ["ASSESSMENT_UNANSWERED"]
    (again,) = scene.messages
    assert (again.subject, again.data) == (first.subject, first.data), "it repeats an answer that it gave"
    assert GATE in scene.state.timers
    scene.submit(ended(scene))
    assert [call.operation for call in scene.calls] == ["address-search"]
    assert GATE not in scene.state.timers


def test_where_asking_again_does_not_help_another_assessment_is_asked() -> None:
    scene = gated(LISTS)
    first = scene.state.gate.subject
    scene.fire(GATE)
    scene.fire(GATE)
    second = scene.state.gate.subject
    assert asked(scene) == [(first, "assessment.dropped"), (second, "assessment.wanted")]
    assert second != first
    assert scene.alerts == ["ASSESSMENT_UNANSWERED"]
    for _ in range(3):
        scene.fire(GATE)
        assert scene.alerts == ["ASSESSMENT_UNANSWERED"]
        assert GATE in scene.state.timers
    scene.submit(ended(scene))
    assert scene.calls


def test_the_policy_may_go_on_without_an_answer() -> None:
    scene = gated(f'{WALLET}\n[verdicts]\nRISK_PENDING = "allow"')
    gate = scene.state.gate.subject
    scene.fire(GATE)
    assert scene.alerts == ["ASSESSMENT_UNANSWERED", "RISK_ACCEPTED_UNCHECKED"]
    assert asked(scene) == [(gate, "assessment.dropped")]
    assert [call.operation for call in scene.calls] == ["address-search"]
    assert GATE not in scene.state.timers


def test_each_gate_has_its_own_time() -> None:
    scene = gated(BOTH)
    scene.wait(scene.rules.time_limits.screening)
    scene.submit(ended(scene))
    assert scene.state.gate.kind == "wallet"
    assert scene.state.timers[GATE] == scene.now + timedelta(seconds=answer_limit("wallet", scene.rules.time_limits))


def test_a_proof_that_is_never_reported_is_asked_for_again_and_stays_on_hold() -> None:
    scene = gated("", destination=UNHOSTED)
    scene.fire(GATE)
    assert scene.alerts == ["ASSESSMENT_UNANSWERED"]
    assert isinstance(scene.messages[0].data, AssessmentWanted)
    assert (scene.state.case.verdict, scene.state.case.reasons) == ("hold", ("OWNERSHIP_PENDING",))


def test_nothing_is_asked_of_a_decided_withdrawal() -> None:
    scene = gated(LISTS)
    scene.submit(decided("deny"))
    assert scene.state.gate is None
    assert GATE not in scene.state.timers


def test_a_gate_of_an_earlier_build_gets_its_timer_when_it_is_woken() -> None:
    scene = Scene(rules=gated(LISTS).rules)
    scene.submit(requested())
    scene.state = type(scene.state)(**{**_fields(scene.state), "timers": {}})
    scene.submit(TimerDue(name=WAKE, due_at=scene.now))
    assert GATE in scene.state.timers
    assert not scene.messages


def _fields(state: Any) -> dict[str, Any]:
    return {name: getattr(state, name) for name in type(state).__dataclass_fields__}
