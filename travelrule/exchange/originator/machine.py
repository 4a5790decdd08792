"""The withdrawal machine: the originating side of one exchange, from the request to the conclusion. Pure.

The law
-------
1. A request (``withdrawal.requested.v1``) or a record creates the subject. Any other input is parked until then,
   because topics are not ordered between each other. A request that was refused as a message puts an unknown
   withdrawal on hold (``refused_request``).
2. The request is judged by the policy, assessed, and then sent: wallet search, address search, authorization
   (``verdict_cause``, ``gates``, ``wallet_search``, ``authorization``). No personal data are sent before that.
3. The verdict is emitted when it changes. A final one is changed by the platform or an operator only.
4. Every attempt has its own ``transferId`` and moves through ``exchange.table``. A verified one is concluded by a txid
   report or a finish (``conclusion``).
5. ``decide`` never raises for an input of a platform or a peer.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import Annotated, Any

from pydantic import Field

from schemas.events.decisions import DecisionRecorded
from schemas.events.txids import WithdrawalBroadcast, WithdrawalMined, WithdrawalSettled
from schemas.events.withdrawals import WithdrawalAmended, WithdrawalCancelled, WithdrawalRecorded, WithdrawalRequested
from schemas.operations import Operation
from schemas.wire_model import Wire
from travelrule.exchange.originator import assessment_results
from travelrule.exchange.originator.authorization import handle_address_result, handle_authorization_result
from travelrule.exchange.originator.builder import WithdrawalBuilder
from travelrule.exchange.originator.chain_events import apply_broadcast, apply_mined, apply_settlement
from travelrule.exchange.originator.conclusion import handle_finish_result, handle_report_result
from travelrule.exchange.originator.external_events import alert_trouble, apply_decision, cancel, handle_timer
from travelrule.exchange.originator.projection import project_withdrawal
from travelrule.exchange.originator.refused_request import (
    RefusedRequestState,
    RequestRefused,
    decide_refused,
    first_refusal,
    is_reopened,
    project_refused,
)
from travelrule.exchange.originator.request import amend, check_repetition, fresh_state, record, start
from travelrule.exchange.originator.state import WithdrawalState
from travelrule.exchange.originator.wallet_search import handle_callback, handle_search_accepted, handle_search_result
from travelrule.exchange.table import ORIGINATOR_VERSION
from travelrule.machine.alert_codes import AlertCode
from travelrule.machine.decision import Decision, ignored, rejected
from travelrule.machine.input import Input
from travelrule.machine.internal_inputs import CallResult, TimerDue
from travelrule.machine.port import Machine
from travelrule.machine.projection import Projection
from travelrule.machine.serialization import codec
from travelrule.messages.arrival import SearchCalledBack
from travelrule.messages.assessment import AssessmentEnded, AssessmentSession
from travelrule.policy.policy import Policy

RESULT_HANDLERS: dict[str, Callable[[WithdrawalBuilder, CallResult], str]] = {
    Operation.ADDRESS_SEARCH: handle_address_result,
    Operation.TRANSFER_AUTHORIZATION: handle_authorization_result,
    Operation.TXID_REPORT: handle_report_result,
    Operation.FINISH: handle_finish_result,
    Operation.WALLET_SEARCH: handle_search_accepted,
    Operation.WALLET_SEARCH_RESULT: handle_search_result,
}
"""The handler of each operation's result."""

NOT_FOR_RECORDED = frozenset({WithdrawalAmended, WithdrawalCancelled, DecisionRecorded})
"""Inputs that are rejected for a withdrawal that was recorded as sent."""


State = Annotated[WithdrawalState | RefusedRequestState, Field(union_mode="left_to_right")]


def decide(state: State | None, item: Input, policy: Policy, now: datetime) -> Decision[Any]:
    """Decide one input about one withdrawal."""
    data = item.data
    if isinstance(state, RefusedRequestState):
        if not is_reopened(state, data):
            return decide_refused(state, item, policy, now)
        state = None
    if state is None:
        if isinstance(data, RequestRefused):
            return first_refusal(item.subject.partition(":")[2], data, policy, now)
        if isinstance(data, WithdrawalRecorded):
            return record(fresh_state(item, data), data)
        if isinstance(data, WithdrawalRequested):
            return start(WithdrawalBuilder(fresh_state(item, data), item, policy, now))
        return Decision(None, status="parked", rule="the withdrawal is not known yet")
    if isinstance(data, WithdrawalRequested):
        return check_repetition(state, item)
    builder = WithdrawalBuilder(state, item, policy, now)
    handle = HANDLERS.get(type(data))
    if handle is None:
        return rejected(state, "UNKNOWN_TYPE", "type", "this type says nothing about a withdrawal")
    if state.recorded and type(data) in NOT_FOR_RECORDED:
        return rejected(state, "ALREADY_BROADCAST", "withdrawalId", "it was recorded as sent: nothing to decide")
    return handle(builder, data)


def _refuse_again(builder: WithdrawalBuilder, _: RequestRefused) -> Decision[WithdrawalState]:
    builder.alert(AlertCode.REQUEST_REFUSED)
    return Decision(builder.state, tuple(builder.effects), rule="another request under this id was refused")


def _handle_result(builder: WithdrawalBuilder, report: CallResult) -> Decision[WithdrawalState]:
    if report.outcome == "troubled":
        return alert_trouble(builder, report)
    handle = RESULT_HANDLERS.get(report.operation)
    if handle is None:
        return ignored(builder.state, "no call of this kind is made for a withdrawal")
    return builder.done(handle(builder, report))


HANDLERS: dict[type[Wire], Callable[[WithdrawalBuilder, Any], Decision[Any]]] = {
    WithdrawalBroadcast: apply_broadcast,
    WithdrawalMined: lambda builder, _: apply_mined(builder),
    WithdrawalSettled: apply_settlement,
    WithdrawalAmended: amend,
    WithdrawalCancelled: cancel,
    DecisionRecorded: apply_decision,
    CallResult: _handle_result,
    TimerDue: handle_timer,
    RequestRefused: _refuse_again,
    SearchCalledBack: handle_callback,
    AssessmentSession: assessment_results.handle_session,
    AssessmentEnded: assessment_results.handle_result,
}
"""The handler of each input about a known withdrawal."""


def _project(state: State) -> Projection:
    return project_refused(state) if isinstance(state, RefusedRequestState) else project_withdrawal(state)


def _arrived(state: State | None) -> bool:
    """Whether its request or its end is known; until then chain events stay parked."""
    return state is not None and (isinstance(state, WithdrawalState) or state.case.final)


_dump_withdrawal, _ = codec(WithdrawalState)
_dump_refused, _ = codec(RefusedRequestState)
_, _load = codec(State)


def _dump(state: State) -> bytes:
    """Write a state with the codec of its class; one codec for both classes takes twice the time."""
    return _dump_refused(state) if isinstance(state, RefusedRequestState) else _dump_withdrawal(state)


MACHINE = Machine("withdrawal", decide, _dump, _load, _project, ORIGINATOR_VERSION, _arrived)
