"""What a withdrawal hears from the assessments that it waits for."""

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


def session(builder: WithdrawalBuilder, data: AssessmentSession) -> Decision[WithdrawalState]:
    """The hub gave a session for the proof of ownership."""
    if builder.state.gate is None or builder.state.gate.subject != data.assessment:
        return ignored(builder.state, "no assessment of this name is waited for")
    return builder.done(gates.session_opened(builder, data))


def ended(builder: WithdrawalBuilder, data: AssessmentEnded) -> Decision[WithdrawalState]:
    """An assessment came to its end; only the one that is waited for counts."""
    gate = builder.state.gate
    if gate is None or gate.subject != data.assessment or gate.kind != data.kind:
        return ignored(builder.state, "no assessment of this name is waited for")
    builder.change(gate=None)
    if gate.kind == "ownership":
        return builder.done(_proof(builder, data))
    cause = cause_of(gate.kind, data.risk, sanctioned=data.sanctioned)
    if not gates.apply_assessment(builder, gate.kind, cause):
        return builder.done(f"{gate.kind} assessed: {data.reason or data.risk}")
    return builder.done(f"{gate.kind} assessed: {proceed(builder)}")


def unanswered(builder: WithdrawalBuilder) -> str:
    """The assessment did not answer, although its own limit has long passed: what it was asked is unknown (contract
    section 4, risk pending at the limit). Unless the policy goes on without it, it is asked again.
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


def _proof(builder: WithdrawalBuilder, data: AssessmentEnded) -> str:
    gates.say_ownership(builder, data)
    if data.proven:
        builder.decide(Cause.OWNERSHIP_PROVEN)
        return "the wallet is the customer's own"
    builder.decide(Cause.OWNERSHIP_NOT_PROVEN)
    return "ownership refused, or not proven in time"
