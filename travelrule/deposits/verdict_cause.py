"""The cause of a deposit's verdict, derived from its state and the policy; nothing else sets it."""

from __future__ import annotations

from pydantic import ValidationError

from schemas.ivms101 import Ivms101
from travelrule.deposits.state import DepositState
from travelrule.messages.arrival import DepositMatched
from travelrule.messages.assessment import AssessmentKind, Party
from travelrule.messages.assessment_causes import RISKS, accepted
from travelrule.messages.assessment_causes import cause_of as risk_cause
from travelrule.messages.screened_parties import parties_of_ivms
from travelrule.policy.causes import Cause
from travelrule.policy.policy import Policy


def cause_of(state: DepositState, policy: Policy) -> Cause | None:
    """Return the cause of the verdict; None where the last verdict stays."""
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
            return match_difference(state, state.match) or _passed(state, policy, Cause.MATCHED)
        case "received":
            return _passed(state, policy, Cause.DATA_RECEIVED)
        case "held":
            return state.held_for
        case "searching":
            return _away(state) or Cause.SEARCHING
        case "requesting":
            return _away(state) or Cause.AWAITING_DATA
    return Cause.AWAITING_REPORT


def _away(state: DepositState) -> Cause | None:
    """Return the cause if the hub or the VASP cannot be reached."""
    if not state.unreachable:
        return None
    return Cause.HUB_UNREACHABLE if state.hub_away else Cause.COUNTERPARTY_UNREACHABLE


def _passed(state: DepositState, policy: Policy, cause: Cause) -> Cause:
    if state.chain != "final":
        return Cause.AWAITING_FINALITY
    if (worst := _known(state)) is not None:
        return worst
    for kind in gates_of(state, policy):
        risk = state.risks.get(kind)
        if risk is None:
            return Cause.ASSESSING
        against = risk_cause(kind, risk, sanctioned=risk == "sanctioned")
        if against is not None and not accepted(against, "deposit", policy):
            return against
    return cause if state.gate is None else Cause.ASSESSING


def _known(state: DepositState) -> Cause | None:
    """Return the worst risk found of this deposit, whether or not the policy still assesses it: only an operator may
    allow it.
    """
    found = set(state.risks.values())
    bad = {"sanctioned": Cause.SANCTIONED, "malicious": RISKS["malicious"], "suspicious": RISKS["suspicious"]}
    return next((cause for risk, cause in bad.items() if risk in found), None)


def gates_of(state: DepositState, policy: Policy) -> tuple[AssessmentKind, ...]:
    """Return the assessments that an allow needs. The parties of a matched exchange were screened at its authorization
    (M2); those of received data are screened even after a later match.
    """
    lists: tuple[AssessmentKind, ...] = ("lists",) if policy.sanctions == "required" else ()
    return (*(lists if state.received is not None else ()), *policy.screening.deposits)


def next_gate(state: DepositState, policy: Policy) -> AssessmentKind | None:
    """Return the assessment to start now: a KYT report for every final deposit for which the policy requires one,
    whatever else holds it; the others only where nothing else prevents an allow.
    """
    if state.gate is not None:
        return None
    if cause_of(state, policy) is Cause.ASSESSING:
        return next(kind for kind in gates_of(state, policy) if kind not in state.risks)
    open_ = state.status not in ("decided", "settled", "retracted") and not state.refused
    wanted = open_ and state.chain == "final" and "kyt" in policy.screening.deposits and "kyt" not in state.risks
    return "kyt" if wanted and policy.serves(state.detected.currency, state.detected.network) else None


def match_difference(state: DepositState, match: DepositMatched) -> Cause | None:
    """Return what differs from the authorization. The network is not compared: a transaction is on one chain only, and
    platform and originator may spell its name differently.
    """
    if match.currency.upper() != state.detected.currency:
        return Cause.ASSET_MISMATCH
    return None if match.amount == state.detected.amount else Cause.AMOUNT_MISMATCH


def originators(state: DepositState) -> tuple[Party, ...]:
    """Return the sender's persons in the received data."""
    if state.received is None:
        return ()
    try:
        ivms = Ivms101.from_wire(state.received)
    except ValidationError:
        return ()
    return parties_of_ivms(ivms.originator.originator_persons if ivms.originator else ())
