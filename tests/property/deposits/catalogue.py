"""Every kind of input that a deposit can meet, for the state it meets."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from schemas.wire_model import Wire
from tests.property.exchange.catalogue import assessments
from tests.support import deposit_scenes
from tests.support.events import OTHER_TXID, TXID, requested
from tests.support.vasps import NOW
from travelrule.deposits.state import DepositState
from travelrule.deposits.table import REPORT
from travelrule.machine.internal_inputs import TimerDue
from travelrule.messages.arrival import DepositUnannounced, SearchCalledBack

ROW = deposit_scenes.authorization()
ABSENT = [{"entityId": "east", "result": "SYSTEM_NOT_AVAILABLE"}]
BODIES: dict[str, list[dict[str, Any]]] = {
    "status-search": [
        {"status": "pending"},
        {"status": "confirmed", "txid": TXID},
        {"status": "confirmed", "txid": OTHER_TXID},
        {"status": "canceled"},
        {"status": 7},
    ],
    "txid-search": [{"result": "SUCCESS"}],
    "txid-search-result": [
        {"result": "valid", "vaspEntityId": "north"},
        {"result": "valid", "vaspEntityId": "banned"},
        {"result": "valid"},
        {"result": "invalid", "reasonType": "PROCESSING"},
        {"result": "invalid", "reasonType": "NOT_FOUND_TXID"},
        {"result": "invalid", "reasonType": "NOT_FOUND_TXID", "analysisResult": ABSENT},
        {"result": "invalid", "reasonType": "ALLIANCE_DATA_NON_UNIQUE_RESULT"},
        {"result": "invalid", "reasonType": "LACK_OF_INFORMATION"},
        {"result": "invalid"},
        {"result": 7},
    ],
    "data-request": [
        {"result": "normal", "currency": "XRP", "amount": "250.50"},
        {"result": "normal", "currency": "XRP", "amount": "1"},
        {"result": "error", "reasonType": "NOT_FOUND_TXID"},
        {"result": "error", "reasonType": "LACK_OF_INFORMATION"},
    ],
}
FAILURES: list[dict[str, Any]] = [
    {"code": "NO_ANSWER", "maybe_acted": True},
    {"code": "DUPLICATED_TRANSFER_ID", "status": 503},
    {"code": "UNKNOWN_TRANSFER_ID", "status": 503},
    {"code": "COUNTERPARTY_NOT_ALLOWED"},
    {"code": "INVALID_TARGET_VASP_ID", "status": 422},
]


def reports(transfer_id: str, target: str) -> Iterator[Wire]:
    """Every result of every call under this id."""
    for operation, bodies in BODIES.items():
        for body in bodies:
            for payload in (None, deposit_scenes.answer_payload()) if operation == "data-request" else (None,):
                yield deposit_scenes.reported(operation, transfer_id, target=target, body=body, payload=payload)
        for failure in FAILURES:
            yield deposit_scenes.reported(operation, transfer_id, "failed", target, **failure)
        yield deposit_scenes.reported(operation, transfer_id, "deferred", target, code="COUNTERPARTY_DOWN")
        yield deposit_scenes.reported(operation, transfer_id, "troubled", target, code="NO_ANSWER", attempts=10)


def for_deposit(state: DepositState | None) -> Iterator[Wire]:
    """Everything that a deposit in this state can meet."""
    yield deposit_scenes.detected()
    yield deposit_scenes.detected(txid=OTHER_TXID)
    yield deposit_scenes.CONFIRMED
    yield deposit_scenes.RETRACTED
    for outcome in ("credited", "returned"):
        yield deposit_scenes.settled(outcome)
    for decision in ("allow", "deny"):
        yield deposit_scenes.decided(decision)
    sighting = state.sighting if state is not None else 1
    for one in {sighting, sighting - 1}:
        yield deposit_scenes.matched(sighting=one)
        yield deposit_scenes.matched(sighting=one, amount="1")
        yield deposit_scenes.matched(sighting=one, exchange="exchange:east/1", counterparty="east")
        yield deposit_scenes.unmatched(one)
        yield DepositUnannounced(sighting=one)
    yield deposit_scenes.context()
    yield deposit_scenes.context(ROW)
    yield deposit_scenes.context(wallet=None)
    yield deposit_scenes.context().model_copy(update={"outcome": "failed", "body": None})
    for name, due_at in (state.timers if state is not None else {}).items():
        yield TimerDue(name=name, due_at=due_at)
    yield TimerDue(name=REPORT, due_at=NOW)
    ids = {"no-such-id"}
    if state is not None:
        ids |= {one.request_id for one in (state.search, state.found) if one is not None}
        ids |= {one.transfer_id for one in state.candidates}
    for transfer_id in sorted(ids):
        yield from reports(transfer_id, "north")
        yield SearchCalledBack(operation="txid-search", request_id=transfer_id)
    yield deposit_scenes.reported("finish", "no-such-id")
    yield from assessments(state.gate if state is not None else None)
    yield requested()
