"""What a wallet search finds, and what follows: found, ambiguous, not found, not usable (hub-api.md P.3)."""

from __future__ import annotations

import pytest

from tests.support.call_results import VALID, VERIFIED, answered, denied, reported
from tests.support.events import UNKNOWN, WITHDRAWAL_ID, amended, requested
from tests.support.exchange_scenes import polling, search_accepted, search_result
from tests.support.scene import Scene
from tests.support.vasps import policy
from tests.unit.exchange.originator.search_scenes import (
    ACCEPTING,
    AMBIGUOUS,
    FOUND,
    NOBODY,
    SOUTH,
    asked_in,
    away,
    nobody,
    processing,
    told,
    verdict_of,
)


def test_a_vasp_that_was_found_is_confirmed_by_the_customer():
    scene = polling()
    scene.submit(
        search_result(scene, found="south", south="FOUND", east="NOT_FOUND_ADDRESS", west="SYSTEM_NOT_AVAILABLE")
    )
    assert verdict_of(scene) == FOUND
    assert scene.verdicts[0]["counterparty"] == "south"
    assert told(scene) == (
        "found",
        "south",
        [
            {"counterparty": "south", "outcome": "found"},
            {"counterparty": "east", "outcome": "not-found"},
            {"counterparty": "west", "outcome": "unreachable"},
        ],
    )
    assert not scene.calls
    assert set(scene.state.timers) == {"held"}
    scene.submit(amended(destination=SOUTH))
    (call,) = scene.calls
    assert (call.operation, call.target) == ("address-search", "south")
    scene.submit(
        VALID.model_copy(update={"correlation_id": call.correlation_id}),
        VERIFIED.model_copy(update={"correlation_id": call.correlation_id}),
    )
    assert verdict_of(scene) == ("allow", ["VERIFIED"], [], True)


def test_an_accepted_vasp_is_asked_at_once():
    scene = polling(policy(ACCEPTING))
    scene.submit(search_result(scene, found="south", south="FOUND"))
    assert told(scene)[:2] == ("found", "south")
    (call,) = scene.calls
    assert (call.operation, call.target, call.correlation_id) == ("address-search", "south", WITHDRAWAL_ID)
    assert not scene.verdicts
    scene.submit(VALID, VERIFIED)
    assert verdict_of(scene) == ("allow", ["VERIFIED"], [], True)
    assert scene.verdicts[0]["counterparty"] == "south"


def test_an_accepted_vasp_of_an_amended_withdrawal_gets_an_id_of_its_own():
    scene = Scene(rules=policy(ACCEPTING))
    scene.submit(requested(), VALID, denied("LACK_OF_INFORMATION"), amended(destination=UNKNOWN))
    assert [call.operation for call in scene.calls] == ["wallet-search"]
    scene.submit(search_accepted(scene))
    scene.submit(search_result(scene, found="south", south="FOUND"))
    (call,) = scene.calls
    assert (call.operation, call.target) == ("address-search", "south")
    assert call.correlation_id != WITHDRAWAL_ID


@pytest.mark.parametrize("rules", ["", ACCEPTING])
def test_a_found_vasp_must_be_one_that_we_send_to(rules):
    scene = polling(policy(f'{rules}\ndeny_list = ["south"]'))
    scene.submit(search_result(scene, found="south", south="FOUND"))
    assert verdict_of(scene) == ("deny", ["COUNTERPARTY_NOT_ALLOWED"], [], True)
    assert scene.verdicts[0]["counterparty"] == "south"
    assert told(scene)[0] == "found"
    assert not scene.calls
    assert scene.state.search is None


@pytest.mark.parametrize("rules", ["", ACCEPTING, 'allow_list = ["south"]'])
def test_nothing_is_exempt_on_the_word_of_the_hub(rules):
    scene = polling(policy(rules))
    scene.submit(search_result(scene, found="north", north="FOUND"))
    assert verdict_of(scene) == FOUND
    assert scene.verdicts[0]["counterparty"] == "north"
    scene.submit(amended(destination={**SOUTH, "vaspEntityId": "north"}))
    assert verdict_of(scene)[1] == ["EXEMPT_OWN_ENTITY"]


def test_a_found_vasp_that_does_not_own_the_address_ends_in_a_refusal():
    scene = polling(policy(ACCEPTING))
    scene.submit(search_result(scene, found="south", south="FOUND"))
    scene.submit(answered("address-search", result="invalid", reasonType="NOT_FOUND_ADDRESS"))
    assert verdict_of(scene) == ("deny", ["ADDRESS_NOT_FOUND"], [], True)
    assert not scene.calls


def test_a_found_vasp_that_is_down_is_tried_again_like_any_other():
    scene = polling(policy(ACCEPTING))
    scene.submit(search_result(scene, found="south", south="FOUND"))
    scene.submit(reported("failed", "address-search", code="NO_ANSWER"))
    scene.fire("try-again")
    assert [(call.operation, call.target) for call in scene.calls] == [("address-search", "south")]


def test_the_row_of_the_member_names_the_vasp_where_the_result_does_not():
    scene = polling()
    report = search_result(scene, found="x", south="FOUND", east="NOT_FOUND_ADDRESS")
    scene.submit(report.model_copy(update={"body": {**report.body, "beneficiaryVaspEntityId": ""}}))
    assert told(scene)[:2] == ("found", "south")


def test_members_are_named_exactly():
    scene = polling()
    scene.submit(search_result(scene, found="South-Ex", south="FOUND"))
    assert told(scene)[1] == "South-Ex"


@pytest.mark.parametrize("rows", [{"south": "FOUND", "east": "FOUND"}, {}])
@pytest.mark.parametrize("found", ["", "south"])
def test_two_claimants_are_nobodys_choice_but_the_customers(rows, found):
    if found and not rows:
        rows = {"east": "FOUND", "west": "FOUND"}
    scene = polling(policy(ACCEPTING))
    scene.submit(search_result(scene, "" if found else "ALLIANCE_DATA_NON_UNIQUE_RESULT", found, **rows))
    assert verdict_of(scene) == AMBIGUOUS
    assert told(scene)[:2] == ("ambiguous", None)
    assert set(scene.state.timers) == {"held"}


def test_nobody_was_found_and_everybody_was_asked():
    scene = polling()
    scene.submit(nobody(scene))
    assert verdict_of(scene) == NOBODY
    assert told(scene) == ("not-found", None, [{"counterparty": "south", "outcome": "not-found"}])
    assert set(scene.state.timers) == {"held"}
    assert not scene.calls
    assert "counterparty" not in scene.verdicts[0]


def test_the_first_final_result_wins():
    scene = polling()
    late = search_result(scene, found="south", south="FOUND")
    scene.submit(nobody(scene))
    before = scene.state
    scene.submit(late)
    assert (scene.state, scene.last.effects) == (before, ())


def test_while_members_are_away_the_search_is_repeated_a_few_times():
    scene = polling()
    ids = set()
    for number in (1, 2):
        ids.add(scene.state.search.request_id)
        scene.submit(away(scene))
        assert told(scene)[0] == "not-found"
        assert [data["reasons"] for data in scene.verdicts] == ([["COUNTERPARTY_UNKNOWN"]] if number == 1 else [])
        assert set(scene.state.timers) == {"held", "search-again"}
        scene.fire("search-again")
        assert [call.operation for call in scene.calls] == ["wallet-search"]
        scene.submit(search_accepted(scene))
    ids.add(scene.state.search.request_id)
    scene.submit(away(scene))
    assert told(scene)[0] == "not-found"
    assert set(scene.state.timers) == {"held"}
    assert len(ids) == 3


def test_a_member_that_is_back_may_own_the_address():
    scene = polling()
    scene.submit(away(scene))
    scene.fire("search-again")
    scene.submit(search_accepted(scene))
    scene.submit(search_result(scene, found="east", east="FOUND"))
    assert verdict_of(scene) == FOUND


def test_a_member_that_was_not_asked_at_all_may_own_the_address():
    scene = polling()
    scene.submit(nobody(scene).model_copy(update={"unasked": True}))
    assert set(scene.state.timers) == {"held", "search-again"}


def test_a_search_that_the_hub_forgot_is_begun_again_at_once_and_not_for_ever():
    scene = polling()
    for _ in range(2):
        before = scene.state.search.request_id
        scene.submit(search_result(scene, "LACK_OF_INFORMATION"))
        assert told(scene)[0] == "failed"
        assert [call.operation for call in scene.calls] == ["wallet-search"]
        assert scene.state.search.request_id != before
        assert not scene.verdicts
        scene.submit(search_accepted(scene))
    scene.submit(search_result(scene, "LACK_OF_INFORMATION"))
    assert verdict_of(scene) == NOBODY
    assert not scene.calls


@pytest.mark.parametrize(
    "body",
    [
        {"result": "invalid", "reasonType": "SOMETHING_NEW"},
        {"result": "invalid"},
        {"result": "valid"},
        {"result": "valid", "beneficiaryVaspEntityId": "s" * 201},
    ],
)
def test_a_result_that_says_nothing_usable_is_a_search_that_failed(body):
    scene = polling()
    scene.submit(answered("wallet-search-result", scene.state.search.request_id, **body))
    assert told(scene) == ("failed", None, [])
    assert verdict_of(scene) == NOBODY
    assert "search-again" in scene.state.timers


@pytest.mark.parametrize(
    "body",
    [
        {"result": 7},
        {},
        {"result": "valid", "analysisResult": 3},
        {"result": "valid", "beneficiaryVaspEntityId": "\x00"},
    ],
)
def test_an_unreadable_result_is_asked_for_again(body):
    scene = polling()
    scene.wait(12)
    scene.submit(answered("wallet-search-result", scene.state.search.request_id, **body))
    assert asked_in(scene) == [("wallet-search-result", 12)]


def test_a_search_without_a_result_ends_at_the_limit():
    scene = polling()
    questions = 0
    while not scene.callbacks:
        scene.now = scene.state.search.asks_at
        scene.submit(processing(scene))
        questions += 1
    assert 40 <= questions <= 60
    assert told(scene)[0] == "failed"
    assert "search-again" in scene.state.timers


def test_where_the_policy_denies_what_nobody_owns_it_does_so_only_after_the_last_search():
    scene = polling(policy('[verdicts]\nCOUNTERPARTY_UNKNOWN = "deny"'))
    for _ in range(2):
        scene.submit(away(scene))
        assert not scene.verdicts
        assert set(scene.state.timers) == {"search-again"}
        scene.fire("search-again")
        scene.submit(search_accepted(scene))
    scene.submit(away(scene))
    assert verdict_of(scene) == ("deny", ["COUNTERPARTY_UNKNOWN"], [], True)
    assert (scene.state.timers, scene.state.search) == ({}, None)
