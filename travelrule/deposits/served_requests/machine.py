"""The data-request machine: the beneficiary's VASP requests the originator's data (M7, member-api.md section 8). Pure.

One request of one VASP, known by its ``transferId``, is one subject with one answer: ``normal`` or ``error``. A
repeated request gets the stored answer; another transaction under the same id is refused. Because a txid alone must not
release personal data, every order of `examination` must pass: a withdrawal with this txid *and* this address, a
complete request, a requester that is verified and allowed by the policy, and a payee with the name that our customer
gave.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from typing import Any

from schemas.nesting_depth import is_nested_deeper
from travelrule.deposits.served_requests.answers import error_answer, normal_answer
from travelrule.deposits.served_requests.examination import DataRefusal, examine
from travelrule.deposits.served_requests.originator_data import missing_fields
from travelrule.deposits.served_requests.received_request import DataRequestReceived
from travelrule.deposits.served_requests.state import DataRequestState, Status
from travelrule.identity.account_numbers import canonical
from travelrule.identity.txids import same_txid
from travelrule.machine.alert_codes import AlertCode
from travelrule.machine.decision import Decision
from travelrule.machine.effects import Alert, Reply
from travelrule.machine.input import Input
from travelrule.machine.own_profile import own_profile
from travelrule.machine.port import Machine
from travelrule.machine.projection import Projection
from travelrule.machine.serialization import codec
from travelrule.policy.policy import Policy


def decide(state: DataRequestState | None, item: Input, policy: Policy, now: datetime) -> Decision[Any]:
    """Decide one request."""
    del now
    request = item.data
    if not isinstance(request, DataRequestReceived):
        return _rejected(state, "UNKNOWN_TYPE", "type", "this type says nothing about a data request")
    if state is not None:
        return _asked_again(state, request)
    profile = own_profile(policy)
    if profile is None:
        fix = "set VASP_PROFILE_FILE: an answer names the originating VASP"
        return _rejected(None, "VASP_BACKEND_INTERNAL_ERROR", "", fix)
    if is_nested_deeper(request.ivms101):
        return _rejected(None, "INVALID_MSG_FIELD_VALUE", "payload", "the payload is nested deeper than IVMS101 is")
    found = examine(request, policy)
    if isinstance(found, DataRefusal):
        return _answered(request, "error", found.reason, error_answer(request, found), f"M7: {found.reason}")
    chosen, data = found
    exceeding = policy.exceeds(data.trade_price, data.trade_currency, flagged=data.is_exceeding_threshold)
    reply = normal_answer(request, data, profile, exceeding=exceeding)
    decision = _answered(request, "normal", "", reply, "M7: normal", chosen.subject)
    missing = missing_fields(data, request.entity_id, policy)
    if not missing:
        return decision
    alert = Alert(AlertCode.DATA_ANSWER_INCOMPLETE.value, "warning", request.entity_id)
    rule = f"M7: normal with what exists, without {', '.join(missing)}"
    return replace(decision, effects=(*decision.effects, alert), rule=rule)


def _asked_again(state: DataRequestState, request: DataRequestReceived) -> Decision[DataRequestState]:
    """Return the stored answer, ``error`` included; another transaction needs another id."""
    same_address = canonical(state.beneficiary_address) == canonical(request.beneficiary_address)
    if state.requester == request.entity_id and same_txid(state.txid, request.txid) and same_address:
        return Decision(state, (Reply(state.answer),), status="duplicate", rule="M7: stored answer")
    fix = "the transferId is known with another transaction: use a new one"
    return _rejected(state, "DUPLICATED_TRANSFER_ID", "transferId", fix)


def _answered(
    request: DataRequestReceived, status: Status, reason: str, answer: dict[str, Any], rule: str, withdrawal: str = ""
) -> Decision[DataRequestState]:
    state = DataRequestState(
        transfer_id=request.transfer_id,
        requester=request.entity_id,
        txid=request.txid,
        beneficiary_address=request.beneficiary_address,
        status=status,
        reason=reason,
        answer=answer,
        withdrawal=withdrawal,
    )
    return Decision(state, (Reply(answer),), rule=rule)


def _rejected(state: DataRequestState | None, code: str, path: str, fix: str) -> Decision[Any]:
    return Decision(state, status="rejected", code=code, field=path, fix=fix, rule=code)


def project(state: DataRequestState) -> Projection:
    """Project a data request: result and requester."""
    return Projection(status=state.status, counterparty=state.requester)


_dump, _load = codec(DataRequestState)

VERSION = 2
"""See ``Machine.version``."""

MACHINE = Machine("data-request", decide, _dump, _load, project, VERSION)
