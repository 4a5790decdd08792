"""KYT: search, poll, callback, every kind of failure, the limit."""

from __future__ import annotations

import json
from uuid import UUID

import pytest

from schemas.hub.screening import KytSearchRequest
from tests.support.assessment_scenes import (
    ADDRESS,
    OTHER_ADDRESS,
    TXID,
    analysing,
    asked,
    failed,
    pending,
    released,
    reported,
    wants,
)
from travelrule.assessments.builder import HASTENED_MAX

SEARCH_AGAIN = ("kyt-search", "kyt-report")


def test_a_search_names_transaction_and_chain_and_forces_only_if_asked_to():
    scene = asked("kyt", chain="AVAX C-Chain")
    body = KytSearchRequest.model_validate(scene.call.clear)
    assert (body.tx_hash, body.blockchain, body.force) == (TXID, "AVAXC", None)
    assert UUID(scene.call.correlation_id).version == 4
    assert asked("kyt", force=True).call.clear["force"] is True


@pytest.mark.parametrize("chain", ["DOGE", "TON"])
def test_a_network_without_a_code_is_unknown_at_once(chain):
    scene = asked("kyt", chain=chain)
    assert scene.calls == []
    assert scene.verdict == ("unknown", ["RISK_UNKNOWN", "NETWORK_NOT_SCREENABLE"], True)
    assert "kyt.result.v1" not in scene.events, "no analysis was begun"


def test_a_released_search_is_asked_for_its_report_at_once():
    scene = asked("kyt")
    scene.answer({"requestId": 4711, "status": "RELEASED"})
    assert (scene.call.operation, scene.call.correlation_id, scene.seconds) == ("kyt-report", "4711", 0)
    assert scene.call.clear == {"requestId": "4711"}


def test_polls_are_five_to_ten_seconds_apart_and_grow():
    scene = analysing()
    waits = []
    for _ in range(12):
        waits.append(scene.seconds)
        scene.answer(pending())
        assert scene.drops == [("kyt-report",)], "never two questions at once"
    assert all(7 <= wait <= 10 for wait in waits)
    assert waits[-1] == 10


def test_a_poll_slower_than_ten_seconds_stays_as_the_policy_says():
    scene = analysing("[time_limits]\nkyt_poll = 25")
    assert scene.seconds == 25


@pytest.mark.parametrize(
    ("verdict", "risk", "reasons"),
    [
        ("Clean", "clean", []),
        ("Suspicious", "suspicious", ["RISK_SUSPICIOUS"]),
        ("Malicious", "malicious", ["RISK_MALICIOUS"]),
        ("Odd", "unknown", ["RISK_UNKNOWN"]),
    ],
)
def test_the_verdict_of_the_report_is_the_risk(verdict, risk, reasons):
    scene = analysing()
    scene.answer(released(verdict=verdict))
    assert scene.verdict == (risk, reasons, True)
    result = scene.events["kyt.result.v1"]
    assert (result["status"], result["risk"], result["hubRequestId"]) == ("released", risk, "4711")
    assert result["requestId"] == "s-1"
    assert not scene.state.timers


def test_facts_hold_counts_labels_and_amounts_but_no_address():
    scene = analysing()
    indicators = {
        "blacklistedAddresses": [ADDRESS],
        "suspiciousServices": {ADDRESS: "Mixer", OTHER_ADDRESS: "Mixer", "x": OTHER_ADDRESS},
        "behavioralPatterns": {
            "swift_movement": {"movement_count": 3, "paths": [{"movements": [{"address": ADDRESS}]}]}
        },
        "transactionPatterns": {
            "dormant status": {"is_suspicious": True, "addresses_count": 1, "wallets": [{"address": ADDRESS}]},
            "high_value_transaction": {"count": 1, "total_usd": 12345.5, "transactions": [{"tx_hash": TXID}]},
            "high_gas_fee": {"count": 2, "avg_gas_percentage": 80, "transactions": [{"tx_hash": TXID}]},
        },
        "mlFeatures": {"Tumbling": 1, "Abnormal Mixing": 0},
    }
    annotations = {ADDRESS: {"annotation": "Somebody", "securityCategory": "blacklist"}}
    scene.answer(released(verdict="Malicious", riskIndicators=indicators, annotations=annotations))
    facts = scene.events["kyt.result.v1"]["facts"]
    assert (facts["reportId"], facts["verdict"], facts["totalAmount"]) == (77, "Malicious", "1.25")
    assert facts["suspiciousServices"] == {"(withheld)": 1, "Mixer": 2}
    assert (facts["blacklistedAddresses"], facts["annotations"]) == (1, {"blacklist": 1})
    assert facts["mlFeatures"] == {"Tumbling": 1}
    assert set(facts["patterns"]) == {"swift_movement", "dormant_status", "high_value_transaction", "high_gas_fee"}
    assert facts["patterns"]["high_value_transaction"]["totalUsd"] == "12345.5"
    written = json.dumps(facts).lower()
    assert not [one for one in (ADDRESS, OTHER_ADDRESS, TXID) if one.lower() in written]


def test_a_callback_only_makes_us_ask_now():
    scene = analysing()
    scene.wait(1)
    scene.back()
    assert (scene.call.operation, scene.seconds) == ("kyt-report", 0)
    assert scene.drops == [("kyt-report",)]
    scene.back()
    assert scene.calls == [], "the question was just asked"
    scene.answer(pending())
    scene.back(request_id="4711")
    assert scene.seconds == 0


def test_callbacks_hasten_only_a_few_times_and_only_their_own_analysis():
    scene = analysing()
    scene.back(request_id="another")
    assert scene.calls == []
    scene.back("unhosted-token")
    assert (scene.calls, scene.last.status) == ([], "applied")
    scene.back("txid-search")
    assert scene.last.status == "duplicate"
    for _ in range(HASTENED_MAX):
        scene.back()
        scene.answer(pending())
    scene.back()
    assert scene.calls == []


def test_a_callback_before_the_search_was_answered_is_remembered():
    scene = asked("kyt")
    scene.back()
    assert scene.calls == []
    scene.answer({"requestId": 4711, "status": "PENDING"})
    assert (scene.call.operation, scene.seconds) == ("kyt-report", 0)


def test_a_transaction_that_is_not_found_is_searched_again_after_a_growing_wait():
    scene = analysing()
    waits, ids = [], {scene.state.question.call_id}
    for hub_id in range(4711, 4715):
        scene.answer(failed("tx hash not found.", hub_id))
        assert (scene.call.operation, "force" in scene.call.clear) == ("kyt-search", False)
        assert scene.drops == [SEARCH_AGAIN]
        waits.append(scene.seconds)
        ids.add(scene.call.correlation_id)
        scene.answer({"requestId": hub_id + 1, "status": "PENDING"})
    assert len(ids) == 5, "each search has its own id"
    assert 30 <= waits[0] < 40
    assert all(120 <= wait <= 150 for wait in waits[2:])
    scene.answer(released(4715))
    assert scene.verdict[0] == "clean"


def test_a_failed_analysis_is_forced_twice_and_then_given_up():
    scene = analysing()
    for hub_id in (4711, 4712):
        scene.answer(failed("Transaction analysis failed", hub_id))
        assert scene.call.clear["force"] is True
        scene.fail("NO_ANSWER")
        assert scene.call.clear["force"] is True, "still forced after a lost answer"
        scene.answer({"requestId": hub_id + 1, "status": "PENDING"})
    scene.answer(failed("Transaction analysis failed", 4713))
    assert scene.verdict == ("unknown", ["RISK_UNKNOWN", "KYT_FAILED"], True)
    assert scene.alerts == ["KYT_FAILED"]
    result = scene.events["kyt.result.v1"]
    assert (result["status"], result["error"]) == ("failed", "Transaction analysis failed")


def test_an_analysis_that_the_hub_forgot_is_begun_anew_first_at_once():
    scene = analysing()
    scene.fail("NOT_FOUND", 404)
    assert (scene.call.operation, scene.seconds) == ("kyt-search", 0)
    scene.answer({"requestId": 4712, "status": "PENDING"})
    scene.fail("NOT_FOUND", 404)
    assert (scene.call.operation, scene.seconds > 0) == ("kyt-search", True)


def test_at_the_limit_it_is_pending_if_the_hub_works_on_it():
    scene = analysing()
    scene.answer(pending())
    scene.fire()
    assert scene.verdict == ("pending", ["RISK_PENDING", "KYT_LATE"], True)
    assert scene.alerts == ["KYT_LATE"]
    assert scene.events["kyt.result.v1"]["error"] == "no result within the limit"
    scene.answer(released())
    assert scene.last.status == "duplicate"


@pytest.mark.parametrize("how", ["searching", "unasked", "silent", "not-found"])
def test_at_the_limit_it_is_unknown_if_not(how):
    scene = asked("kyt") if how == "searching" else analysing()
    if how == "silent":
        scene.answer(pending())
        scene.fail()
    if how == "not-found":
        scene.answer(failed())
    scene.fire()
    assert scene.verdict[0] == "unknown"
    assert scene.alerts == ["KYT_LATE"]
    assert ("kyt.result.v1" in scene.events) == (how != "searching")
    if how == "not-found":
        assert scene.events["kyt.result.v1"]["error"] == "Tx hash not found"


@pytest.mark.parametrize("stage", ["search", "report"])
def test_refusals_of_kyt(stage):
    def fresh():
        return asked("kyt") if stage == "search" else analysing()

    scene = fresh()
    scene.fail("INVALID_ORIGIN", 422)
    assert scene.alerts == ["SCREENING_REFUSED"]
    assert scene.seconds >= 60
    scene.fail("INVALID_ORIGIN", 422)
    assert scene.alerts == [], "said once"
    scene = fresh()
    scene.fail("ACCESS_DENIED", 403)
    assert scene.verdict == ("unknown", ["RISK_UNKNOWN", "SCREENING_REFUSED"], True)
    for code, status in (("SERVICE_UNAVAILABLE", 503), ("TOO_MANY_REQUESTS", 429), ("NO_ANSWER", 0)):
        scene = fresh()
        scene.fail(code, status)
        assert scene.calls


def test_a_chain_that_the_provider_does_not_know_is_unknown_at_once():
    scene = asked("kyt")
    scene.fail("UNSUPPORTED_BLOCKCHAIN", 400)
    assert scene.verdict == ("unknown", ["RISK_UNKNOWN", "UNSUPPORTED_BLOCKCHAIN"], True)
    assert scene.alerts == []


@pytest.mark.parametrize(
    "body",
    [None, {}, {"status": "RELEASED", "requestId": 4711}, released(9), {"requestId": 4711, "status": "RELEASED",
     "report": {"verdict": 7}}],
)  # fmt: skip
def test_a_report_that_cannot_be_read_or_is_anothers_is_asked_for_again(body):
    scene = analysing()
    scene.answer(body)
    assert scene.call.operation == "kyt-report"
    assert scene.state.status == "analysing"


def test_a_search_answered_with_nonsense_is_begun_again():
    scene = asked("kyt", force=True)
    for body in ({}, {"requestId": 10**60, "status": "PENDING"}):
        scene.answer(body)
        assert (scene.call.operation, scene.call.clear["force"]) == ("kyt-search", True)


def test_late_and_double_answers_are_nothing():
    scene = analysing()
    scene.answer(pending())
    scene.submit(reported("kyt-report", "4711", body=pending()))
    assert scene.calls == [], "one question at a time"
    scene.answer(failed())
    scene.submit(reported("kyt-report", "4711", body=released()))
    assert scene.state.status == "searching", "the old analysis is over"
    scene.submit(reported("kyt-search", "old-id", body={"requestId": 1, "status": "RELEASED"}))
    assert scene.calls == []


def test_an_asker_gets_the_whole_answer_and_no_event_is_emitted():
    scene = wants("kyt")
    scene.answer({"requestId": 4711, "status": "RELEASED"})
    scene.answer(released(verdict="Suspicious"))
    assert scene.events == {}
    (ended,) = scene.message_data()
    assert (ended.risk, ended.status, ended.hub_request_id) == ("suspicious", "RELEASED", "4711")
    assert ended.facts["verdict"] == "Suspicious"
