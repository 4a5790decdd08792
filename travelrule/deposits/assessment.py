"""What must be assessed before a deposit is allowed: received parties, the transaction, its KYT report.

Nothing is asked before the deposit is final: KYT takes confirmed transactions only (screening.md 4). Where the policy
wants a report, every final deposit gets one, whatever else holds it: whoever decides about it needs to know. The other
assessments wait until everything else about the deposit fits. One runs at a time; what it came to
stays with the deposit, also when another exchange is found to have announced it, because it is about the transaction.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from travelrule.deposits.builder import DepositTurn, ignored
from travelrule.deposits.state import DepositState
from travelrule.deposits.table import GATE
from travelrule.machine.alert_codes import AlertCode as SharedCode
from travelrule.machine.decision import Decision
from travelrule.machine.effects import Emit
from travelrule.messages.assessment import REPEATS, AssessmentEnded
from travelrule.messages.assessment_causes import accepted, cause_of


def ended(turn: DepositTurn, data: AssessmentEnded) -> Decision[DepositState]:
    """An assessment came to its end; only the one that is waited for counts."""
    gate = turn.state.gate
    if gate is None or gate.subject != data.assessment or gate.kind != data.kind:
        return ignored(turn.state, "no assessment of this name is waited for")
    risk = "sanctioned" if data.sanctioned else data.risk
    turn.clear_timer(GATE)
    turn.change(gate=None, risks={**turn.state.risks, gate.kind: risk})
    if gate.kind == "kyt":
        _say_kyt(turn, data)
    cause = cause_of(data.kind, data.risk, sanctioned=data.sanctioned)
    if cause is not None and accepted(cause, "deposit", turn.policy):
        turn.alert(SharedCode.RISK_ACCEPTED_UNCHECKED)
    return turn.done(f"{gate.kind} assessed: {data.reason or risk}")


def unanswered(turn: DepositTurn) -> str:
    """The assessment did not answer, although its own limit has long passed: ask it again, then another one, unless the
    policy goes on without it.
    """
    gate = turn.state.gate
    if gate is None:
        return "no assessment is waited for"
    turn.alert(SharedCode.ASSESSMENT_UNANSWERED, "critical", gate.asked)
    cause = cause_of(gate.kind, "pending", sanctioned=False)
    if cause is not None and accepted(cause, "deposit", turn.policy):
        turn.end_assessment()
        turn.change(risks={**turn.state.risks, gate.kind: "pending"})
        turn.alert(SharedCode.RISK_ACCEPTED_UNCHECKED)
        return f"{gate.kind} not assessed within the limit"
    if gate.asked > REPEATS:
        turn.end_assessment()
        turn.ask_assessment(gate.kind, gate.asked + 1)
    else:
        turn.want(replace(gate, asked=gate.asked + 1))
    return f"{gate.kind} not assessed within the limit: ask again"


def _say_kyt(turn: DepositTurn, data: AssessmentEnded) -> None:
    emitted: dict[str, Any] = {
        "subject": f"deposit:{turn.state.deposit_id}",
        "requestId": data.assessment.partition(":")[2],
        "hubRequestId": data.hub_request_id or "-",
        "status": "released" if data.status.upper() == "RELEASED" else "failed",
        "risk": data.risk,
        "facts": data.facts,
    }
    if data.error:
        emitted["error"] = data.error
    turn.effects.append(Emit("callbacks", turn.state.deposit_id, "kyt.result.v1", emitted))
