"""The bodies of the calls of a beneficiary VASP: 4.A.9 and 4.A.10."""

from __future__ import annotations

from typing import Any

from schemas.persons import Person
from travelrule.deposits.state import DepositState, Found
from travelrule.identity.addresses import join
from travelrule.identity.build import data_request_payload
from travelrule.identity.network_rules import clear_faults
from travelrule.identity.profile import VaspProfile
from travelrule.identity.validate import faults, is_own_network

EVERY_NETWORK = "all"


def txid_search(state: DepositState, request_id: str) -> dict[str, Any]:
    """Build 4.A.9. Currency and network are what makes the hub ask affiliated networks too."""
    return {
        "txid": state.detected.txid,
        "beneficiaryAddress": join(*state.address),
        "requestId": request_id,
        "currency": state.detected.currency,
        "network": state.detected.network or EVERY_NETWORK,
    }


def data_request(
    state: DepositState, found: Found, owner: Person, profile: VaspProfile
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Build 4.A.10. A VASP of another network verifies the originator that it is sent, for a transfer to oneself the
    own customer (D48); one of the own network is told nothing that it does not need.
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


def is_affiliated(found: Found) -> bool:
    """Whether the VASP belongs to another network than ours."""
    return bool(found.alliance) and not is_own_network(found.alliance)


def lacks_for_network(found: Found, clear: dict[str, Any], payload: dict[str, Any]) -> bool:
    """Whether the VASP's network requires data that this request does not hold (ivms101.md section 7)."""
    if not is_affiliated(found):
        return False
    missing_clear = clear_faults(clear, "data-request", found.alliance)
    return bool(missing_clear or faults(payload, "data-request", found.alliance, sending=False))
