"""The anonymous path: search by txid, poll, callback, every kind of result."""

from __future__ import annotations

from uuid import UUID

import pytest

from schemas.events.callbacks import SearchResultBody
from schemas.hub.search import TxidSearchRequest
from tests.support.deposit_scenes import (
    UNANNOUNCED,
    DepositScene,
    context,
    detected,
    polling,
    reported,
    result,
    rules,
    searching,
)
from tests.support.events import ADDRESS, TAG, TXID
from travelrule.messages.arrival import SearchCalledBack

ABSENT = [("east", "SYSTEM_NOT_AVAILABLE"), ("north", "NOT_FOUND_TXID")]
NOBODY = [("east", "NOT_FOUND_TXID"), ("north", "odd")]


def not_found(scene: DepositScene, rows=NOBODY):
    return result(scene.request_id, "invalid", "NOT_FOUND_TXID", rows=rows)


def processing(scene: DepositScene):
    return result(scene.request_id, "invalid", "PROCESSING")


def test_the_search_names_transaction_address_currency_and_network():
    scene = searching()
    (call,) = scene.calls
    assert (call.operation, call.target) == ("txid-search", "")
    body = TxidSearchRequest.model_validate(call.clear)
    assert (body.txid, body.beneficiary_address, body.currency, body.network) == (
        TXID,
        f"{ADDRESS}:{TAG}",
        "XRP",
        "XRP",
    )
    assert body.request_id == call.correlation_id
    assert UUID(call.correlation_id).version == 4


def test_without_a_network_all_are_searched():
    scene = DepositScene()
    scene.submit(detected(network=None), context(), UNANNOUNCED)
    assert scene.calls[0].clear["network"] == "all"


def test_the_result_is_asked_for_never_sooner_than_ten_seconds():
    scene = polling()
    for _ in range(20):
        (call,) = scene.calls
        assert (call.operation, call.correlation_id) == ("txid-search-result", scene.request_id)
        assert call.due_at is not None
        assert (call.due_at - scene.now).total_seconds() > 10
        scene.now = call.due_at
        scene.submit(processing(scene))
        assert scene.drops == [("txid-search-result",)], "never two questions at once"


def test_a_callback_only_moves_the_first_question_forward():
    scene = polling()
    scene.back()
    (call,) = scene.calls
    assert call.operation == "txid-search-result"
    assert call.due_at is None
    assert scene.drops == [("txid-search-result",)]
    for _ in range(3):
        scene.back()
        assert not scene.last.effects, "doubled or forged"
    scene.submit(processing(scene))
    scene.back()
    assert not scene.last.effects
    assert scene.state.status == "searching"


def test_a_callback_may_come_before_the_answer_to_the_search():
    scene = searching()
    scene.back()
    assert scene.operations == ["txid-search-result"]
    scene.submit(reported("txid-search", scene.request_id, body={"result": "SUCCESS"}))
    assert not scene.calls, "it was asked for already"
    scene.submit(reported("txid-search", scene.request_id, "failed", code="NO_ANSWER"))
    assert scene.state.search is not None, "the result decides"


def test_a_callback_of_another_search_or_operation_is_nothing():
    scene = polling()
    scene.submit(SearchCalledBack(operation="txid-search", request_id="another"))
    assert not scene.last.effects
    scene.submit(SearchCalledBack(operation="wallet-search", request_id=scene.request_id))
    assert not scene.last.effects


def test_found_is_told_and_the_vasp_is_asked():
    scene = polling()
    scene.submit(result(scene.request_id, rows=[("east", "NOT_FOUND_TXID"), ("north", "FOUND")]))
    assert scene.result == {
        "subject": "deposit:dep-1",
        "requestId": scene.request_id,
        "outcome": "found",
        "counterparty": "north",
        "asked": [
            {"counterparty": "east", "outcome": "not-found"},
            {"counterparty": "north", "outcome": "found"},
        ],
    }
    assert scene.operations == ["data-request"]
    assert scene.verdict == ("hold", "AWAITING_DATA", False)
    assert set(scene.state.timers) == {"try", "held"}


def test_the_other_name_of_the_found_vasp_is_read_too():
    scene = polling()
    scene.submit(result(scene.request_id, vaspEntityId="", beneficiaryVaspEntityId="west"))
    assert scene.calls[0].target == "west"


def test_the_first_final_result_wins():
    scene = polling()
    first, second = result(scene.request_id), result(scene.request_id, vaspEntityId="west")
    scene.submit(first)
    scene.submit(second)
    assert not scene.last.effects
    assert scene.state.found.entity_id == "north"


def test_nobody_sent_it_is_a_hold_for_the_customer():
    scene = polling()
    scene.submit(not_found(scene))
    assert scene.verdict == ("hold", "ORIGINATOR_UNKNOWN", False)
    assert scene.emitted("verdicts")[0]["needs"] == ["customer-statement", "operator-decision"]
    assert scene.result["outcome"] == "not-found"
    assert scene.result["asked"][1]["outcome"] == "other"
    assert not scene.calls
    assert set(scene.state.timers) == {"held"}


def test_who_could_not_be_asked_is_asked_later_with_a_new_id_and_a_bound():
    scene = polling()
    ids = {scene.request_id}
    for _ in range(2):
        scene.submit(not_found(scene, ABSENT))
        assert scene.result["asked"][0]["outcome"] == "not-available"
        assert not scene.calls
        assert scene.state.status == "searching"
        assert (scene.state.timers["search"] - scene.now).total_seconds() == 600
        scene.fire("search")
        assert scene.operations == ["txid-search"]
        ids.add(scene.request_id)
        scene.submit(reported("txid-search", scene.request_id, body={"result": "SUCCESS"}))
    assert len(ids) == 3
    scene.submit(not_found(scene, ABSENT))
    assert scene.verdict == ("hold", "ORIGINATOR_UNKNOWN", False)
    assert scene.alerts == ["TXID_SEARCH_FAILED"]


def test_somebody_who_was_not_asked_at_all_may_have_sent_it():
    """A hub searches only members that are up: a missing row of the sender is no answer from it."""
    scene = polling()
    scene.submit(not_found(scene).model_copy(update={"unasked": True}))
    assert scene.state.status == "searching"
    assert scene.state.timers["search"] > scene.now
    scene.fire("search")
    assert scene.operations == ["txid-search"]


@pytest.mark.parametrize("words", [("invalid", "ALLIANCE_DATA_NON_UNIQUE_RESULT"), ("valid",)], ids=["said", "shown"])
def test_two_claimants_are_for_an_operator(words):
    """Also where the hub names one of them: nothing is asked of either."""
    scene = polling()
    scene.submit(result(scene.request_id, *words, rows=[("a", "FOUND"), ("b", "FOUND")]))
    assert not scene.operations
    assert scene.verdict == ("hold", "ORIGINATOR_AMBIGUOUS", False)
    assert scene.result["outcome"] == "ambiguous"
    assert scene.alerts == ["ORIGINATOR_AMBIGUOUS"]


def test_an_id_that_the_hub_lost_is_searched_anew_at_once_with_a_bound():
    scene = polling()
    for _ in range(2):
        old = scene.request_id
        scene.submit(result(scene.request_id, "invalid", "LACK_OF_INFORMATION"))
        assert scene.result["outcome"] == "failed"
        assert scene.operations == ["txid-search"]
        assert scene.request_id != old
    scene.submit(result(scene.request_id, "invalid", "LACK_OF_INFORMATION"))
    assert scene.verdict == ("hold", "ORIGINATOR_UNKNOWN", False)


def test_the_number_of_searches_is_the_policys():
    scene = polling("[searches]\nattempts = 1")
    scene.submit(not_found(scene, ABSENT))
    assert scene.verdict == ("hold", "ORIGINATOR_UNKNOWN", False)


@pytest.mark.parametrize("body", [{"vaspEntityId": ""}, {"vaspEntityId": "x" * 201}, {"vaspEntityId": "a\x07b"}])
def test_found_without_a_usable_name_is_no_result(body):
    scene = polling()
    scene.submit(result(scene.request_id, **body))
    assert scene.result["outcome"] == "failed"
    assert scene.state.status == "searching"
    assert "search" in scene.state.timers


def test_a_search_without_result_within_the_limit_is_begun_anew():
    scene = polling()
    old = scene.request_id
    scene.fire("search")
    assert scene.result["outcome"] == "failed"
    assert scene.operations == ["txid-search"]
    assert scene.request_id != old


def test_an_answer_that_cannot_be_read_is_asked_for_again():
    scene = polling()
    scene.submit(reported("txid-search-result", scene.request_id, body={"result": "perhaps"}))
    assert scene.operations == ["txid-search-result"]
    assert scene.state.search.request_id == scene.request_id


def test_an_unreachable_hub_is_tried_again_from_seconds_upward_without_end():
    scene = searching()
    scene.submit(reported("txid-search", scene.request_id, "failed", code="NO_ANSWER"))
    assert scene.verdict == ("hold", "HUB_UNREACHABLE", False)
    assert 5 <= (scene.state.timers["search"] - scene.now).total_seconds() <= 7.5
    alerts = []
    for _ in range(320):
        scene.fire("search")
        assert scene.operations == ["txid-search"]
        scene.submit(reported("txid-search", scene.request_id, "failed", code="NO_ANSWER"))
        alerts += scene.alerts
    assert "HUB_UNREACHABLE" in alerts
    scene.fire("search")
    scene.submit(reported("txid-search", scene.request_id, body={"result": "SUCCESS"}))
    assert scene.verdict == ("hold", "SEARCHING", False)
    assert scene.state.searches == 1, "what the hub did not take is not counted"


def test_a_refused_search_is_for_an_operator():
    scene = searching()
    scene.submit(reported("txid-search", scene.request_id, "failed", status=422, code="INVALID_MSG_FIELD_VALUE"))
    assert scene.verdict == ("hold", "ORIGINATOR_UNKNOWN", False)
    assert scene.alerts == ["COUNTERPARTY_REFUSED_CALL"]


def test_a_result_that_cannot_be_fetched_is_asked_for_later_or_searched_anew():
    scene = polling()
    scene.submit(reported("txid-search-result", scene.request_id, "failed", code="NO_ANSWER"))
    assert scene.operations == ["txid-search-result"]
    assert scene.calls[0].due_at > scene.now
    scene.submit(reported("txid-search-result", scene.request_id, "deferred"))
    assert not scene.calls
    scene.submit(reported("txid-search-result", scene.request_id, "failed", status=422, code="INVALID_ORIGIN"))
    assert scene.result["outcome"] == "failed"
    assert scene.state.search is None
    scene.rules = rules()
    scene.fire("search")
    assert scene.operations == ["txid-search"]


def test_everything_that_is_told_fits_its_schema():
    scene = polling()
    scene.submit(not_found(scene, ABSENT))
    told = SearchResultBody.model_validate(scene.result)
    assert [row.outcome for row in told.asked] == ["not-available", "not-found"]
