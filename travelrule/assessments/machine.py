"""The assessment machines: one way to assess a risk, for the platform (``screening``) and for other subjects
(``assessment``). Pure.

The law and the transition table are in `table`, the state in `state`; `HANDLERS` names the handler of each input.
``decide`` raises for no input of a platform, a hub or another subject. An input for an unknown assessment is parked;
only a request creates the subject.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import Any

from schemas.events.decisions import DecisionRecorded
from schemas.events.screenings import OwnershipRequested, ScreeningRequested
from schemas.operations import Operation
from schemas.wire_model import Wire
from travelrule.assessments import kyt_analysis, ownership_proof
from travelrule.assessments.assessment_request import apply_repetition, create_assessment, requested_assessment
from travelrule.assessments.builder import AssessmentBuilder
from travelrule.assessments.hub_screening import apply_rating_result
from travelrule.assessments.interruptions import apply_drop, apply_operator_decision, apply_timer
from travelrule.assessments.sanctions_screening import apply_lookup
from travelrule.assessments.state import AssessmentState
from travelrule.assessments.table import VERSION, WAITING
from travelrule.machine.alert_codes import AlertCode
from travelrule.machine.decision import Decision, ignored, rejected
from travelrule.machine.input import Input
from travelrule.machine.internal_inputs import CallResult, TimerDue
from travelrule.machine.look_up import LookUpResult
from travelrule.machine.port import Machine
from travelrule.machine.projection import Projection, earliest
from travelrule.machine.serialization import codec
from travelrule.messages.arrival import SearchCalledBack
from travelrule.messages.assessment import AssessmentDropped, AssessmentWanted
from travelrule.policy.policy import Policy

RESULT_HANDLERS: dict[str, Callable[[AssessmentBuilder, CallResult], str]] = {
    Operation.WALLET_SCREENING: apply_rating_result,
    Operation.TRANSACTION_SCREENING: apply_rating_result,
    kyt_analysis.SEARCH: kyt_analysis.apply_search_result,
    kyt_analysis.REPORT: kyt_analysis.apply_report_result,
    ownership_proof.TOKEN: ownership_proof.apply_session_result,
    ownership_proof.RESULT: ownership_proof.apply_proof_result,
}
"""The handler of each operation's result."""

CALLBACK_HANDLERS: dict[str, Callable[[AssessmentBuilder, SearchCalledBack], str]] = {
    kyt_analysis.SEARCH: kyt_analysis.apply_callback,
    ownership_proof.TOKEN: ownership_proof.apply_callback,
}
"""The handler of each operation's callbacks."""

BY_PLATFORM: tuple[type[Wire], ...] = (ScreeningRequested, OwnershipRequested)
BY_SUBJECT: tuple[type[Wire], ...] = (AssessmentWanted,)


def decide_screening(state: AssessmentState | None, item: Input, policy: Policy, now: datetime) -> Decision[Any]:
    """Decide one input about one screening or proof that the platform requested."""
    return _decide(BY_PLATFORM, state, item, policy, now)


def decide_assessment(state: AssessmentState | None, item: Input, policy: Policy, now: datetime) -> Decision[Any]:
    """Decide one input about one assessment that another subject requested."""
    return _decide(BY_SUBJECT, state, item, policy, now)


def _decide(
    creators: tuple[type[Wire], ...], state: AssessmentState | None, item: Input, policy: Policy, now: datetime
) -> Decision[Any]:
    data = item.data
    wanted = requested_assessment(data)
    if wanted is not None and not isinstance(data, creators):
        return rejected(state, "UNKNOWN_TYPE", "type", "this type makes another kind of subject")
    if state is None:
        if wanted is None:
            return Decision(None, status="parked", rule="the assessment is not known yet")
        return create_assessment(item, wanted, policy, now)
    handler = HANDLERS.get(type(data))
    if handler is None:
        return rejected(state, "UNKNOWN_TYPE", "type", "this type says nothing about an assessment")
    return handler(AssessmentBuilder(state, item, policy, now), data)


def _apply_call_result(builder: AssessmentBuilder, call: CallResult) -> Decision[AssessmentState]:
    if (result := LookUpResult.of(call)) is not None:
        return _apply_look_up_result(builder, result)
    handler = RESULT_HANDLERS.get(call.operation)
    if handler is None:
        return ignored(builder.state, "no call of this kind is made for an assessment")
    if builder.state.status not in WAITING:
        return ignored(builder.state, "over: late answer ignored")
    if call.outcome == "troubled":
        builder.alert(AlertCode.CALL_TROUBLED, "warning", attempts=call.attempts)
        return builder.done("call still being tried")
    return builder.done(handler(builder, call))


def _apply_look_up_result(builder: AssessmentBuilder, result: LookUpResult) -> Decision[AssessmentState]:
    if builder.state.status not in WAITING:
        return ignored(builder.state, "over: late answer ignored")
    return builder.done(apply_lookup(builder, result))


def _apply_callback(builder: AssessmentBuilder, data: SearchCalledBack) -> Decision[AssessmentState]:
    handler = CALLBACK_HANDLERS.get(data.operation)
    if handler is None or builder.state.status not in WAITING:
        return ignored(builder.state, "nothing of this kind runs: callback ignored")
    return builder.done(handler(builder, data))


HANDLERS: dict[type[Wire], Callable[[AssessmentBuilder, Any], Decision[Any]]] = {
    ScreeningRequested: lambda builder, _: apply_repetition(builder),
    OwnershipRequested: lambda builder, _: apply_repetition(builder),
    AssessmentWanted: lambda builder, _: apply_repetition(builder),
    AssessmentDropped: apply_drop,
    DecisionRecorded: apply_operator_decision,
    SearchCalledBack: _apply_callback,
    CallResult: _apply_call_result,
    TimerDue: apply_timer,
}
"""The handler of each input about a known assessment."""


def project(state: AssessmentState) -> Projection:
    """Project an assessment: status, result, and its earliest timer."""
    name, due_at = earliest(state.timers)
    return Projection(status=state.status, verdict=_verdict(state), due_at=due_at, due_timer=name)


def _verdict(state: AssessmentState) -> str:
    ended = state.ended
    if ended is None:
        return "open"
    if ended.kind != "ownership":
        return ended.risk
    return "allow" if ended.proven else "deny"


dump, load = codec(AssessmentState)


MACHINES = (
    Machine("screening", decide_screening, dump, load, project, VERSION),
    Machine("assessment", decide_assessment, dump, load, project, VERSION),
)
"""The machines of both kinds of subject."""
