"""A request that was refused as a message: the platform is notified, and the corrected one is processed as usual."""

from __future__ import annotations

import pytest

from schemas.events.verdicts import WithdrawalVerdictBody
from schemas.wire_model import Wire
from tests.support.call_results import VALID, VERIFIED
from tests.support.events import (
    WITHDRAWAL_ID,
    amended,
    broadcast,
    cancelled,
    decided,
    mined,
    recorded,
    requested,
    settled,
)
from tests.support.exchange_scenes import allowed, asking
from tests.support.scene import Scene
from tests.support.vasps import policy
from travelrule.engine.registry import MACHINES
from travelrule.engine.retention.eligibility import ELIGIBILITY
from travelrule.exchange.originator.refused_request import RequestRefused
from travelrule.machine.effects import Alert

OVERRIDE = policy("operator_override = true")
LETTER = "5d0c6a0e-7c2f-5b57-9f0e-3f6f8c1f0a11"
NEXT_LETTER = "6d0c6a0e-7c2f-5b57-9f0e-3f6f8c1f0a11"


def request_refused(letter: str = LETTER, code: str = "INVALID_AMOUNT") -> RequestRefused:
    return RequestRefused(dead_letter_id=letter, code=code, field="data.amount")


def refused(rules=None) -> Scene:
    scene = Scene(rules=rules or policy())
    scene.submit(request_refused(LETTER))
    return scene


def arrived(scene: Scene) -> bool:
    return MACHINES["withdrawal"].arrived(scene.state)


def test_the_platform_hears_hold_and_which_dead_letter_it_is():
    scene = refused()
    (verdict,) = scene.verdicts
    assert verdict == {
        "subject": f"withdrawal:{WITHDRAWAL_ID}",
        "verdict": "hold",
        "reasons": ["REJECTED_INPUT"],
        "needs": ["information"],
        "final": False,
        "policyVersion": scene.rules.version,
        "deadLetterId": LETTER,
    }
    WithdrawalVerdictBody.model_validate(verdict)
    assert (scene.calls, scene.alerts, scene.last.status) == ([], [], "applied")
    projection = MACHINES["withdrawal"].project(scene.state)
    assert (projection.verdict, projection.rows) == ("hold", ()), "no search finds what was never requested"


def test_another_refused_request_names_its_own_dead_letter():
    scene = refused()
    scene.submit(request_refused(NEXT_LETTER, "MISSING_FIELD"))
    assert [one["deadLetterId"] for one in scene.verdicts] == [NEXT_LETTER]


def test_a_valid_request_goes_its_usual_way_whatever_was_refused_before():
    scene, fresh = refused(), Scene()
    scene.submit(request_refused(NEXT_LETTER))
    scene.inputs = 0
    assert scene.submit(requested()) == fresh.submit(requested())
    for answer in (VALID, VERIFIED):
        assert scene.submit(answer).effects == fresh.submit(answer).effects
    assert scene.verdicts[0]["reasons"] == ["VERIFIED"]
    assert "deadLetterId" not in scene.verdicts[0]


def test_a_withdrawal_that_was_sent_without_an_exchange_is_recorded():
    scene = refused()
    assert scene.submit(recorded()).state == Scene().submit(recorded()).state


@pytest.mark.parametrize("make", [asking, allowed])
def test_a_known_withdrawal_goes_on_and_an_operator_is_told(make):
    scene = make()
    before = scene.state
    scene.submit(request_refused(LETTER))
    assert (scene.verdicts, scene.calls, scene.alerts) == ([], [], ["REQUEST_REFUSED"])
    assert scene.state == before


def test_a_recorded_withdrawal_goes_on_too():
    scene = Scene()
    scene.submit(recorded())
    before = scene.state
    scene.submit(request_refused(LETTER))
    assert (scene.state, scene.alerts) == (before, ["REQUEST_REFUSED"])


def test_a_hold_that_nobody_corrects_is_said_again_and_then_alerted():
    scene = refused()
    scene.fire("held")
    assert [one["deadLetterId"] for one in scene.verdicts] == [LETTER]
    scene.fire("held")
    assert (scene.verdicts, scene.alerts) == ([], ["HELD_TOO_LONG"])
    scene.fire("held")
    assert len(scene.verdicts) == 1
    scene.submit(requested())
    assert "held" not in scene.state.timers


def test_a_sender_that_repeats_its_fault_does_not_put_off_the_reminder():
    scene = refused()
    due_at = scene.state.timers["held"]
    scene.wait(60)
    scene.submit(request_refused(NEXT_LETTER))
    assert scene.state.timers["held"] == due_at
    scene.fire("held")
    scene.submit(request_refused(LETTER))
    scene.fire("held")
    assert scene.alerts == ["HELD_TOO_LONG"]


@pytest.mark.parametrize(("ending", "reason"), [(cancelled(), "CANCELLED"), (decided("deny"), "OPERATOR")])
def test_it_can_be_given_up(ending: Wire, reason: str):
    scene = refused()
    assert not ELIGIBILITY["withdrawal"].is_concluded(scene.state)
    scene.submit(ending)
    (verdict,) = scene.verdicts
    assert (verdict["verdict"], verdict["reasons"], verdict["final"]) == ("deny", [reason], True)
    assert scene.state.timers == {}
    assert ELIGIBILITY["withdrawal"].is_concluded(scene.state)
    assert arrived(scene), "nothing may wait for what will never come"
    assert (scene.submit(requested()).status, scene.last.code) == ("rejected", "ALREADY_FINAL")
    assert (scene.submit(decided("deny")).status, scene.last.code) == ("rejected", "ALREADY_FINAL")
    assert (scene.submit(mined()).status, scene.last.code) == ("rejected", "ALREADY_FINAL")
    assert (scene.submit(cancelled()).status, scene.verdicts) == ("duplicate", [])
    assert (scene.submit(request_refused(NEXT_LETTER)).status, scene.verdicts) == ("duplicate", [])
    assert scene.submit(recorded()).state.recorded, "value that was sent all the same must be found"


@pytest.mark.parametrize("ending", [cancelled(), decided("deny")])
def test_value_that_was_sent_after_the_last_verdict_is_alerted(ending: Wire):
    """As of every withdrawal: the platform must learn that value left after the id was given up."""
    scene = refused()
    scene.submit(ending)
    assert (scene.submit(broadcast()).status, scene.alerts) == ("applied", ["BROADCAST_WITHOUT_ALLOW"])
    assert [effect.severity for effect in scene.last.effects if isinstance(effect, Alert)] == ["critical"]
    assert (scene.submit(mined()).status, scene.alerts, scene.verdicts) == ("rejected", [], [])


@pytest.mark.parametrize("rules", [None, OVERRIDE])
@pytest.mark.parametrize("what", [amended(), decided("allow")])
def test_what_needs_the_request_is_refused_with_a_code_that_says_so(what: Wire, rules):
    scene = refused(rules)
    assert (scene.submit(what).status, scene.last.code) == ("rejected", "REQUEST_REFUSED")
    assert scene.last.fix


@pytest.mark.parametrize("what", [broadcast(), mined(), settled()])
def test_what_the_chain_did_waits_for_the_request(what: Wire):
    scene = refused()
    assert not arrived(scene)
    assert scene.submit(what).status == "parked"
    scene.submit(requested())
    assert arrived(scene)


def test_nothing_else_means_anything_to_it():
    scene = refused()
    before = scene.state
    assert (scene.submit(VALID).status, scene.state) == ("duplicate", before)
