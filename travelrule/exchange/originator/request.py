"""How a withdrawal begins: requested, amended, recorded, and what is checked before anything is sent."""

from __future__ import annotations

from dataclasses import replace

from schemas.events.withdrawals import WithdrawalAmended, WithdrawalRecorded, WithdrawalRequested
from travelrule.exchange import wire_bodies
from travelrule.exchange.originator import gates
from travelrule.exchange.originator.authorization import search_address
from travelrule.exchange.originator.builder import TRY_AGAIN, WithdrawalBuilder
from travelrule.exchange.originator.conclusion import give_up
from travelrule.exchange.originator.required_fields import hold_incomplete, hold_nameless
from travelrule.exchange.originator.state import Attempt, WithdrawalState
from travelrule.exchange.originator.wallet_search import start_search
from travelrule.identity.name_comparison import same_party
from travelrule.machine.decision import Decision, ignored, rejected
from travelrule.machine.ids import next_transfer_id
from travelrule.machine.input import Input
from travelrule.policy.causes import Cause
from travelrule.policy.policy import Policy


def fresh_state(item: Input, data: WithdrawalRequested) -> WithdrawalState:
    """Give the state before the first decision."""
    request = WithdrawalRequested.model_construct(
        _fields_set=None, **{name: getattr(data, name) for name in WithdrawalRequested.model_fields}
    )
    return WithdrawalState(data.withdrawal_id, item.fingerprint, request)


def repeated(state: WithdrawalState, item: Input) -> Decision[WithdrawalState]:
    """A known withdrawal again: a duplicate if its data are equal, else a conflict."""
    if state.fingerprint == item.fingerprint:
        return ignored(state, "requested again with equal data")
    return rejected(
        state, "CONFLICT", "withdrawalId", "this withdrawal is known with other data: amend it, or use a new id"
    )


def requested(builder: WithdrawalBuilder) -> Decision[WithdrawalState]:
    """``withdrawal.requested.v1`` for a new withdrawal."""
    return builder.done(proceed(builder))


def recorded(state: WithdrawalState, data: WithdrawalRecorded) -> Decision[WithdrawalState]:
    """``withdrawal.recorded.v1``: sent without an exchange. No verdict; only searches need it."""
    kept = replace(state, recorded=True, chain="broadcast", txid=data.txid, vout=data.vout)
    return Decision(kept, rule="recorded: no exchange, no verdict")


def amended(builder: WithdrawalBuilder, data: WithdrawalAmended) -> Decision[WithdrawalState]:
    """``withdrawal.amended.v1``: a new attempt with new facts, only while the last verdict is ``hold``."""
    if builder.state.case.verdict != "hold":
        return rejected(
            builder.state, "NOT_ON_HOLD", "withdrawalId", "only a withdrawal whose last verdict is hold can be amended"
        )
    given = {
        name: value
        for name in ("destination", "originator", "beneficiary")
        if (value := getattr(data, name)) is not None
    }
    give_up(builder, "UNKNOWN")
    builder.end_search()
    builder.end_assessment()
    builder.clear_timer(TRY_AGAIN)
    builder.change(
        passed=(),
        request=builder.state.request.model_copy(update=given),
        case=replace(builder.state.case, asked_anew=True),
        failing_since=None,
        failures=0,
        restarts=0,
    )
    return builder.done("amended: " + proceed(builder))


def proceed(builder: WithdrawalBuilder) -> str:
    """Go on to where something must be waited for; gives the name of the rule that applied.

    Order: what we do not serve, whom the policy forbids, who is sanctioned, what is exempt, what is missing, how risky
    the wallet is, and only then the counterparty or the customer. Nothing is exempt from the lists.
    """
    if stopped := _forbidden(builder) or _exempt(builder):
        return stopped
    request, policy = builder.state.request, builder.policy
    destination = request.destination
    target = destination.vasp_entity_id or ""
    if destination.kind != "unhosted" and hold_incomplete(builder, target or None):
        return "something that must be sent is missing"
    if policy.screening.withdrawals == "wallet" and gates.require_assessment(builder, "wallet"):
        return "the destination's wallet is rated"
    if destination.kind == "unknown":
        start_search(builder)
        return "destination unknown: wallet search"
    if destination.kind == "unhosted":
        gates.require_assessment(builder, "ownership")
        builder.decide(Cause.OWNERSHIP_PENDING)
        return "unhosted wallet: the customer must prove that it is his own"
    first = not builder.state.attempts
    attempt = Attempt(next_transfer_id(builder.state.withdrawal_id, builder.item.salt, first=first), target)
    builder.change(attempts=(*builder.state.attempts, attempt))
    search_address(builder, attempt)
    return "address search"


def _forbidden(builder: WithdrawalBuilder) -> str:
    """Stop at what no exemption lifts; empty: nothing stands against it."""
    request, policy = builder.state.request, builder.policy
    if not policy.serves(request.currency, request.network):
        builder.decide(Cause.ASSET_NOT_SUPPORTED)
        return "asset not served by policy"
    target = request.destination.vasp_entity_id or ""
    if request.destination.kind == "vasp" and not _at_home(request, policy) and not policy.may_send_to(target):
        builder.decide(Cause.COUNTERPARTY_NOT_ALLOWED)
        return "counterparty not on the allow-list"
    if policy.names.first_party_withdrawals and _to_somebody_else(request, policy):
        builder.decide(Cause.NOT_FIRST_PARTY)
        return "only withdrawals to oneself are sent"
    if hold_nameless(builder):
        return "somebody has no name that could be looked for"
    if policy.sanctions == "required" and gates.require_assessment(builder, "lists"):
        return "parties and address are looked for in the lists"
    return ""


def _exempt(builder: WithdrawalBuilder) -> str:
    """Allow what a policy rule exempts; empty: none does."""
    request, policy = builder.state.request, builder.policy
    if _at_home(request, policy):
        builder.decide(Cause.EXEMPT, rule="OWN_ENTITY")
        return "exempt: the destination is this VASP"
    if policy.exemptions.below_threshold and not wire_bodies.exceeds(request, policy):
        builder.decide(Cause.EXEMPT, rule="BELOW_THRESHOLD")
        return "exempt: below the threshold"
    return ""


def _at_home(request: WithdrawalRequested, policy: Policy) -> bool:
    destination = request.destination
    same = destination.kind == "vasp" and (destination.vasp_entity_id or "") == policy.own.entity_id
    return same and policy.exemptions.own_entity


def _to_somebody_else(request: WithdrawalRequested, policy: Policy) -> bool:
    """Whether the beneficiary is not the customer himself. Whose an unhosted wallet is, its proof says."""
    if request.destination.kind == "unhosted":
        return False
    return not same_party(request.originator, request.beneficiary, policy.names.representatives)
