"""Joined to an exchange: what is compared, what ends, what comes when the exchange goes."""

from __future__ import annotations

import pytest

from tests.support.deposit_scenes import (
    CONFIRMED,
    EXCHANGE,
    RETRACTED,
    TRANSFER_ID,
    UNANNOUNCED,
    authorization,
    context,
    data,
    decided,
    late,
    matched,
    polling,
    requesting,
    result,
    searching,
    seen,
    unmatched,
)


def test_a_report_then_finality_allow_once_and_the_exchange_hears_it():
    scene = seen()
    scene.submit(matched())
    assert scene.verdict == ("hold", "AWAITING_FINALITY", False)
    said = scene.emitted("verdicts")[0]
    assert (said["counterparty"], said["transferId"]) == ("north", TRANSFER_ID)
    scene.submit(CONFIRMED)
    assert scene.verdict == ("allow", "MATCHED", True)
    assert scene.message_types == [(EXCHANGE, "exchange.settled")]
    assert set(scene.state.timers) == {"settle"}
    assert scene.submit(matched()).status == "duplicate"


def test_finality_then_a_report_allow_as_well():
    scene = seen()
    scene.submit(CONFIRMED)
    assert scene.silent
    scene.submit(matched())
    assert scene.verdict == ("allow", "MATCHED", True)


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"amount": "250.4"}, "AMOUNT_MISMATCH"),
        ({"currency": "USDT"}, "ASSET_MISMATCH"),
        ({"amount": "1", "currency": "USDT"}, "ASSET_MISMATCH"),
    ],
)
def test_what_differs_from_the_authorization_is_held_for_an_operator(changes, reason):
    scene = seen()
    scene.submit(CONFIRMED)
    scene.submit(matched(**changes))
    assert scene.verdict == ("hold", reason, False)
    assert scene.emitted("verdicts")[0]["needs"] == ["operator-decision"]
    assert scene.alerts == ["DEPOSIT_MISMATCH"]
    assert [one.stage for one in scene.message_data("exchange.settled")] == ["final"], (
        "final closes the door whatever differs"
    )
    scene.submit(decided("allow"))
    assert scene.verdict == ("allow", "OPERATOR", True)


def test_a_network_that_is_written_otherwise_is_no_difference():
    scene = seen()
    scene.submit(CONFIRMED, matched(network="Ripple"))
    assert scene.verdict == ("allow", "MATCHED", True)


@pytest.mark.parametrize("begun", [searching, polling, requesting, late])
def test_a_report_wins_over_everything_that_was_begun(begun):
    scene = begun()
    scene.submit(CONFIRMED, matched())
    assert scene.verdict == ("allow", "MATCHED", True)
    assert scene.drops == [()]
    assert scene.state.status == "matched"
    assert set(scene.state.timers) == {"settle"}


def test_a_report_wins_over_a_hold():
    scene = polling()
    scene.submit(result(scene.request_id, "invalid", "NOT_FOUND_TXID"), CONFIRMED, matched())
    assert scene.verdict == ("allow", "MATCHED", True)


def test_a_report_after_the_data_allowed_it_changes_no_verdict():
    scene = requesting()
    scene.submit(data(scene.request_id), CONFIRMED)
    assert scene.verdict == ("allow", "DATA_RECEIVED", True)
    scene.submit(matched(amount="1"))
    assert scene.silent
    assert scene.state.status == "received"
    assert [one.stage for one in scene.message_data("exchange.settled")] == ["final"]


def test_late_results_after_a_match_are_nothing():
    scene = polling()
    found = result(scene.request_id)
    scene.submit(matched())
    scene.submit(found)
    assert not scene.last.effects
    assert scene.state.status == "matched"


def test_both_must_answer_before_the_search_begins():
    for first, second in ((UNANNOUNCED, context()), (context(), UNANNOUNCED)):
        scene = seen()
        scene.submit(first)
        assert not scene.calls
        scene.submit(second)
        assert scene.operations == ["txid-search"]
        assert scene.verdict == ("hold", "SEARCHING", False)


def test_an_open_authorization_gives_the_report_its_time():
    scene = seen()
    scene.submit(UNANNOUNCED, context(authorization()))
    assert not scene.calls
    assert scene.state.status == "awaiting"
    assert (scene.state.timers["report"] - scene.now).total_seconds() == 600


def test_an_authorization_that_has_a_txid_is_nothing_to_wait_for():
    scene = seen()
    scene.submit(UNANNOUNCED, context(authorization(txid="AB")))
    assert scene.operations == ["txid-search"]


def test_a_canceled_exchange_makes_the_deposit_anonymous():
    scene = seen()
    scene.submit(matched())
    scene.submit(unmatched())
    assert scene.verdict == ("hold", "AWAITING_REPORT", False)
    assert len(scene.look_ups) == 1
    scene.submit(context())
    assert scene.operations == ["txid-search"]
    assert scene.submit(unmatched()).status == "duplicate"


def test_another_exchange_of_the_meeting_place_takes_the_place_of_the_first():
    scene = seen()
    scene.submit(matched(amount="1"))
    scene.submit(matched(exchange="exchange:east/1", counterparty="east"))
    assert scene.verdict == ("hold", "AWAITING_FINALITY", False)
    assert scene.submit(unmatched()).status == "duplicate", "of the first exchange"
    assert scene.submit(unmatched(sighting=7, exchange="exchange:east/1")).status == "duplicate"


def test_another_exchange_after_the_allow_is_an_alert():
    scene = seen()
    scene.submit(matched(), CONFIRMED)
    scene.submit(matched(exchange="exchange:east/1", counterparty="east"))
    assert scene.alerts == ["DEPOSIT_MATCH_LOST"]
    assert scene.silent
    assert scene.message_types == [(EXCHANGE, "exchange.settled"), ("exchange:east/1", "exchange.settled")]
    assert [one.stage for one in scene.message_data("exchange.settled")] == ["retracted", "final"]


def test_a_house_that_does_not_answer_is_asked_again_aloud():
    scene = seen()
    scene.fire("report")
    assert scene.alerts == ["DEPOSIT_LOOKUP_MISSING"]
    assert len(scene.look_ups) == 1
    assert [one.sighting for one in scene.message_data("arrival.seen")] == [2]
    assert "report" in scene.state.timers
    scene.submit(context(), UNANNOUNCED.model_copy(update={"sighting": 2}))
    assert scene.operations == ["txid-search"]


def test_an_answer_that_cannot_be_read_is_none():
    scene = seen()
    broken = context().model_copy(update={"body": {"wallet": 7}})
    assert scene.submit(broken).status == "duplicate"
    assert scene.submit(broken.model_copy(update={"outcome": "failed"})).status == "duplicate"
    assert not scene.state.looked_up


def test_an_operator_may_deny_what_is_not_final_and_allow_what_is_on_hold():
    scene = polling()
    found = result(scene.request_id)
    scene.submit(decided("deny"))
    assert scene.verdict == ("deny", "OPERATOR", True)
    assert scene.drops == [()]
    assert not scene.state.timers
    scene.submit(found)
    assert not scene.last.effects
    assert scene.submit(decided("allow")).code == "ALREADY_FINAL"
    other = seen()
    other.submit(decided("allow"))
    assert other.verdict == ("allow", "OPERATOR", True)
    assert set(other.state.timers) == {"settle"}


def test_an_operator_cannot_decide_what_is_settled_or_retracted():
    scene = seen()
    scene.submit(RETRACTED)
    assert scene.submit(decided("allow")).code == "ALREADY_FINAL"
    from tests.support.deposit_scenes import settled

    other = seen()
    other.submit(settled("returned"))
    assert other.submit(decided("allow")).code == "ALREADY_SETTLED"


def test_a_hold_is_reminded_of_again_and_again():
    scene = seen()
    scene.submit(matched())
    for _ in range(2):
        scene.fire("held")
        assert scene.alerts == ["HELD_TOO_LONG"]
