"""The operator's decision about a deposit."""

from __future__ import annotations

from schemas.events.decisions import DecisionRecorded
from travelrule.deposits.builder import DepositBuilder
from travelrule.deposits.state import DepositState
from travelrule.machine.decision import Decision, rejected
from travelrule.policy.causes import Cause


def apply_operator_decision(builder: DepositBuilder, data: DecisionRecorded) -> Decision[DepositState]:
    """``decision.recorded.v1``: deny anything not final, allow anything on hold (contract section 4)."""
    case = builder.state.case
    if case.final:
        return rejected(builder.state, "ALREADY_FINAL", "subject", "the last verdict is final")
    if builder.state.status == "settled":
        return rejected(builder.state, "ALREADY_SETTLED", "subject", "the platform said what became of the coins")
    if data.decision == "allow" and case.verdict != "hold":
        return rejected(builder.state, "NOT_ON_HOLD", "subject", "only a deposit on hold can be allowed")
    builder.move("decided")
    builder.stop_automatic()
    builder.change(refused=data.decision == "deny")
    builder.set_verdict(Cause.OPERATOR_DENY if data.decision == "deny" else Cause.OPERATOR_ALLOW)
    return builder.done(f"decided by an operator: {data.decision}")
