"""What is assessed before a deposit is allowed, and what each risk leads to."""

from __future__ import annotations

from typing import Any

import pytest

from schemas.callbacks import KytResultBody
from tests.unit.deposits.scene import CONFIRMED, DEPOSIT_ID, RETRACTED, Scene, decided, detected, matched, rules
from tests.unit.exchange.scene import TXID, ivms101
from travelrule.deposits.judging import originators
from travelrule.exchange.assessing import AssessmentEnded, AssessmentWanted

KYT = '[screening]\ndeposits = ["kyt"]'
TWO = '[screening]\ndeposits = ["transaction", "kyt"]'


def final(text: str = KYT) -> Scene:
    """A deposit that was announced, fits, and is final."""
    scene = Scene(rules=rules(text))
    scene.tell(detected(), matched(), CONFIRMED)
    return scene


def ended(scene: Scene, risk: Any = "clean", **facts: Any) -> AssessmentEnded:
    gate = scene.state.gate
    return AssessmentEnded(assessment=gate.subject, kind=gate.kind, risk=risk, **facts)


def wanted(scene: Scene) -> list[AssessmentWanted]:
    told: list[AssessmentWanted] = scene.told("assessment.wanted")
    return told


def test_a_deposit_is_rated_when_it_is_final_and_everything_else_fits():
    scene = Scene(rules=rules(KYT))
    scene.tell(detected(), matched())
    assert not wanted(scene), "what is not final cannot be analysed"
    scene.tell(CONFIRMED)
    (asked,) = wanted(scene)
    assert (asked.asker, asked.kind, asked.network, asked.txid) == (f"deposit:{DEPOSIT_ID}", "kyt", "XRP", TXID)
    assert asked.parties == ()
    assert scene.verdict == ("hold", "RISK_PENDING", False)
    scene.tell(ended(scene, status="RELEASED", hub_request_id="7"))
    assert scene.verdict == ("allow", "MATCHED", True)


@pytest.mark.parametrize(
    ("facts", "expected"),
    [
        ({"risk": "malicious"}, ("hold", "RISK_MALICIOUS", False)),
        ({"risk": "suspicious"}, ("hold", "RISK_SUSPICIOUS", False)),
        ({"risk": "unknown"}, ("hold", "RISK_UNKNOWN", False)),
        ({"risk": "pending"}, ("hold", "RISK_PENDING", False)),
        ({"risk": "malicious", "sanctioned": True}, ("hold", "SANCTIONED", False)),
    ],
)
def test_nothing_but_clean_is_credited(facts, expected):
    scene = final()
    scene.tell(ended(scene, **facts))
    assert scene.verdict == expected
    assert scene.state.case.needs == ("operator-decision",)
    scene.tell(decided("allow"))
    assert scene.verdict == ("allow", "OPERATOR", True)


def test_a_mismatch_is_not_analysed():
    scene = Scene(rules=rules(KYT))
    scene.tell(detected(), matched(amount="1"))
    assert scene.verdict == ("hold", "AMOUNT_MISMATCH", False)
    scene.tell(CONFIRMED)
    assert scene.state.gate is None


def test_both_ratings_come_one_after_the_other_and_the_worst_counts():
    scene = final(TWO)
    assert scene.state.gate.kind == "transaction"
    scene.tell(ended(scene))
    assert scene.state.gate.kind == "kyt"
    assert scene.state.gate.subject.endswith("/2")
    scene.tell(ended(scene, "malicious"))
    assert scene.verdict == ("hold", "RISK_MALICIOUS", False)


def test_a_bad_first_rating_needs_no_second():
    scene = final(TWO)
    scene.tell(ended(scene, "malicious"))
    assert scene.state.gate is None


def test_a_policy_that_fails_open_allows_and_says_so():
    scene = final(f'{KYT}\n[verdicts]\nRISK_PENDING = "allow"')
    assert scene.verdict == ("hold", "RISK_PENDING", False), "while it is being rated nothing is allowed"
    scene.tell(ended(scene, "pending"))
    assert "RISK_ACCEPTED_UNCHECKED" in scene.alerts
    assert scene.verdict == ("allow", "MATCHED", True)


def test_deposits_fail_open_by_themselves_or_stay_closed_by_themselves():
    scene = final(f'{KYT}\n[deposit_verdicts]\nRISK_UNKNOWN = "allow"')
    scene.tell(ended(scene, "unknown"))
    assert "RISK_ACCEPTED_UNCHECKED" in scene.alerts
    assert scene.verdict == ("allow", "MATCHED", True)
    closed = final(f'{KYT}\n[verdicts]\nRISK_UNKNOWN = "allow"\n[deposit_verdicts]\nRISK_UNKNOWN = "hold"')
    closed.tell(ended(closed, "unknown"))
    assert "RISK_ACCEPTED_UNCHECKED" not in closed.alerts
    assert closed.verdict == ("hold", "RISK_UNKNOWN", False)


def test_the_report_is_told_to_topic_callbacks_without_addresses():
    scene = final()
    scene.tell(ended(scene, "suspicious", status="RELEASED", hub_request_id="7", facts={"verdict": "Suspicious"}))
    said = scene.result
    KytResultBody.model_validate(said)
    assert (said["subject"], said["hubRequestId"], said["status"]) == (f"deposit:{DEPOSIT_ID}", "7", "released")
    assert said["facts"] == {"verdict": "Suspicious"}


def test_a_retraction_drops_the_assessment_and_forgets_its_risk():
    scene = final(TWO)
    scene.tell(ended(scene))
    late = ended(scene)
    scene.tell(RETRACTED)
    assert scene.told("assessment.dropped")
    assert scene.state.risks == {}
    assert scene.tell(late).status == "duplicate"


def test_a_rating_that_nobody_asked_for_changes_nothing():
    scene = final()
    before = scene.state
    other = AssessmentEnded(assessment="assessment:deposit:other/1", kind="kyt", risk="clean")
    assert scene.tell(other).status == "duplicate"
    assert scene.state == before


def test_the_originators_of_an_answer_are_its_parties():
    scene = final()
    assert originators(scene.state) == ()
    from dataclasses import replace

    names = [party.names for party in originators(replace(scene.state, received=ivms101()))]
    assert names
    assert all(names)
    assert originators(replace(scene.state, received={"Originator": 7})) == ()
