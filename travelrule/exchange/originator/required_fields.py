"""What a withdrawal lacks of what must be sent: the fields of its event, by the table of `identity.required_data`.

Looked at before anything is asked, and once more when the counterparty's country and network are known.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from schemas.events.withdrawals import WithdrawalRequested
from schemas.person_names import nameless_fields
from travelrule.exchange.originator.builder import WithdrawalBuilder
from travelrule.exchange.originator.state import Attempt
from travelrule.identity.event_fields import EventSide, event_field
from travelrule.identity.fault import PayloadFault
from travelrule.identity.network_rules import clear_faults
from travelrule.identity.payload_faults import is_own_network, payload_faults
from travelrule.identity.payloads import parties_payload
from travelrule.identity.required_data import Gap, Message, unsendable
from travelrule.policy.causes import Cause
from travelrule.policy.policy import Policy

MESSAGE: Message = "authorization-request"
CLEAR = {"address": "destination.address", "tag": "destination.tag", "network": "network", "currency": "currency"}
OWN_OBJECTS = ("OriginatingVASP", "BeneficiaryVASP")


def hold_nameless(builder: WithdrawalBuilder) -> bool:
    """Hold a withdrawal of somebody whom no list can be asked for; events with such a name are refused since."""
    return _hold(builder, nameless_fields(builder.state.request))


def hold_incomplete(builder: WithdrawalBuilder, entity_id: str | None) -> bool:
    """Hold what lacks something that must be sent; ``entity_id`` None: the counterparty is still to be found.

    Then everything that some counterparty may be sent a message without is left to the moment when it is known.
    """
    request, policy = builder.state.request, builder.policy
    gaps = [gap for gap in unsendable(parties_payload(request), MESSAGE) if gap.fault.path not in OWN_OBJECTS]
    return _hold(builder, _fields(request, _kept(gaps, entity_id, policy)))


def hold_unsendable(
    builder: WithdrawalBuilder, attempt: Attempt, clear: dict[str, Any], payload: dict[str, Any]
) -> bool:
    """Hold an authorization without what the counterparty's network requires (ivms101.md section 7)."""
    found = _kept(unsendable(payload, MESSAGE), attempt.counterparty, builder.policy)
    alliance = attempt.alliance or ""
    if alliance and not is_own_network(alliance):
        found += clear_faults(clear, MESSAGE, alliance, tagged="tag" in clear)
        found += payload_faults(payload, MESSAGE, alliance, sending=False)
    return _hold(builder, _fields(builder.state.request, found))


def _kept(gaps: Iterable[Gap], entity_id: str | None, policy: Policy) -> list[PayloadFault]:
    omitted = policy.may_omit(entity_id)
    return [gap.fault for gap in gaps if gap.datum not in omitted]


def _hold(builder: WithdrawalBuilder, fields: Iterable[str]) -> bool:
    missing = tuple(dict.fromkeys(fields))
    if missing:
        builder.decide(Cause.INFORMATION_INCOMPLETE, missing=missing)
    return bool(missing)


def _fields(request: WithdrawalRequested, found: Iterable[PayloadFault]) -> list[str]:
    sides = {
        "Originator": EventSide(
            "originator",
            "originator.walletAddress",
            "originator.customerId",
            is_legal=request.originator.legal is not None,
        ),
        "Beneficiary": EventSide(
            "beneficiary", "destination.address", "beneficiary", is_legal=request.beneficiary.legal is not None
        ),
    }
    return [event_field(fault, sides, CLEAR) for fault in found]
