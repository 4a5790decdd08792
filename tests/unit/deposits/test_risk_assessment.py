"""What is assessed before a deposit is allowed, and what each risk leads to."""

from __future__ import annotations

from typing import Any

import pytest

from schemas.events.callbacks import KytResultBody
from tests.support.deposit_scenes import (
    CONFIRMED,
    DEPOSIT_ID,
    RETRACTED,
    UNANNOUNCED,
    DepositScene,
    answer_payload,
    data,
    decided,
    detected,
    matched,
    requesting,
    rules,
)
from tests.support.events import TXID
from tests.support.inbound_messages import ivms101
from travelrule.assessments.chain_code import code_for
from travelrule.deposits.verdict_cause import originators
from travelrule.messages.assessment import AssessmentEnded, AssessmentWanted

KYT = '[screening]\ndeposits = ["kyt"]'
LISTS = 'sanctions = "required"'
TWO = '[screening]\ndeposits = ["transaction", "kyt"]'


def final(text: str = KYT) -> DepositScene:
    """A deposit that was announced, fits, and is final."""
    scene = DepositScene(rules=rules(text))
    scene.submit(detected(), matched(), CONFIRMED)
    return scene


def ended(scene: DepositScene, risk: Any = "clean", **facts: Any) -> AssessmentEnded:
    gate = scene.state.gate
    return AssessmentEnded(assessment=gate.subject, kind=gate.kind, risk=risk, **facts)


def wanted(scene: DepositScene) -> list[AssessmentWanted]:
    told: list[AssessmentWanted] = scene.message_data("assessment.wanted")
    return told


def test_a_deposit_is_rated_when_it_is_final_and_everything_else_fits():
    scene = DepositScene(rules=rules(KYT))
    scene.submit(detected(), matched())
    assert not wanted(scene), "what is not final cannot be analysed"
    scene.submit(CONFIRMED)
    (asked,) = wanted(scene)
    assert (asked.asker, asked.kind, asked.network, asked.txid) == (f"deposit:{DEPOSIT_ID}", "kyt", "XRP", TXID)
    assert asked.parties == ()
    assert scene.verdict == ("hold", "RISK_PENDING", False)
    scene.submit(ended(scene, status="RELEASED", hub_request_id="7"))
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
    scene.submit(ended(scene, **facts))
    assert scene.verdict == expected
    assert scene.state.case.needs == ("operator-decision",)
    scene.submit(decided("allow"))
    assert scene.verdict == ("allow", "OPERATOR", True)


def test_a_mismatch_is_analysed_too_but_not_rated_by_the_other_provider():
    scene = DepositScene(rules=rules(TWO))
    scene.submit(detected(), matched(amount="1"))
    assert scene.verdict == ("hold", "AMOUNT_MISMATCH", False)
    scene.submit(CONFIRMED)
    assert scene.state.gate.kind == "kyt", "every final deposit gets its report"
    scene.submit(ended(scene))
    assert not scene.emitted("verdicts"), "held as before"
    assert scene.state.gate is None


def test_a_deposit_that_nobody_announced_is_analysed_while_its_sender_is_looked_for():
    scene = DepositScene(rules=rules(KYT))
    scene.submit(detected(), UNANNOUNCED, CONFIRMED)
    assert scene.state.gate.kind == "kyt"
    scene.submit(ended(scene, "malicious"), matched())
    assert scene.verdict == ("hold", "RISK_MALICIOUS", False)
    assert not wanted(scene), "the report is about the transaction, whoever sent it"


def test_both_ratings_come_one_after_the_other_and_the_worst_counts():
    scene = final(TWO)
    assert scene.state.gate.kind == "transaction"
    scene.submit(ended(scene))
    assert scene.state.gate.kind == "kyt"
    assert scene.state.gate.subject.endswith("/2")
    scene.submit(ended(scene, "malicious"))
    assert scene.verdict == ("hold", "RISK_MALICIOUS", False)


def test_a_bad_first_rating_does_without_no_report():
    scene = final(TWO)
    scene.submit(ended(scene, "malicious"))
    assert scene.state.gate.kind == "kyt"
    assert scene.verdict == ("hold", "RISK_MALICIOUS", False)
    scene.submit(ended(scene))
    assert not scene.emitted("verdicts"), "held as before"


def test_the_worst_rating_counts_in_whatever_order_they_came():
    scene = final(TWO)
    scene.submit(ended(scene, "suspicious"))
    assert scene.verdict == ("hold", "RISK_SUSPICIOUS", False)
    scene.submit(ended(scene, "malicious"))
    assert scene.verdict == ("hold", "RISK_MALICIOUS", False)


def test_a_policy_that_fails_open_allows_and_says_so():
    scene = final(f'{KYT}\n[verdicts]\nRISK_PENDING = "allow"')
    assert scene.verdict == ("hold", "RISK_PENDING", False), "while it is being rated nothing is allowed"
    scene.submit(ended(scene, "pending"))
    assert "RISK_ACCEPTED_UNCHECKED" in scene.alerts
    assert scene.verdict == ("allow", "MATCHED", True)


def test_deposits_fail_open_by_themselves_or_stay_closed_by_themselves():
    scene = final(f'{KYT}\n[deposit_verdicts]\nRISK_UNKNOWN = "allow"')
    scene.submit(ended(scene, "unknown"))
    assert "RISK_ACCEPTED_UNCHECKED" in scene.alerts
    assert scene.verdict == ("allow", "MATCHED", True)
    closed = final(f'{KYT}\n[verdicts]\nRISK_UNKNOWN = "allow"\n[deposit_verdicts]\nRISK_UNKNOWN = "hold"')
    closed.submit(ended(closed, "unknown"))
    assert "RISK_ACCEPTED_UNCHECKED" not in closed.alerts
    assert closed.verdict == ("hold", "RISK_UNKNOWN", False)


def test_the_report_is_told_to_topic_callbacks_without_addresses():
    scene = final()
    scene.submit(ended(scene, "suspicious", status="RELEASED", hub_request_id="7", facts={"verdict": "Suspicious"}))
    said = scene.result
    KytResultBody.model_validate(said)
    assert (said["subject"], said["hubRequestId"], said["status"]) == (f"deposit:{DEPOSIT_ID}", "7", "released")
    assert said["facts"] == {"verdict": "Suspicious"}


def test_a_retraction_drops_the_assessment_and_forgets_its_risk():
    scene = final(TWO)
    scene.submit(ended(scene))
    late = ended(scene)
    scene.submit(RETRACTED)
    assert scene.message_data("assessment.dropped")
    assert scene.state.risks == {}
    assert scene.submit(late).status == "duplicate"


def test_a_rating_that_nobody_asked_for_changes_nothing():
    scene = final()
    before = scene.state
    other = AssessmentEnded(assessment="assessment:deposit:other/1", kind="kyt", risk="clean")
    assert scene.submit(other).status == "duplicate"
    assert scene.state == before


def test_the_originators_of_an_answer_are_its_parties():
    scene = final()
    assert originators(scene.state) == ()
    from dataclasses import replace

    names = [party.names for party in originators(replace(scene.state, received=ivms101()))]
    assert names
    assert all(names)
    assert originators(replace(scene.state, received={"Originator": 7})) == ()


@pytest.mark.parametrize(
    ("account", "code"), [("0x" + "ab" * 20, "BSC"), ("bnb1grpf0955h0ykzq3ar5nmum7y6gdfl6lxfn46h2", "BNB")]
)
def test_the_own_address_tells_the_two_chains_called_bnb_apart(account, code):
    scene = DepositScene(rules=rules(KYT))
    scene.submit(detected(network="BNB", address=account), matched(), CONFIRMED)
    (asked,) = wanted(scene)
    assert code_for(asked, scene.rules) == code


def received(text: str = LISTS) -> DepositScene:
    """A final deposit whose sender's data came by request, and whose sender is looked for in the lists."""
    scene = requesting(text)
    scene.submit(CONFIRMED, data(scene.state.found.request_id, answer_payload()))
    assert scene.state.gate.kind == "lists"
    return scene


def test_a_hit_stays_when_an_exchange_is_found_to_have_announced_the_deposit():
    scene = received()
    scene.submit(ended(scene, "malicious", sanctioned=True))
    assert scene.verdict == ("hold", "SANCTIONED", False)
    scene.submit(matched())
    assert scene.state.status == "matched"
    assert scene.state.case.reasons == ("SANCTIONED",), "only an operator decides about a hit"


def test_a_deposit_is_not_allowed_while_its_sender_is_looked_for():
    scene = received()
    scene.submit(matched())
    assert scene.state.case.verdict == "hold"
    assert scene.state.gate.kind == "lists"
    scene.submit(ended(scene, "malicious", sanctioned=True))
    assert scene.verdict == ("hold", "SANCTIONED", False)


def test_a_deposit_of_two_ways_is_allowed_once_its_sender_is_known_to_be_on_no_list():
    scene = received()
    scene.submit(matched(), ended(scene, "clean"))
    scene.submit(ended(scene, "clean"))
    assert scene.verdict == ("allow", "MATCHED", True)


def test_a_known_bad_rating_stays_when_the_policy_asks_for_it_no_more():
    scene = final()
    scene.submit(ended(scene, "malicious"))
    scene.rules = rules()
    scene.submit(matched(exchange="exchange:north/2"))
    assert scene.state.case.reasons == ("RISK_MALICIOUS",)


def test_an_assessment_that_never_answers_is_asked_again_and_an_operator_is_told():
    scene = final()
    (first,) = wanted(scene)
    gate = scene.state.gate.subject
    scene.fire("gate")
    assert scene.alerts == ["ASSESSMENT_UNANSWERED"]
    assert wanted(scene) == [first], "the same once more: it repeats an answer that it gave"
    assert scene.state.gate.subject == gate
    scene.fire("gate")
    assert scene.state.gate.subject != gate
    assert "gate" in scene.state.timers
    scene.submit(ended(scene, status="RELEASED", hub_request_id="7"))
    assert scene.verdict == ("allow", "MATCHED", True)
    assert "gate" not in scene.state.timers


def test_the_policy_may_go_on_without_an_answer():
    scene = final(f'{KYT}\n[deposit_verdicts]\nRISK_PENDING = "allow"')
    scene.fire("gate")
    assert scene.alerts == ["ASSESSMENT_UNANSWERED", "RISK_ACCEPTED_UNCHECKED"]
    assert scene.verdict == ("allow", "MATCHED", True)
