"""M3 and M5, row by row, and what the beneficiary does without either."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.support.call_results import answered, reported
from tests.support.events import ADDRESS, OTHER_TXID, TAG, TXID, decided
from tests.support.exchange_scenes import authorized, inbound
from tests.support.inbound_messages import TRANSFER_ID, authorization, finish, txid_report, wallet
from tests.support.scene import Scene
from travelrule.engine.registry import MACHINES
from travelrule.machine.internal_inputs import TimerDue


def reply_of(scene: Scene, data) -> tuple[str, str]:
    scene.submit(data)
    assert scene.reply["transferId"] == TRANSFER_ID
    return scene.reply["result"], scene.reply["reasonType"]


def in_state(status: str, **changes) -> Scene:
    scene = authorized()
    scene.state = replace(scene.state, status=status, **changes)
    return scene


NORMAL = ("normal", "")


def test_m3_row_1_unknown_or_of_another_sender():
    scene = inbound()
    assert reply_of(scene, txid_report()) == ("error", "UNKNOWN_TRANSFER_ID")
    assert (scene.last.status, scene.state) == ("rejected", None)
    scene = authorized()
    before = scene.state
    assert reply_of(scene, txid_report(entity="east")) == ("error", "UNKNOWN_TRANSFER_ID")
    assert scene.state == before


@pytest.mark.parametrize("status", ["verified", "denied", "confirmed", "canceled"])
@pytest.mark.parametrize("chain", ["none", "failed", "final"])
@pytest.mark.parametrize("again", [TXID, TXID.lower(), "0x" + TXID])
def test_m3_row_2_the_same_txid_is_normal_in_any_state(status, chain, again):
    scene = in_state(status, txid=TXID, chain=chain)
    before = scene.state
    assert reply_of(scene, txid_report(again)) == NORMAL
    assert scene.state == before
    assert scene.last.status == "duplicate"


def test_m3_row_2_an_output_index_fills_an_empty_one_while_the_transfer_is_open():
    scene = in_state("confirmed", txid=TXID)
    assert reply_of(scene, txid_report(TXID, "2")) == NORMAL
    assert scene.state.vout == "2"
    assert reply_of(scene, txid_report(TXID, "3")) == NORMAL
    assert scene.state.vout == "2"
    closed = in_state("canceled", txid=TXID)
    reply_of(closed, txid_report(TXID, "2"))
    assert closed.state.vout is None


@pytest.mark.parametrize("status", ["verified", "denied", "confirmed", "canceled"])
@pytest.mark.parametrize("chain", ["none", "failed"])
def test_m3_row_3_another_txid_is_always_refused(status, chain):
    scene = in_state(status, txid=TXID, chain=chain)
    before = scene.state
    assert reply_of(scene, txid_report(OTHER_TXID)) == ("error", "TXID_ALREADY_EXISTS")
    assert scene.state == before


@pytest.mark.parametrize(("status", "chain"), [("verified", "failed"), ("canceled", "none"), ("denied", "none")])
def test_m3_rows_4_and_5_a_transfer_that_failed(status, chain):
    scene = in_state(status, chain=chain)
    before = scene.state
    assert reply_of(scene, txid_report()) == ("error", "TRANSFER_ALREADY_FAILED")
    assert scene.state == before


def test_m3_row_6_the_txid_is_stored_as_it_came():
    scene = authorized()
    assert reply_of(scene, txid_report("0xAbC", "1")) == NORMAL
    assert (scene.state.txid, scene.state.vout, scene.state.status) == ("0xAbC", "1", "confirmed")
    assert scene.statuses == ["confirmed"]
    assert scene.last.effects[0].key == f"north/{TRANSFER_ID}"
    assert scene.last.effects[0].data["txid"] == "0xAbC"
    assert not scene.state.timers


def test_m5_row_1_unknown_or_of_another_sender():
    scene = inbound()
    assert reply_of(scene, finish()) == ("error", "UNKNOWN_TRANSFER_ID")
    scene = authorized()
    before = scene.state
    assert reply_of(scene, finish(entity="east")) == ("error", "UNKNOWN_TRANSFER_ID")
    assert scene.state == before


def test_m5_row_2_a_status_other_than_canceled_cannot_be_processed():
    scene = authorized()
    scene.submit(finish("confirmed"))
    assert (scene.last.status, scene.last.code, scene.last.effects) == ("rejected", "INVALID_MSG_FIELD_VALUE", ())
    assert reply_of(scene, finish("CANCELED")) == NORMAL


def test_m5_row_3_canceled_again_is_normal():
    scene = authorized()
    assert reply_of(scene, finish()) == NORMAL
    before = scene.state
    assert reply_of(scene, finish(reason="SANCTION_LIST")) == NORMAL
    assert scene.state == before


@pytest.mark.parametrize("status", ["verified", "denied"])
def test_m5_row_4_open_and_denied_records_are_closed(status):
    scene = in_state(status)
    assert reply_of(scene, finish()) == NORMAL
    assert scene.state.status == "canceled"
    assert scene.statuses == ["canceled"]
    assert not scene.state.timers


def test_m5_row_5_a_reported_transfer_is_closed_and_keeps_its_txid():
    scene = authorized()
    scene.submit(txid_report())
    assert reply_of(scene, finish()) == NORMAL
    assert (scene.state.status, scene.state.txid) == ("canceled", TXID)
    assert reply_of(scene, txid_report()) == NORMAL
    assert reply_of(scene, txid_report(OTHER_TXID)) == ("error", "TXID_ALREADY_EXISTS")


@pytest.mark.parametrize("changes", [{"chain": "final"}, {"credited": True}])
def test_m5_row_6_final_or_credited_is_refused(changes):
    scene = in_state("confirmed", txid=TXID, **changes)
    before = scene.state
    assert reply_of(scene, finish()) == ("error", "ILLEGAL_STATEFLOW")
    assert scene.state == before


def test_an_authorization_without_conclusion_is_asked_about_after_a_day():
    scene = authorized()
    (due,) = scene.state.timers.values()
    assert (due - scene.now).total_seconds() == 86_400
    scene.fire("open")
    (call,) = scene.calls
    assert (call.operation, call.target, call.clear) == ("status-search", "north", {"transferId": TRANSFER_ID})
    assert "open" in scene.state.timers


def status(**body):
    return answered("status-search", TRANSFER_ID, **{"transferId": TRANSFER_ID, **body})


def test_a_status_search_may_bring_the_txid():
    scene = authorized()
    scene.fire("open")
    scene.submit(status(status="confirmed", txid=TXID, vout=3))
    assert (scene.state.status, scene.state.txid, scene.state.vout) == ("confirmed", TXID, "3")
    assert not scene.state.timers
    assert not scene.alerts


def test_a_status_search_may_bring_the_end():
    scene = authorized()
    scene.fire("open")
    scene.submit(status(status="CANCELED"))
    assert scene.statuses == ["canceled"]
    assert not scene.state.timers


@pytest.mark.parametrize(
    "report",
    [
        status(status="pending"),
        status(status="processing", txid=TXID),
        status(status="wait-confirmed"),
        status(status="confirmed"),
        status(status="confirmed", txid="x" * 201),
        status(status="confirmed", txid={"a": 1}),
        status(),
        status(transferId=None, status="confirmed", txid=TXID),
        status(transferId="", status="canceled"),
        status(transferId="another", status="canceled"),
        reported("failed", "status-search", TRANSFER_ID, status=503, code="UNKNOWN_TRANSFER_ID"),
    ],
)
def test_a_status_search_that_tells_no_end_alerts_and_is_repeated(report):
    scene = authorized()
    scene.fire("open")
    before = scene.state
    scene.submit(report)
    assert scene.alerts == ["AUTHORIZATION_OPEN"]
    assert scene.state == replace(before, asking=False)
    scene.fire("open")
    assert [call.operation for call in scene.calls] == ["status-search"]


def test_an_originator_that_does_not_answer_is_asked_once_and_told_of():
    scene = authorized()
    scene.fire("open")
    scene.submit(
        reported("deferred", "status-search", TRANSFER_ID, code="COUNTERPARTY_DOWN"),
        reported("troubled", "status-search", TRANSFER_ID, code="BAD_ANSWER"),
    )
    for _ in range(2):
        scene.fire("open")
        assert not scene.calls, "the first question still waits"
        assert scene.alerts == ["AUTHORIZATION_OPEN"]
        assert scene.last.effects[0].attempts == 1
    scene.submit(status(status="canceled"))
    assert scene.state.status == "canceled"
    assert not scene.state.timers


@pytest.mark.parametrize("word", ["processing", "canceled", "pending"])
def test_a_record_never_goes_backwards(word):
    scene = authorized()
    scene.fire("open")
    scene.submit(txid_report())
    before = scene.state
    scene.submit(status(status=word))
    assert scene.state == before
    assert scene.last.status == "duplicate"


def test_a_timer_that_was_dropped_is_nothing():
    scene = authorized()
    due = scene.state.timers["open"]
    scene.submit(txid_report())
    assert scene.submit(TimerDue(name="open", due_at=due)).status == "duplicate"


def test_a_refused_authorization_waits_for_nothing():
    scene = inbound()
    scene.submit(authorization(wallets=()))
    assert scene.state.status == "denied"
    assert not scene.state.timers


def test_inputs_that_do_not_belong_here():
    scene = inbound()
    assert scene.submit(status(status="confirmed")).status == "parked"
    scene = authorized()
    before = scene.state
    assert scene.submit(decided("allow", f"exchange:north/{TRANSFER_ID}")).code == "UNKNOWN_TYPE"
    assert scene.state == before


@pytest.mark.parametrize(("tag", "address"), [(TAG, f"{ADDRESS}:{TAG}"), (None, ADDRESS)])
def test_the_row_of_an_exchange_has_the_tag_if_the_own_wallet_has_one(tag, address):
    scene = inbound()
    scene.submit(authorization(wallets=(wallet(tag=tag),)))
    scene.submit(txid_report(TXID, "1"))
    (row,) = MACHINES["exchange"].project(scene.state).rows
    assert (row.side, row.counterparty, row.transfer_id, row.status) == (
        "beneficiary", "north", TRANSFER_ID, "confirmed",
    )  # fmt: skip
    assert (row.txid, row.vout, row.address) == (TXID, "1", address)
    assert "rPEP" not in repr(row)


@pytest.mark.parametrize("numbers", [None, "rPEP", [], [7], {}])
def test_a_denied_record_with_an_odd_address_can_be_projected(numbers):
    scene = inbound()
    scene.submit(authorization(ivms101={"Beneficiary": {"accountNumber": numbers}}))
    assert scene.reply["result"] == "denied"


def test_a_status_search_waits_for_an_originator_that_is_down():
    scene = authorized()
    scene.fire("open")
    before = scene.state
    scene.submit(reported("deferred", "status-search", TRANSFER_ID, code="COUNTERPARTY_DOWN"))
    assert scene.state == before
    assert not scene.alerts
