"""The request that creates an assessment, in one form for both kinds of subject, and its first question."""

from __future__ import annotations

from datetime import datetime

from schemas.events.screenings import OwnershipRequested, ScreeningRequested
from schemas.wire_model import Wire
from travelrule.assessments.builder import AssessmentBuilder
from travelrule.assessments.hub_screening import start_rating
from travelrule.assessments.kyt_analysis import start_analysis
from travelrule.assessments.notifications import publish_end, publish_session
from travelrule.assessments.ownership_proof import open_session
from travelrule.assessments.sanctions_screening import start_list_lookup
from travelrule.assessments.state import AssessmentState
from travelrule.assessments.table import LIMIT
from travelrule.identity.account_numbers import split_tag
from travelrule.machine.decision import Decision, ignored, rejected
from travelrule.machine.effects import Effect
from travelrule.machine.input import Input
from travelrule.messages.assessment import AssessmentKind, AssessmentWanted
from travelrule.policy.policy import Policy
from travelrule.policy.sections import TimeLimits


def requested_assessment(data: Wire) -> AssessmentWanted | None:
    """Return the request in an input; None if it holds none."""
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


def create_assessment(
    item: Input, wanted: AssessmentWanted, policy: Policy, now: datetime
) -> Decision[AssessmentState]:
    """Create the subject and start the first question."""
    builder = AssessmentBuilder(AssessmentState(item.subject, item.fingerprint, wanted), item, policy, now)
    builder.set_timer(LIMIT, limit_of(wanted.kind, policy.time_limits))
    match wanted.kind:
        case "lists" | "wallet":
            return builder.done(start_list_lookup(builder))
        case "transaction":
            return builder.done(start_rating(builder))
        case "kyt":
            return builder.done(start_analysis(builder))
        case "ownership":
            return builder.done(open_session(builder))


def limit_of(kind: AssessmentKind, limits: TimeLimits) -> int:
    """Return the seconds after which the assessment ends in any case."""
    if kind == "kyt":
        return limits.kyt_limit
    return limits.ownership if kind == "ownership" else limits.screening


def apply_repetition(builder: AssessmentBuilder) -> Decision[AssessmentState]:
    """Apply a repeated request: send an asker the existing answer again; a different request conflicts."""
    state = builder.state
    if state.fingerprint != builder.item.fingerprint:
        return rejected(state, "CONFLICT", "requestId", "this request is known with other data: use a new id")
    said: list[Effect] = []
    if state.wanted.asker and state.ended is not None:
        publish_end(state, builder.policy.version, said)
    elif state.wanted.asker and state.status == "proving":
        publish_session(state, said)
    return ignored(state, "requested again with equal data", *said)
