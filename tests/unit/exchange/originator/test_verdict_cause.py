"""The cause of a verdict that follows from the state and the policy."""

from __future__ import annotations

import pytest

from tests.support.events import UNHOSTED, UNKNOWN, requested
from tests.support.exchange_scenes import allowed, asking, waiting
from tests.support.scene import Scene
from tests.support.vasps import policy
from travelrule.exchange.originator.verdict_cause import cause_of, next_gate
from travelrule.policy.causes import Cause

LISTS = 'sanctions = "required"'
BELOW = "[exemptions]\nbelow_threshold = true"
WITHOUT_REPRESENTATIVES = {"legal": {"name": "Oak"}}


@pytest.mark.parametrize(
    ("rules", "changes", "cause"),
    [
        ("[assets.BTC]", {}, Cause.ASSET_NOT_SUPPORTED),
        (BELOW, {"isExceedingThreshold": False}, Cause.EXEMPT),
        ("", {"destination": UNHOSTED, "currency": "ETH", "network": "ETH"}, Cause.OWNERSHIP_PENDING),
        ("", {"beneficiary": WITHOUT_REPRESENTATIVES}, Cause.INFORMATION_INCOMPLETE),
        ("[names]\nfirst_party_withdrawals = true", {}, Cause.NOT_FIRST_PARTY),
    ],
)
def test_the_verdict_of_a_request_is_the_one_that_its_state_calls_for(rules, changes, cause):
    scene = Scene(rules=policy(rules))
    scene.submit(requested(**changes))
    found = cause_of(scene.state, scene.rules)
    assert found is not None
    assert (found.cause, found.law) == (cause, scene.last.rule)
    assert scene.state.case.cause == cause


def test_a_verified_exchange_allows():
    scene = allowed()
    found = cause_of(scene.state, scene.rules)
    assert found is not None
    assert scene.state.case.cause == found.cause == Cause.VERIFIED


@pytest.mark.parametrize("scene", [asking(), waiting(), asking(policy(LISTS))])
def test_while_an_answer_is_pending_the_last_verdict_stands(scene):
    assert cause_of(scene.state, scene.rules) is None


def test_the_lists_come_before_every_exemption_and_the_proof_comes_last():
    scene = Scene(rules=policy(f'{LISTS}\n{BELOW}\n[screening]\nwithdrawals = "wallet"'))
    scene.submit(requested(isExceedingThreshold=False, destination=UNHOSTED, currency="ETH", network="ETH"))
    assert cause_of(scene.state, scene.rules) is None
    assert next_gate(scene.state, scene.rules) == "lists"


def test_an_unknown_destination_leaves_no_gate():
    scene = Scene(rules=policy())
    scene.submit(requested(destination=UNKNOWN))
    assert next_gate(scene.state, scene.rules) is None
