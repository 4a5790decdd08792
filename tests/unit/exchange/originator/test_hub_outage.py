"""A withdrawal while the hub is away: on hold without an operator, watched by a timer, restarted where needed."""

from __future__ import annotations

import pytest

from tests.support.call_results import HONEST, VALID, VERIFIED, answered, reported
from tests.support.events import WITHDRAWAL_ID, cancelled
from tests.support.exchange_scenes import asking, searching, waiting
from tests.support.scene import Scene
from tests.support.vasps import policy
from travelrule.machine.backoff import retry_seconds

HELD = {"code": "HUB_UNREACHABLE"}
LOST = {"code": "NO_ANSWER", "attempts": 3, "maybe_acted": True}
DAY = 24 * 3600


def last_verdict(scene: Scene) -> tuple[str, list[str], list[str]]:
    case = scene.state.case
    return case.verdict, list(case.reasons), list(case.needs)


@pytest.mark.parametrize("operation", ["address-search", "transfer-authorization"])
def test_a_call_that_waits_for_the_hub_holds_the_withdrawal_and_needs_nobody(operation: str) -> None:
    scene = asking() if operation == "address-search" else waiting()
    scene.submit(reported("deferred", operation, **HELD))
    assert last_verdict(scene) == ("hold", ["HUB_UNREACHABLE"], [])
    assert not scene.calls, "the call itself waits"
    assert not scene.alerts
    assert (scene.state.timers["try-again"] - scene.now).total_seconds() == DAY
    scene.submit(*((VALID, VERIFIED) if operation == "address-search" else (VERIFIED,)))
    assert last_verdict(scene) == ("allow", ["VERIFIED"], [])
    assert (scene.state.failing_since, scene.state.failures) == (None, 0)


def test_an_authorization_that_waits_for_the_hub_is_an_alert_at_the_limit_and_hourly_after_it() -> None:
    scene = waiting()
    scene.submit(reported("deferred", "transfer-authorization", **HELD))
    for _ in range(3):
        scene.fire("try-again")
        assert scene.alerts == ["HUB_UNREACHABLE"]
        assert (scene.state.timers["try-again"] - scene.now).total_seconds() == 3600
        assert not scene.calls
    scene.submit(VERIFIED)
    assert last_verdict(scene) == ("allow", ["VERIFIED"], [])


def test_an_address_search_that_waits_for_the_hub_is_an_alert_at_the_limit() -> None:
    scene = asking()
    scene.submit(reported("deferred", "address-search", **HELD))
    scene.fire("try-again")
    assert scene.drops == [("address-search",)]
    assert [call.operation for call in scene.calls] == ["address-search"], "one waits, and no second one"
    scene.submit(reported("deferred", "address-search", **HELD))
    assert scene.alerts == ["HUB_UNREACHABLE"]


def test_an_authorization_that_may_have_arrived_is_finished_and_begun_again_within_seconds() -> None:
    scene = waiting()
    scene.submit(reported("failed", "transfer-authorization", **LOST))
    assert [(call.operation, call.correlation_id) for call in scene.calls] == [("finish", WITHDRAWAL_ID)]
    assert last_verdict(scene) == ("hold", ["HUB_UNREACHABLE"], [])
    assert 5 <= (scene.state.timers["try-again"] - scene.now).total_seconds() <= 7.5
    scene.fire("try-again")
    (call,) = scene.calls
    assert call.operation == "address-search"
    assert call.correlation_id != WITHDRAWAL_ID
    scene.submit(
        answered("address-search", call.correlation_id, result="valid"),
        answered("transfer-authorization", call.correlation_id, result="verified", payload=HONEST),
    )
    assert last_verdict(scene) == ("allow", ["VERIFIED"], [])


def test_authorizations_that_are_lost_at_the_hub_again_and_again_wait_longer_and_alert_at_the_limit() -> None:
    scene = waiting()
    waits, alerts = [], []
    while not alerts and len(waits) < 1000:
        attempt = scene.state.attempt
        assert attempt is not None
        scene.submit(reported("failed", "transfer-authorization", attempt.transfer_id, **LOST))
        alerts += scene.alerts
        waits.append((scene.state.timers["try-again"] - scene.now).total_seconds())
        scene.fire("try-again")
        (call,) = scene.calls
        scene.submit(answered("address-search", call.correlation_id, result="valid"))
    assert [low <= wait <= 1.5 * low for wait, low in zip(waits, (5, 10, 20, 40, 80, 160, 300), strict=False)] == [
        True
    ] * 7
    assert alerts == ["HUB_UNREACHABLE"]
    assert last_verdict(scene)[1] == ["HUB_UNREACHABLE"]


def test_many_withdrawals_do_not_begin_again_in_the_same_second() -> None:
    seconds = {int(retry_seconds(6, salt)) for salt in range(1000)}
    assert len(seconds) > 50


def test_a_withdrawal_that_is_given_up_while_the_hub_is_away_says_nothing_of_it() -> None:
    scene = waiting()
    scene.submit(reported("deferred", "transfer-authorization", **HELD))
    scene.submit(cancelled())
    scene.submit(reported("deferred", "transfer-authorization", **HELD))
    assert not scene.verdicts
    assert scene.state.case.reasons == ("CANCELLED",)
    scene.submit(VERIFIED)
    assert [call.operation for call in scene.calls] == ["finish"]


def test_a_policy_may_deny_what_the_hub_cannot_take() -> None:
    scene = waiting(policy('[verdicts]\nHUB_UNREACHABLE = "deny"'))
    scene.submit(reported("deferred", "transfer-authorization", **HELD))
    assert last_verdict(scene) == ("deny", ["HUB_UNREACHABLE"], [])
    assert scene.state.attempt is not None
    assert scene.state.attempt.give_up == "UNKNOWN"


def test_a_search_that_waits_for_the_hub_holds_and_is_replaced_at_the_limit() -> None:
    scene = searching()
    request_id = scene.state.search.request_id
    scene.submit(reported("deferred", "wallet-search", request_id, **HELD))
    assert last_verdict(scene) == ("hold", ["HUB_UNREACHABLE"], [])
    scene.fire("try-again")
    assert scene.drops == [("wallet-search", "wallet-search-result")]
    (call,) = scene.calls
    assert call.operation == "wallet-search"
    scene.submit(reported("deferred", "wallet-search", call.correlation_id, **HELD))
    assert scene.alerts == ["HUB_UNREACHABLE"]
    assert scene.state.search.searches == 1


def test_a_search_that_the_hub_takes_at_last_is_watched_no_more() -> None:
    scene = searching()
    scene.submit(reported("deferred", "wallet-search", scene.state.search.request_id, **HELD))
    scene.submit(answered("wallet-search", scene.state.search.request_id, result="SUCCESS"))
    assert "try-again" not in scene.state.timers
