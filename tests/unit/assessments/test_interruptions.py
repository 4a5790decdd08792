"""What comes from outside: drops, decisions, timers, inputs for nobody."""

from __future__ import annotations

import pytest

from tests.support.assessment_scenes import (
    ASSESSMENT,
    DROPPED,
    AssessmentScene,
    analysing,
    asked,
    decided,
    lists,
    wanted,
    wants,
)
from tests.support.events import requested as withdrawal
from travelrule.engine.registry import MACHINES
from travelrule.machine.internal_inputs import TimerDue
from travelrule.messages.assessment import AssessmentDropped


@pytest.mark.parametrize("kind", ["lists", "wallet", "transaction", "kyt", "ownership"])
def test_a_dropped_assessment_ends_quietly(kind):
    scene = wants(kind)
    scene.submit(AssessmentDropped(asker="deposit:another"))
    assert scene.state.status != "dropped", "only its asker drops it"
    scene.submit(DROPPED)
    assert scene.state.status == "dropped"
    assert (scene.message_data(), scene.alerts, scene.drops) == ([], [], [()])
    assert not scene.state.timers
    scene.submit(lists(), wanted(kind))
    assert not scene.last.effects


def test_an_answer_that_was_given_stays_when_the_asker_drops_it():
    scene = wants()
    scene.submit(lists(), DROPPED)
    assert (scene.state.status, scene.last.status) == ("ended", "duplicate")


def test_a_risk_is_not_decided_by_an_operator():
    for scene in (asked(), wants("ownership")):
        scene.submit(decided("allow"))
        assert (scene.last.status, scene.last.code) == ("rejected", "NOT_ON_HOLD")


def test_what_comes_before_its_subject_waits():
    scene = AssessmentScene(subject=ASSESSMENT)
    for data in (lists(), DROPPED, decided()):
        scene.submit(data)
        assert (scene.last.status, scene.state) == ("parked", None)


def test_what_says_nothing_about_an_assessment_is_refused():
    scene = asked()
    scene.submit(withdrawal())
    assert (scene.last.status, scene.last.code) == ("rejected", "UNKNOWN_TYPE")


def test_a_timer_that_was_moved_is_nothing():
    scene = analysing()
    due_at = scene.state.timers["limit"]
    scene.wait(1)
    scene.submit(TimerDue(name="limit", due_at=scene.now), TimerDue(name="odd", due_at=due_at))
    assert scene.state.status == "analysing"


def test_the_projection_says_where_it_stands_and_what_it_came_to():
    scene = asked("kyt")
    projection = MACHINES["screening"].project(scene.state)
    assert (projection.status, projection.verdict, projection.due_timer) == ("searching", "open", "limit")
    scene.fire()
    projection = MACHINES["screening"].project(scene.state)
    assert (projection.status, projection.verdict, projection.due_at) == ("ended", "unknown", None)
