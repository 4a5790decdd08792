"""Cancellation by the platform and decisions of operators."""

from __future__ import annotations

import pytest

from schemas.events.decisions import DecisionRecorded
from schemas.events.withdrawals import WithdrawalCancelled
from tests.support.call_results import VALID, VERIFIED, denied, reported
from tests.support.events import broadcast, cancelled, decided, requested
from tests.support.exchange_scenes import allowed, asking, reporting, waiting
from tests.support.scene import Scene
from tests.support.vasps import policy
from travelrule.machine.effects import EndUnsent

OVERRIDE = policy("operator_override = true")
LOST = reported("failed", "transfer-authorization", code="NO_ANSWER", maybe_acted=True)
NEVER_SENT = reported("failed", "transfer-authorization", code="NOT_SENT")


def held(rules=None) -> Scene:
    scene = waiting(rules)
    scene.submit(denied("INPUT_NAME_MISMATCHED"))
    return scene


def test_cancelled_before_the_authorization_nothing_is_owed():
    scene = asking()
    scene.submit(cancelled())
    assert scene.drops == [("address-search",)]
    assert not scene.calls
    (verdict,) = scene.verdicts
    assert (verdict["verdict"], verdict["reasons"], verdict["final"]) == ("deny", ["CANCELLED"], True)
    scene.submit(VALID)
    assert not scene.last.effects


@pytest.mark.parametrize(
    ("answer", "statuses", "calls"),
    [
        (VERIFIED, ["verified", "canceled"], ["finish"]),
        (denied("UNKNOWN"), ["denied"], []),
        (LOST, ["canceled"], ["finish"]),
        (NEVER_SENT, ["canceled"], []),
    ],
)
def test_cancelled_while_the_authorization_is_on_its_way(answer, statuses, calls):
    scene = waiting()
    scene.submit(cancelled("NOT_KYC_USER"))
    assert scene.verdicts[0]["reasons"] == ["CANCELLED"]
    assert not scene.calls
    assert not scene.drops
    scene.submit(answer)
    assert scene.statuses == statuses
    assert [call.operation for call in scene.calls] == calls
    assert all(call.clear["reasonType"] == "NOT_KYC_USER" for call in scene.calls)
    assert not scene.verdicts


def test_cancelled_after_verified_the_finish_is_sent_at_once():
    scene = allowed()
    scene.submit(cancelled("SANCTION_LIST"))
    assert scene.statuses == ["canceled"]
    assert [(call.operation, call.clear["reasonType"]) for call in scene.calls] == [("finish", "SANCTION_LIST")]
    assert scene.verdicts[0]["verdict"] == "deny"
    assert "conclude" in scene.state.timers


def test_what_is_on_its_way_cannot_be_cancelled():
    scene = reporting()
    before = scene.state
    assert scene.submit(cancelled()).code == "ALREADY_BROADCAST"
    assert scene.state == before


def test_cancelled_twice_or_after_a_refusal_is_a_duplicate():
    scene = asking()
    scene.submit(cancelled())
    assert scene.submit(cancelled("NOT_KYC_USER")).status == "duplicate"
    refused = waiting()
    refused.submit(denied("UNKNOWN"))
    assert refused.submit(cancelled()).status == "duplicate"


def test_an_operator_may_allow_a_hold_only_if_the_policy_says_so():
    scene = held()
    before = scene.state
    assert scene.submit(decided("allow")).code == "NOT_VERIFIED"
    assert scene.last.status == "rejected"
    assert scene.state == before
    scene = held(OVERRIDE)
    scene.submit(decided("allow"))
    (verdict,) = scene.verdicts
    assert (verdict["verdict"], verdict["reasons"], verdict["final"]) == ("allow", ["OPERATOR"], True)
    assert not scene.state.timers


def test_an_override_ends_the_automatic_tries():
    scene = asking(OVERRIDE)
    scene.submit(reported("deferred", "address-search", code="COUNTERPARTY_DOWN"), decided("allow"))
    assert scene.drops == [("address-search",)]
    assert not scene.state.timers
    scene.submit(VALID)
    assert not scene.calls


def test_an_override_while_the_answer_is_on_its_way_still_concludes_the_exchange():
    scene = waiting(OVERRIDE)
    scene.submit(reported("deferred", "transfer-authorization", code="COUNTERPARTY_DOWN"), decided("allow"))
    scene.submit(VERIFIED)
    assert scene.statuses == ["verified", "pending"]
    assert not scene.verdicts
    scene.submit(broadcast())
    assert [call.operation for call in scene.calls] == ["txid-report"]


@pytest.mark.parametrize(("limit", "code"), [("150.29", "OPERATOR_LIMIT"), ("150.30", ""), ("1000", "")])
def test_the_policys_limit_of_overrides(limit, code):
    scene = held(policy(f'operator_override = true\n[operator_limits]\nusd = "{limit}"'))
    assert scene.submit(decided("allow")).code == code


@pytest.mark.parametrize("scene_of", [asking, waiting])
def test_what_has_no_verdict_yet_cannot_be_allowed(scene_of):
    assert scene_of(OVERRIDE).submit(decided("allow")).code == "NOT_ON_HOLD"


@pytest.mark.parametrize("decision", ["allow", "deny"])
def test_a_final_verdict_is_not_overruled_by_an_operator(decision):
    scene = allowed(OVERRIDE)
    assert scene.submit(decided(decision)).code == "ALREADY_FINAL"
    assert scene.last.status == "rejected"


@pytest.mark.parametrize(("scene_of", "finishes"), [(asking, []), (waiting, ["finish"]), (held, [])])
def test_an_operator_may_deny_what_is_not_final(scene_of, finishes):
    scene = scene_of()
    scene.submit(decided("deny"))
    (verdict,) = scene.verdicts
    assert (verdict["verdict"], verdict["reasons"]) == ("deny", ["OPERATOR"])
    scene.submit(VERIFIED)
    assert [call.operation for call in scene.calls] == finishes


def test_a_denied_withdrawal_whose_value_was_sent_is_still_reported():
    scene = waiting()
    scene.submit(broadcast(), decided("deny"), VERIFIED)
    assert scene.statuses == ["verified", "pending", "processing"]
    assert [call.operation for call in scene.calls] == ["txid-report"]
    assert not scene.verdicts


@pytest.mark.parametrize("end", [cancelled(), decided("deny")])
def test_an_authorization_that_was_not_sent_yet_is_not_sent_any_more(
    end: WithdrawalCancelled | DecisionRecorded,
) -> None:
    scene = waiting(OVERRIDE)
    scene.submit(reported("deferred", "transfer-authorization", code="COUNTERPARTY_DOWN"))
    scene.submit(end)
    assert EndUnsent("transfer-authorization") in scene.last.effects
    scene.submit(reported("failed", "transfer-authorization", code="CALL_ENDED", maybe_acted=True))
    assert scene.calls[-1].operation == "finish", "a process may have died while it sent it"
    assert not scene.alerts


def test_an_unhosted_destination_waits_for_an_operator():
    scene = Scene(rules=OVERRIDE)
    unhosted = {"kind": "unhosted", "address": "0xab", "blockchain": "ETH", "asset": "ETH", "widgetOrigin": "https://a"}
    scene.submit(requested(destination=unhosted), decided("allow"))
    assert scene.verdicts[0]["reasons"] == ["OPERATOR"]
    assert "counterparty" not in scene.verdicts[0]
