"""The platform's events: detected, confirmed, retracted, settled."""

from __future__ import annotations

import pytest

from tests.support.deposit_scenes import (
    CONFIRMED,
    DEPOSIT_ID,
    EXCHANGE,
    RETRACTED,
    UNANNOUNCED,
    WALLET,
    DepositScene,
    context,
    data,
    decided,
    detected,
    matched,
    requesting,
    seen,
    settled,
    unmatched,
)
from tests.support.events import ADDRESS, OTHER_TXID, TAG, TXID
from travelrule.messages.arrival import arrival_subject

PLACE = arrival_subject(TXID, ADDRESS, TAG)


def test_a_detected_deposit_asks_who_announced_it_and_whose_it_is():
    scene = seen()
    assert scene.message_types == [(PLACE, "arrival.seen")]
    (look_up,) = scene.look_ups
    assert look_up.question == "deposit-context"
    assert look_up.parameters == {"address": ADDRESS, "tag": TAG, "currency": "XRP", "amount": "250.5"}
    assert scene.verdict == ("hold", "AWAITING_REPORT", False)
    assert not scene.calls
    assert set(scene.state.timers) == {"report", "held"}


@pytest.mark.parametrize(
    ("changes", "place"),
    [
        ({"txid": "0x" + TXID.lower()}, PLACE),
        ({"address": f"{ADDRESS}:{TAG}", "tag": None}, PLACE),
        ({"address": ADDRESS, "tag": None}, arrival_subject(TXID, ADDRESS, None)),
    ],
)
def test_every_form_of_txid_and_tag_meets_at_one_place(changes, place):
    scene = DepositScene()
    scene.submit(detected(**changes))
    assert scene.message_types == [(place, "arrival.seen")]


def test_a_tag_that_no_wallet_has_means_nobody_and_the_deposit_moves_to_the_place_without():
    scene = seen()
    scene.submit(context(wallet={**WALLET, "tag": None}))
    bare = arrival_subject(TXID, ADDRESS, None)
    assert scene.message_types == [(PLACE, "arrival.retracted"), (bare, "arrival.seen")]
    assert scene.submit(UNANNOUNCED).status == "duplicate"
    assert scene.state.status == "awaiting"


@pytest.mark.parametrize("what", [CONFIRMED, RETRACTED, settled(), decided("allow"), matched()])
def test_what_comes_before_the_detection_is_parked(what):
    scene = DepositScene()
    assert scene.submit(what).status == "parked"
    assert scene.state is None


def test_detected_again_is_a_duplicate_with_equal_data_and_a_conflict_else():
    scene = seen()
    before = scene.state
    assert scene.submit(detected()).status == "duplicate"
    scene.submit(detected(amount="250.6"))
    assert (scene.last.status, scene.last.code) == ("rejected", "CONFLICT")
    assert scene.state == before


def test_an_asset_that_is_not_served_is_denied_and_nobody_is_searched():
    scene = seen("[assets.BTC]\nnetworks = []")
    assert scene.verdict == ("deny", "ASSET_NOT_SUPPORTED", True)
    scene.submit(context(), UNANNOUNCED)
    assert not scene.calls
    assert scene.state.status == "decided"


def test_confirmed_makes_final_once():
    scene = seen()
    scene.submit(matched())
    scene.submit(CONFIRMED)
    assert scene.verdict == ("allow", "MATCHED", True)
    assert scene.submit(CONFIRMED).status == "duplicate"


def test_a_retraction_before_the_allow_denies_without_an_alert():
    scene = seen()
    scene.submit(matched())
    scene.submit(RETRACTED)
    assert scene.verdict == ("deny", "RETRACTED", True)
    assert not scene.alerts
    assert scene.message_types == [(EXCHANGE, "exchange.settled"), (PLACE, "arrival.retracted")]
    assert scene.message_data("exchange.settled")[0].stage == "retracted"
    assert scene.drops == [()]
    assert not scene.state.timers
    assert scene.submit(RETRACTED).status == "duplicate"


def test_a_retraction_after_the_allow_denies_anew_with_an_alert():
    scene = seen()
    scene.submit(matched(), CONFIRMED, RETRACTED)
    assert scene.verdict == ("deny", "RETRACTED", True)
    assert scene.alerts == ["RETRACTED_AFTER_ALLOW"]


@pytest.mark.parametrize("how", [CONFIRMED, detected()])
def test_back_on_chain_begins_anew(how):
    scene = seen()
    scene.submit(matched(), CONFIRMED, RETRACTED)
    scene.submit(how)
    assert scene.alerts == ["DEPOSIT_BACK_ON_CHAIN"]
    assert scene.verdict == ("hold", "AWAITING_REPORT", False)
    assert scene.message_data("arrival.seen")[0].sighting == 2
    assert scene.submit(matched(sighting=1)).status == "duplicate", "an answer to the sighting before"
    scene.submit(matched(sighting=2))
    scene.submit(CONFIRMED)
    assert [one.data["verdict"] for one in scene.history if getattr(one, "topic", "") == "verdicts"].count("allow") == 2


def test_retracted_and_detected_with_another_transaction_is_a_conflict():
    scene = seen()
    scene.submit(RETRACTED)
    assert scene.submit(detected(txid=OTHER_TXID)).code == "CONFLICT"
    assert scene.state.status == "retracted"


def test_data_that_were_received_stay_true_when_the_deposit_comes_back():
    scene = requesting()
    scene.submit(data(scene.request_id), RETRACTED, CONFIRMED)
    scene.submit(context(), UNANNOUNCED.model_copy(update={"sighting": 2}))
    assert scene.verdict == ("allow", "DATA_RECEIVED", True)


def test_a_deny_of_an_operator_outlives_a_retraction():
    scene = seen()
    scene.submit(decided("deny"), RETRACTED, CONFIRMED)
    assert scene.verdict == ("deny", "OPERATOR", True)
    assert scene.state.status == "decided"


def test_credited_after_the_allow_closes_the_door_of_the_exchange():
    scene = seen()
    scene.submit(matched())
    scene.submit(CONFIRMED)
    assert [one.stage for one in scene.message_data("exchange.settled")] == ["final"]
    scene.submit(settled())
    assert [one.stage for one in scene.message_data("exchange.settled")] == ["credited"]
    assert not scene.alerts
    assert scene.silent
    assert not scene.state.timers
    assert scene.submit(settled()).status == "duplicate"
    assert scene.submit(settled("returned")).code == "CONFLICT"


@pytest.mark.parametrize(
    ("outcome", "alerts"), [("credited", ["CREDITED_WITHOUT_ALLOW"]), ("returned", []), ("seized", [])]
)
def test_settled_without_an_allow_is_an_alert_if_it_was_credited(outcome, alerts):
    scene = seen()
    scene.submit(settled(outcome))
    assert scene.alerts == alerts
    assert scene.silent
    scene.submit(context(), UNANNOUNCED)
    assert not scene.calls
    scene.submit(matched())
    assert [one.stage for one in scene.message_data("exchange.settled")] == [outcome], "a late report hears it too"


def test_credited_while_retracted_is_settled_when_it_comes_back():
    scene = seen()
    scene.submit(RETRACTED)
    scene.submit(settled())
    assert scene.alerts == ["CREDITED_WITHOUT_ALLOW"]
    assert scene.state.status == "retracted"
    scene.submit(CONFIRMED)
    assert scene.state.status == "settled"


def test_an_exchange_that_goes_after_the_allow_is_an_alert_and_no_verdict():
    scene = seen()
    scene.submit(matched(), CONFIRMED)
    scene.submit(unmatched())
    assert scene.alerts == ["DEPOSIT_MATCH_LOST"]
    assert scene.silent
    assert scene.state.case.verdict == "allow"


def test_an_allow_that_nobody_settles_is_reminded_of():
    scene = seen()
    scene.submit(matched(), CONFIRMED)
    scene.fire("settle")
    assert scene.alerts == ["DEPOSIT_NOT_SETTLED"]
    assert "settle" in scene.state.timers


def test_the_projection_names_the_next_timer():
    from travelrule.deposits.machine import project

    scene = seen()
    scene.submit(matched())
    projection = project(scene.state)
    assert (projection.status, projection.verdict, projection.chain) == ("matched", "hold", "mined")
    assert (projection.counterparty, projection.due_timer) == ("north", "held")
    assert scene.state.deposit_id == DEPOSIT_ID
