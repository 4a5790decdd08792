"""The inner ``ivms101`` object of each message (ivms101.md section 1), without the wrapper.

======================  ==========  ===========  ===============  ==============
Message                 Originator  Beneficiary  OriginatingVASP  BeneficiaryVASP
======================  ==========  ===========  ===============  ==============
address search                      account
authorization request   built       built        built
authorization response  copied      copied       copied           built
data request            (built)     built                         built
data response           built       copied       built            copied
======================  ==========  ===========  ===============  ==============

Copied parts are copied whole, unknown fields included. They are shared with the request and never changed: a deep copy
of a deeply nested message would exhaust the stack.
"""

from __future__ import annotations

from typing import Any

from schemas.events import persons
from schemas.events.withdrawals import WithdrawalRequested
from travelrule.identity.account_numbers import join
from travelrule.identity.json_fields import has_content
from travelrule.identity.person_objects import CUSTOMER_ID_MAX, Ivms, person_objects
from travelrule.identity.profile import VaspAddress, VaspIdentification, VaspProfile

KOREA = "KR"


def address_payload(address: str, tag: str | None) -> Ivms:
    """Return the payload of an address search: the account alone, no persons."""
    return {"Beneficiary": {"beneficiaryPersons": [], "accountNumber": [join(address, tag)]}}


def authorization_payload(
    withdrawal: WithdrawalRequested,
    vasp_profile: VaspProfile,
    both_korean: bool = False,  # noqa: FBT001, FBT002
    *,
    to_korea: bool = False,
) -> Ivms:
    """Return the payload of a transfer authorization.

    ``both_korean``: both VASPs are registered in Korea, so Korean names go first (D17). ``to_korea``: the
    receiver alone is; either way names are then sent as plain letters, because some Korean exchanges fail on
    anything else.
    """
    parties = parties_payload(withdrawal, korean_first=both_korean, plain_names=both_korean or to_korea)
    return {**parties, "OriginatingVASP": originating_vasp(vasp_profile)}


def parties_payload(withdrawal: WithdrawalRequested, *, korean_first: bool = False, plain_names: bool = False) -> Ivms:
    """Return the two parties of a transfer authorization."""
    target = withdrawal.destination
    beneficiary = person_objects(withdrawal.beneficiary, korean_first=korean_first, plain_names=plain_names)
    return {
        "Originator": _originator(withdrawal, korean_first=korean_first, plain_names=plain_names),
        "Beneficiary": {
            "beneficiaryPersons": beneficiary,
            "accountNumber": [join(target.address, target.tag)],
        },
    }


def with_clear_vasp(request: Ivms, clear_vasp: Any) -> Ivms:
    """Return the effective request: a non-empty ``originatingVasp`` of the clear body replaces the inner one (D8).

    ``{}``, ``""`` and null mean absent, also where everything inside is; anything but an object is ignored. A bare
    person, or a bare legal person, is wrapped as IVMS101 requires.
    """
    if not isinstance(clear_vasp, dict) or not has_content(clear_vasp):
        return request
    return {**request, "OriginatingVASP": _wrapped(clear_vasp)}


def _wrapped(vasp: dict[str, Any]) -> Ivms:
    if "originatingVASP" in vasp:
        return vasp
    if "legalPerson" in vasp:
        return {"originatingVASP": vasp}
    return {"originatingVASP": {"legalPerson": vasp}} if isinstance(vasp.get("name"), dict) else vasp


def answer_payload(
    request: Ivms,
    vasp_profile: VaspProfile,
    *,
    verified: bool,
    customer_id: str | None = None,
    owner: persons.Person | None = None,
) -> Ivms:
    """Return the payload of an authorization response: the request unchanged, and our ``BeneficiaryVASP``.

    Only for ``verified`` is the beneficiary completed: with the owner's names where the request had no person
    at all, and with ``customer_id`` on the first person. A refusal must reveal nothing that the sender did
    not send, so both are then ignored.
    """
    answer = {**request, "BeneficiaryVASP": beneficiary_vasp(vasp_profile)}
    beneficiary = request.get("Beneficiary")
    if verified and isinstance(beneficiary, dict):
        answer["Beneficiary"] = _completed(beneficiary, owner, customer_id)
    return answer


def _completed(beneficiary: Ivms, owner: persons.Person | None, customer_id: str | None) -> Ivms:
    people = beneficiary.get("beneficiaryPersons")
    if not people and owner is not None:
        people = _names_only(person_objects(owner))
        beneficiary = {**beneficiary, "beneficiaryPersons": people}
    if not isinstance(people, list) or not people or not isinstance(people[0], dict):
        return beneficiary
    if not customer_id or len(customer_id) > CUSTOMER_ID_MAX:
        return beneficiary
    first = {kind: _with_customer_id(kind, person, customer_id) for kind, person in people[0].items()}
    return {**beneficiary, "beneficiaryPersons": [first, *people[1:]]}


def _with_customer_id(kind: str, person: Any, customer_id: str) -> Any:
    known = kind in ("naturalPerson", "legalPerson") and isinstance(person, dict)
    if not known or person.get("customerIdentification"):
        return person
    return {**person, "customerIdentification": customer_id}


def _names_only(people: list[Ivms]) -> list[Ivms]:
    """Return the names alone: completing an answer reveals no birth dates or home addresses."""
    return [{kind: {"name": facts["name"]} for kind, facts in person.items()} for person in people]


def data_request_payload(
    beneficiary: persons.Person,
    account: str,
    vasp_profile: VaspProfile,
    *,
    customer_id: str | None = None,
    originator: persons.Person | None = None,
) -> Ivms:
    """Return the payload of a data request (hub-api.md 4.A.10). ``account`` is ``address[:tag]``.

    Every network but ours requires ``originator`` (D48): in a first-party transfer the beneficiary's own data.
    """
    payload: Ivms = {
        "Beneficiary": {
            "beneficiaryPersons": person_objects(beneficiary, customer_id=customer_id),
            "accountNumber": [account],
        },
        "BeneficiaryVASP": beneficiary_vasp(vasp_profile),
    }
    if originator is None:
        return payload
    return {
        "Originator": {
            "originatorPersons": person_objects(originator, customer_id=customer_id),
            "accountNumber": [account],
        },
        **payload,
    }


def data_answer_payload(
    request: Ivms, withdrawal: WithdrawalRequested, vasp_profile: VaspProfile, *, both_korean: bool = False
) -> Ivms:
    """Return the payload of a data response: our sender and ourselves added to the request (member-api.md M7)."""
    return {
        **request,
        "Originator": _originator(withdrawal, korean_first=both_korean, plain_names=both_korean),
        "OriginatingVASP": originating_vasp(vasp_profile),
    }


def originating_vasp(profile: VaspProfile) -> Ivms:
    """Return ``OriginatingVASP`` for ourselves."""
    return {"originatingVASP": _vasp(profile)}


def beneficiary_vasp(profile: VaspProfile) -> Ivms:
    """Return ``BeneficiaryVASP`` for ourselves."""
    return {"beneficiaryVASP": _vasp(profile)}


def _originator(withdrawal: WithdrawalRequested, *, korean_first: bool, plain_names: bool) -> Ivms:
    customer = withdrawal.originator
    people = person_objects(
        customer, customer_id=customer.customer_id, korean_first=korean_first, plain_names=plain_names
    )
    return {"originatorPersons": people, "accountNumber": [customer.account_number]}


def _vasp(profile: VaspProfile) -> Ivms:
    names: Ivms = {"nameIdentifier": [_vasp_name(profile.legal_name)]}
    if profile.local_name:
        names["localNameIdentifier"] = [_vasp_name(profile.local_name)]
    person: Ivms = {"name": names}
    if profile.address:
        person["geographicAddress"] = [_vasp_address(profile.address)]
    if profile.national_identification:
        person["nationalIdentification"] = _vasp_identification(profile.national_identification)
    return {"legalPerson": {**person, "countryOfRegistration": profile.country_of_registration}}


def _vasp_name(name: str) -> Ivms:
    return {"legalPersonName": name, "legalPersonNameIdentifierType": "LEGL"}


def _vasp_address(address: VaspAddress) -> Ivms:
    written: Ivms = {
        "addressType": address.type,
        "addressLine": list(address.lines),
        "streetName": address.street_name,
        "buildingNumber": address.building_number,
        "buildingName": address.building_name,
        "postcode": address.postcode,
        "townName": address.town,
        "countrySubDivision": address.country_sub_division,
        "country": address.country,
    }
    return {name: value for name, value in written.items() if value}


def _vasp_identification(number: VaspIdentification) -> Ivms:
    written = {"nationalIdentifier": number.identifier, "nationalIdentifierType": number.type}
    return {**written, "registrationAuthority": number.authority} if number.authority else written
