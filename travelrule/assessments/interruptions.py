"""What ends an assessment from outside: its limit, its asker, an operator."""

from __future__ import annotations

from schemas.events.decisions import DecisionRecorded
from travelrule.assessments.builder import AssessmentBuilder
from travelrule.assessments.hub_screening import rating_too_late
from travelrule.assessments.kyt_analysis import analysis_too_late
from travelrule.assessments.notifications import OPERATOR
from travelrule.assessments.ownership_proof import proof_too_late, session_due
from travelrule.assessments.sanctions_screening import lists_due, lists_too_late
from travelrule.assessments.state import AssessmentState
from travelrule.assessments.table import LIMIT, LISTS, WAITING
from travelrule.machine.decision import Decision, ignored, rejected
from travelrule.machine.internal_inputs import TimerDue
from travelrule.messages.assessment import AssessmentDropped

TOO_LATE = {
    "listing": lists_too_late,
    "rating": rating_too_late,
    "searching": analysis_too_late,
    "analysing": analysis_too_late,
    "opening": proof_too_late,
    "proving": session_due,
}
"""What the limit means in each waiting status."""


def timer_due(builder: AssessmentBuilder, data: TimerDue) -> Decision[AssessmentState]:
    """A timer of this assessment came due; one that was moved or dropped since is nothing."""
    if builder.state.timers.get(data.name) != data.due_at or builder.state.status not in WAITING:
        return ignored(builder.state, "the timer was moved or dropped")
    builder.clear_timer(data.name)
    if data.name == LIMIT:
        return builder.done(TOO_LATE[builder.state.status](builder))
    if data.name == LISTS and builder.state.status == "listing":
        return builder.done(lists_due(builder))
    return builder.done("nothing waits for this timer any more")


def dropped(builder: AssessmentBuilder, data: AssessmentDropped) -> Decision[AssessmentState]:
    """The asker needs no answer any more."""
    if builder.state.status not in WAITING or data.asker != builder.state.wanted.asker:
        return ignored(builder.state, "nothing to drop")
    builder.quit()
    return builder.done("dropped by its asker")


def operator_decided(builder: AssessmentBuilder, data: DecisionRecorded) -> Decision[AssessmentState]:
    """``decision.recorded.v1``: a proof that the platform asked for may be decided while it is awaited."""
    state = builder.state
    if state.wanted.asker or state.wanted.kind != "ownership":
        fix = "a risk is not decided: decide the withdrawal or the deposit"
        return rejected(state, "NOT_ON_HOLD", "subject", fix)
    if state.status not in WAITING:
        return rejected(state, "ALREADY_FINAL", "subject", "the last verdict is final")
    builder.end(proven=data.decision == "allow", reason=OPERATOR, status="DECIDED")
    return builder.done(f"decided by an operator: {data.decision}")
