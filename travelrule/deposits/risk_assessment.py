"""The assessments that an allow needs: received parties, the transaction, its KYT report.

Assessments start when the deposit is final: KYT accepts confirmed transactions only (screening.md 4). Where the policy
requires a report, every final deposit gets one, whatever else holds it, because an operator's decision needs it. The
other assessments start when everything else about the deposit fits. One runs at a time. Its result stays with the
deposit, also after a match with another exchange, because it is about the transaction.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from travelrule.deposits.builder import DepositBuilder
from travelrule.deposits.state import DepositState
from travelrule.deposits.table import GATE
from travelrule.machine.alert_codes import AlertCode
from travelrule.machine.decision import Decision, ignored
from travelrule.machine.effects import Emit
from travelrule.messages.assessment import REPEATS, AssessmentEnded
from travelrule.messages.assessment_causes import accepted, cause_of


def apply_assessment(builder: DepositBuilder, data: AssessmentEnded) -> Decision[DepositState]:
    """Apply the result of an assessment; only the pending one counts."""
    gate = builder.state.gate
    if gate is None or gate.subject != data.assessment or gate.kind != data.kind:
        return ignored(builder.state, "no assessment of this name is waited for")
    risk = "sanctioned" if data.sanctioned else data.risk
    builder.clear_timer(GATE)
    builder.change(gate=None, risks={**builder.state.risks, gate.kind: risk})
    if gate.kind == "kyt":
        _publish_kyt(builder, data)
    cause = cause_of(data.kind, data.risk, sanctioned=data.sanctioned)
    if cause is not None and accepted(cause, "deposit", builder.policy):
        builder.alert(AlertCode.RISK_ACCEPTED_UNCHECKED)
    return builder.done(f"{gate.kind} assessed: {data.reason or risk}")


def repeat_assessment(builder: DepositBuilder) -> str:
    """Request the pending assessment again after its limit, then start another one, unless the policy accepts the
    deposit without it.
    """
    gate = builder.state.gate
    if gate is None:
        return "no assessment is waited for"
    builder.alert(AlertCode.ASSESSMENT_UNANSWERED, "critical", attempts=gate.asked)
    cause = cause_of(gate.kind, "pending", sanctioned=False)
    if cause is not None and accepted(cause, "deposit", builder.policy):
        builder.end_assessment()
        builder.change(risks={**builder.state.risks, gate.kind: "pending"})
        builder.alert(AlertCode.RISK_ACCEPTED_UNCHECKED)
        return f"{gate.kind} not assessed within the limit"
    if gate.asked > REPEATS:
        builder.end_assessment()
        builder.start_assessment(gate.kind, gate.asked + 1)
    else:
        builder.request_assessment(replace(gate, asked=gate.asked + 1))
    return f"{gate.kind} not assessed within the limit: ask again"


def _publish_kyt(builder: DepositBuilder, data: AssessmentEnded) -> None:
    emitted: dict[str, Any] = {
        "subject": f"deposit:{builder.state.deposit_id}",
        "requestId": data.assessment.partition(":")[2],
        "hubRequestId": data.hub_request_id or "-",
        "status": "released" if data.status.upper() == "RELEASED" else "failed",
        "risk": data.risk,
        "facts": data.facts,
    }
    if data.error:
        emitted["error"] = data.error
    builder.effects.append(Emit("callbacks", builder.state.deposit_id, "kyt.result.v1", emitted))
