"""The bodies of a beneficiary VASP's calls: 4.A.9 and 4.A.10."""

from __future__ import annotations

from typing import Any

from schemas.events.persons import Person
from travelrule.deposits.state import DepositState, FoundVasp
from travelrule.identity.account_numbers import join
from travelrule.identity.event_fields import EventSide, event_field
from travelrule.identity.network_rules import clear_faults
from travelrule.identity.payload_faults import is_own_network, payload_faults
from travelrule.identity.payloads import data_request_payload
from travelrule.identity.profile import VaspProfile
from travelrule.identity.required_data import unsendable
from travelrule.policy.policy import Policy

EVERY_NETWORK = "all"


def txid_search(state: DepositState, request_id: str) -> dict[str, Any]:
    """Build 4.A.9. With currency and network the hub searches affiliated networks too."""
    return {
        "txid": state.detected.txid,
        "beneficiaryAddress": join(*state.address),
        "requestId": request_id,
        "currency": state.detected.currency,
        "network": state.detected.network or EVERY_NETWORK,
    }


def data_request(
    state: DepositState, found: FoundVasp, owner: Person, profile: VaspProfile
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Build 4.A.10. A VASP of another network verifies an originator in the request: our customer, as for a
    first-party transfer (D48). One of our network receives nothing that it does not need.
    """
    account = join(*state.address)
    clear: dict[str, Any] = {
        "transferId": found.request_id,
        "txid": state.detected.txid,
        "beneficiaryAddress": account,
        "currency": state.detected.currency,
    }
    if state.detected.network:
        clear["network"] = state.detected.network
    customer_id = state.wallet.customer_id or None if state.wallet is not None else None
    originator = owner if is_affiliated(found) else None
    payload = data_request_payload(owner, account, profile, customer_id=customer_id, originator=originator)
    return clear, payload


def is_affiliated(found: FoundVasp) -> bool:
    """Whether the VASP belongs to another network than ours."""
    return bool(found.alliance) and not is_own_network(found.alliance)


def missing_fields(
    found: FoundVasp, owner: Person, clear: dict[str, Any], payload: dict[str, Any], policy: Policy
) -> tuple[str, ...]:
    """Return the fields that this request lacks: of what must be sent, or the VASP's network requires (ivms101.md 7).

    They are fields of the wallet's registration, which holds our customer's data, or of the deposit's event.
    """
    omitted = policy.may_omit(found.entity_id)
    lacks = [gap.fault for gap in unsendable(payload, "data-request") if gap.datum not in omitted]
    if is_affiliated(found):
        lacks += clear_faults(clear, "data-request", found.alliance)
        lacks += payload_faults(payload, "data-request", found.alliance, sending=False)
    side = EventSide("owner", "address", "customerId", is_legal=owner.legal is not None)
    sides = {"Originator": side, "Beneficiary": side}
    return tuple(dict.fromkeys(event_field(fault, sides, {}) for fault in lacks))
