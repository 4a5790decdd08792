"""The search for the VASP behind an address: begun, asked for, found, lost, repeated, ended (hub-api.md P.2, P.3)."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import pytest

from schemas.callbacks import SearchResultBody
from schemas.verdicts import VerdictBody
from tests.unit.exchange.scene import (
    ADDRESS,
    TAG,
    TXID,
    UNKNOWN,
    VALID,
    VERIFIED,
    WITHDRAWAL_ID,
    Scene,
    allowed,
    amended,
    answered,
    broadcast,
    called_back,
    cancelled,
    decided,
    denied,
    policy,
    polling,
    recorded,
    reported,
    requested,
    search_accepted,
    search_failed,
    search_result,
    searching,
    settled,
)

ACCEPTING = "accept_found_vasp = true"
FOUND = ("hold", ["COUNTERPARTY_FOUND"], ["counterparty-confirmation"], False)
NOBODY = ("hold", ["COUNTERPARTY_UNKNOWN"], ["counterparty"], False)
AMBIGUOUS = ("hold", ["COUNTERPARTY_AMBIGUOUS"], ["counterparty"], False)
SOUTH = {"kind": "vasp", "vaspEntityId": "south", "address": ADDRESS, "tag": TAG}


def verdict_of(scene: Scene) -> tuple[str, list[str], list[str], bool]:
    (data,) = scene.verdicts
    VerdictBody.model_validate(data)
    return data["verdict"], data["reasons"], data["needs"], data["final"]


def told(scene: Scene) -> tuple[str, Any, list[dict[str, str]]]:
    """The one result that the last decision put on ``callbacks``."""
    (data,) = scene.callbacks
    SearchResultBody.model_validate(data)
    assert data["subject"] == f"withdrawal:{WITHDRAWAL_ID}"
    return data["outcome"], data.get("counterparty"), data["asked"]


def asked_in(scene: Scene) -> list[tuple[str, float]]:
    """The calls of the last decision, each with the seconds until it is made."""
    return [(call.operation, (call.due_at - scene.now).total_seconds() if call.due_at else 0) for call in scene.calls]


def processing(scene: Scene):
    return search_result(scene, "PROCESSING")


def nobody(scene: Scene, **rows: str):
    return search_result(scene, "NOT_FOUND_ADDRESS", **(rows or {"south": "NOT_FOUND_ADDRESS"}))


def away(scene: Scene):
    return nobody(scene, south="NOT_FOUND_ADDRESS", east="SYSTEM_NOT_AVAILABLE")


# Begun and asked for


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
    scene.tell(requested(**{"destination": UNKNOWN, **changes}))
    (call,) = scene.calls
    request_id = scene.state.search.request_id
    assert (call.operation, call.target, call.transfer_id) == ("wallet-search", "", request_id)
    assert call.clear == {**clear, "requestId": request_id}
    assert call.payload is None
    assert request_id != WITHDRAWAL_ID
    assert not scene.verdicts
    assert not scene.state.attempts


def test_what_needs_no_counterparty_is_not_searched():
    for rules, changes in (
        ("[assets.BTC]", {}),
        ('sanctions = "required"', {}),
        ("[exemptions]\nbelow_threshold = true", {"isExceedingThreshold": False}),
    ):
        scene = Scene(rules=policy(rules))
        scene.tell(requested(destination=UNKNOWN, **changes))
        assert scene.verdicts
        assert not scene.calls
    scene = Scene()
    assert scene.tell(recorded(destination=UNKNOWN)).effects == ()


def test_the_result_is_asked_for_more_than_ten_seconds_apart_until_it_is_there():
    scene = searching()
    scene.tell(search_accepted(scene))
    for _ in range(5):
        assert asked_in(scene) == [("wallet-search-result", 12)]
        assert scene.calls[0].clear == {"requestId": scene.state.search.request_id}
        scene.wait(13)
        scene.tell(processing(scene))
        assert not scene.callbacks
        assert not scene.verdicts
    scene.wait(13)
    scene.tell(search_result(scene, found="south", south="FOUND"))
    assert not scene.calls


def test_the_answer_to_the_request_counts_once():
    scene = polling()
    before = scene.state
    scene.tell(search_accepted(scene))
    assert (scene.state, scene.last.effects) == (before, ())


@pytest.mark.parametrize("operation", ["wallet-search", "wallet-search-result"])
def test_a_call_that_waits_changes_nothing(operation):
    scene = searching() if operation == "wallet-search" else polling()
    before = scene.state
    scene.tell(reported("deferred", operation, before.search.request_id))
    assert (scene.state, scene.last.effects) == (before, ())


def test_a_call_in_trouble_is_told_of_while_the_search_runs():
    scene = polling()
    trouble = reported("troubled", "wallet-search-result", scene.state.search.request_id, attempts=3)
    scene.tell(trouble)
    assert scene.alerts == ["CALL_TROUBLED"]
    assert (scene.last.effects[0].attempts, scene.last.effects[0].counterparty) == (3, None)
    scene.tell(nobody(scene), trouble)
    assert scene.last.status == "duplicate"
    assert scene.tell(reported("troubled", "wallet-search", "no-such-id")).status == "duplicate"


# Callbacks


def test_a_callback_only_asks_sooner():
    scene = polling()
    scene.wait(1)
    scene.tell(called_back(scene))
    assert [drop.operations for drop in scene.drops] == [("wallet-search-result",)]
    assert asked_in(scene) == [("wallet-search-result", 0)]
    assert not scene.verdicts
    assert not scene.callbacks


def test_callbacks_never_make_a_tight_loop():
    scene = polling()
    asked = []
    for _ in range(120):
        scene.wait(1)
        scene.tell(called_back(scene), called_back(scene))
        if scene.state.search.asks_at == scene.now:
            asked.append(scene.now)
            scene.tell(processing(scene))
            assert asked_in(scene) == [("wallet-search-result", 12)]
    gaps = {(later - earlier).total_seconds() for earlier, later in pairwise(asked)}
    assert len(asked) > 5
    assert min(gaps) > 10


def test_a_callback_while_the_question_is_on_its_way_asks_nothing():
    scene = polling()
    scene.wait(12)
    assert scene.tell(called_back(scene)).status == "duplicate"
    scene.wait(13)
    scene.tell(called_back(scene))
    assert asked_in(scene) == [("wallet-search-result", 0)], "the answer to the question is late: ask again"


def test_a_question_that_was_made_late_counts_from_its_answer():
    scene = polling()
    scene.wait(30)
    scene.tell(processing(scene))
    scene.wait(4)
    assert scene.tell(called_back(scene)).status == "duplicate"
    scene.wait(8)
    assert scene.state.search.asks_at == scene.now


def test_two_answers_to_two_questions_do_not_make_two_chains_of_questions():
    scene = polling()
    scene.wait(12)
    first = processing(scene)
    scene.wait(20)
    scene.tell(called_back(scene), first)
    assert len(scene.calls) == 1
    before = scene.state
    scene.tell(processing(scene))
    assert (scene.state, scene.last.effects) == (before, ())


def test_a_callback_that_overtakes_the_hubs_own_answer_is_remembered():
    scene = searching()
    scene.tell(called_back(scene))
    assert not scene.calls
    assert scene.tell(called_back(scene)).status == "duplicate"
    scene.tell(search_accepted(scene))
    assert asked_in(scene) == [("wallet-search-result", 0)]


def test_a_callback_for_another_search_is_nothing():
    scene = polling()
    before = scene.state
    for odd in (called_back(scene, "no-such-id"), called_back(scene, operation="txid-search")):
        assert scene.tell(odd).status == "duplicate"
    scene.tell(nobody(scene))
    assert scene.tell(called_back(scene, before.search.request_id)).status == "duplicate"
    assert allowed().tell(called_back(scene)).status == "duplicate"


# Found


def test_a_vasp_that_was_found_is_confirmed_by_the_customer():
    scene = polling()
    scene.tell(
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
    scene.tell(amended(destination=SOUTH))
    (call,) = scene.calls
    assert (call.operation, call.target) == ("address-search", "south")
    scene.tell(
        VALID.model_copy(update={"transfer_id": call.transfer_id}),
        VERIFIED.model_copy(update={"transfer_id": call.transfer_id}),
    )
    assert verdict_of(scene) == ("allow", ["VERIFIED"], [], True)


def test_an_accepted_vasp_is_asked_at_once():
    scene = polling(policy(ACCEPTING))
    scene.tell(search_result(scene, found="south", south="FOUND"))
    assert told(scene)[:2] == ("found", "south")
    (call,) = scene.calls
    assert (call.operation, call.target, call.transfer_id) == ("address-search", "south", WITHDRAWAL_ID)
    assert not scene.verdicts
    scene.tell(VALID, VERIFIED)
    assert verdict_of(scene) == ("allow", ["VERIFIED"], [], True)
    assert scene.verdicts[0]["counterparty"] == "south"


def test_an_accepted_vasp_of_an_amended_withdrawal_gets_an_id_of_its_own():
    scene = Scene(rules=policy(ACCEPTING))
    scene.tell(requested(), VALID, denied("LACK_OF_INFORMATION"), amended(destination=UNKNOWN))
    assert [call.operation for call in scene.calls] == ["wallet-search"]
    scene.tell(search_accepted(scene))
    scene.tell(search_result(scene, found="south", south="FOUND"))
    (call,) = scene.calls
    assert (call.operation, call.target) == ("address-search", "south")
    assert call.transfer_id != WITHDRAWAL_ID


@pytest.mark.parametrize("rules", ["", ACCEPTING])
def test_a_found_vasp_must_be_one_that_we_send_to(rules):
    scene = polling(policy(f'{rules}\ndeny_list = ["south"]'))
    scene.tell(search_result(scene, found="south", south="FOUND"))
    assert verdict_of(scene) == ("deny", ["COUNTERPARTY_NOT_ALLOWED"], [], True)
    assert scene.verdicts[0]["counterparty"] == "south"
    assert told(scene)[0] == "found"
    assert not scene.calls
    assert scene.state.search is None


@pytest.mark.parametrize("rules", ["", ACCEPTING, 'allow_list = ["south"]'])
def test_nothing_is_exempt_on_the_word_of_the_hub(rules):
    scene = polling(policy(rules))
    scene.tell(search_result(scene, found="north", north="FOUND"))
    assert verdict_of(scene) == FOUND
    assert scene.verdicts[0]["counterparty"] == "north"
    scene.tell(amended(destination={**SOUTH, "vaspEntityId": "north"}))
    assert verdict_of(scene)[1] == ["EXEMPT_OWN_ENTITY"]


def test_a_found_vasp_that_does_not_own_the_address_ends_in_a_refusal():
    scene = polling(policy(ACCEPTING))
    scene.tell(search_result(scene, found="south", south="FOUND"))
    scene.tell(answered("address-search", result="invalid", reasonType="NOT_FOUND_ADDRESS"))
    assert verdict_of(scene) == ("deny", ["ADDRESS_NOT_FOUND"], [], True)
    assert not scene.calls


def test_a_found_vasp_that_is_down_is_tried_again_like_any_other():
    scene = polling(policy(ACCEPTING))
    scene.tell(search_result(scene, found="south", south="FOUND"))
    scene.tell(reported("failed", "address-search", code="NO_ANSWER"))
    scene.fire("try-again")
    assert [(call.operation, call.target) for call in scene.calls] == [("address-search", "south")]


def test_the_row_of_the_member_names_the_vasp_where_the_result_does_not():
    scene = polling()
    report = search_result(scene, found="x", south="FOUND", east="NOT_FOUND_ADDRESS")
    scene.tell(report.model_copy(update={"body": {**report.body, "beneficiaryVaspEntityId": ""}}))
    assert told(scene)[:2] == ("found", "south")


def test_members_are_named_exactly():
    scene = polling()
    scene.tell(search_result(scene, found="South-Ex", south="FOUND"))
    assert told(scene)[1] == "South-Ex"


@pytest.mark.parametrize("rows", [{"south": "FOUND", "east": "FOUND"}, {}])
@pytest.mark.parametrize("found", ["", "south"])
def test_two_claimants_are_nobodys_choice_but_the_customers(rows, found):
    if found and not rows:
        rows = {"east": "FOUND", "west": "FOUND"}
    scene = polling(policy(ACCEPTING))
    scene.tell(search_result(scene, "" if found else "ALLIANCE_DATA_NON_UNIQUE_RESULT", found, **rows))
    assert verdict_of(scene) == AMBIGUOUS
    assert told(scene)[:2] == ("ambiguous", None)
    assert set(scene.state.timers) == {"held"}


# Not found


def test_nobody_was_found_and_everybody_was_asked():
    scene = polling()
    scene.tell(nobody(scene))
    assert verdict_of(scene) == NOBODY
    assert told(scene) == ("not-found", None, [{"counterparty": "south", "outcome": "not-found"}])
    assert set(scene.state.timers) == {"held"}
    assert not scene.calls
    assert "counterparty" not in scene.verdicts[0]


def test_the_first_final_result_wins():
    scene = polling()
    late = search_result(scene, found="south", south="FOUND")
    scene.tell(nobody(scene))
    before = scene.state
    scene.tell(late)
    assert (scene.state, scene.last.effects) == (before, ())


def test_while_members_are_away_the_search_is_repeated_a_few_times():
    scene = polling()
    ids = set()
    for number in (1, 2):
        ids.add(scene.state.search.request_id)
        scene.tell(away(scene))
        assert told(scene)[0] == "not-found"
        assert [data["reasons"] for data in scene.verdicts] == ([["COUNTERPARTY_UNKNOWN"]] if number == 1 else [])
        assert set(scene.state.timers) == {"held", "search-again"}
        scene.fire("search-again")
        assert [call.operation for call in scene.calls] == ["wallet-search"]
        scene.tell(search_accepted(scene))
    ids.add(scene.state.search.request_id)
    scene.tell(away(scene))
    assert told(scene)[0] == "not-found"
    assert set(scene.state.timers) == {"held"}
    assert len(ids) == 3


def test_a_member_that_is_back_may_own_the_address():
    scene = polling()
    scene.tell(away(scene))
    scene.fire("search-again")
    scene.tell(search_accepted(scene))
    scene.tell(search_result(scene, found="east", east="FOUND"))
    assert verdict_of(scene) == FOUND


def test_a_search_that_the_hub_forgot_is_begun_again_at_once_and_not_for_ever():
    scene = polling()
    for _ in range(2):
        before = scene.state.search.request_id
        scene.tell(search_result(scene, "LACK_OF_INFORMATION"))
        assert told(scene)[0] == "failed"
        assert [call.operation for call in scene.calls] == ["wallet-search"]
        assert scene.state.search.request_id != before
        assert not scene.verdicts
        scene.tell(search_accepted(scene))
    scene.tell(search_result(scene, "LACK_OF_INFORMATION"))
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
    scene.tell(answered("wallet-search-result", scene.state.search.request_id, **body))
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
    scene.tell(answered("wallet-search-result", scene.state.search.request_id, **body))
    assert asked_in(scene) == [("wallet-search-result", 12)]


def test_a_search_without_a_result_ends_at_the_limit():
    scene = polling()
    questions = 0
    while not scene.callbacks:
        scene.now = scene.state.search.asks_at
        scene.tell(processing(scene))
        questions += 1
    assert 40 <= questions <= 60
    assert told(scene)[0] == "failed"
    assert "search-again" in scene.state.timers


def test_where_the_policy_denies_what_nobody_owns_it_does_so_only_after_the_last_search():
    scene = polling(policy('[verdicts]\nCOUNTERPARTY_UNKNOWN = "deny"'))
    for _ in range(2):
        scene.tell(away(scene))
        assert not scene.verdicts
        assert set(scene.state.timers) == {"search-again"}
        scene.fire("search-again")
        scene.tell(search_accepted(scene))
    scene.tell(away(scene))
    assert verdict_of(scene) == ("deny", ["COUNTERPARTY_UNKNOWN"], [], True)
    assert (scene.state.timers, scene.state.search) == ({}, None)


# The hub cannot be asked


@pytest.mark.parametrize("operation", ["wallet-search", "wallet-search-result"])
def test_a_hub_that_cannot_be_asked_is_tried_ever_more_rarely_until_the_limit(operation):
    scene = searching()
    alerts: list[str] = []
    tried = 0
    for tried in range(1, 100):  # noqa: B007  the number of the last try is what is tested
        if operation == "wallet-search-result":
            scene.tell(search_accepted(scene))
            scene.wait(700)
        scene.tell(search_failed(scene, operation))
        alerts += scene.alerts
        assert told(scene)[0] == "failed"
        if "try-again" not in scene.state.timers:
            break
        scene.fire("try-again")
        assert [call.operation for call in scene.calls] == ["wallet-search"]
        assert scene.state.search.searches == 1, "a search that was not made does not count"
    assert 20 <= tried <= 40
    assert alerts == ["COUNTERPARTY_UNREACHABLE"]
    assert scene.state.case.reasons == ("COUNTERPARTY_UNREACHABLE",)
    assert set(scene.state.timers) == {"held"}


def test_a_question_that_got_no_answer_is_asked_again_while_there_is_time():
    scene = polling()
    scene.wait(12)
    scene.tell(search_failed(scene, "wallet-search-result"))
    assert asked_in(scene) == [("wallet-search-result", 12)]
    assert not scene.verdicts


def test_a_result_after_all_ends_the_tries():
    scene = searching()
    scene.tell(search_failed(scene))
    assert verdict_of(scene)[1] == ["COUNTERPARTY_UNREACHABLE"]
    scene.fire("try-again")
    scene.tell(search_accepted(scene))
    scene.tell(search_result(scene, found="south", south="FOUND"))
    assert verdict_of(scene) == FOUND
    assert (scene.state.failing_since, scene.state.failures) == (None, 0)


@pytest.mark.parametrize("operation", ["wallet-search", "wallet-search-result"])
def test_a_search_that_the_hub_refuses_needs_the_customer_and_an_operator(operation):
    scene = searching() if operation == "wallet-search" else polling()
    scene.wait(12)
    scene.tell(search_failed(scene, operation, status=422, code="INVALID_MSG_FIELD_VALUE", attempts=1))
    assert told(scene)[0] == "failed"
    assert verdict_of(scene) == NOBODY
    assert scene.alerts == ["COUNTERPARTY_REFUSED_CALL"]
    assert set(scene.state.timers) == {"held"}


def test_policy_may_deny_what_cannot_be_searched():
    scene = searching(policy('[verdicts]\nCOUNTERPARTY_UNREACHABLE = "deny"'))
    scene.tell(search_failed(scene))
    assert verdict_of(scene) == ("deny", ["COUNTERPARTY_UNREACHABLE"], [], True)
    assert (scene.state.timers, scene.state.search) == ({}, None)


# Ended from outside, in every phase


def holding(rules=None) -> Scene:
    scene = polling(rules)
    scene.tell(away(scene))
    return scene


def found(rules=None) -> Scene:
    scene = polling(rules)
    scene.tell(search_result(scene, found="south", south="FOUND"))
    return scene


def unasked(rules=None) -> Scene:
    scene = searching(rules)
    scene.tell(search_failed(scene))
    return scene


PHASES = {"searching": searching, "polling": polling, "holding": holding, "found": found, "unasked": unasked}


@pytest.mark.parametrize("phase", PHASES)
@pytest.mark.parametrize("end", [cancelled(), decided("deny"), settled("failed")], ids=["cancel", "deny", "failed"])
def test_whatever_ends_the_withdrawal_ends_the_search(phase, end):
    scene = PHASES[phase]()
    request_id = scene.state.search.request_id
    late = search_result(scene, found="south", south="FOUND")
    scene.tell(end)
    assert verdict_of(scene)[0] == "deny"
    running = phase in ("searching", "polling")
    assert [drop.operations for drop in scene.drops] == ([("wallet-search", "wallet-search-result")] if running else [])
    assert not scene.callbacks
    assert (scene.state.timers, scene.state.search) == ({}, None)
    before = scene.state
    for report in (late, answered("wallet-search", request_id, result="SUCCESS"), called_back(scene, request_id)):
        scene.tell(report)
        assert (scene.state, scene.last.effects) == (before, ())


@pytest.mark.parametrize("phase", ["holding", "found", "unasked"])
def test_an_operator_may_allow_what_is_held_and_then_nobody_is_searched(phase):
    scene = PHASES[phase](policy("operator_override = true"))
    scene.tell(decided("allow"))
    assert verdict_of(scene) == ("allow", ["OPERATOR"], [], True)
    assert (scene.state.timers, scene.state.search) == ({}, None)


@pytest.mark.parametrize("phase", PHASES)
def test_an_amendment_names_the_vasp_and_ends_the_search(phase):
    scene = PHASES[phase]()
    scene.tell(amended(destination=SOUTH))
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
    scene.tell(amended())
    assert [call.operation for call in scene.calls] == ["wallet-search"]
    assert scene.state.search.request_id != before
    assert scene.state.search.searches == 1
    assert set(scene.state.timers) == {"held"}


def test_a_second_amendment_takes_back_the_search_of_the_first():
    scene = found()
    scene.tell(amended(), amended())
    assert [drop.operations for drop in scene.drops] == [("wallet-search", "wallet-search-result")]


def test_an_old_answer_about_an_address_starts_nothing_while_another_vasp_is_searched():
    scene = Scene()
    scene.tell(requested(), reported("deferred", "address-search", code="COUNTERPARTY_DOWN"))
    scene.tell(amended(destination=UNKNOWN))
    assert [drop.operations for drop in scene.drops] == [("address-search",)]
    before = scene.state
    scene.tell(VALID)
    assert (scene.state, scene.last.effects) == (before, ())


def test_the_same_vasp_found_again_after_an_amendment_is_said_again():
    scene = found()
    scene.tell(amended())
    scene.tell(search_accepted(scene))
    scene.tell(search_result(scene, found="south", south="FOUND"))
    assert verdict_of(scene) == FOUND


def test_value_that_was_sent_meanwhile_is_reported_once_the_vasp_is_known():
    scene = polling(policy(ACCEPTING))
    scene.tell(broadcast())
    assert scene.alerts == ["BROADCAST_WITHOUT_ALLOW"]
    scene.tell(search_result(scene, found="south", south="FOUND"))
    scene.tell(VALID, VERIFIED)
    assert [(call.operation, call.clear["txid"]) for call in scene.calls] == [("txid-report", TXID)]


def test_nothing_personal_stands_in_a_repr():
    scene = polling()
    for shown in (repr(scene.state), repr(scene.history), repr(scene.last)):
        assert ADDRESS not in shown
        assert "Berg" not in shown
