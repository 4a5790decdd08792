"""The report is late: the originators with open authorizations are asked."""

from __future__ import annotations

import pytest

from tests.support.deposit_scenes import authorization, late, reported
from tests.support.events import OTHER_TXID, TXID
from travelrule.machine.internal_inputs import CallResult

ONE = authorization(1)
TWO = authorization(2, "code:east")


def said(row, word: str, **body) -> CallResult:
    target = row["origin"].rpartition(":")[2]
    return reported(
        "status-search",
        row["transferId"],
        target=target,
        body={"transferId": row["transferId"], "status": word, **body},
    )


def failed(row, code: str) -> CallResult:
    return reported("status-search", row["transferId"], "failed", target=row["origin"], code=code)


def test_each_originator_is_asked_for_its_own_transfer():
    scene = late(ONE, TWO)
    assert [(call.operation, call.target, call.correlation_id) for call in scene.calls] == [
        ("status-search", "north", ONE["transferId"]),
        ("status-search", "east", TWO["transferId"]),
    ]
    assert [call.clear for call in scene.calls] == [{"transferId": row["transferId"]} for row in (ONE, TWO)]
    assert scene.silent
    assert set(scene.state.timers) == {"ask", "held"}


@pytest.mark.parametrize("word", ["pending", "processing", "wait-confirm", "wait-confirmed"])
def test_a_transfer_on_its_way_is_asked_for_again(word):
    scene = late(ONE)
    scene.submit(said(ONE, word))
    assert not scene.last.effects
    scene.fire("ask")
    assert scene.operations == ["status-search"]
    assert scene.drops == [("status-search",)]


def test_at_the_limit_the_sender_is_searched_all_the_same():
    scene = late(ONE)
    for _ in range(5):
        scene.fire("ask")
        assert scene.operations == ["status-search"]
    scene.fire("ask")
    assert scene.operations == ["txid-search"]
    assert scene.verdict == ("hold", "SEARCHING", False)


@pytest.mark.parametrize("txid", [TXID, "0x" + TXID.lower()])
def test_a_confirmed_transfer_with_our_txid_is_told_to_its_exchange(txid):
    scene = late(ONE)
    scene.submit(said(ONE, "confirmed", txid=txid, vout=1))
    assert scene.message_types == [(ONE["subject"], "exchange.txid-learned")]
    (learned,) = scene.message_data("exchange.txid-learned")
    assert (learned.txid, learned.vout) == (txid, "1")
    assert scene.state.status == "asking", "the exchange announces it now"


def test_a_confirmed_transfer_with_another_txid_is_learned_and_not_this_deposit():
    scene = late(ONE)
    scene.submit(said(ONE, "confirmed", txid=OTHER_TXID))
    assert scene.message_types == [(ONE["subject"], "exchange.txid-learned")]
    assert scene.operations == ["txid-search"]


@pytest.mark.parametrize("answer", [said(ONE, "canceled"), failed(ONE, "UNKNOWN_TRANSFER_ID")])
def test_the_search_begins_when_no_originator_is_left(answer):
    scene = late(ONE, TWO)
    scene.submit(answer)
    assert not scene.calls
    scene.submit(said(TWO, "canceled"))
    assert scene.operations == ["txid-search"]
    assert scene.drops[0] == ("status-search",)
    assert "ask" not in scene.state.timers
    scene.submit(said(TWO, "confirmed", txid=TXID))
    assert not scene.last.effects, "too late"


@pytest.mark.parametrize(
    "answer",
    [
        failed(ONE, "NO_ANSWER"),
        reported("status-search", ONE["transferId"], "deferred", target="north", code="COUNTERPARTY_DOWN"),
        said(ONE, "no such word"),
        said(authorization(7), "canceled"),
    ],
)
def test_what_is_no_answer_leaves_the_originator_to_be_asked_again(answer):
    scene = late(ONE)
    scene.submit(answer)
    assert not scene.last.effects
    scene.fire("ask")
    assert scene.operations == ["status-search"]


def test_a_call_in_trouble_is_told():
    scene = late(ONE)
    scene.submit(reported("status-search", ONE["transferId"], "troubled", target="north", attempts=10))
    assert scene.alerts == ["CALL_TROUBLED"]


@pytest.mark.parametrize("word", ["canceled", "confirmed"])
def test_a_status_that_names_neither_the_transfer_nor_our_transaction_changes_nothing(word):
    scene = late(ONE)
    scene.submit(said(ONE, word, transferId=None, txid=OTHER_TXID))
    assert not scene.last.effects
    assert scene.state.status == "asking"


def test_a_status_without_transfer_id_counts_by_our_transaction():
    scene = late(ONE)
    scene.submit(said(ONE, "confirmed", transferId=None, txid=TXID))
    assert scene.message_types == [(ONE["subject"], "exchange.txid-learned")]
