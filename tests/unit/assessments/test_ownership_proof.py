"""Proof that a wallet is the customer's own: session, result, what is compared, what is checked here."""

from __future__ import annotations

from datetime import timedelta

import pytest
from coincurve import PrivateKey

from schemas.hub.screening import UnhostedTokenRequest
from tests.support.assessment_scenes import (
    ADDRESS,
    ASKER,
    OTHER_ADDRESS,
    TOKEN,
    VERIFICATION,
    decided,
    opening,
    proving,
    reported,
    signature,
    verified,
    wanted,
    wants,
)
from travelrule.machine.effects import SendMessage

WAITS = {"verificationId": VERIFICATION, "status": "PENDING"}
NOT_PROVEN = "OWNERSHIP_NOT_PROVEN"


def test_a_session_is_asked_for_with_all_the_hub_needs():
    body = UnhostedTokenRequest.model_validate(opening().call.clear)
    assert (body.blockchain, body.asset, body.address) == ("ETH", "USDT", ADDRESS)
    assert (body.customer_identification, body.widget_rendering_origin) == ("c-1001", "https://app.example.com:443")


@pytest.mark.parametrize("blockchain", ["BTC", "TON"])
def test_a_network_without_a_code_proves_nothing_at_once(blockchain):
    scene = opening(blockchain=blockchain)
    assert scene.calls == []
    assert scene.verdict == ("deny", [NOT_PROVEN, "NETWORK_NOT_SCREENABLE"], True)
    assert "ownership.result.v1" not in scene.events, "there was no session"


def test_the_session_is_handed_over():
    scene = proving()
    session = scene.events["ownership.session.v1"]
    assert (session["token"], session["walletVerificationId"]) == (TOKEN, VERIFICATION)
    assert session["expiresAt"] == "2026-11-21T09:00:00Z"
    assert (scene.call.operation, scene.call.correlation_id) == ("unhosted-result", VERIFICATION)
    assert scene.seconds >= 30
    assert TOKEN not in repr(scene.state)


def test_a_proof_whose_signature_is_right_is_proven_and_checked_by_us():
    scene = proving()
    scene.answer(verified(address=ADDRESS.upper().replace("0X", "0x"), asset="usdt", blockchain="eth"))
    assert scene.verdict == ("allow", ["OWNERSHIP_PROVEN"], True)
    result = scene.events["ownership.result.v1"]
    assert (result["status"], result["checkedByUs"]) == ("VERIFIED", True)
    assert result["verifiedAt"] == "2026-11-20T09:30:00Z"
    assert not scene.state.timers


@pytest.mark.parametrize("proof", [{"signature": "0x" + "00" * 200}, {"signature": None}, {"signedMessage": ""}])
def test_what_we_cannot_check_is_believed_but_said_so(proof):
    scene = proving()
    scene.answer(verified(**proof))
    assert scene.verdict[0] == "allow"
    assert scene.events["ownership.result.v1"]["checkedByUs"] is False


@pytest.mark.parametrize("proof", [signature(key=PrivateKey(b"\x08" * 32)), signature("another message"), "0x00"])
def test_a_wrong_signature_is_refused_whatever_the_hub_says(proof):
    scene = proving()
    scene.answer(verified(signature=proof))
    assert scene.verdict == ("deny", [NOT_PROVEN, "OWNERSHIP_SIGNATURE_INVALID"], True)
    assert scene.alerts == ["OWNERSHIP_SIGNATURE_INVALID"]
    assert scene.events["ownership.result.v1"]["checkedByUs"] is True


@pytest.mark.parametrize(
    "changes",
    [
        {"address": OTHER_ADDRESS},
        {"address": None},
        {"asset": "ETH"},
        {"asset": None},
        {"blockchain": "BASE"},
        {"blockchain": None},
        {"verificationId": "another"},
    ],
)
def test_a_proof_of_anything_else_is_refused(changes):
    scene = proving()
    scene.answer(verified(**changes))
    assert scene.verdict == ("deny", [NOT_PROVEN, "OWNERSHIP_MISMATCH"], True)
    assert scene.alerts == ["OWNERSHIP_MISMATCH"]


@pytest.mark.parametrize("body", [WAITS, {"status": "SOMETHING_NEW"}, None, {}, {"status": 7}])
def test_anything_but_verified_is_asked_about_again(body):
    scene = proving()
    scene.answer(body)
    assert scene.call.operation == "unhosted-result"
    assert scene.state.status == "proving"


def test_polls_become_rarer_within_bounds():
    scene = proving()
    waits = []
    for _ in range(300):
        waits.append(scene.seconds)
        scene.answer(WAITS)
    assert 30 <= waits[0] < 38
    assert 600 <= waits[-1] <= 750


def test_a_callback_hastens_the_question_and_proves_nothing():
    scene = proving()
    scene.back("unhosted-token")
    assert (scene.call.operation, scene.seconds) == ("unhosted-result", 0)
    assert scene.state.status == "proving"
    scene.back("unhosted-token", VERIFICATION)
    assert scene.calls == [], "just asked"
    scene.back("unhosted-token", "another")
    assert scene.calls == []


def test_a_callback_before_the_session_was_answered_is_remembered():
    scene = opening()
    scene.back("unhosted-token")
    scene.answer({"token": TOKEN, "walletVerificationId": VERIFICATION})
    assert scene.seconds == 0


def test_at_the_limit_it_is_asked_once_more_and_then_denied():
    scene = proving()
    scene.answer(WAITS)
    scene.fire()
    assert (scene.call.operation, scene.seconds) == ("unhosted-result", 0)
    assert scene.drops == [("unhosted-result",)]
    scene.answer(WAITS)
    assert scene.verdict == ("deny", [NOT_PROVEN], True)
    assert scene.events["ownership.result.v1"]["status"] == "EXPIRED"
    assert scene.alerts == [], "the customer did not do it: nothing for an operator"


def test_a_proof_that_the_last_question_finds_counts():
    scene = proving()
    scene.fire()
    scene.answer(verified())
    assert scene.verdict[0] == "allow"


@pytest.mark.parametrize("how", ["silence", "failure"])
def test_silence_at_the_limit_is_denied_and_an_alert(how):
    scene = proving()
    scene.fire()
    if how == "silence":
        scene.fire()
    else:
        scene.fail()
    assert scene.verdict == ("deny", [NOT_PROVEN], True)
    assert scene.alerts == ["OWNERSHIP_UNANSWERED"]


def test_the_limit_is_that_of_the_policy_and_begins_with_the_session():
    scene = opening("[time_limits]\nownership = 100")
    scene.wait(50)
    scene.answer({"token": TOKEN, "walletVerificationId": VERIFICATION})
    assert scene.state.timers == {"limit": scene.now + timedelta(seconds=100)}


def test_a_hub_that_opens_no_session_is_tried_until_the_limit_with_one_alert():
    scene = opening()
    alerts = []
    for _ in range(8):
        scene.fail("SERVICE_UNAVAILABLE", 503)
        assert scene.call.operation == "unhosted-token"
        alerts += scene.alerts
    scene.answer({"token": ""})
    assert scene.call.operation == "unhosted-token"
    assert alerts == ["OWNERSHIP_SESSION_LATE"]
    scene.fire()
    assert scene.verdict == ("deny", [NOT_PROVEN], True)


@pytest.mark.parametrize(
    ("code", "reason", "alerts"),
    [
        ("INVALID_ORIGIN", "SCREENING_REFUSED", ["SCREENING_REFUSED"]),
        ("INVALID_MSG_FIELD_VALUE", "SCREENING_REFUSED", ["SCREENING_REFUSED"]),
        ("UNSUPPORTED_BLOCKCHAIN", "UNSUPPORTED_BLOCKCHAIN", []),
    ],
)
def test_a_refused_session_is_not_proven(code, reason, alerts):
    scene = opening()
    scene.fail(code, 422)
    assert scene.verdict == ("deny", [NOT_PROVEN, reason], True)
    assert scene.alerts == alerts


def test_a_hub_that_refuses_to_say_is_asked_once_more_at_the_limit():
    scene = proving()
    scene.fail("NOT_FOUND", 404)
    assert scene.alerts == ["SCREENING_REFUSED"]
    assert scene.calls == []
    scene.fire()
    assert scene.call.operation == "unhosted-result"
    scene.fail("NOT_FOUND", 404)
    assert scene.verdict[0] == "deny"


def test_a_callback_wakes_a_question_that_was_given_up():
    scene = proving()
    scene.fail("NOT_FOUND", 404)
    scene.back("unhosted-token")
    scene.answer(verified())
    assert scene.verdict[0] == "allow"


@pytest.mark.parametrize(("decision", "verdict"), [("allow", "allow"), ("deny", "deny")])
def test_an_operator_may_decide_while_the_proof_is_awaited(decision, verdict):
    scene = proving()
    scene.submit(decided(decision))
    assert scene.verdict == (verdict, ["OPERATOR"], True)
    assert scene.drops == [()]
    scene.submit(decided(decision))
    assert scene.last.code == "ALREADY_FINAL"


def test_an_asker_hears_session_and_answer_and_again_if_it_asks_again():
    scene = wants("ownership")
    scene.submit(wanted("ownership"))
    assert not scene.last.effects, "nothing is known yet"
    scene.answer({"token": TOKEN, "walletVerificationId": VERIFICATION})
    assert [(tell.subject, tell.type) for tell in scene.of(SendMessage)] == [(ASKER, "assessment.session")]
    session = scene.message_data()
    scene.submit(wanted("ownership"))
    assert (scene.last.status, scene.message_data()) == ("duplicate", session)
    scene.answer(verified())
    (ended,) = answer = scene.message_data()
    assert (ended.proven, ended.checked_by_us, ended.risk) == (True, True, "unknown")
    assert ended.hub_request_id == VERIFICATION
    scene.submit(wanted("ownership"))
    assert (scene.last.status, scene.message_data()) == ("duplicate", answer)
    scene.submit(wanted("ownership", asset="ETH"))
    assert scene.last.code == "CONFLICT"


@pytest.mark.parametrize("missing", ["asset", "customer_id", "widget_origin", "address"])
def test_a_session_that_cannot_be_asked_for_is_not_proven(missing):
    scene = wants("ownership", **{missing: ""})
    (ended,) = scene.message_data()
    assert (ended.proven, ended.reason) == (False, "INFORMATION_INCOMPLETE")
    assert scene.calls == []


def test_old_answers_are_nothing():
    scene = proving()
    scene.submit(reported("unhosted-token", "old", body={"token": "t", "walletVerificationId": "v"}))
    scene.submit(reported("unhosted-result", "another", body=verified()))
    assert scene.state.status == "proving"
    assert scene.state.session.token == TOKEN


@pytest.mark.parametrize("proof", ["0x" + "ab" * 65, "no encoding that we know", "ab" * 64])
def test_for_solana_the_hubs_word_counts_because_no_source_states_the_scheme(proof):
    """D38: what we can check is checked, what we cannot is believed and said so."""
    address = "So11111111111111111111111111111111111111112"
    scene = proving(blockchain="SOL", asset="SOL", address=address)
    scene.answer(verified(blockchain="SOL", asset="SOL", address=address, signature=proof))
    assert scene.verdict == ("allow", ["OWNERSHIP_PROVEN"], True)
    assert scene.events["ownership.result.v1"]["checkedByUs"] is False
    assert scene.alerts == []


@pytest.mark.parametrize(
    "sent",
    [
        {"sent_currency": "BTC", "sent_network": "BTC"},
        {"sent_currency": "ETH", "sent_network": "ETH"},
        {"sent_currency": "USDT", "sent_network": "TRX"},
        {"sent_currency": "USDT", "sent_network": "a chain that nobody knows"},
    ],
)
def test_a_proof_says_nothing_about_another_asset_or_chain(sent):
    scene = wants("ownership", **sent)
    assert scene.calls == [], "the customer is not asked to prove what does not count"
    (answer,) = scene.message_data()
    assert (answer.proven, answer.status, answer.reason) == (False, "MISMATCH", "OWNERSHIP_MISMATCH")


@pytest.mark.parametrize("network", ["", "ETH", "eth", "ERC20"])
def test_a_proof_counts_for_what_is_sent_to_the_wallet(network):
    scene = wants("ownership", sent_currency="usdt", sent_network=network)
    assert scene.call.operation == "unhosted-token"
