"""Assessments before a withdrawal is sent, and the effect of each risk."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from schemas.events.callbacks import OwnershipResultBody, OwnershipSessionBody
from tests.support.call_results import VALID, VERIFIED
from tests.support.events import (
    ADDRESS,
    UNHOSTED,
    UNKNOWN,
    WITHDRAWAL_ID,
    amended,
    cancelled,
    decided,
    request,
    requested,
)
from tests.support.scene import Scene
from tests.support.vasps import policy
from travelrule.messages.assessment import AssessmentEnded, AssessmentSession, AssessmentWanted

LISTS = 'sanctions = "required"'
WALLET = '[screening]\nwithdrawals = "wallet"'
BOTH = f"{LISTS}\n{WALLET}"
FIRST = f"assessment:withdrawal:{WITHDRAWAL_ID}/1"


def gated(rules: str = LISTS, **changes: Any) -> Scene:
    scene = Scene(rules=policy(rules))
    scene.submit(requested(**changes))
    return scene


def ended(scene: Scene, risk: Any = "clean", **facts: Any) -> AssessmentEnded:
    gate = scene.state.gate
    return AssessmentEnded(assessment=gate.subject, kind=gate.kind, risk=risk, **facts)


def wanted(scene: Scene) -> AssessmentWanted:
    (tell,) = scene.messages
    assert tell.type == "assessment.wanted"
    assert tell.subject == scene.state.gate.subject
    assert isinstance(tell.data, AssessmentWanted)
    return tell.data


def said(scene: Scene) -> tuple[str, list[str], list[str], bool]:
    (data,) = scene.verdicts
    return data["verdict"], data["reasons"], data["needs"], data["final"]


def test_everybody_and_the_address_are_looked_for_in_the_lists_before_anything_is_sent():
    scene = gated()
    asked = wanted(scene)
    assert (asked.asker, asked.kind, asked.address) == (f"withdrawal:{WITHDRAWAL_ID}", "lists", ADDRESS)
    assert [(party.names, party.kind, party.date_of_birth) for party in asked.parties] == [
        (("Anna Berg",), "person", "1990-02-03"),
        (("Erik Lind",), "person", None),
    ]
    assert not scene.calls
    assert not scene.verdicts
    scene.submit(ended(scene))
    assert [call.operation for call in scene.calls] == ["address-search"]
    assert scene.calls[0].correlation_id == WITHDRAWAL_ID


def test_a_company_is_looked_for_with_those_who_act_for_it():
    company = {
        "name": "Lind AB",
        "localName": "린드",
        "countryOfRegistration": "SE",
        "representatives": [{"lastName": "Lind", "firstName": "Erik", "localLastName": "린드"}],
    }
    scene = gated(beneficiary={"legal": company})
    parties = [(party.names, party.kind) for party in wanted(scene).parties]
    assert parties[1:] == [(("Lind AB", "린드"), "organisation"), (("Erik Lind", "린드"), "person")]


@pytest.mark.parametrize(
    ("rules", "facts", "expected"),
    [
        (LISTS, {"risk": "malicious", "sanctioned": True}, ("deny", ["SANCTIONED"], [], True)),
        (LISTS, {"risk": "unknown"}, ("hold", ["RISK_UNKNOWN"], ["operator-decision"], False)),
        (WALLET, {"risk": "malicious"}, ("deny", ["RISK_MALICIOUS"], [], True)),
        (WALLET, {"risk": "suspicious"}, ("hold", ["RISK_SUSPICIOUS"], ["operator-decision"], False)),
        (WALLET, {"risk": "unknown"}, ("hold", ["RISK_UNKNOWN"], ["operator-decision"], False)),
        (WALLET, {"risk": "pending"}, ("hold", ["RISK_PENDING"], ["operator-decision"], False)),
        (
            f'{WALLET}\n[verdicts]\nRISK_SUSPICIOUS = "deny"',
            {"risk": "suspicious"},
            ("deny", ["RISK_SUSPICIOUS"], [], True),
        ),
    ],
)
def test_what_each_risk_leads_to(rules, facts, expected):
    scene = gated(rules)
    scene.submit(ended(scene, **facts))
    assert said(scene) == expected
    assert not scene.calls


def test_each_gate_is_asked_once_and_in_order():
    scene = gated(BOTH)
    assert wanted(scene).kind == "lists"
    scene.submit(ended(scene))
    asked = wanted(scene)
    assert (asked.kind, asked.network, asked.address) == ("wallet", "XRP", ADDRESS)
    assert asked.parties == (), "whoever rates a wallet needs no names"
    scene.submit(ended(scene))
    scene.submit(VALID, VERIFIED)
    assert said(scene) == ("allow", ["VERIFIED"], [], True)


def test_a_policy_that_fails_open_goes_on_and_says_so():
    scene = gated(f'{WALLET}\n[verdicts]\nRISK_PENDING = "allow"')
    scene.submit(ended(scene, "pending"))
    assert scene.alerts == ["RISK_ACCEPTED_UNCHECKED"]
    assert [call.operation for call in scene.calls] == ["address-search"]
    assert not scene.verdicts, "an unknown risk is no allow: the exchange still decides"


@pytest.mark.parametrize("risk", ["unknown", "pending"])
def test_failing_open_for_a_rating_is_not_failing_open_for_the_lists(risk):
    scene = gated(f'{LISTS}\n[verdicts]\nRISK_UNKNOWN = "allow"\nRISK_PENDING = "allow"')
    scene.submit(ended(scene, risk))
    assert said(scene) == ("hold", ["RISK_UNKNOWN"], ["operator-decision"], False)
    assert not scene.calls
    assert not scene.alerts


def test_the_lists_are_done_without_only_by_their_own_cause():
    scene = gated(f'{LISTS}\n[verdicts]\nLISTS_UNCHECKED = "allow"')
    scene.submit(ended(scene, "unknown"))
    assert scene.alerts == ["RISK_ACCEPTED_UNCHECKED"]
    assert [call.operation for call in scene.calls] == ["address-search"]
    hit = gated(f'{LISTS}\n[verdicts]\nLISTS_UNCHECKED = "allow"')
    hit.submit(ended(hit, "malicious", sanctioned=True))
    assert said(hit)[:2] == ("deny", ["SANCTIONED"])


def test_failing_open_for_deposits_alone_leaves_withdrawals_closed():
    scene = gated(f'{WALLET}\n[deposit_verdicts]\nRISK_UNKNOWN = "allow"')
    scene.submit(ended(scene, "unknown"))
    assert said(scene)[:2] == ("hold", ["RISK_UNKNOWN"])


def test_failing_open_for_one_cause_leaves_the_other_closed():
    scene = gated(f'{WALLET}\n[verdicts]\nRISK_PENDING = "allow"')
    scene.submit(ended(scene, "unknown"))
    assert said(scene)[1] == ["RISK_UNKNOWN"]


@pytest.mark.parametrize("exempt", [{"isExceedingThreshold": False}, {"destination": {
    "kind": "vasp", "vaspEntityId": "north", "address": ADDRESS}}])  # fmt: skip
def test_nothing_is_exempt_from_the_lists(exempt):
    scene = gated(f"{LISTS}\n[exemptions]\nbelow_threshold = true", **exempt)
    assert wanted(scene).kind == "lists"
    scene.submit(ended(scene, "malicious", sanctioned=True))
    assert said(scene)[1] == ["SANCTIONED"]


def test_what_is_exempt_is_not_rated():
    scene = gated(f"{WALLET}\n[exemptions]\nbelow_threshold = true", isExceedingThreshold=False)
    assert said(scene)[1] == ["EXEMPT_BELOW_THRESHOLD"]


def test_an_unknown_destination_is_searched_after_the_gates():
    scene = gated(BOTH, destination=UNKNOWN)
    scene.submit(ended(scene))
    scene.submit(ended(scene))
    assert [call.operation for call in scene.calls] == ["wallet-search"]


def test_another_assessment_or_a_late_one_changes_nothing():
    scene = gated()
    other = AssessmentEnded(assessment="assessment:withdrawal:other/1", kind="lists", risk="malicious", sanctioned=True)
    answer = ended(scene)
    before = scene.state
    assert scene.submit(other).status == "duplicate"
    assert scene.state == before
    scene.submit(answer)
    after = scene.state
    assert scene.submit(answer).status == "duplicate"
    assert scene.state == after


@pytest.mark.parametrize("end", [cancelled(), decided("deny")])
def test_whoever_ends_the_withdrawal_drops_the_assessment(end):
    scene = gated()
    answer = ended(scene)
    scene.submit(end)
    (tell,) = scene.messages
    assert (tell.subject, tell.type) == (FIRST, "assessment.dropped")
    assert scene.submit(answer).status == "duplicate"


def test_other_facts_are_assessed_anew():
    scene = gated(WALLET)
    scene.submit(ended(scene, "suspicious"))
    destination = {**request()["destination"], "address": "rOTHER"}
    scene.submit(amended(destination=destination))
    asked = wanted(scene)
    assert asked.address == "rOTHER"
    assert scene.state.gate.subject.endswith("/2"), "an assessment is about one set of facts"


def test_an_unhosted_wallet_is_allowed_only_with_the_proof():
    scene = gated("", destination=UNHOSTED)
    asked = wanted(scene)
    assert (asked.kind, asked.network, asked.asset) == ("ownership", "ETH", "ETH")
    assert (asked.customer_id, asked.widget_origin, asked.address) == ("c-1001", "https://a", "0xab")
    assert (asked.sent_currency, asked.sent_network) == ("XRP", "XRP"), "what is sent is compared with it"
    assert said(scene) == ("hold", ["OWNERSHIP_PENDING"], ["ownership-proof"], False)
    at = datetime(2026, 11, 21, tzinfo=UTC)
    scene.submit(AssessmentSession(assessment=FIRST, token="t", wallet_verification_id="v-1", expires_at=at))
    (session,) = scene.callbacks
    OwnershipSessionBody.model_validate(session)
    assert (session["token"], session["requestId"]) == ("t", FIRST.removeprefix("assessment:"))
    scene.submit(ended(scene, proven=True, checked_by_us=True, status="VERIFIED", verified_at=at))
    (result,) = scene.callbacks
    OwnershipResultBody.model_validate(result)
    assert (result["status"], result["checkedByUs"]) == ("VERIFIED", True)
    assert said(scene) == ("allow", ["OWNERSHIP_PROVEN"], [], True)
    assert not scene.calls


def test_a_proof_that_does_not_come_is_a_deny():
    scene = gated("", destination=UNHOSTED)
    scene.submit(ended(scene, "unknown", proven=False, status="EXPIRED"))
    assert said(scene) == ("deny", ["OWNERSHIP_NOT_PROVEN"], [], True)


@pytest.mark.parametrize("tag", ["", ":memo"])
def test_a_raw_ton_address_is_looked_for_whole(tag):
    account = "0:" + "ed" * 32
    destination = {"kind": "vasp", "vaspEntityId": "south", "address": f"{account}{tag}"}
    assert wanted(gated(destination=destination)).address == account


def test_the_wallet_of_an_unhosted_destination_is_rated_on_its_own_chain_where_no_network_is_named():
    scene = gated(WALLET, network=None, destination=UNHOSTED)
    assert (wanted(scene).kind, wanted(scene).network) == ("wallet", "ETH")
    scene = gated(WALLET, destination=UNHOSTED)
    assert wanted(scene).network == "XRP"
