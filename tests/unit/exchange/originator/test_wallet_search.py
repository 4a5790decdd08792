"""The search for the VASP behind an address: begun, asked for, called back (hub-api.md P.2, P.3)."""

from __future__ import annotations

from itertools import pairwise

import pytest

from tests.support.call_results import reported
from tests.support.events import ADDRESS, TAG, UNKNOWN, WITHDRAWAL_ID, recorded, requested
from tests.support.exchange_scenes import allowed, called_back, polling, search_accepted, search_result, searching
from tests.support.scene import Scene
from tests.support.vasps import policy
from tests.unit.exchange.originator.search_scenes import asked_in, nobody, processing


@pytest.mark.parametrize(
    ("changes", "clear"),
    [
        ({}, {"currency": "XRP", "network": "XRP", "addressNumber": f"{ADDRESS}:{TAG}"}),
        ({"network": None}, {"currency": "XRP", "network": "all", "addressNumber": f"{ADDRESS}:{TAG}"}),
        (
            {"destination": {"kind": "unknown", "address": "rPEP:9"}},
            {"currency": "XRP", "network": "XRP", "addressNumber": "rPEP:9"},
        ),
    ],
)
def test_the_search_begins_when_the_withdrawal_arrives(changes, clear):
    scene = Scene()
    scene.submit(requested(**{"destination": UNKNOWN, **changes}))
    (call,) = scene.calls
    request_id = scene.state.search.request_id
    assert (call.operation, call.target, call.correlation_id) == ("wallet-search", "", request_id)
    assert call.clear == {**clear, "requestId": request_id}
    assert call.payload is None
    assert request_id != WITHDRAWAL_ID
    assert not scene.verdicts
    assert not scene.state.attempts


def test_what_needs_no_counterparty_is_not_searched():
    for rules, changes in (
        ("[assets.BTC]", {}),
        ("[exemptions]\nbelow_threshold = true", {"isExceedingThreshold": False}),
    ):
        scene = Scene(rules=policy(rules))
        scene.submit(requested(destination=UNKNOWN, **changes))
        assert scene.verdicts
        assert not scene.calls
    scene = Scene()
    assert scene.submit(recorded(destination=UNKNOWN)).effects == ()


def test_the_result_is_asked_for_more_than_ten_seconds_apart_until_it_is_there():
    scene = searching()
    scene.submit(search_accepted(scene))
    for _ in range(5):
        assert asked_in(scene) == [("wallet-search-result", 12)]
        assert scene.calls[0].clear == {"requestId": scene.state.search.request_id}
        scene.wait(13)
        scene.submit(processing(scene))
        assert not scene.callbacks
        assert not scene.verdicts
    scene.wait(13)
    scene.submit(search_result(scene, found="south", south="FOUND"))
    assert not scene.calls


def test_the_answer_to_the_request_counts_once():
    scene = polling()
    before = scene.state
    scene.submit(search_accepted(scene))
    assert (scene.state, scene.last.effects) == (before, ())


@pytest.mark.parametrize("operation", ["wallet-search", "wallet-search-result"])
def test_a_call_that_waits_changes_nothing(operation):
    scene = searching() if operation == "wallet-search" else polling()
    before = scene.state
    scene.submit(reported("deferred", operation, before.search.request_id))
    assert (scene.state, scene.last.effects) == (before, ())


def test_a_call_in_trouble_is_told_of_while_the_search_runs():
    scene = polling()
    trouble = reported("troubled", "wallet-search-result", scene.state.search.request_id, attempts=3)
    scene.submit(trouble)
    assert scene.alerts == ["CALL_TROUBLED"]
    assert (scene.last.effects[0].attempts, scene.last.effects[0].counterparty) == (3, None)
    scene.submit(nobody(scene), trouble)
    assert scene.last.status == "duplicate"
    assert scene.submit(reported("troubled", "wallet-search", "no-such-id")).status == "duplicate"


def test_a_callback_only_asks_sooner():
    scene = polling()
    scene.wait(1)
    scene.submit(called_back(scene))
    assert scene.drops == [("wallet-search-result",)]
    assert asked_in(scene) == [("wallet-search-result", 0)]
    assert not scene.verdicts
    assert not scene.callbacks


def test_callbacks_never_make_a_tight_loop():
    scene = polling()
    asked = []
    for _ in range(120):
        scene.wait(1)
        scene.submit(called_back(scene), called_back(scene))
        if scene.state.search.asks_at == scene.now:
            asked.append(scene.now)
            scene.submit(processing(scene))
            assert asked_in(scene) == [("wallet-search-result", 12)]
    gaps = {(later - earlier).total_seconds() for earlier, later in pairwise(asked)}
    assert len(asked) > 5
    assert min(gaps) > 10


def test_a_callback_while_the_question_is_on_its_way_asks_nothing():
    scene = polling()
    scene.wait(12)
    assert scene.submit(called_back(scene)).status == "duplicate"
    scene.wait(13)
    scene.submit(called_back(scene))
    assert asked_in(scene) == [("wallet-search-result", 0)], "the answer to the question is late: ask again"


def test_a_question_that_was_made_late_counts_from_its_answer():
    scene = polling()
    scene.wait(30)
    scene.submit(processing(scene))
    scene.wait(4)
    assert scene.submit(called_back(scene)).status == "duplicate"
    scene.wait(8)
    assert scene.state.search.asks_at == scene.now


def test_two_answers_to_two_questions_do_not_make_two_chains_of_questions():
    scene = polling()
    scene.wait(12)
    first = processing(scene)
    scene.wait(20)
    scene.submit(called_back(scene), first)
    assert len(scene.calls) == 1
    before = scene.state
    scene.submit(processing(scene))
    assert (scene.state, scene.last.effects) == (before, ())


def test_a_late_answer_replaces_the_question_that_is_still_repeated():
    scene = polling()
    scene.submit(called_back(scene), processing(scene))
    # The tries of the second question are lost; the answer to the first one comes once more meanwhile.
    scene.wait(16)
    scene.submit(processing(scene))
    assert scene.drops == [("wallet-search-result",)]
    assert asked_in(scene) == [("wallet-search-result", 12)]


def test_a_callback_that_overtakes_the_hubs_own_answer_is_remembered():
    scene = searching()
    scene.submit(called_back(scene))
    assert not scene.calls
    assert scene.submit(called_back(scene)).status == "duplicate"
    scene.submit(search_accepted(scene))
    assert asked_in(scene) == [("wallet-search-result", 0)]


def test_a_callback_for_another_search_is_nothing():
    scene = polling()
    before = scene.state
    for odd in (called_back(scene, "no-such-id"), called_back(scene, operation="txid-search")):
        assert scene.submit(odd).status == "duplicate"
    scene.submit(nobody(scene))
    assert scene.submit(called_back(scene, before.search.request_id)).status == "duplicate"
    assert allowed().submit(called_back(scene)).status == "duplicate"
