"""Wallets and transactions: what counts as a rating, what does not, and when it is given up."""

from __future__ import annotations

from itertools import pairwise

import pytest

from schemas.hub.screening import TransactionScreeningRequest, WalletScreeningRequest
from tests.support.assessment_scenes import (
    ADDRESS,
    ERROR,
    OTHER_ADDRESS,
    TXID,
    AssessmentScene,
    asked,
    lists,
    reported,
    requested,
    transaction_answer,
    wallet_answer,
    wants,
)


@pytest.mark.parametrize(
    ("category", "risk", "reasons"),
    [
        ("WHITE", "clean", []),
        ("GRAY", "suspicious", ["RISK_SUSPICIOUS"]),
        ("black", "malicious", ["RISK_MALICIOUS"]),
        ("UNKNOWN", "unknown", ["RISK_UNKNOWN"]),
        ("PURPLE", "unknown", ["RISK_UNKNOWN"]),
    ],
)
def test_the_verdict_on_a_wallet_is_its_category(category, risk, reasons):
    scene = asked()
    assert scene.call.operation == "wallet-screening"
    body = WalletScreeningRequest.model_validate(scene.call.clear)
    assert (body.wallet_address, body.chain) == (ADDRESS, "ETH")
    scene.answer(wallet_answer(category))
    assert scene.verdict == (risk, reasons, True)
    assert scene.events["screening.verdict.v1"]["risk"] == risk
    assert scene.state.status == "ended"
    assert not scene.state.timers


def test_a_tag_is_no_part_of_the_wallet():
    scene = asked(chain="XRP", address="rPEPPER7kfTD9w2To4CQk6UCfuHM9c6GDY:77001")
    assert scene.call.clear == {"walletAddress": "rPEPPER7kfTD9w2To4CQk6UCfuHM9c6GDY", "chain": "XRP"}


@pytest.mark.parametrize(
    ("categories", "risk"),
    [
        (("WHITE", "WHITE"), "clean"),
        (("WHITE", "GRAY"), "suspicious"),
        (("WHITE", "UNKNOWN"), "unknown"),
        (("GRAY", "BLACK"), "malicious"),
        ((), "unknown"),
    ],
)
def test_the_worst_wallet_decides_about_a_transaction(categories, risk):
    scene = asked("transaction")
    assert scene.call.operation == "transaction-screening"
    body = TransactionScreeningRequest.model_validate(scene.call.clear)
    assert (body.txid, body.chain) == (TXID, "ETH")
    scene.answer(transaction_answer(*categories))
    assert scene.verdict[0] == risk


def test_facts_of_a_rating_hold_no_address():
    scene = wants("transaction")
    scene.answer(transaction_answer("BLACK", "WHITE"))
    (ended,) = scene.message_data()
    assert ended.facts == {"senders": {"BLACK": 1}, "receivers": {"WHITE": 1}, "tags": ["Hack"]}
    assert (ended.assessment, ended.kind, ended.risk) == (scene.subject, "transaction", "malicious")


def test_error_is_no_rating_and_is_asked_again_ever_more_rarely_until_the_limit():
    scene = asked()
    waits = []
    for _ in range(4):
        scene.answer(ERROR)
        assert scene.call.operation == "wallet-screening"
        waits.append(scene.seconds)
    assert all(later > sooner for sooner, later in pairwise(waits))
    assert waits[0] < 3
    scene.fire()
    assert scene.verdict == ("unknown", ["RISK_UNKNOWN", "SCREENING_LATE"], True)
    assert scene.alerts == ["SCREENING_LATE"]
    assert scene.drops == [()]


def test_the_limit_is_that_of_the_policy():
    scene = asked(text="[time_limits]\nscreening = 7")
    assert (scene.state.timers["limit"] - scene.now).total_seconds() == 7


def test_an_error_without_code_is_the_providers_error_whatever_the_status():
    scene = asked()
    for code, status in (("HTTP_400", 400), ("HTTP_500", 500), ("NO_ANSWER", 0), ("SERVICE_UNAVAILABLE", 503)):
        scene.fail(code, status)
        assert scene.calls, code
    scene.answer(wallet_answer())
    assert scene.verdict[0] == "clean"


def test_a_used_up_quota_is_an_alert_and_unknown_at_the_limit():
    scene = asked()
    scene.fail("INVALID_ORIGIN", 422)
    assert scene.alerts == ["SCREENING_REFUSED"]
    assert scene.seconds >= 60
    scene.fire()
    assert scene.verdict[0] == "unknown"


def test_a_refusal_is_an_alert_and_unknown_at_once():
    scene = asked()
    scene.fail("INVALID_HEADER_SIGNATURE", 422)
    assert scene.alerts == ["SCREENING_REFUSED"]
    assert scene.verdict == ("unknown", ["RISK_UNKNOWN", "SCREENING_REFUSED"], True)


def test_a_chain_that_the_provider_does_not_know_is_unknown_at_once_without_an_alert():
    scene = asked()
    scene.fail("UNSUPPORTED_BLOCKCHAIN", 400)
    assert scene.verdict == ("unknown", ["RISK_UNKNOWN", "UNSUPPORTED_BLOCKCHAIN"], True)
    assert scene.alerts == []


@pytest.mark.parametrize("chain", ["TON", "BASE", ""])
@pytest.mark.parametrize("kind", ["wallet", "transaction"])
def test_a_network_without_a_code_is_not_screenable_and_nothing_is_sent(kind, chain):
    scene = wants(kind, network=chain)
    if kind == "wallet":
        scene.submit(lists())
    (ended,) = scene.message_data()
    assert (ended.risk, ended.reason) == ("unknown", "NETWORK_NOT_SCREENABLE")
    assert scene.calls == []


def test_the_policy_may_name_another_code():
    scene = asked(text='[screening.chains.BASE]\nscreening = "ETH"', chain="base")
    assert scene.call.clear["chain"] == "ETH"
    scene = asked(text='[screening.chains.ETH]\nkyt = "ETH"')
    assert scene.verdict[1] == ["RISK_UNKNOWN", "NETWORK_NOT_SCREENABLE"]


def test_the_address_tells_the_two_chains_called_bnb_apart():
    assert asked(chain="BNB").call.clear["chain"] == "BSC"
    assert asked(chain="BNB", address="bnb1grpf0955h0ykzq3ar5nmum7y6gdfl6lxfn46h2").call.clear["chain"] == "BNB"


def test_a_rating_of_another_wallet_is_none():
    scene = asked()
    scene.answer(wallet_answer(walletAddress=OTHER_ADDRESS))
    assert scene.call.operation == "wallet-screening"
    scene.answer(wallet_answer(walletAddress=ADDRESS.upper().replace("0X", "0x")))
    assert scene.verdict[0] == "clean"


def test_an_answer_that_cannot_be_read_is_no_rating():
    scene = asked()
    for body in (None, {}, {"result": 7}, {"result": "ERROR"}):
        scene.answer(body)
        assert scene.calls, body


def test_double_and_foreign_answers_are_nothing():
    scene = asked()
    call = scene.call
    scene.submit(reported("wallet-screening", "another-id", body=wallet_answer()))
    scene.submit(reported("transaction-screening", call.correlation_id, body=transaction_answer("WHITE")))
    assert scene.state.status == "rating"
    scene.answer(ERROR)
    scene.submit(reported("wallet-screening", call.correlation_id, body=ERROR))
    assert scene.calls == [], "one question at a time"
    scene.answer(wallet_answer("GRAY"))
    scene.submit(reported("wallet-screening", call.correlation_id, body=wallet_answer()))
    assert scene.last.status == "duplicate"
    assert not scene.last.effects
    assert scene.state.ended.risk == "suspicious"


def test_waiting_and_trouble_change_nothing_but_are_said_once():
    scene = asked()
    scene.answer(None, "deferred")
    scene.answer(None, "troubled", attempts=10)
    assert scene.alerts == ["CALL_TROUBLED"]
    scene.answer(None, "troubled", attempts=11)
    assert scene.alerts == []
    assert scene.state.status == "rating"


def test_a_wallet_without_address_has_nothing_to_screen():
    assert wants("wallet", address=None).message_data()[0].reason == "NOTHING_TO_SCREEN"
    assert wants("transaction", txid=None).message_data()[0].reason == "NOTHING_TO_SCREEN"


def test_equal_requests_are_one_and_another_is_a_conflict():
    scene = asked()
    scene.submit(requested())
    assert (scene.last.status, scene.last.effects) == ("duplicate", ())
    scene.submit(requested("kyt"))
    assert (scene.last.status, scene.last.code) == ("rejected", "CONFLICT")
    scene.answer(wallet_answer())
    scene.submit(requested())
    assert not scene.last.effects, "the verdict was said; verdicts are republished by the command for it"


def test_the_platform_does_not_make_assessments_nor_a_subject_screenings():
    scene = AssessmentScene(subject="assessment:x/1")
    scene.submit(requested())
    assert scene.last.code == "UNKNOWN_TYPE"
    assert scene.state is None


def test_a_documented_code_that_is_no_networks_name_for_this_operation_is_sent_as_it_is():
    """The network AVAX (X-chain) has no code for screening, but AVAX is one of the nineteen codes."""
    scene = asked("transaction", chain="avax")
    assert scene.call.clear == {"txid": TXID, "chain": "AVAX"}


def test_a_code_is_the_platforms_word_and_not_that_of_a_network():
    """A withdrawal names the network: the X-chain cannot be screened."""
    scene = wants("transaction", network="AVAX")
    assert scene.calls == []
    assert scene.message_data()[0].reason == "NETWORK_NOT_SCREENABLE"


def test_the_policy_may_take_a_code_away():
    scene = asked("transaction", '[screening.chains.AVAX]\nkyt = "AVAX"', chain="AVAX")
    assert scene.calls == []


@pytest.mark.parametrize("account", ["0:" + "ed" * 32, "-1:" + "AB" * 32])
def test_the_workchain_of_a_raw_ton_address_is_no_address(account):
    scene = AssessmentScene()
    scene.submit(requested(chain="TON", address=account))
    (look_up,) = scene.look_ups
    assert look_up.parameters["address"] == account
