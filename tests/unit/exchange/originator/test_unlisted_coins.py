"""A coin that the hub's table does not have: nothing was asked, the withdrawal is held and looked at again."""

from __future__ import annotations

from typing import Any

import pytest

from tests.support.call_results import VALID, VERIFIED, reported
from tests.support.events import UNKNOWN, WITHDRAWAL_ID, amended, cancelled, requested
from tests.support.scene import Scene
from tests.support.vasps import NOW, policy
from travelrule.machine.backoff import COUNTERPARTY_RETRY_SECONDS_MAX
from travelrule.machine.internal_inputs import CallResult, CoinFacts

COIN = CoinFacts(currency="ZZZ", network=None, listed=False, table_at=NOW)


def refused(scene: Scene, operation: str) -> CallResult:
    transfer_id = scene.state.search.request_id if operation == "wallet-search" else WITHDRAWAL_ID
    return reported("failed", operation, transfer_id, code="ASSET_NOT_LISTED", coin=COIN)


def held(operation: str, rules: str = "") -> Scene:
    scene = Scene(rules=policy(rules))
    changes: dict[str, Any] = {"destination": UNKNOWN} if operation == "wallet-search" else {}
    scene.submit(requested(currency="ZZZ", network=None, **changes))
    scene.submit(refused(scene, operation))
    return scene


@pytest.mark.parametrize("operation", ["address-search", "wallet-search"])
def test_it_is_held_for_an_operator_and_not_final(operation: str) -> None:
    scene = held(operation)
    (verdict,) = scene.verdicts
    assert (verdict["verdict"], verdict["reasons"], verdict["needs"], verdict["final"]) == (
        "hold",
        ["ASSET_NOT_SUPPORTED"],
        ["operator-decision"],
        False,
    )
    assert not scene.calls
    assert not scene.alerts


@pytest.mark.parametrize("operation", ["address-search", "wallet-search"])
def test_it_is_looked_at_again_and_goes_on_when_the_table_has_it(operation: str) -> None:
    scene = held(operation)
    began = scene.now
    scene.fire("try-again")
    assert (scene.now - began).total_seconds() == COUNTERPARTY_RETRY_SECONDS_MAX
    (call,) = scene.calls
    assert call.operation == operation
    scene.submit(
        reported("failed", operation, call.correlation_id, code="ASSET_NOT_LISTED", coin=COIN),
    )
    assert not scene.verdicts, "the same is not said twice"
    scene.fire("try-again")
    if operation == "address-search":
        scene.submit(VALID, VERIFIED)
        assert scene.verdicts[-1]["verdict"] == "allow"


def test_the_policy_may_deny_it() -> None:
    scene = held("address-search", '[verdicts]\nASSET_NOT_LISTED = "deny"')
    assert (scene.verdicts[-1]["verdict"], scene.verdicts[-1]["final"]) == ("deny", True)
    assert "try-again" not in scene.state.timers


def test_an_amendment_or_a_cancellation_ends_the_waiting() -> None:
    scene = held("address-search")
    scene.submit(amended())
    assert [call.operation for call in scene.calls] == ["address-search"]
    assert "try-again" not in scene.state.timers
    scene = held("address-search")
    scene.submit(cancelled())
    assert "try-again" not in scene.state.timers
