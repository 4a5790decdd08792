"""The cause of a withdrawal's verdict, as far as it follows from the state and the policy.

The order: what the policy does not serve, which VASPs it forbids, sanctions lists, exemptions, missing fields, the
wallet's rating, the proof of ownership, and only then the counterparty. Nothing is exempt from the lists.

The state holds no trace of a risk, of a failed call, of a refusal or of a search's result. The handler that reads them
sets their cause itself, and the case keeps it until the next verdict.
"""

from __future__ import annotations

from dataclasses import dataclass

from schemas.events.withdrawals import WithdrawalRequested
from travelrule.exchange import wire_bodies
from travelrule.exchange.originator.required_fields import missing_fields, nameless
from travelrule.exchange.originator.state import WithdrawalState
from travelrule.identity.name_comparison import same_party
from travelrule.messages.assessment import AssessmentKind
from travelrule.policy.causes import Cause
from travelrule.policy.policy import Policy


@dataclass(frozen=True, slots=True)
class CauseFound:
    """A cause, the line of the law that it follows from, and what its verdict names."""

    cause: Cause
    law: str
    exemption: str = ""
    missing: tuple[str, ...] = ()


def cause_of(state: WithdrawalState, policy: Policy) -> CauseFound | None:
    """Return the cause of the verdict that the state calls for; None: the last verdict stands."""
    attempt = state.attempt
    if attempt is not None and attempt.status == "pending":
        return CauseFound(Cause.VERIFIED, "verified")
    request = state.request
    if found := _forbidden(request, policy) or _nameless(request):
        return found
    if next_gate(state, policy) == "lists":
        return None
    if found := _exemption(request, policy) or _incomplete(request, policy):
        return found
    if state.gate is not None and state.gate.kind == "ownership":
        return CauseFound(Cause.OWNERSHIP_PENDING, "unhosted wallet: the customer must prove that it is his own")
    return None


def next_gate(state: WithdrawalState, policy: Policy) -> AssessmentKind | None:
    """Return the next assessment that the current facts have not passed; None: nothing is left to assess."""
    if policy.sanctions == "required" and "lists" not in state.passed:
        return "lists"
    if policy.screening.withdrawals == "wallet" and "wallet" not in state.passed:
        return "wallet"
    return "ownership" if state.request.destination.kind == "unhosted" else None


def _forbidden(request: WithdrawalRequested, policy: Policy) -> CauseFound | None:
    """What no exemption lifts."""
    if not policy.serves(request.currency, request.network):
        return CauseFound(Cause.ASSET_NOT_SUPPORTED, "asset not served by policy")
    target = request.destination.vasp_entity_id or ""
    if request.destination.kind == "vasp" and not _is_internal(request, policy) and not policy.may_send_to(target):
        return CauseFound(Cause.COUNTERPARTY_NOT_ALLOWED, "counterparty not on the allow-list")
    if policy.names.first_party_withdrawals and not _is_first_party(request, policy):
        return CauseFound(Cause.NOT_FIRST_PARTY, "only withdrawals to oneself are sent")
    return None


def _nameless(request: WithdrawalRequested) -> CauseFound | None:
    """Parties that no list can be searched for; newer events with such a name are refused."""
    if missing := nameless(request):
        law = "somebody has no name that could be looked for"
        return CauseFound(Cause.INFORMATION_INCOMPLETE, law, missing=missing)
    return None


def _exemption(request: WithdrawalRequested, policy: Policy) -> CauseFound | None:
    if _is_internal(request, policy):
        return CauseFound(Cause.EXEMPT, "exempt: the destination is this VASP", "OWN_ENTITY")
    if policy.exemptions.below_threshold and not wire_bodies.exceeds(request, policy):
        return CauseFound(Cause.EXEMPT, "exempt: below the threshold", "BELOW_THRESHOLD")
    return None


def _incomplete(request: WithdrawalRequested, policy: Policy) -> CauseFound | None:
    if request.destination.kind == "unhosted":
        return None
    if missing := missing_fields(request, request.destination.vasp_entity_id or None, policy):
        return CauseFound(Cause.INFORMATION_INCOMPLETE, "something that must be sent is missing", missing=missing)
    return None


def _is_internal(request: WithdrawalRequested, policy: Policy) -> bool:
    """Whether the destination is this VASP, and the policy exempts that."""
    destination = request.destination
    same = destination.kind == "vasp" and (destination.vasp_entity_id or "") == policy.own.entity_id
    return same and policy.exemptions.own_entity


def _is_first_party(request: WithdrawalRequested, policy: Policy) -> bool:
    """Whether the beneficiary is the customer. The owner of an unhosted wallet is established by its proof."""
    if request.destination.kind == "unhosted":
        return True
    return same_party(request.originator, request.beneficiary, policy.names.representatives)
