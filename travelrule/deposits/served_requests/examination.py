"""Whether the originator's data may be sent to the requester, and of which withdrawal: orders 2 to 6 of M7."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from pydantic import ValidationError

from schemas.events.withdrawals import WithdrawalRequested
from schemas.ivms101 import Beneficiary, IvmsPerson
from travelrule.deposits.served_requests.originator_data import completed, identified
from travelrule.deposits.served_requests.received_request import DataRequestReceived, WithdrawalFacts
from travelrule.identity.name_comparison import compare_beneficiary
from travelrule.identity.required_data import lacking
from travelrule.messages.inbound_request import SenderFacts
from travelrule.policy.policy import HUB_ENTITY, Policy

PATHS_MAX = 5


@dataclass(frozen=True, slots=True)
class DataRefusal:
    """Why a request gets no data: ``reasonType`` and ``reasonMsg`` of the answer."""

    reason: str
    message: str


def may_receive(requester: SenderFacts | None, origin: str, policy: Policy) -> bool:
    """Whether personal data of our customers may be sent to this VASP: it is verified, and the policy accepts
    its requests and sends to it. The hub's own entity is never refused (member-api.md section 1).
    """
    if requester is None:
        return False
    if requester.entity_id == HUB_ENTITY:
        return True
    return policy.accepts(requester.entity_id, origin, requester.origin) and policy.may_send_to(requester.entity_id)


def examine(request: DataRequestReceived, policy: Policy) -> DataRefusal | tuple[WithdrawalFacts, WithdrawalRequested]:
    """Evaluate orders 2 to 6; the first failure answers."""
    if not request.withdrawals:
        return DataRefusal("NOT_FOUND_TXID", "no withdrawal with this txid went to this address")
    sent = _payee(request.ivms101)
    if isinstance(sent, DataRefusal):
        return sent
    if not may_receive(request.requester, request.origin, policy):
        return DataRefusal("UNKNOWN", "data are not released to this VASP")
    known = [one for one in request.withdrawals if one.request is not None]
    if not known:
        return DataRefusal("LACK_OF_INFORMATION", "nothing is known of the sender any more")
    named = _named_alike(known, sent, policy)
    if isinstance(named, DataRefusal):
        return named
    chosen = _the_one(named, request.currency)
    if chosen is None:
        return DataRefusal("UNKNOWN", "several senders paid this address in this transaction")
    data = identified(chosen)
    if data is None:
        return DataRefusal("LACK_OF_INFORMATION", "the sender has neither KYC nor identity data")
    return chosen, completed(data, chosen)


def _payee(ivms101: dict[str, Any]) -> tuple[IvmsPerson, ...] | DataRefusal:
    """Check order 3: both objects are there and complete. Return the persons that the request names as beneficiary."""
    missing = [fault.path for fault in lacking(ivms101, "data-request")]
    if missing:
        return DataRefusal("LACK_OF_INFORMATION", f"missing or incomplete: {', '.join(missing[:PATHS_MAX])}")
    try:
        return Beneficiary.from_wire(ivms101["Beneficiary"]).beneficiary_persons
    except ValidationError:
        return DataRefusal("LACK_OF_INFORMATION", "Beneficiary holds values of another type than IVMS101 says")


def _named_alike(
    known: list[WithdrawalFacts], sent: tuple[IvmsPerson, ...], policy: Policy
) -> list[WithdrawalFacts] | DataRefusal:
    """Check order 4, second half: the withdrawal's payee is the request's beneficiary; no name proves nothing."""
    results = {
        one.subject: compare_beneficiary(sent, one.request.beneficiary, policy.names.representatives)
        for one in known
        if one.request is not None
    }
    alike = [one for one in known if results[one.subject] == "match"]
    if alike:
        return alike
    if "missing" in results.values():
        return DataRefusal("LACK_OF_INFORMATION", "missing or incomplete: the beneficiary's name")
    return DataRefusal("UNKNOWN", "the beneficiary is not the payee that the sender named")


def _the_one(named: list[WithdrawalFacts], currency: str | None) -> WithdrawalFacts | None:
    """Return the one withdrawal; None if several customers paid the same payee, because no data are sent on a guess.

    Several outputs of one customer to one address have the same originator; the oldest counts.
    """
    wanted = (currency or "").upper()
    same = [one for one in named if one.request is not None and one.request.currency.upper() == wanted]
    fitting = same or named
    customers = {one.request.originator.customer_id for one in fitting if one.request is not None}
    return fitting[0] if len(customers) == 1 else None
