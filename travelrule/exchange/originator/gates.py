"""The gates: what must be assessed before anything of a withdrawal is sent, one at a time.

The gates are our sanctions lists (policy ``sanctions``), the rating of the destination's wallet (policy
``screening.withdrawals``), and for an unhosted wallet the proof that the customer owns it. Each is a subject of its own
(``messages.assessment``), which keeps the time limit. An open gate has a timer as well, because an answer may be lost
with a message that was refused. A gate that was passed is not repeated for the same facts.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from travelrule.exchange.originator.builder import GATE, WithdrawalBuilder
from travelrule.exchange.wire_bodies import split_destination
from travelrule.machine.alert_codes import AlertCode
from travelrule.messages.assessment import (
    REPEATS,
    AssessmentEnded,
    AssessmentKind,
    AssessmentSession,
    AssessmentWanted,
    Gate,
    answer_limit,
)
from travelrule.messages.assessment_causes import accepted
from travelrule.messages.screened_parties import parties_of_request
from travelrule.policy.causes import Cause


def require_assessment(builder: WithdrawalBuilder, kind: AssessmentKind) -> bool:
    """Request an assessment that was not passed; return whether the withdrawal waits for one."""
    if kind in builder.state.passed:
        return False
    if builder.state.gate is not None:
        return True
    _ask(builder, kind, asked=1)
    return True


def ask_again(builder: WithdrawalBuilder, gate: Gate) -> None:
    """Request the same assessment again, which repeats an answer that it gave; after that, a new one."""
    builder.set_timer(GATE, answer_limit(gate.kind, builder.policy.time_limits))
    if gate.asked > REPEATS:
        builder.end_assessment()
        _ask(builder, gate.kind, asked=gate.asked + 1)
        return
    builder.change(gate=replace(gate, asked=gate.asked + 1))
    _want(builder, gate)


def _ask(builder: WithdrawalBuilder, kind: AssessmentKind, *, asked: int) -> None:
    builder.change(gates=builder.state.gates + 1)
    gate = Gate(f"assessment:withdrawal:{builder.state.withdrawal_id}/{builder.state.gates}", kind, asked)
    builder.change(gate=gate)
    builder.set_timer(GATE, answer_limit(kind, builder.policy.time_limits))
    _want(builder, gate)


def _want(builder: WithdrawalBuilder, gate: Gate) -> None:
    asker = f"withdrawal:{builder.state.withdrawal_id}"
    wanted = AssessmentWanted(asker=asker, kind=gate.kind, **_facts(builder, gate.kind))
    builder.send(gate.subject, "assessment.wanted", wanted)


def _facts(builder: WithdrawalBuilder, kind: AssessmentKind) -> dict[str, Any]:
    request = builder.state.request
    destination = request.destination
    address, _ = split_destination(destination)
    facts: dict[str, Any] = {"network": request.network or destination.blockchain or "", "address": address}
    if kind == "lists":
        facts["parties"] = parties_of_request(request)
    if kind == "ownership":
        facts["network"] = destination.blockchain or ""
        facts["asset"] = destination.asset or ""
        facts["customer_id"] = request.originator.customer_id
        facts["widget_origin"] = destination.widget_origin or ""
        facts["sent_currency"] = request.currency
        facts["sent_network"] = request.network or ""
    return facts


def publish_session(builder: WithdrawalBuilder, data: AssessmentSession) -> str:
    """Emit the widget's session to the platform; the verdict waits for the proof."""
    emitted: dict[str, Any] = {
        "subject": f"withdrawal:{builder.state.withdrawal_id}",
        "requestId": data.assessment.partition(":")[2],
        "token": data.token,
        "walletVerificationId": data.wallet_verification_id,
    }
    if data.expires_at is not None:
        emitted["expiresAt"] = data.expires_at.isoformat().replace("+00:00", "Z")
    builder.emit("callbacks", builder.state.withdrawal_id, "ownership.session.v1", emitted)
    return "ownership: the customer is asked for the proof"


def publish_ownership(builder: WithdrawalBuilder, data: AssessmentEnded) -> None:
    """Emit the result of the proof to topic ``callbacks``."""
    emitted: dict[str, Any] = {
        "subject": f"withdrawal:{builder.state.withdrawal_id}",
        "requestId": data.assessment.partition(":")[2],
        "status": data.status or ("VERIFIED" if data.proven else "NOT_PROVEN"),
        "checkedByUs": data.checked_by_us,
    }
    if data.verified_at is not None:
        emitted["verifiedAt"] = data.verified_at.isoformat().replace("+00:00", "Z")
    builder.emit("callbacks", builder.state.withdrawal_id, "ownership.result.v1", emitted)


def apply_assessment(builder: WithdrawalBuilder, kind: AssessmentKind, cause: Cause | None) -> bool:
    """Apply the cause of a risk; return whether the withdrawal passed. If not, the verdict is set."""
    if cause is not None and not accepted(cause, "withdrawal", builder.policy):
        builder.decide(cause)
        return False
    if cause is not None:
        builder.alert(AlertCode.RISK_ACCEPTED_UNCHECKED)
    builder.change(passed=(*builder.state.passed, kind))
    return True
