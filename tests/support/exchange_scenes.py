"""Withdrawals and inbound exchanges at the steps where tests begin."""

from __future__ import annotations

from typing import Any

from tests.support.call_results import VALID, VERIFIED, answered, reported
from tests.support.events import UNKNOWN, broadcast, requested
from tests.support.inbound_messages import TRANSFER_ID, authorization
from tests.support.scene import Scene
from tests.support.vasps import SOUTH, SOUTH_PROFILE, policy
from travelrule.identity.payloads import beneficiary_vasp
from travelrule.machine.effects import CallHub
from travelrule.machine.internal_inputs import CallResult
from travelrule.messages.arrival import SearchCalledBack
from travelrule.policy.policy import Policy


def asking(rules: Policy | None = None) -> Scene:
    """A withdrawal whose address is being searched."""
    scene = Scene(rules=rules or policy())
    scene.submit(requested())
    return scene


def searching(rules: Policy | None = None) -> Scene:
    """A withdrawal whose VASP is searched, before the hub answered."""
    scene = Scene(rules=rules or policy())
    scene.submit(requested(destination=UNKNOWN))
    return scene


def polling(rules: Policy | None = None) -> Scene:
    """A withdrawal whose VASP the hub searches."""
    scene = searching(rules)
    scene.submit(search_accepted(scene))
    return scene


def search_accepted(scene: Scene) -> CallResult:
    return answered("wallet-search", scene.state.search.request_id, result="SUCCESS")


def search_result(scene: Scene, reason: str = "", found: str = "", **rows: str) -> CallResult:
    """P.3 for the search that runs: ``rows`` are the members' answers."""
    body: dict[str, Any] = {"result": "valid" if found else "invalid", "requestId": scene.state.search.request_id}
    if found:
        body["beneficiaryVaspEntityId"] = found
    if reason:
        body["reasonType"] = reason
    body["analysisResult"] = [{"entityId": name, "result": row} for name, row in rows.items()]
    return answered("wallet-search-result", scene.state.search.request_id, **body)


def search_failed(scene: Scene, operation: str = "wallet-search", **facts: Any) -> CallResult:
    return reported("failed", operation, scene.state.search.request_id, **(facts or {"code": "NO_ANSWER"}))


def called_back(scene: Scene, request_id: str = "", operation: Any = "wallet-search") -> SearchCalledBack:
    return SearchCalledBack(operation=operation, request_id=request_id or scene.state.search.request_id)


def verified(scene: Scene) -> CallResult:
    """The answer of an honest counterparty to the newest authorization."""
    asked = [one for one in scene.history if isinstance(one, CallHub) and one.operation == "transfer-authorization"]
    payload = {**(asked[-1].payload or {}), "BeneficiaryVASP": beneficiary_vasp(SOUTH_PROFILE)}
    return answered("transfer-authorization", asked[-1].correlation_id, result="verified", payload=payload)


def waiting(rules: Policy | None = None) -> Scene:
    """A withdrawal whose authorization is on its way."""
    scene = asking(rules)
    scene.submit(VALID)
    return scene


def allowed(rules: Policy | None = None) -> Scene:
    """A verified withdrawal, not broadcast."""
    scene = waiting(rules)
    scene.submit(VERIFIED)
    return scene


def reporting(rules: Policy | None = None) -> Scene:
    """A verified withdrawal whose txid is being reported."""
    scene = allowed(rules)
    scene.submit(broadcast())
    return scene


def inbound(text: str = "") -> Scene:
    """An inbound exchange that is not there yet."""
    return Scene(subject=f"exchange:north/{TRANSFER_ID}", rules=policy(text, SOUTH))


def authorized(text: str = "") -> Scene:
    """An inbound exchange that was answered verified."""
    scene = inbound(text)
    scene.submit(authorization())
    return scene
