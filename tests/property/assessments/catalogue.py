"""Every kind of input that an assessment can meet, for the state it meets."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from coincurve import PrivateKey

from schemas.wire_model import Wire
from tests.support import assessment_scenes
from tests.support.events import requested as withdrawal
from tests.support.vasps import NOW
from travelrule.assessments.state import AssessmentState
from travelrule.machine.internal_inputs import TimerDue
from travelrule.messages.arrival import SearchCalledBack

FOREIGN = assessment_scenes.signature(key=PrivateKey(b"\x08" * 32))
BODIES: dict[str, list[dict[str, Any]]] = {
    "wallet-screening": [
        *(assessment_scenes.wallet_answer(category) for category in ("WHITE", "GRAY", "BLACK", "UNKNOWN", "ODD")),
        assessment_scenes.wallet_answer(walletAddress=assessment_scenes.OTHER_ADDRESS),
        assessment_scenes.ERROR,
        {"result": 7},
    ],
    "transaction-screening": [
        assessment_scenes.transaction_answer(),
        assessment_scenes.transaction_answer("WHITE", "WHITE"),
        assessment_scenes.transaction_answer("WHITE", "BLACK"),
        assessment_scenes.ERROR,
    ],
    "kyt-search": [
        {"requestId": 4711, "status": "PENDING"},
        {"requestId": 4711, "status": "RELEASED"},
        {"status": "RELEASED"},
    ],
    "kyt-report": [
        assessment_scenes.pending(),
        assessment_scenes.failed(),
        assessment_scenes.failed("Transaction analysis failed"),
        assessment_scenes.released(),
        assessment_scenes.released(verdict="Malicious"),
        assessment_scenes.released(hub_id=1),
        {"requestId": 4711, "status": "RELEASED"},
    ],
    "unhosted-token": [
        {"token": assessment_scenes.TOKEN, "walletVerificationId": assessment_scenes.VERIFICATION},
        {"token": ""},
    ],
    "unhosted-result": [
        {"verificationId": assessment_scenes.VERIFICATION, "status": "PENDING"},
        assessment_scenes.verified(),
        assessment_scenes.verified(signature="0x" + "00" * 200),
        assessment_scenes.verified(signature=FOREIGN),
        assessment_scenes.verified(address=assessment_scenes.OTHER_ADDRESS),
        {"status": 7},
    ],
}
FAILURES: list[dict[str, Any]] = [
    {"code": "NO_ANSWER"},
    {"code": "HTTP_400", "status": 400},
    {"code": "INVALID_ORIGIN", "status": 422},
    {"code": "INVALID_HEADER_SIGNATURE", "status": 422},
    {"code": "UNSUPPORTED_BLOCKCHAIN", "status": 400},
    {"code": "NOT_FOUND", "status": 404},
]
KINDS = ("lists", "wallet", "transaction", "kyt", "ownership")


def requests(subject: str) -> Iterator[Wire]:
    """Everything that makes a subject of this kind."""
    if subject.startswith("screening:"):
        yield from (assessment_scenes.requested(kind) for kind in ("wallet", "transaction", "kyt"))
        yield assessment_scenes.requested("wallet", chain="TON")
        yield assessment_scenes.ownership()
        yield assessment_scenes.ownership(blockchain="TON")
    else:
        for kind in KINDS:
            yield assessment_scenes.wanted(kind)
            yield assessment_scenes.wanted(kind, network="TON")


def ids(state: AssessmentState | None) -> list[str]:
    """The names of the question that runs, and one of none."""
    question = state.question if state is not None else None
    known = {question.call_id, question.hub_id} if question is not None else set()
    return sorted({"no-such-id", *known} - {""})


def for_assessment(subject: str, state: AssessmentState | None) -> Iterator[Wire]:
    """Everything that an assessment in this state can meet."""
    yield from requests(subject)
    yield assessment_scenes.wanted("lists", asker="deposit:d-1")
    yield assessment_scenes.requested("kyt", chain="BTC")
    yield assessment_scenes.DROPPED
    yield assessment_scenes.decided("allow")
    yield assessment_scenes.decided("deny")
    yield withdrawal()
    yield assessment_scenes.lists()
    yield assessment_scenes.lists(assessment_scenes.HIT)
    yield assessment_scenes.lists(checked=False)
    yield assessment_scenes.reported("look-up", "screening", "failed", code="ERASED")
    yield assessment_scenes.reported("finish", "no-such-id")
    for name, due_at in (state.timers if state is not None else {}).items():
        yield TimerDue(name=name, due_at=due_at)
    yield TimerDue(name="limit", due_at=NOW)
    for transfer_id in ids(state):
        for operation in ("kyt-search", "unhosted-token", "wallet-search"):
            yield SearchCalledBack.model_validate({"operation": operation, "requestId": transfer_id})
        for operation, bodies in BODIES.items():
            for body in bodies:
                yield assessment_scenes.reported(operation, transfer_id, body=body)
            for failure in FAILURES:
                yield assessment_scenes.reported(operation, transfer_id, "failed", **failure)
            yield assessment_scenes.reported(operation, transfer_id, "deferred")
            yield assessment_scenes.reported(operation, transfer_id, "troubled", attempts=10)
