"""What a withdrawal hears from the assessments that it waits for."""

from __future__ import annotations

from travelrule.exchange.originator import gates
from travelrule.exchange.originator.builder import Turn
from travelrule.exchange.originator.request import proceed
from travelrule.exchange.originator.state import WithdrawalState
from travelrule.machine.alert_codes import AlertCode
from travelrule.machine.builder import ignored
from travelrule.machine.decision import Decision
from travelrule.messages.assessment import AssessmentEnded, AssessmentSession
from travelrule.messages.assessment_causes import cause_of
from travelrule.policy.causes import Cause


def session(turn: Turn, data: AssessmentSession) -> Decision[WithdrawalState]:
    """The hub gave a session for the proof of ownership."""
    if turn.state.gate is None or turn.state.gate.subject != data.assessment:
        return ignored(turn.state, "no assessment of this name is waited for")
    return turn.done(gates.session_opened(turn, data))


def ended(turn: Turn, data: AssessmentEnded) -> Decision[WithdrawalState]:
    """An assessment came to its end; only the one that is waited for counts."""
    gate = turn.state.gate
    if gate is None or gate.subject != data.assessment or gate.kind != data.kind:
        return ignored(turn.state, "no assessment of this name is waited for")
    turn.change(gate=None)
    if gate.kind == "ownership":
        return turn.done(_proof(turn, data))
    cause = cause_of(gate.kind, data.risk, sanctioned=data.sanctioned)
    if not gates.apply_assessment(turn, gate.kind, cause):
        return turn.done(f"{gate.kind} assessed: {data.reason or data.risk}")
    return turn.done(f"{gate.kind} assessed: {proceed(turn)}")


def unanswered(turn: Turn) -> str:
    """The assessment did not answer, although its own limit has long passed: what it was asked is unknown (contract
    section 4, risk pending at the limit). Unless the policy goes on without it, it is asked again.
    """
    gate = turn.state.gate
    if gate is None:
        return "no assessment is waited for"
    turn.alert(AlertCode.ASSESSMENT_UNANSWERED, "critical", attempts=gate.asked)
    cause = cause_of(gate.kind, "pending", sanctioned=False)
    if gate.kind != "ownership" and gates.apply_assessment(turn, gate.kind, cause):
        turn.end_assessment()
        return f"{gate.kind} not assessed: {proceed(turn)}"
    if not turn.state.case.final:
        gates.ask_again(turn, gate)
    return f"{gate.kind} not assessed within the limit: ask again"


def _proof(turn: Turn, data: AssessmentEnded) -> str:
    gates.say_ownership(turn, data)
    if data.proven:
        turn.decide(Cause.OWNERSHIP_PROVEN)
        return "the wallet is the customer's own"
    turn.decide(Cause.OWNERSHIP_NOT_PROVEN)
    return "ownership refused, or not proven in time"
