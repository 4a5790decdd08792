"""The assessment machines: one way to find out a risk, for the platform (``screening``) and for other subjects
(``machine``). Pure.

``decide`` never raises for anything that a platform, a hub or another subject can send. An input for an assessment that
is not known yet is parked; only a request creates the subject.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import Any

from schemas.events.decisions import DecisionRecorded
from schemas.events.screenings import OwnershipRequested, ScreeningRequested
from schemas.wire_model import Wire
from travelrule.assessments import kyt_analysis, ownership_proof
from travelrule.assessments.assessment_request import begin, repeated, wanted_by
from travelrule.assessments.builder import AssessmentBuilder
from travelrule.assessments.hub_screening import rated
from travelrule.assessments.interruptions import dropped, operator_decided, timer_due
from travelrule.assessments.sanctions_screening import looked_up
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

REPORTS: dict[str, Callable[[AssessmentBuilder, CallResult], str]] = {
    "wallet-screening": rated,
    "transaction-screening": rated,
    kyt_analysis.SEARCH: kyt_analysis.search_reported,
    kyt_analysis.REPORT: kyt_analysis.report_reported,
    ownership_proof.TOKEN: ownership_proof.session_reported,
    ownership_proof.RESULT: ownership_proof.result_reported,
}
"""Which function hears the result of which operation."""

CALLBACKS: dict[str, Callable[[AssessmentBuilder, SearchCalledBack], str]] = {
    kyt_analysis.SEARCH: kyt_analysis.called_back,
    ownership_proof.TOKEN: ownership_proof.called_back,
}
"""Which function hears a callback about which operation."""

BY_PLATFORM: tuple[type[Wire], ...] = (ScreeningRequested, OwnershipRequested)
BY_SUBJECT: tuple[type[Wire], ...] = (AssessmentWanted,)


def decide_screening(state: AssessmentState | None, item: Input, policy: Policy, now: datetime) -> Decision[Any]:
    """Decide one input about one screening or proof that the platform asked for."""
    return _decide(BY_PLATFORM, state, item, policy, now)


def decide_assessment(state: AssessmentState | None, item: Input, policy: Policy, now: datetime) -> Decision[Any]:
    """Decide one input about one assessment that another subject asked for."""
    return _decide(BY_SUBJECT, state, item, policy, now)


def _decide(
    makers: tuple[type[Wire], ...], state: AssessmentState | None, item: Input, policy: Policy, now: datetime
) -> Decision[Any]:
    data = item.data
    wanted = wanted_by(data)
    if wanted is not None and not isinstance(data, makers):
        return rejected(state, "UNKNOWN_TYPE", "type", "this type makes another kind of subject")
    if state is None:
        if wanted is None:
            return Decision(None, status="parked", rule="the assessment is not known yet")
        return begin(item, wanted, policy, now)
    hear = HEARS.get(type(data))
    if hear is None:
        return rejected(state, "UNKNOWN_TYPE", "type", "this type says nothing about an assessment")
    return hear(AssessmentBuilder(state, item, policy, now), data)


def _reported(builder: AssessmentBuilder, report: CallResult) -> Decision[AssessmentState]:
    if (result := LookUpResult.of(report)) is not None:
        return _looked_up(builder, result)
    hear = REPORTS.get(report.operation)
    if hear is None:
        return ignored(builder.state, "no call of this kind is made for an assessment")
    if builder.state.status not in WAITING:
        return ignored(builder.state, "over: late answer ignored")
    if report.outcome == "troubled":
        builder.alert(AlertCode.CALL_TROUBLED, "warning", attempts=report.attempts)
        return builder.done("call still being tried")
    return builder.done(hear(builder, report))


def _looked_up(builder: AssessmentBuilder, result: LookUpResult) -> Decision[AssessmentState]:
    if builder.state.status not in WAITING:
        return ignored(builder.state, "over: late answer ignored")
    return builder.done(looked_up(builder, result))


def _called_back(builder: AssessmentBuilder, data: SearchCalledBack) -> Decision[AssessmentState]:
    hear = CALLBACKS.get(data.operation)
    if hear is None or builder.state.status not in WAITING:
        return ignored(builder.state, "nothing of this kind runs: callback ignored")
    return builder.done(hear(builder, data))


HEARS: dict[type[Wire], Callable[[AssessmentBuilder, Any], Decision[Any]]] = {
    ScreeningRequested: lambda builder, _: repeated(builder),
    OwnershipRequested: lambda builder, _: repeated(builder),
    AssessmentWanted: lambda builder, _: repeated(builder),
    AssessmentDropped: dropped,
    DecisionRecorded: operator_decided,
    SearchCalledBack: _called_back,
    CallResult: _reported,
    TimerDue: timer_due,
}
"""Which function hears what about a known assessment."""


def project(state: AssessmentState) -> Projection:
    """Project an assessment: status, what it came to, and its earliest timer."""
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
