"""Every kind of input that a withdrawal or an inbound exchange can meet, for the state it meets."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from schemas.wire_model import Wire
from tests.support import call_results, events, inbound_messages, vasps
from travelrule.exchange.beneficiary.state import ExchangeState
from travelrule.exchange.originator.refused_request import RefusedRequestState, RequestRefused
from travelrule.exchange.originator.state import WithdrawalState
from travelrule.machine.internal_inputs import TimerDue
from travelrule.messages.arrival import ExchangeArrived, ExchangeSettled, SearchCalledBack, TxidLearned
from travelrule.messages.assessment import AssessmentEnded, AssessmentSession, Gate

ANSWERS: dict[str, list[dict[str, Any]]] = {
    "address-search": [
        {"result": "valid"},
        {"result": "valid", "beneficiaryVaspEntityId": "east"},
        {"result": "invalid", "reasonType": "NOT_FOUND_ADDRESS"},
        {"result": "invalid", "reasonType": "LACK_OF_INFORMATION"},
        {"result": 7},
    ],
    "transfer-authorization": [
        {"result": "verified", "payload": call_results.HONEST},
        {"result": "verified", "payload": call_results.COPIED},
        {"result": "verified", "transferId": "another", "payload": call_results.HONEST},
        {"result": "verified"},
        {"result": "denied", "reasonType": "INPUT_NAME_MISMATCHED"},
        {"result": "denied", "reasonType": "SANCTION_LIST"},
    ],
    "txid-report": [{"result": "normal"}],
    "finish": [{"result": "normal"}],
    "wallet-search": [{"result": "SUCCESS"}],
    "wallet-search-result": [
        {"result": "invalid", "reasonType": "PROCESSING"},
        {"result": "invalid", "reasonType": "NOT_FOUND_ADDRESS"},
        {
            "result": "invalid",
            "reasonType": "NOT_FOUND_ADDRESS",
            "analysisResult": [{"entityId": "east", "result": "SYSTEM_NOT_AVAILABLE"}],
        },
        {"result": "invalid", "reasonType": "ALLIANCE_DATA_NON_UNIQUE_RESULT"},
        {"result": "invalid", "reasonType": "LACK_OF_INFORMATION"},
        {"result": "invalid"},
        {"result": "valid", "beneficiaryVaspEntityId": "south"},
        {"result": "valid", "beneficiaryVaspEntityId": "north"},
        {"result": "valid", "beneficiaryVaspEntityId": "banned"},
        {"result": "valid"},
        {"result": 7},
    ],
    "status-search": [
        {"status": "pending"},
        {"status": "confirmed", "txid": events.TXID},
        {"status": "confirmed", "txid": events.OTHER_TXID},
        {"status": "confirmed"},
        {"status": "confirmed", "txid": events.TXID, "transferId": None},
        {"status": "canceled"},
        {"status": "canceled", "transferId": ""},
    ],
}
FAILURES: list[dict[str, Any]] = [
    {"code": "NO_ANSWER", "maybe_acted": True},
    {"code": "NOT_SENT"},
    {"code": "DUPLICATED_TRANSFER_ID", "status": 503, "maybe_acted": True},
    {"code": "UNKNOWN_TRANSFER_ID"},
    {"code": "UNACCEPTABLE_REQUEST", "status": 503},
    {"code": "INVALID_TARGET_VASP_ID", "status": 422},
]


def reports(transfer_id: str) -> Iterator[Wire]:
    """Every result of every call under this id."""
    for operation, bodies in ANSWERS.items():
        named = {"transferId": transfer_id} if operation == "status-search" else {}
        for body in bodies:
            yield call_results.answered(operation, transfer_id, **{**named, **body})
        for failure in FAILURES:
            yield call_results.reported("failed", operation, transfer_id, **failure)
        yield call_results.reported("deferred", operation, transfer_id, code="COUNTERPARTY_DOWN")
        yield call_results.reported("troubled", operation, transfer_id, code="NO_ANSWER", attempts=10)


def timers(state: Any) -> Iterator[Wire]:
    """Every timer that runs, and one that does not."""
    for name, due_at in (state.timers if state is not None else {}).items():
        yield TimerDue(name=name, due_at=due_at)
    yield TimerDue(name="try-again", due_at=vasps.NOW)


def for_withdrawal(state: WithdrawalState | RefusedRequestState | None) -> Iterator[Wire]:
    """Everything that a withdrawal in this state can meet."""
    for letter in ("letter-1", "letter-2"):
        yield RequestRefused(dead_letter_id=letter, code="INVALID_AMOUNT", field="data.amount")
    yield events.requested()
    yield events.requested(amount="1")
    yield events.requested(destination={"kind": "unknown", "address": "rPEP"})
    yield events.recorded()
    yield events.amended()
    yield events.amended(destination={"kind": "vasp", "vaspEntityId": "east", "address": "rPEP"})
    yield events.amended(destination={"kind": "unknown", "address": "rPEP"})
    yield events.amended(destination=events.UNHOSTED)
    yield events.cancelled("SANCTION_LIST")
    yield events.decided("allow")
    yield events.decided("deny")
    yield events.broadcast()
    yield events.broadcast(events.OTHER_TXID)
    yield events.broadcast(events.TXID, "2")
    yield events.mined()
    yield events.settled()
    yield events.settled("failed")
    yield from timers(state)
    ids = ["no-such-id"]
    known = state if isinstance(state, WithdrawalState) else None
    if known is not None:
        ids += [one.transfer_id for one in known.attempts]
        ids += [known.search.request_id] if known.search is not None else []
    for transfer_id in ids:
        yield from reports(transfer_id)
        yield SearchCalledBack(operation="wallet-search", request_id=transfer_id)
    yield from assessments(known.gate if known is not None else None)
    yield from for_exchange_only()


def assessments(gate: Gate | None) -> Iterator[Wire]:
    """What assessments say: the one that is waited for, and one that nobody asked."""
    kinds: list[tuple[str, Any]] = [("assessment:withdrawal:nobody/1", "lists")]
    if gate is not None:
        kinds.append((gate.subject, gate.kind))
    for subject, kind in kinds:
        for risk in ("clean", "suspicious", "malicious", "unknown", "pending"):
            yield AssessmentEnded(assessment=subject, kind=kind, risk=risk)
        yield AssessmentEnded(assessment=subject, kind=kind, risk="malicious", sanctioned=True)
        yield AssessmentEnded(assessment=subject, kind=kind, risk="clean", proven=True)
        yield AssessmentEnded(assessment=subject, kind="kyt", risk="clean", status="RELEASED", hub_request_id="7")
        yield AssessmentSession(assessment=subject, token="t", wallet_verification_id="v")


def for_exchange_only() -> Iterator[Wire]:
    """What only an inbound exchange understands."""
    yield inbound_messages.authorization()
    yield inbound_messages.authorization(wallets=())
    yield inbound_messages.authorization(amount="1")
    yield inbound_messages.txid_report()
    yield inbound_messages.txid_report(events.TXID, "1")
    yield inbound_messages.txid_report(events.OTHER_TXID)
    yield inbound_messages.txid_report(entity="east")
    yield inbound_messages.finish()
    yield inbound_messages.finish("confirmed")
    yield inbound_messages.finish(entity="east")
    for deposit_id in ("d-1", "d-2"):
        yield ExchangeArrived(deposit_id=deposit_id)
        for stage in ("final", "credited", "returned", "seized", "retracted"):
            yield ExchangeSettled(deposit_id=deposit_id, stage=stage)
    yield TxidLearned(txid=events.TXID)
    yield TxidLearned(txid=events.TXID, vout="1")
    yield TxidLearned(txid=events.OTHER_TXID)


def for_exchange(state: ExchangeState | None) -> Iterator[Wire]:
    """Everything that an inbound exchange in this state can meet."""
    yield from for_exchange_only()
    yield from timers(state)
    yield from reports(inbound_messages.TRANSFER_ID)
    yield events.requested()
    yield events.decided("allow", f"exchange:north/{inbound_messages.TRANSFER_ID}")
    yield events.mined()
