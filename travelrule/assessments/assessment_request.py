"""How an assessment begins: what is wanted, in one form for both kinds of subject, and the first question."""

from __future__ import annotations

from datetime import datetime

from schemas.events.screenings import OwnershipRequested, ScreeningRequested
from schemas.wire_model import Wire
from travelrule.assessments.builder import AssessmentBuilder
from travelrule.assessments.hub_screening import begin_rating
from travelrule.assessments.kyt_analysis import begin_analysis
from travelrule.assessments.notifications import say_end, say_session
from travelrule.assessments.ownership_proof import open_session
from travelrule.assessments.sanctions_screening import begin_listing
from travelrule.assessments.state import AssessmentState
from travelrule.assessments.table import LIMIT
from travelrule.identity.account_numbers import split_tag
from travelrule.machine.decision import Decision, ignored, rejected
from travelrule.machine.effects import Effect
from travelrule.machine.input import Input
from travelrule.messages.assessment import AssessmentKind, AssessmentWanted
from travelrule.policy.policy import Policy
from travelrule.policy.sections import TimeLimits


def wanted_by(data: Wire) -> AssessmentWanted | None:
    """Read what is wanted; None if this input wants nothing."""
    match data:
        case AssessmentWanted():
            return data
        case ScreeningRequested():
            address = split_tag(data.address)[0] if data.address else None
            return AssessmentWanted(
                asker="", kind=data.kind, network=data.chain, address=address, txid=data.txid, force=data.force
            )
        case OwnershipRequested():
            return AssessmentWanted(
                asker="",
                kind="ownership",
                network=data.blockchain,
                address=data.address,
                asset=data.asset,
                customer_id=data.customer_id,
                widget_origin=data.widget_origin,
            )
    return None


def begin(item: Input, wanted: AssessmentWanted, policy: Policy, now: datetime) -> Decision[AssessmentState]:
    """Make the subject and ask the first question."""
    builder = AssessmentBuilder(AssessmentState(item.subject, item.fingerprint, wanted), item, policy, now)
    builder.set_timer(LIMIT, limit_of(wanted.kind, policy.time_limits))
    match wanted.kind:
        case "lists" | "wallet":
            return builder.done(begin_listing(builder))
        case "transaction":
            return builder.done(begin_rating(builder))
        case "kyt":
            return builder.done(begin_analysis(builder))
        case "ownership":
            return builder.done(open_session(builder))


def limit_of(kind: AssessmentKind, limits: TimeLimits) -> int:
    """Give the seconds after which there is an answer in any case."""
    if kind == "kyt":
        return limits.kyt_limit
    return limits.ownership if kind == "ownership" else limits.screening


def repeated(builder: AssessmentBuilder) -> Decision[AssessmentState]:
    """The same request again: an asker gets its answer again, as far as there is one; another request conflicts."""
    state = builder.state
    if state.fingerprint != builder.item.fingerprint:
        return rejected(state, "CONFLICT", "requestId", "this request is known with other data: use a new id")
    said: list[Effect] = []
    if state.wanted.asker and state.ended is not None:
        say_end(state, builder.policy.version, said)
    elif state.wanted.asker and state.status == "proving":
        say_session(state, said)
    return ignored(state, "requested again with equal data", *said)
