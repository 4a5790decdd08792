"""Every kind of input that an assessment can meet, for the state it meets."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from coincurve import PrivateKey

from schemas.wire_model import Wire
from tests.unit.assessments import scene
from tests.unit.exchange.originator.scene import requested as withdrawal
from travelrule.assessments.state import AssessmentState
from travelrule.machine.internal_inputs import TimerDue
from travelrule.messages.arrival import SearchCalledBack

FOREIGN = scene.signature(key=PrivateKey(b"\x08" * 32))
BODIES: dict[str, list[dict[str, Any]]] = {
    "wallet-screening": [
        *(scene.wallet_answer(category) for category in ("WHITE", "GRAY", "BLACK", "UNKNOWN", "ODD")),
        scene.wallet_answer(walletAddress=scene.OTHER_ADDRESS),
        scene.ERROR,
        {"result": 7},
    ],
    "transaction-screening": [
        scene.transaction_answer(),
        scene.transaction_answer("WHITE", "WHITE"),
        scene.transaction_answer("WHITE", "BLACK"),
        scene.ERROR,
    ],
    "kyt-search": [
        {"requestId": 4711, "status": "PENDING"},
        {"requestId": 4711, "status": "RELEASED"},
        {"status": "RELEASED"},
    ],
    "kyt-report": [
        scene.pending(),
        scene.failed(),
        scene.failed("Transaction analysis failed"),
        scene.released(),
        scene.released(verdict="Malicious"),
        scene.released(hub_id=1),
        {"requestId": 4711, "status": "RELEASED"},
    ],
    "unhosted-token": [{"token": scene.TOKEN, "walletVerificationId": scene.VERIFICATION}, {"token": ""}],
    "unhosted-result": [
        {"verificationId": scene.VERIFICATION, "status": "PENDING"},
        scene.verified(),
        scene.verified(signature="0x" + "00" * 200),
        scene.verified(signature=FOREIGN),
        scene.verified(address=scene.OTHER_ADDRESS),
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
        yield from (scene.requested(kind) for kind in ("wallet", "transaction", "kyt"))
        yield scene.requested("wallet", chain="TON")
        yield scene.ownership()
        yield scene.ownership(blockchain="TON")
    else:
        for kind in KINDS:
            yield scene.wanted(kind)
            yield scene.wanted(kind, network="TON")


def ids(state: AssessmentState | None) -> list[str]:
    """The names of the question that runs, and one of none."""
    question = state.question if state is not None else None
    known = {question.call_id, question.hub_id} if question is not None else set()
    return sorted({"no-such-id", *known} - {""})


def for_assessment(subject: str, state: AssessmentState | None) -> Iterator[Wire]:
    """Everything that an assessment in this state can meet."""
    yield from requests(subject)
    yield scene.wanted("lists", asker="deposit:d-1")
    yield scene.requested("kyt", chain="BTC")
    yield scene.DROPPED
    yield scene.decided("allow")
    yield scene.decided("deny")
    yield withdrawal()
    yield scene.lists()
    yield scene.lists(scene.HIT)
    yield scene.lists(checked=False)
    yield scene.reported("look-up", "screening", "failed", code="ERASED")
    yield scene.reported("finish", "no-such-id")
    for name, due_at in (state.timers if state is not None else {}).items():
        yield TimerDue(name=name, due_at=due_at)
    yield TimerDue(name="limit", due_at=scene.NOW)
    for transfer_id in ids(state):
        for operation in ("kyt-search", "unhosted-token", "wallet-search"):
            yield SearchCalledBack.model_validate({"operation": operation, "requestId": transfer_id})
        for operation, bodies in BODIES.items():
            for body in bodies:
                yield scene.reported(operation, transfer_id, body=body)
            for failure in FAILURES:
                yield scene.reported(operation, transfer_id, "failed", **failure)
            yield scene.reported(operation, transfer_id, "deferred")
            yield scene.reported(operation, transfer_id, "troubled", attempts=10)
