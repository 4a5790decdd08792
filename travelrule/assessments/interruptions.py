"""What ends an assessment before an answer: its limit, the subject that requested it, an operator."""

from __future__ import annotations

from schemas.events.decisions import DecisionRecorded
from travelrule.assessments.builder import AssessmentBuilder
from travelrule.assessments.hub_screening import end_rating_at_limit
from travelrule.assessments.kyt_analysis import end_analysis_at_limit
from travelrule.assessments.notifications import OPERATOR
from travelrule.assessments.ownership_proof import apply_session_limit, end_proof_at_limit
from travelrule.assessments.sanctions_screening import apply_lists_timer, end_lists_at_limit
from travelrule.assessments.state import AssessmentState
from travelrule.assessments.table import LIMIT, LISTS, WAITING
from travelrule.machine.decision import Decision, ignored, rejected
from travelrule.machine.internal_inputs import TimerDue
from travelrule.messages.assessment import AssessmentDropped

LIMIT_HANDLERS = {
    "listing": end_lists_at_limit,
    "rating": end_rating_at_limit,
    "searching": end_analysis_at_limit,
    "analysing": end_analysis_at_limit,
    "opening": end_proof_at_limit,
    "proving": apply_session_limit,
}
"""The handler of the limit in each waiting status."""


def apply_timer(builder: AssessmentBuilder, data: TimerDue) -> Decision[AssessmentState]:
    """Apply a due timer; one that was moved or dropped in the meantime is ignored."""
    if builder.state.timers.get(data.name) != data.due_at or builder.state.status not in WAITING:
        return ignored(builder.state, "the timer was moved or dropped")
    builder.clear_timer(data.name)
    if data.name == LIMIT:
        return builder.done(LIMIT_HANDLERS[builder.state.status](builder))
    if data.name == LISTS and builder.state.status == "listing":
        return builder.done(apply_lists_timer(builder))
    return builder.done("nothing waits for this timer any more")


def apply_drop(builder: AssessmentBuilder, data: AssessmentDropped) -> Decision[AssessmentState]:
    """Drop the assessment: its requester no longer needs an answer."""
    if builder.state.status not in WAITING or data.asker != builder.state.wanted.asker:
        return ignored(builder.state, "nothing to drop")
    builder.end_dropped()
    return builder.done("dropped by its asker")


def apply_operator_decision(builder: AssessmentBuilder, data: DecisionRecorded) -> Decision[AssessmentState]:
    """``decision.recorded.v1``: a proof that the platform requested may be decided while it is pending."""
    state = builder.state
    if state.wanted.asker or state.wanted.kind != "ownership":
        fix = "a risk is not decided: decide the withdrawal or the deposit"
        return rejected(state, "NOT_ON_HOLD", "subject", fix)
    if state.status not in WAITING:
        return rejected(state, "ALREADY_FINAL", "subject", "the last verdict is final")
    builder.end(proven=data.decision == "allow", reason=OPERATOR, status="DECIDED")
    return builder.done(f"decided by an operator: {data.decision}")
