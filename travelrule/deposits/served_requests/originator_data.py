"""The originator's data of a withdrawal, filled in from KYC (M7 order 5)."""

from __future__ import annotations

from typing import Any

from schemas.events.persons import Person
from schemas.events.withdrawals import OriginatorData, WithdrawalRequested
from travelrule.deposits.served_requests.received_request import WithdrawalFacts
from travelrule.identity.company_names import same_company
from travelrule.identity.event_fields import EventSide, event_field
from travelrule.identity.name_comparison import same_party
from travelrule.identity.normal_names import normalise
from travelrule.identity.payloads import parties_payload
from travelrule.identity.required_data import unsendable
from travelrule.policy.policy import Policy


def identified(chosen: WithdrawalFacts) -> WithdrawalRequested | None:
    """Check order 5, rule 7: return the withdrawal with a named originator, None if KYC has no name either."""
    request = chosen.request
    if request is None or _has_name(request.originator):
        return request
    if not chosen.kyc or chosen.owner is None or not _has_name(chosen.owner):
        return None
    known = request.originator
    originator = OriginatorData.model_construct(
        natural=chosen.owner.natural,
        legal=chosen.owner.legal,
        customer_id=known.customer_id,
        wallet_address=known.wallet_address,
    )
    return request.model_copy(update={"originator": originator})


def completed(data: WithdrawalRequested, chosen: WithdrawalFacts) -> WithdrawalRequested:
    """Add from KYC what must be sent and the platform left out, if KYC names the same person (rule 4)."""
    known, owner = data.originator, chosen.owner
    if not chosen.kyc or owner is None:
        return data
    person, company = known.natural, known.legal
    filled: dict[str, Any] = {}
    if person is not None and owner.natural is not None:
        if person.date_of_birth is None and same_party(known, owner):
            filled["natural"] = person.model_copy(update={"date_of_birth": owner.natural.date_of_birth})
    elif company is not None and owner.legal is not None and same_company([company.name], [owner.legal.name]):
        people = company.representatives or owner.legal.representatives
        filled["legal"] = company.model_copy(update={"representatives": people})
    return data.model_copy(update={"originator": known.model_copy(update=filled)}) if filled else data


def _has_name(person: Person) -> bool:
    """Whether the name holds a letter: the platform's texts may be blank or a dash."""
    names: list[str | None] = []
    if person.natural is not None:
        names = [person.natural.last_name, person.natural.local_last_name]
    elif person.legal is not None:
        names = [person.legal.name, person.legal.local_name]
    return any(normalise(name) for name in names if name)


def missing_fields(data: WithdrawalRequested, requester: str, policy: Policy) -> list[str]:
    """Return the fields that must be sent of an originator and are unknown; the answer is sent without (M7 order 6)."""
    originator = {"Originator": parties_payload(data)["Originator"]}
    side = EventSide(
        "originator", "originator.walletAddress", "originator.customerId", is_legal=data.originator.legal is not None
    )
    omitted = policy.may_omit(requester)
    gaps = [gap for gap in unsendable(originator, "data-response") if gap.fault.path.startswith("Originator.")]
    return [event_field(gap.fault, {"Originator": side}, {}) for gap in gaps if gap.datum not in omitted]
