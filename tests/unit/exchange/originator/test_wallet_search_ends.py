"""A wallet search that cannot be made, and what ends one from outside, in every phase."""

from __future__ import annotations

import pytest

from tests.support.call_results import VALID, VERIFIED, answered, reported
from tests.support.events import ADDRESS, TXID, UNKNOWN, amended, broadcast, cancelled, decided, requested, settled
from tests.support.exchange_scenes import called_back, polling, search_accepted, search_failed, search_result, searching
from tests.support.scene import Scene
from tests.support.vasps import policy
from tests.unit.exchange.originator.search_scenes import (
    ACCEPTING,
    FOUND,
    NOBODY,
    SOUTH,
    asked_in,
    away,
    told,
    verdict_of,
)


@pytest.mark.parametrize("operation", ["wallet-search", "wallet-search-result"])
def test_a_hub_that_cannot_be_asked_is_tried_from_seconds_upward_with_an_alert_at_the_limit(operation):
    scene = searching()
    alerts: list[str] = []
    waits: list[float] = []
    while not alerts and len(waits) < 1000:
        if operation == "wallet-search-result":
            scene.submit(search_accepted(scene))
            scene.wait(700)
        scene.submit(search_failed(scene, operation))
        alerts += scene.alerts
        assert told(scene)[0] == "failed"
        waits.append((scene.state.timers["try-again"] - scene.now).total_seconds())
        scene.fire("try-again")
        assert [call.operation for call in scene.calls] == ["wallet-search"]
        assert scene.state.search.searches == 1, "a search that was not made does not count"
    assert 5 <= waits[0] <= 7.5
    assert max(waits[:-1]) <= 450
    assert waits[-1] == 3600, "after the alert it is tried and said hourly"
    assert alerts == ["HUB_UNREACHABLE"]
    assert scene.state.case.reasons == ("HUB_UNREACHABLE",)
    assert scene.state.case.needs == ()


def test_a_question_that_got_no_answer_is_asked_again_while_there_is_time():
    scene = polling()
    scene.wait(12)
    scene.submit(search_failed(scene, "wallet-search-result"))
    assert asked_in(scene) == [("wallet-search-result", 12)]
    assert not scene.verdicts


def test_a_result_after_all_ends_the_tries():
    scene = searching()
    scene.submit(search_failed(scene))
    assert verdict_of(scene)[1] == ["HUB_UNREACHABLE"]
    scene.fire("try-again")
    scene.submit(search_accepted(scene))
    scene.submit(search_result(scene, found="south", south="FOUND"))
    assert verdict_of(scene) == FOUND
    assert (scene.state.failing_since, scene.state.failures) == (None, 0)


@pytest.mark.parametrize("operation", ["wallet-search", "wallet-search-result"])
def test_a_search_that_the_hub_refuses_needs_the_customer_and_an_operator(operation):
    scene = searching() if operation == "wallet-search" else polling()
    scene.wait(12)
    scene.submit(search_failed(scene, operation, status=422, code="INVALID_MSG_FIELD_VALUE", attempts=1))
    assert told(scene)[0] == "failed"
    assert verdict_of(scene) == NOBODY
    assert scene.alerts == ["COUNTERPARTY_REFUSED_CALL"]
    assert set(scene.state.timers) == {"held"}


def test_policy_may_deny_what_cannot_be_searched():
    scene = searching(policy('[verdicts]\nHUB_UNREACHABLE = "deny"'))
    scene.submit(search_failed(scene))
    assert verdict_of(scene) == ("deny", ["HUB_UNREACHABLE"], [], True)
    assert (scene.state.timers, scene.state.search) == ({}, None)


def holding(rules=None) -> Scene:
    scene = polling(rules)
    scene.submit(away(scene))
    return scene


def found(rules=None) -> Scene:
    scene = polling(rules)
    scene.submit(search_result(scene, found="south", south="FOUND"))
    return scene


def unasked(rules=None) -> Scene:
    scene = searching(rules)
    scene.submit(search_failed(scene))
    return scene


PHASES = {"searching": searching, "polling": polling, "holding": holding, "found": found, "unasked": unasked}


@pytest.mark.parametrize("phase", PHASES)
@pytest.mark.parametrize("end", [cancelled(), decided("deny"), settled("failed")], ids=["cancel", "deny", "failed"])
def test_whatever_ends_the_withdrawal_ends_the_search(phase, end):
    scene = PHASES[phase]()
    request_id = scene.state.search.request_id
    late = search_result(scene, found="south", south="FOUND")
    scene.submit(end)
    assert verdict_of(scene)[0] == "deny"
    running = phase in ("searching", "polling")
    assert scene.drops == ([("wallet-search", "wallet-search-result")] if running else [])
    assert not scene.callbacks
    assert (scene.state.timers, scene.state.search) == ({}, None)
    before = scene.state
    for report in (late, answered("wallet-search", request_id, result="SUCCESS"), called_back(scene, request_id)):
        scene.submit(report)
        assert (scene.state, scene.last.effects) == (before, ())


@pytest.mark.parametrize("phase", ["holding", "found", "unasked"])
def test_an_operator_may_allow_what_is_held_and_then_nobody_is_searched(phase):
    scene = PHASES[phase](policy("operator_override = true"))
    scene.submit(decided("allow"))
    assert verdict_of(scene) == ("allow", ["OPERATOR"], [], True)
    assert (scene.state.timers, scene.state.search) == ({}, None)


@pytest.mark.parametrize("phase", PHASES)
def test_an_amendment_names_the_vasp_and_ends_the_search(phase):
    scene = PHASES[phase]()
    scene.submit(amended(destination=SOUTH))
    if phase in ("searching", "polling"):
        assert scene.last.code == "NOT_ON_HOLD"
        return
    assert [(call.operation, call.target) for call in scene.calls] == [("address-search", "south")]
    assert scene.state.search is None
    assert set(scene.state.timers) == {"held"}


@pytest.mark.parametrize("phase", ["holding", "found", "unasked"])
def test_an_amendment_of_the_name_searches_anew(phase):
    scene = PHASES[phase]()
    before = scene.state.search.request_id
    scene.submit(amended())
    assert [call.operation for call in scene.calls] == ["wallet-search"]
    assert scene.state.search.request_id != before
    assert scene.state.search.searches == 1
    assert set(scene.state.timers) == {"held"}


def test_a_second_amendment_takes_back_the_search_of_the_first():
    scene = found()
    scene.submit(amended(), amended())
    assert scene.drops == [("wallet-search", "wallet-search-result")]


def test_an_old_answer_about_an_address_starts_nothing_while_another_vasp_is_searched():
    scene = Scene()
    scene.submit(requested(), reported("deferred", "address-search", code="COUNTERPARTY_DOWN"))
    scene.submit(amended(destination=UNKNOWN))
    assert scene.drops == [("address-search",)]
    before = scene.state
    scene.submit(VALID)
    assert (scene.state, scene.last.effects) == (before, ())


def test_the_same_vasp_found_again_after_an_amendment_is_said_again():
    scene = found()
    scene.submit(amended())
    scene.submit(search_accepted(scene))
    scene.submit(search_result(scene, found="south", south="FOUND"))
    assert verdict_of(scene) == FOUND


def test_value_that_was_sent_meanwhile_is_reported_once_the_vasp_is_known():
    scene = polling(policy(ACCEPTING))
    scene.submit(broadcast())
    assert scene.alerts == ["BROADCAST_WITHOUT_ALLOW"]
    scene.submit(search_result(scene, found="south", south="FOUND"))
    scene.submit(VALID, VERIFIED)
    assert [(call.operation, call.clear["txid"]) for call in scene.calls] == [("txid-report", TXID)]


def test_nothing_personal_stands_in_a_repr():
    scene = polling()
    for shown in (repr(scene.state), repr(scene.history), repr(scene.last)):
        assert ADDRESS not in shown
        assert "Berg" not in shown
