"""The fields that a withdrawal lacks for its authorization, by the table of `identity.required_data`. Pure.

Checked before the first call, and again when the counterparty's country and network are known.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from schemas.events.withdrawals import WithdrawalRequested
from schemas.person_names import nameless_fields
from travelrule.exchange.originator.state import Attempt
from travelrule.identity.event_fields import EventSide, event_field
from travelrule.identity.fault import PayloadFault
from travelrule.identity.network_rules import clear_faults
from travelrule.identity.payload_faults import is_own_network, payload_faults
from travelrule.identity.payloads import parties_payload
from travelrule.identity.required_data import Gap, Message, unsendable
from travelrule.policy.policy import Policy

MESSAGE: Message = "authorization-request"
CLEAR = {"address": "destination.address", "tag": "destination.tag", "network": "network", "currency": "currency"}
OWN_OBJECTS = ("OriginatingVASP", "BeneficiaryVASP")


def nameless(request: WithdrawalRequested) -> tuple[str, ...]:
    """Return the fields of parties without a name that a list can be searched for."""
    return tuple(dict.fromkeys(nameless_fields(request)))


def missing_fields(request: WithdrawalRequested, entity_id: str | None, policy: Policy) -> tuple[str, ...]:
    """Return the fields that must be sent and are missing; ``entity_id`` None: the counterparty is not known yet.

    Then a field that may be omitted for some counterparty is not required.
    """
    gaps = [gap for gap in unsendable(parties_payload(request), MESSAGE) if gap.fault.path not in OWN_OBJECTS]
    return _fields(request, _required(gaps, entity_id, policy))


def unsendable_fields(
    request: WithdrawalRequested, attempt: Attempt, clear: dict[str, Any], payload: dict[str, Any], policy: Policy
) -> tuple[str, ...]:
    """Return what an authorization lacks, including what the counterparty's network requires (ivms101.md section 7)."""
    found = _required(unsendable(payload, MESSAGE), attempt.counterparty, policy)
    alliance = attempt.alliance or ""
    if alliance and not is_own_network(alliance):
        found += clear_faults(clear, MESSAGE, alliance, tagged="tag" in clear)
        found += payload_faults(payload, MESSAGE, alliance, sending=False)
    return _fields(request, found)


def _required(gaps: Iterable[Gap], entity_id: str | None, policy: Policy) -> list[PayloadFault]:
    omitted = policy.may_omit(entity_id)
    return [gap.fault for gap in gaps if gap.datum not in omitted]


def _fields(request: WithdrawalRequested, found: Iterable[PayloadFault]) -> tuple[str, ...]:
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
    return tuple(dict.fromkeys(event_field(fault, sides, CLEAR) for fault in found))
