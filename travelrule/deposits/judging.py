"""Which cause a deposit's verdict has: derived from its state and the policy, never remembered twice."""

from __future__ import annotations

from travelrule.deposits.state import DepositState
from travelrule.exchange.meeting import DepositMatched
from travelrule.policy.causes import Cause
from travelrule.policy.policy import Policy


def cause_of(state: DepositState, policy: Policy) -> Cause | None:
    """Give the cause of the verdict that the state calls for; None where the last verdict stands."""
    if state.status in ("decided", "settled"):
        return None
    if state.status == "retracted":
        return Cause.RETRACTED
    if state.refused:
        return Cause.OPERATOR_DENY
    if not policy.serves(state.detected.currency, state.detected.network):
        return Cause.ASSET_NOT_SUPPORTED
    match state.status:
        case "matched" if state.match is not None:
            return difference(state, state.match) or _passed(state, policy, Cause.MATCHED)
        case "received":
            return _passed(state, policy, Cause.DATA_RECEIVED)
        case "held":
            return state.held_for
        case "searching":
            return Cause.COUNTERPARTY_UNREACHABLE if state.unreachable else Cause.SEARCHING
        case "requesting":
            return Cause.COUNTERPARTY_UNREACHABLE if state.unreachable else Cause.AWAITING_DATA
    return Cause.AWAITING_REPORT


def _passed(state: DepositState, policy: Policy, cause: Cause) -> Cause:
    if state.chain != "final":
        return Cause.AWAITING_FINALITY
    return Cause.NOT_AVAILABLE if policy.sanctions == "required" else cause


def difference(state: DepositState, match: DepositMatched) -> Cause | None:
    """What of the deposit is not as authorized. The network is not compared: a transaction is on one chain only, and
    the platform may write its name otherwise than the originator did.
    """
    if match.currency.upper() != state.detected.currency:
        return Cause.ASSET_MISMATCH
    return None if match.amount == state.detected.amount else Cause.AMOUNT_MISMATCH
