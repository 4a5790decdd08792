"""The results of the assessments that a withdrawal waits for."""

from __future__ import annotations

from travelrule.exchange.originator import gates
from travelrule.exchange.originator.builder import WithdrawalBuilder
from travelrule.exchange.originator.request import proceed
from travelrule.exchange.originator.state import WithdrawalState
from travelrule.machine.alert_codes import AlertCode
from travelrule.machine.decision import Decision, ignored
from travelrule.messages.assessment import AssessmentEnded, AssessmentSession
from travelrule.messages.assessment_causes import cause_of
from travelrule.policy.causes import Cause


def handle_session(builder: WithdrawalBuilder, data: AssessmentSession) -> Decision[WithdrawalState]:
    """Handle a session for the proof of ownership."""
    if builder.state.gate is None or builder.state.gate.subject != data.assessment:
        return ignored(builder.state, "no assessment of this name is waited for")
    return builder.done(gates.publish_session(builder, data))


def handle_result(builder: WithdrawalBuilder, data: AssessmentEnded) -> Decision[WithdrawalState]:
    """Handle the result of an assessment; only the pending one counts."""
    gate = builder.state.gate
    if gate is None or gate.subject != data.assessment or gate.kind != data.kind:
        return ignored(builder.state, "no assessment of this name is waited for")
    builder.change(gate=None)
    if gate.kind == "ownership":
        return builder.done(_apply_proof(builder, data))
    cause = cause_of(gate.kind, data.risk, sanctioned=data.sanctioned)
    if not gates.apply_assessment(builder, gate.kind, cause):
        return builder.done(f"{gate.kind} assessed: {data.reason or data.risk}")
    return builder.done(f"{gate.kind} assessed: {proceed(builder)}")


def repeat_unanswered(builder: WithdrawalBuilder) -> str:
    """Handle an assessment without an answer long after its limit: the risk is pending (contract section 4).

    Unless the policy accepts that, the assessment is requested again.
    """
    gate = builder.state.gate
    if gate is None:
        return "no assessment is waited for"
    builder.alert(AlertCode.ASSESSMENT_UNANSWERED, "critical", attempts=gate.asked)
    cause = cause_of(gate.kind, "pending", sanctioned=False)
    if gate.kind != "ownership" and gates.apply_assessment(builder, gate.kind, cause):
        builder.end_assessment()
        return f"{gate.kind} not assessed: {proceed(builder)}"
    if not builder.state.case.final:
        gates.ask_again(builder, gate)
    return f"{gate.kind} not assessed within the limit: ask again"


def _apply_proof(builder: WithdrawalBuilder, data: AssessmentEnded) -> str:
    gates.publish_ownership(builder, data)
    if data.proven:
        builder.decide(Cause.OWNERSHIP_PROVEN)
        return "the wallet is the customer's own"
    builder.decide(Cause.OWNERSHIP_NOT_PROVEN)
    return "ownership refused, or not proven in time"
