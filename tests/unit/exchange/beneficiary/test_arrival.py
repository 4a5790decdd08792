"""Messages of an inbound exchange to the arrival subject of its deposit, and those from the deposit."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal

import pytest

from schemas.events.exchanges import ExchangeBody
from tests.support.call_results import answered
from tests.support.events import ADDRESS, OTHER_TXID, TAG, TXID
from tests.support.exchange_scenes import authorized, inbound
from tests.support.inbound_messages import TRANSFER_ID, authorization, finish, ivms101, natural, txid_report, wallet
from tests.support.scene import Scene
from travelrule.machine.effects import Emit
from travelrule.messages.arrival import (
    ArrivalReported,
    ArrivalWithdrawn,
    ExchangeArrived,
    ExchangeSettled,
    TxidLearned,
    arrival_subject,
)

SUBJECT = f"exchange:north/{TRANSFER_ID}"
PLACE = arrival_subject(TXID, ADDRESS, TAG)
ARRIVED = ExchangeArrived(deposit_id="d-1")


def at(stage, deposit_id="d-1") -> ExchangeSettled:
    return ExchangeSettled(deposit_id=deposit_id, stage=stage)


def reported_scene() -> Scene:
    scene = authorized()
    scene.submit(txid_report())
    return scene


def facts(scene: Scene) -> tuple[str, str, str | None]:
    return scene.state.status, scene.state.chain, scene.state.deposit_id


def announced(vout: str | None = None) -> ArrivalReported:
    return ArrivalReported(
        exchange=SUBJECT,
        counterparty="north",
        transfer_id=TRANSFER_ID,
        currency="XRP",
        network="XRP",
        amount=Decimal("250.50"),
        vout=vout,
    )


def test_a_reported_txid_is_told_to_the_place_where_its_deposit_comes_by():
    scene = reported_scene()
    assert [(tell.subject, tell.type, tell.data) for tell in scene.messages] == [
        (PLACE, "arrival.reported", announced())
    ]
    assert ADDRESS not in repr(scene.last)
    scene.submit(txid_report())
    assert not scene.messages, "the same again says nothing new"
    scene.submit(txid_report(TXID, "3"))
    assert [tell.data for tell in scene.messages] == [announced("3")]


def test_a_deposit_and_its_report_meet_whatever_form_the_txid_has():
    scene = authorized()
    scene.submit(txid_report("0x" + TXID.lower()))
    assert [tell.subject for tell in scene.messages] == [PLACE]


def test_where_the_own_wallet_has_no_tag_an_appended_one_means_nobody():
    scene = inbound()
    scene.submit(authorization(wallets=(wallet(tag=None),)), txid_report())
    assert [tell.subject for tell in scene.messages] == [arrival_subject(TXID, ADDRESS, None)]


@pytest.mark.parametrize("network", [None, ""])
def test_a_network_that_was_not_named_is_none(network):
    scene = inbound()
    scene.submit(authorization(network=network, currency="xrp"), txid_report())
    assert [(tell.data.currency, tell.data.network) for tell in scene.messages] == [("XRP", "")]


def test_what_was_refused_announces_nothing():
    scene = inbound()
    scene.submit(authorization(wallets=()), txid_report())
    assert not scene.messages
    scene.submit(finish())
    assert not scene.messages


def test_a_txid_that_a_status_search_brought_is_announced_too():
    scene = authorized()
    scene.fire("open")
    scene.submit(answered("status-search", TRANSFER_ID, transferId=TRANSFER_ID, status="confirmed", txid=TXID, vout=2))
    assert [(tell.subject, tell.data) for tell in scene.messages] == [(PLACE, announced("2"))]


def test_a_status_search_that_says_canceled_withdraws_nothing_because_nothing_was_announced():
    scene = authorized()
    scene.fire("open")
    scene.submit(answered("status-search", TRANSFER_ID, transferId=TRANSFER_ID, status="canceled"))
    assert not scene.messages


def test_a_finish_withdraws_what_was_announced_once():
    scene = reported_scene()
    scene.submit(finish())
    assert [(tell.subject, tell.type, tell.data) for tell in scene.messages] == [
        (PLACE, "arrival.withdrawn", ArrivalWithdrawn(exchange=SUBJECT))
    ]
    scene.submit(finish())
    assert not scene.messages
    before = authorized()
    before.submit(finish())
    assert not before.messages


def test_an_arrival_is_shown_with_its_deposit():
    scene = reported_scene()
    scene.submit(ARRIVED)
    assert facts(scene) == ("confirmed", "broadcast", "d-1")
    (event,) = [effect for effect in scene.last.effects if isinstance(effect, Emit)]
    ExchangeBody.model_validate(event.data)
    assert (event.data["chain"], event.data["depositId"], event.data["txid"]) == ("broadcast", "d-1", TXID)
    assert scene.submit(ARRIVED).status == "duplicate"
    scene.submit(ExchangeArrived(deposit_id="d-2"))
    assert facts(scene) == ("confirmed", "broadcast", "d-2")


@pytest.mark.parametrize("stage", ["final", "credited", "returned", "seized"])
def test_a_finish_is_refused_as_soon_as_the_deposit_is_final(stage):
    scene = reported_scene()
    scene.submit(ARRIVED, finish("confirmed"), at(stage))
    assert (scene.state.chain, scene.state.credited) == ("final", stage == "credited")
    assert scene.submit(at(stage)).status == "duplicate"
    scene.submit(finish())
    assert (scene.reply["result"], scene.reply["reasonType"]) == ("error", "ILLEGAL_STATEFLOW")
    assert scene.state.status == "confirmed"
    assert not scene.messages


def test_an_arrival_that_comes_after_the_end_does_not_open_the_door_again():
    scene = reported_scene()
    scene.submit(at("final"), ARRIVED)
    assert scene.last.status == "duplicate"
    scene.submit(ExchangeArrived(deposit_id="d-0"))
    assert scene.state.chain == "final"


def test_final_after_credited_does_not_forget_that_the_customer_was_paid():
    scene = reported_scene()
    scene.submit(at("credited"))
    assert scene.submit(at("final")).status == "duplicate"
    assert scene.state.credited


def test_a_retraction_makes_a_finish_possible_again():
    scene = reported_scene()
    scene.submit(ARRIVED, at("final"), at("retracted"))
    assert facts(scene) == ("confirmed", "retracted", "d-1")
    assert scene.statuses == ["confirmed"]
    assert scene.submit(at("retracted")).status == "duplicate"
    scene.submit(finish())
    assert scene.reply["result"] == "normal"
    assert facts(scene) == ("canceled", "retracted", "d-1")


def test_a_retraction_after_the_customer_was_paid_leaves_the_door_closed():
    scene = reported_scene()
    scene.submit(at("credited"), at("retracted"), finish())
    assert scene.reply["reasonType"] == "ILLEGAL_STATEFLOW"


def test_a_deposit_that_is_back_on_chain_has_arrived_again():
    scene = reported_scene()
    scene.submit(ARRIVED, at("retracted"), ARRIVED)
    assert facts(scene) == ("confirmed", "broadcast", "d-1")
    scene.submit(at("final"))
    assert scene.state.chain == "final"


def test_a_retraction_of_another_deposit_is_nothing():
    scene = reported_scene()
    scene.submit(ARRIVED, ExchangeArrived(deposit_id="d-2"), at("final", "d-2"))
    before = scene.state
    assert scene.submit(at("retracted", "d-1")).status == "duplicate"
    assert scene.state == before


@pytest.mark.parametrize(
    "said", [ARRIVED, at("final"), at("credited"), at("retracted"), TxidLearned(txid=TXID, vout="1")]
)
@pytest.mark.parametrize("reported", [True, False])
def test_canceled_stays_canceled(said, reported):
    scene = reported_scene() if reported else authorized()
    scene.submit(finish())
    before = scene.state
    assert scene.submit(said).status == "duplicate"
    assert (scene.state, scene.last.effects) == (before, ())


def test_a_learned_txid_is_stored_like_a_report():
    scene = authorized()
    scene.submit(TxidLearned(txid=TXID, vout="1"))
    assert (scene.state.status, scene.state.txid, scene.state.vout) == ("confirmed", TXID, "1")
    assert scene.statuses == ["confirmed"]
    assert [(tell.subject, tell.data) for tell in scene.messages] == [(PLACE, announced("1"))]
    assert not scene.state.timers
    scene.submit(txid_report())
    assert scene.reply["result"] == "normal"


def test_a_learned_txid_never_replaces_one():
    scene = reported_scene()
    before = scene.state
    assert scene.submit(TxidLearned(txid=OTHER_TXID)).status == "duplicate"
    assert scene.submit(TxidLearned(txid="0x" + TXID)).status == "duplicate"
    assert scene.state == before
    scene.submit(TxidLearned(txid=TXID, vout="7"))
    assert scene.state.vout == "7"
    assert [tell.data for tell in scene.messages] == [announced("7")]
    assert scene.submit(TxidLearned(txid=TXID, vout="8")).status == "duplicate"


@pytest.mark.parametrize("said", [ARRIVED, at("final"), at("retracted")])
def test_what_announced_nothing_hears_of_no_deposit(said):
    scene = authorized()
    before = scene.state
    assert scene.submit(said).status == "duplicate"
    assert scene.state == before


def test_a_refused_transfer_learns_nothing():
    scene = inbound()
    scene.submit(authorization(wallets=()))
    assert scene.submit(TxidLearned(txid=TXID)).status == "duplicate"
    assert (scene.state.status, scene.state.txid) == ("denied", None)


@pytest.mark.parametrize("said", [ARRIVED, at("final"), TxidLearned(txid=TXID)])
def test_what_comes_before_its_exchange_is_parked(said):
    assert inbound().submit(said).status == "parked"


def test_without_an_address_there_is_no_place():
    scene = authorized()
    nobody = ivms101(Beneficiary={"beneficiaryPersons": [natural("Lind", "Erik")]})
    scene.state = replace(scene.state, request=authorization(ivms101=nobody))
    scene.submit(txid_report())
    assert scene.reply["result"] == "normal"
    assert not scene.messages
