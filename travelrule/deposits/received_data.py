"""Comparison of received data with the deposit; what cannot be compared differs (flows.md 5, member-api.md M2)."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

from pydantic import ValidationError

from schemas.events.persons import Person
from schemas.hub.search import DataResponse
from schemas.ivms101 import Ivms101
from travelrule.deposits.request_bodies import is_affiliated
from travelrule.deposits.state import DepositState, FoundVasp
from travelrule.identity.account_numbers import names_wallet
from travelrule.identity.name_comparison import birth_date_differs, compare_beneficiary, is_first_party
from travelrule.identity.required_data import lacking, nameless
from travelrule.policy.causes import Cause
from travelrule.policy.policy import Policy


def data_difference(
    state: DepositState,
    found: FoundVasp,
    owner: Person,
    body: dict[str, Any],
    payload: dict[str, Any] | None,
    policy: Policy,
) -> Cause | None:
    """Return the cause of the first difference; None if there is none.

    A member of our network completes the request: its answer must hold everything. A VASP of another network confirms
    with ``normal`` that the originator in the request is its customer (D48): what it leaves out is unchanged.
    """
    affiliated = is_affiliated(found)
    if payload is None and not affiliated:
        return Cause.PAYLOAD_UNREADABLE
    if payload is not None and (differs := _parties(state, owner, payload, policy, affiliated=affiliated)):
        return differs
    return _numbers(state, body, affiliated=affiliated)


def _parties(
    state: DepositState, owner: Person, payload: dict[str, Any], policy: Policy, *, affiliated: bool
) -> Cause | None:
    if nameless(payload) or (not affiliated and lacking(payload, "data-response")):
        return Cause.PAYLOAD_UNREADABLE
    try:
        ivms = Ivms101.from_wire(payload)
    except ValidationError:
        return Cause.PAYLOAD_UNREADABLE
    sender = ivms.originator.originator_persons if ivms.originator else ()
    receiver = ivms.beneficiary.beneficiary_persons if ivms.beneficiary else ()
    numbers = ivms.beneficiary.account_number if ivms.beneficiary else ()
    if ivms.beneficiary is not None and not any(names_wallet(number, *state.address) for number in numbers):
        return Cause.ADDRESS_MISMATCH
    representatives = policy.names.representatives
    if ivms.beneficiary is not None and compare_beneficiary(receiver, owner, representatives) != "match":
        return Cause.NAME_MISMATCH
    if policy.names.check_date_of_birth and birth_date_differs(receiver, owner):
        return Cause.NAME_MISMATCH
    first_party = policy.names.first_party_only and bool(sender)
    if first_party and not is_first_party(sender, receiver, owner, representatives):
        return Cause.NAME_MISMATCH
    return None


def _numbers(state: DepositState, body: dict[str, Any], *, affiliated: bool) -> Cause | None:
    """Compare currency and amount; an unreadable value differs."""
    currency, amount = _one(body, "currency"), _one(body, "amount")
    if currency is None and amount is None and affiliated:
        return None
    if currency is not None or not affiliated:
        said = _read("currency", currency)
        if said != state.detected.currency:
            return Cause.ASSET_MISMATCH
    if (amount is not None or not affiliated) and _read("amount", amount) != state.detected.amount:
        return Cause.AMOUNT_MISMATCH
    return None


def _one(body: dict[str, Any], name: str) -> Any:
    return body.get(name) or None


def _read(name: str, value: Any) -> str | Decimal | None:
    """Read one field as the protocol writes it."""
    try:
        answer = DataResponse.from_wire({"result": "normal", name: value})
    except ValidationError:
        return None
    return answer.currency if name == "currency" else answer.amount
