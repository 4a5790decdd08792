"""The deposit machine: coins at a customer's address, from detection to settlement. Pure.

The law and the transition table are in `table`, the state in `state`; `HANDLERS` names the handler of each input, the
verdict follows from the state (`verdict_cause`). ``decide`` raises for no input of a platform, a peer or a rendezvous.
An input for an unknown deposit is parked, because topics are not ordered between each other; only its detection creates
the subject.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import Any

from schemas.events.decisions import DecisionRecorded
from schemas.events.deposits import DepositConfirmed, DepositDetected, DepositRetracted, DepositSettled
from schemas.operations import Operation
from schemas.wire_model import Wire
from travelrule.deposits.builder import DepositBuilder
from travelrule.deposits.data_request import apply_data_result
from travelrule.deposits.detection import (
    apply_confirmation,
    apply_repetition,
    apply_retraction,
    apply_settlement,
    create_deposit,
)
from travelrule.deposits.due_timers import apply_timer
from travelrule.deposits.match import apply_lookup, apply_match, apply_match_loss, apply_no_match
from travelrule.deposits.operator_decision import apply_operator_decision
from travelrule.deposits.risk_assessment import apply_assessment
from travelrule.deposits.state import DepositState
from travelrule.deposits.status_requests import apply_status_result
from travelrule.deposits.table import VERSION
from travelrule.deposits.txid_search import apply_callback, apply_search_outcome, apply_search_result
from travelrule.machine.alert_codes import AlertCode
from travelrule.machine.decision import Decision, ignored, rejected
from travelrule.machine.input import Input
from travelrule.machine.internal_inputs import CallResult, TimerDue
from travelrule.machine.look_up import LookUpResult
from travelrule.machine.port import Machine
from travelrule.machine.projection import Projection, earliest
from travelrule.machine.serialization import codec
from travelrule.messages.arrival import DepositMatched, DepositUnannounced, DepositUnmatched, SearchCalledBack
from travelrule.messages.assessment import AssessmentEnded
from travelrule.policy.policy import Policy

RESULT_HANDLERS: dict[str, Callable[[DepositBuilder, CallResult], str]] = {
    Operation.STATUS_SEARCH: apply_status_result,
    Operation.TXID_SEARCH: apply_search_result,
    Operation.TXID_SEARCH_RESULT: apply_search_outcome,
    Operation.DATA_REQUEST: apply_data_result,
}
"""The handler of each operation's result."""


def decide(state: DepositState | None, item: Input, policy: Policy, now: datetime) -> Decision[Any]:
    """Decide one input about one deposit."""
    data = item.data
    if state is None:
        if isinstance(data, DepositDetected):
            return create_deposit(item, data, policy, now)
        return Decision(None, status="parked", rule="the deposit is not known yet")
    handler = HANDLERS.get(type(data))
    if handler is None:
        return rejected(state, "UNKNOWN_TYPE", "type", "this type says nothing about a deposit")
    return handler(DepositBuilder(state, item, policy, now), data)


def _apply_call_result(builder: DepositBuilder, call: CallResult) -> Decision[DepositState]:
    if (result := LookUpResult.of(call)) is not None:
        return apply_lookup(builder, result)
    if call.outcome == "troubled":
        builder.alert(AlertCode.CALL_TROUBLED, "warning", attempts=call.attempts)
        return builder.done("call still being tried")
    handler = RESULT_HANDLERS.get(call.operation)
    if handler is None:
        return ignored(builder.state, "no call of this kind is made for a deposit")
    return builder.done(handler(builder, call))


HANDLERS: dict[type[Wire], Callable[[DepositBuilder, Any], Decision[Any]]] = {
    DepositDetected: lambda builder, _: apply_repetition(builder),
    DepositConfirmed: lambda builder, _: apply_confirmation(builder),
    DepositRetracted: lambda builder, _: apply_retraction(builder),
    DepositSettled: apply_settlement,
    DepositMatched: apply_match,
    DepositUnmatched: apply_match_loss,
    DepositUnannounced: apply_no_match,
    DecisionRecorded: apply_operator_decision,
    SearchCalledBack: lambda builder, data: builder.done(apply_callback(builder, data)),
    CallResult: _apply_call_result,
    TimerDue: apply_timer,
    AssessmentEnded: apply_assessment,
}
"""The handler of each input about a known deposit."""


def project(state: DepositState) -> Projection:
    """Project a deposit: status, verdict, chain, counterparty, and its earliest timer."""
    name, due_at = earliest(state.timers)
    return Projection(
        status=state.status,
        verdict=state.case.verdict,
        chain=state.chain,
        counterparty=state.counterparty,
        due_at=due_at,
        due_timer=name,
    )


_dump, _load = codec(DepositState)

MACHINE = Machine("deposit", decide, _dump, _load, project, VERSION)
