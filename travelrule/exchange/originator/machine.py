"""The originating side: one withdrawal, from the platform's wish to a concluded exchange. Pure.

``decide`` never raises for anything that a platform or a peer can send. An input for a withdrawal that is not known yet
is parked, because topics are not ordered between each other; only the request (or the record) creates the subject. A
request that was refused as a message puts an unknown withdrawal on hold (``refused_request``).
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
from travelrule.exchange.originator.authorization import address_reported, authorization_reported
from travelrule.exchange.originator.builder import WithdrawalBuilder
from travelrule.exchange.originator.chain_events import broadcast, mined, settled
from travelrule.exchange.originator.conclusion import finish_reported, report_reported
from travelrule.exchange.originator.external_events import cancelled, operator_decided, timer_due, troubled
from travelrule.exchange.originator.projection import project_withdrawal
from travelrule.exchange.originator.refused_request import (
    RefusedRequestState,
    RequestRefused,
    decide_refused,
    first_refusal,
    is_reopened,
    project_refused,
)
from travelrule.exchange.originator.request import amended, fresh_state, recorded, repeated, requested
from travelrule.exchange.originator.state import WithdrawalState
from travelrule.exchange.originator.wallet_search import called_back, result_reported, search_reported
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

REPORTS: dict[str, Callable[[WithdrawalBuilder, CallResult], str]] = {
    Operation.ADDRESS_SEARCH: address_reported,
    Operation.TRANSFER_AUTHORIZATION: authorization_reported,
    Operation.TXID_REPORT: report_reported,
    Operation.FINISH: finish_reported,
    Operation.WALLET_SEARCH: search_reported,
    Operation.WALLET_SEARCH_RESULT: result_reported,
}
"""Which function hears the result of which operation."""

NOT_FOR_RECORDED = frozenset({WithdrawalAmended, WithdrawalCancelled, DecisionRecorded})
"""What makes no sense for a withdrawal that was recorded as sent."""


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
            return recorded(fresh_state(item, data), data)
        if isinstance(data, WithdrawalRequested):
            return requested(WithdrawalBuilder(fresh_state(item, data), item, policy, now))
        return Decision(None, status="parked", rule="the withdrawal is not known yet")
    if isinstance(data, WithdrawalRequested):
        return repeated(state, item)
    builder = WithdrawalBuilder(state, item, policy, now)
    hear = PLATFORM.get(type(data))
    if hear is None:
        return rejected(state, "UNKNOWN_TYPE", "type", "this type says nothing about a withdrawal")
    if state.recorded and type(data) in NOT_FOR_RECORDED:
        return rejected(state, "ALREADY_BROADCAST", "withdrawalId", "it was recorded as sent: nothing to decide")
    return hear(builder, data)


def _refused_again(builder: WithdrawalBuilder, _: RequestRefused) -> Decision[WithdrawalState]:
    builder.alert(AlertCode.REQUEST_REFUSED)
    return Decision(builder.state, tuple(builder.effects), rule="another request under this id was refused")


def _reported(builder: WithdrawalBuilder, report: CallResult) -> Decision[WithdrawalState]:
    if report.outcome == "troubled":
        return troubled(builder, report)
    hear = REPORTS.get(report.operation)
    if hear is None:
        return ignored(builder.state, "no call of this kind is made for a withdrawal")
    return builder.done(hear(builder, report))


PLATFORM: dict[type[Wire], Callable[[WithdrawalBuilder, Any], Decision[Any]]] = {
    WithdrawalBroadcast: broadcast,
    WithdrawalMined: lambda builder, _: mined(builder),
    WithdrawalSettled: settled,
    WithdrawalAmended: amended,
    WithdrawalCancelled: cancelled,
    DecisionRecorded: operator_decided,
    CallResult: _reported,
    TimerDue: timer_due,
    RequestRefused: _refused_again,
    SearchCalledBack: called_back,
    AssessmentSession: assessment_results.session,
    AssessmentEnded: assessment_results.ended,
}
"""Which function hears what about a known withdrawal."""


def _project(state: State) -> Projection:
    return project_refused(state) if isinstance(state, RefusedRequestState) else project_withdrawal(state)


def _arrived(state: State | None) -> bool:
    """Whether its request, or its end, is known: what the chain did waits for that."""
    return state is not None and (isinstance(state, WithdrawalState) or state.case.final)


_dump_withdrawal, _ = codec(WithdrawalState)
_dump_refused, _ = codec(RefusedRequestState)
_, _load = codec(State)


def _dump(state: State) -> bytes:
    """A codec of both would take twice the time to tell them apart."""
    return _dump_refused(state) if isinstance(state, RefusedRequestState) else _dump_withdrawal(state)


MACHINE = Machine("withdrawal", decide, _dump, _load, _project, ORIGINATOR_VERSION, _arrived)
