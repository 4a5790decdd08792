"""What ends an assessment from outside: its limit, its asker, an operator."""

from __future__ import annotations

from schemas.events.decisions import DecisionRecorded
from travelrule.assessments.builder import AssessmentTurn, ignored, rejected
from travelrule.assessments.kyt_analysis import analysis_too_late
from travelrule.assessments.list_screening import lists_due, lists_too_late
from travelrule.assessments.notifications import OPERATOR
from travelrule.assessments.ownership_proof import proof_too_late, session_due
from travelrule.assessments.risk_rating import rating_too_late
from travelrule.assessments.state import AssessmentState
from travelrule.assessments.table import LIMIT, LISTS, WAITING
from travelrule.machine.decision import Decision
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


def timer_due(turn: AssessmentTurn, data: TimerDue) -> Decision[AssessmentState]:
    """A timer of this assessment came due; one that was moved or dropped since is nothing."""
    if turn.state.timers.get(data.name) != data.due_at or turn.state.status not in WAITING:
        return ignored(turn.state, "the timer was moved or dropped")
    turn.clear_timer(data.name)
    if data.name == LIMIT:
        return turn.done(TOO_LATE[turn.state.status](turn))
    if data.name == LISTS and turn.state.status == "listing":
        return turn.done(lists_due(turn))
    return turn.done("nothing waits for this timer any more")


def dropped(turn: AssessmentTurn, data: AssessmentDropped) -> Decision[AssessmentState]:
    """The asker needs no answer any more."""
    if turn.state.status not in WAITING or data.asker != turn.state.wanted.asker:
        return ignored(turn.state, "nothing to drop")
    turn.quit()
    return turn.done("dropped by its asker")


def operator_decided(turn: AssessmentTurn, data: DecisionRecorded) -> Decision[AssessmentState]:
    """``decision.recorded.v1``: a proof that the platform asked for may be decided while it is awaited."""
    state = turn.state
    if state.wanted.asker or state.wanted.kind != "ownership":
        fix = "a risk is not decided: decide the withdrawal or the deposit"
        return rejected(state, "NOT_ON_HOLD", "subject", fix)
    if state.status not in WAITING:
        return rejected(state, "ALREADY_FINAL", "subject", "the last verdict is final")
    turn.end(proven=data.decision == "allow", reason=OPERATOR, status="DECIDED")
    return turn.done(f"decided by an operator: {data.decision}")
