"""Long random lives of a deposit: any input in any order and at any time, and answers that are no answers at all."""

from __future__ import annotations

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.property.deposits.catalogue import for_deposit
from tests.property.deposits.laws import check
from tests.property.exchange.catalogue import assessments
from tests.property.exchange.test_sequences import bodies, texts, values
from tests.support.deposit_scenes import (
    CONFIRMED,
    RETRACTED,
    DepositScene,
    answer_payload,
    decided,
    detected,
    matched,
    requesting,
    rules,
    unmatched,
)
from tests.support.deposit_scenes import data as received
from travelrule.deposits.machine import MACHINE
from travelrule.machine.internal_inputs import CallResult

OPERATIONS = ["look-up", "status-search", "txid-search", "txid-search-result", "data-request", "finish", ""]
RULES = [
    "",
    'sanctions = "required"',
    'sanctions = "required"\n[screening]\ndeposits = ["transaction", "kyt"]',
    '[screening]\ndeposits = ["kyt"]\n[verdicts]\nRISK_UNKNOWN = "allow"\nRISK_PENDING = "allow"',
    'deny_list = ["north"]',
    '[verdicts]\nCOUNTERPARTY_NOT_ALLOWED = "hold"\nORIGINATOR_UNKNOWN = "deny"',
    "[assets.BTC]\nnetworks = []",
]


@st.composite
def odd_reports(draw: st.DrawFn, ids: list[str]) -> CallResult:
    """A result of a call whose every part may be nonsense."""
    return CallResult(
        operation=draw(st.sampled_from(OPERATIONS)),
        correlation_id=draw(st.sampled_from(ids)),
        target=draw(texts | st.just("north")),
        outcome=draw(st.sampled_from(["answered", "failed", "troubled", "deferred"])),
        status=draw(st.sampled_from([0, 200, 302, 408, 422, 429, 500, 503, 599])),
        code=draw(texts | st.sampled_from(["NO_ANSWER", "DUPLICATED_TRANSFER_ID", "UNKNOWN_TRANSFER_ID"])),
        body=draw(bodies),
        payload=draw(st.none() | st.dictionaries(texts, values, max_size=3)),
        attempts=draw(st.integers(0, 99)),
        counterparty_alliance=draw(st.none() | texts | st.sampled_from(["code", "GTR", "sygna"])),
    )


def live(scene: DepositScene, data: Any) -> None:
    """Decide one more input and hold every law to it."""
    item = scene.input(data)
    decision = MACHINE.decide(scene.state, item, scene.rules, scene.now)
    check(scene.state, item, decision, scene.rules)
    scene.state = decision.state


@settings(max_examples=60, deadline=None)
@given(data=st.data(), text=st.sampled_from(RULES))
def test_the_life_of_a_deposit(data, text):
    scene = DepositScene(rules=rules(text))
    live(scene, detected())
    known = scene.state.fingerprint
    for _ in range(data.draw(st.integers(1, 25))):
        scene.wait(data.draw(st.sampled_from([0, 1, 600, 90_000])))
        live(scene, data.draw(st.sampled_from(list(for_deposit(scene.state)))))
    assert scene.state.fingerprint == known


@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_answers_that_are_none(data):
    scene = DepositScene()
    live(scene, detected())
    for _ in range(data.draw(st.integers(1, 12))):
        ids = ["deposit-context", ""]
        ids += [one.request_id for one in (scene.state.search, scene.state.found) if one is not None]
        odd = odd_reports(ids)
        usual = st.sampled_from(list(for_deposit(scene.state)))
        live(scene, data.draw(odd | usual))
    assert scene.state.detected == detected()


@settings(max_examples=40, deadline=None)
@given(data=st.data())
def test_left_alone_a_deposit_acts_and_then_reminds_for_ever(data):
    """Whatever came before: with nothing but its timers a deposit never falls asleep while a verdict waits."""
    scene = DepositScene()
    live(scene, detected())
    for _ in range(data.draw(st.integers(0, 10))):
        live(scene, data.draw(st.sampled_from(list(for_deposit(scene.state)))))
    for _ in range(30):
        if not scene.state.timers:
            break
        name = min(scene.state.timers, key=lambda one: (scene.state.timers[one], one))
        scene.fire(name)
    waits = scene.state.status not in ("settled", "retracted") and scene.state.case.verdict != "deny"
    assert bool(scene.state.timers) == waits


@settings(max_examples=80, deadline=None)
@given(data=st.data(), text=st.sampled_from(RULES[1:3]))
def test_a_rating_meets_matches_retractions_and_decisions_in_any_order(data, text):
    """Data came by request; what was rated, a late announcement and the chain race each other."""
    scene = requesting(text)
    live(scene, received(scene.state.found.request_id, answer_payload()))
    for _ in range(data.draw(st.integers(1, 12))):
        sighting = scene.state.sighting
        usual = [
            CONFIRMED,
            RETRACTED,
            detected(),
            matched(sighting=sighting),
            matched(sighting=sighting, exchange="exchange:east/1", counterparty="east"),
            unmatched(sighting),
            decided("deny"),
            *assessments(scene.state.gate),
        ]
        live(scene, data.draw(st.sampled_from(usual)))
    assert scene.state.detected == detected(), "no answer changes what was seen on chain"
