"""The deposit machine: coins at an own customer's address, from detection to a settled end. Pure.

``decide`` never raises for anything that a platform, a peer or the meeting place can send. An input for a deposit that
is not known yet is parked, because topics are not ordered between each other; only its detection creates the subject.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import Any

from schemas.events.decisions import DecisionRecorded
from schemas.events.deposits import DepositConfirmed, DepositDetected, DepositRetracted, DepositSettled
from schemas.wire_model import Wire
from travelrule.deposits.builder import DepositBuilder
from travelrule.deposits.data_request import data_reported
from travelrule.deposits.detection import confirmed, detected, repeated, retracted, settled
from travelrule.deposits.due_timers import timer_due
from travelrule.deposits.match import looked_up, matched, unannounced, unmatched
from travelrule.deposits.operator_decision import operator_decided
from travelrule.deposits.risk_assessment import ended
from travelrule.deposits.state import DepositState
from travelrule.deposits.status_requests import status_reported
from travelrule.deposits.table import VERSION
from travelrule.deposits.txid_search import called_back, result_reported, search_reported
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

REPORTS: dict[str, Callable[[DepositBuilder, CallResult], str]] = {
    "status-search": status_reported,
    "txid-search": search_reported,
    "txid-search-result": result_reported,
    "data-request": data_reported,
}
"""Which function hears the result of which operation."""


def decide(state: DepositState | None, item: Input, policy: Policy, now: datetime) -> Decision[Any]:
    """Decide one input about one deposit."""
    data = item.data
    if state is None:
        if isinstance(data, DepositDetected):
            return detected(item, data, policy, now)
        return Decision(None, status="parked", rule="the deposit is not known yet")
    hear = HEARS.get(type(data))
    if hear is None:
        return rejected(state, "UNKNOWN_TYPE", "type", "this type says nothing about a deposit")
    return hear(DepositBuilder(state, item, policy, now), data)


def _reported(builder: DepositBuilder, report: CallResult) -> Decision[DepositState]:
    if (result := LookUpResult.of(report)) is not None:
        return looked_up(builder, result)
    if report.outcome == "troubled":
        builder.alert(AlertCode.CALL_TROUBLED, "warning", attempts=report.attempts)
        return builder.done("call still being tried")
    hear = REPORTS.get(report.operation)
    if hear is None:
        return ignored(builder.state, "no call of this kind is made for a deposit")
    return builder.done(hear(builder, report))


HEARS: dict[type[Wire], Callable[[DepositBuilder, Any], Decision[Any]]] = {
    DepositDetected: lambda builder, _: repeated(builder),
    DepositConfirmed: lambda builder, _: confirmed(builder),
    DepositRetracted: lambda builder, _: retracted(builder),
    DepositSettled: settled,
    DepositMatched: matched,
    DepositUnmatched: unmatched,
    DepositUnannounced: unannounced,
    DecisionRecorded: operator_decided,
    SearchCalledBack: lambda builder, data: builder.done(called_back(builder, data)),
    CallResult: _reported,
    TimerDue: timer_due,
    AssessmentEnded: ended,
}
"""Which function hears what about a known deposit."""


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
