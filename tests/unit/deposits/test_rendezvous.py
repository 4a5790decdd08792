"""The meeting place of deposits and reports: who belongs to whom, in any order."""

from __future__ import annotations

from itertools import permutations
from typing import Any

import pytest

from schemas.wire_model import Wire
from tests.support.deposit_scenes import DepositScene, settled
from travelrule.deposits.rendezvous.machine import project
from travelrule.messages.arrival import ArrivalReported, ArrivalRetracted, ArrivalSeen, ArrivalWithdrawn

PLACE = "arrival:0"


def report(name: str, amount: str = "1", vout: str | None = None, currency: str = "BTC") -> ArrivalReported:
    facts: dict[str, Any] = {"exchange": f"exchange:north/{name}", "counterparty": "north", "transfer_id": name}
    return ArrivalReported(**facts, currency=currency, amount=amount, vout=vout)


def output(
    name: str, amount: str = "1", vout: str | None = None, currency: str = "BTC", sighting: int = 1
) -> ArrivalSeen:
    return ArrivalSeen(deposit_id=name, currency=currency, amount=amount, vout=vout, sighting=sighting)


def gone(name: str) -> ArrivalWithdrawn:
    return ArrivalWithdrawn(exchange=f"exchange:north/{name}")


def meeting(*what: Wire) -> DepositScene:
    scene = DepositScene(subject=PLACE)
    scene.submit(*what)
    return scene


def pairs(scene: DepositScene) -> dict[str, str]:
    return {deposit: exchange.rpartition("/")[2] for exchange, deposit in scene.state.pairs}


@pytest.mark.parametrize("order", list(permutations([report("A"), output("1")])))
def test_both_orders_pair_and_tell_both_sides(order):
    scene = meeting(*order)
    assert scene.message_types == [("deposit:1", "deposit.matched"), ("exchange:north/A", "exchange.arrived")]
    (matched,) = scene.message_data("deposit.matched")
    assert (matched.exchange, matched.counterparty, matched.transfer_id) == ("exchange:north/A", "north", "A")
    assert scene.message_data("exchange.arrived")[0].deposit_id == "1"
    assert project(scene.state).status == "paired"


def test_a_deposit_that_nobody_announced_is_told_so():
    scene = meeting(output("1", sighting=4))
    assert scene.message_types == [("deposit:1", "deposit.unannounced")]
    assert scene.message_data("deposit.unannounced")[0].sighting == 4
    assert project(scene.state).status == "waiting"


def test_everything_twice_pairs_once():
    scene = meeting(report("A"), output("1"))
    assert scene.submit(report("A")).status == "duplicate"
    assert not scene.last.effects
    assert scene.submit(output("1")).status == "duplicate"
    assert scene.message_types == [("deposit:1", "deposit.matched")], "whoever asks again is answered again"
    assert pairs(scene) == {"1": "A"}


BATCHES: dict[str, list[Wire]] = {
    "by output": [report("A", "5", "0"), report("B", "5", "1"), output("1", "5", "0"), output("2", "5", "1")],
    "by amount": [report("A", "5"), report("B", "7"), output("1", "5"), output("2", "7")],
    "output on one side only": [report("A", "5"), report("B", "7"), output("1", "5", "3"), output("2", "7", "4")],
    "amount written otherwise": [report("A", "5.0"), report("B", "7"), output("1", "5"), output("2", "7.00")],
    "by currency": [
        report("A", "5", currency="usdt"),
        report("B", "7"),
        output("1", "6", currency="USDT"),
        output("2", "7"),
    ],
    "one differs": [report("A", "5"), report("B", "7"), output("1", "5"), output("2", "6.9")],
}


@pytest.mark.parametrize("name", BATCHES)
def test_a_batch_pairs_alike_in_every_order(name):
    for order in permutations(BATCHES[name]):
        assert pairs(meeting(*order)) == {"1": "A", "2": "B"}, [type(one).__name__ for one in order]


def test_equal_outputs_without_index_pair_one_to_one_in_order():
    scene = meeting(report("A", "5"), report("B", "5"), output("1", "5"), output("2", "5"), output("3", "5"))
    assert pairs(scene) == {"1": "A", "2": "B"}
    assert scene.message_types == [("deposit:3", "deposit.unannounced")]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (report("A", "5", "0"), output("1", "5", "1")),
        (report("A", "5", currency="BTC"), output("1", "5", currency="USDT")),
    ],
)
def test_what_cannot_be_is_no_pair(one, other):
    assert pairs(meeting(one, other)) == {}


def test_another_currency_is_a_pair_only_by_its_output():
    scene = meeting(report("A", "5", "0", currency="USDT"), output("1", "9", "0"))
    assert pairs(scene) == {"1": "A"}
    assert scene.message_data("deposit.matched")[0].currency == "USDT"


def test_left_over_amounts_pair_only_if_there_is_one_of_each():
    assert pairs(meeting(report("A", "5"), output("1", "6"))) == {"1": "A"}
    assert pairs(meeting(report("A", "5"), report("B", "7"), output("1", "6"))) == {}


def test_a_left_over_pair_yields_to_the_partner_that_fits():
    scene = meeting(report("A", "5"), output("2", "7"))
    assert pairs(scene) == {"2": "A"}
    scene.submit(output("1", "5"))
    assert pairs(scene) == {"1": "A"}
    assert scene.message_types == [
        ("deposit:2", "deposit.unmatched"),
        ("deposit:1", "deposit.matched"),
        ("exchange:north/A", "exchange.arrived"),
    ]


def test_a_pair_that_fits_stays_whatever_comes():
    scene = meeting(report("A", "5"), output("1", "5"))
    scene.submit(output("2", "5"), report("B", "5", "0"), output("3", "5", "0"), report("A", "5", "7"))
    assert pairs(scene)["1"] == "A"


def test_a_withdrawn_report_frees_its_deposit_for_another():
    scene = meeting(report("A"), output("1"))
    scene.submit(gone("A"))
    assert scene.message_types == [("deposit:1", "deposit.unmatched")]
    scene.submit(report("B"))
    assert pairs(scene) == {"1": "B"}
    scene.submit(report("C"), gone("B"))
    assert scene.message_types == [("deposit:1", "deposit.matched"), ("exchange:north/C", "exchange.arrived")]


def test_a_retracted_deposit_frees_its_exchange_silently():
    scene = meeting(report("A"), output("1"))
    scene.submit(ArrivalRetracted(deposit_id="1"))
    assert not scene.last.effects
    assert pairs(scene) == {}
    scene.submit(output("1", sighting=2))
    assert scene.message_data("deposit.matched")[0].sighting == 2
    scene.submit(ArrivalRetracted(deposit_id="1"), output("2"))
    assert pairs(scene) == {"2": "A"}


@pytest.mark.parametrize("what", [gone("A"), ArrivalRetracted(deposit_id="1")])
def test_leaving_a_place_where_nobody_was_is_nothing(what):
    scene = meeting(what)
    assert scene.last.status == "duplicate"
    assert not scene.last.effects
    assert project(scene.state).status == "empty"


def test_an_output_index_that_comes_later_is_kept_for_the_next_pairing():
    scene = meeting(report("A", "5"), report("B", "5"), report("B", "5", "1"), output("2", "5", "1"))
    assert pairs(scene) == {"2": "B"}


def test_what_says_nothing_about_an_arrival_is_refused():
    scene = meeting(settled())
    assert (scene.last.status, scene.last.code) == ("rejected", "UNKNOWN_TYPE")
