"""Persons of the platform (contract section 3) as IVMS101 objects (ivms101.md sections 3 to 5)."""

from __future__ import annotations

from typing import Any

from schemas.events import persons
from travelrule.identity.normal_names import letters_only

Ivms = dict[str, Any]

CUSTOMER_ID_MAX = 50
_NAME_TYPE = "LEGL"


def person_objects(
    person: persons.Person, *, customer_id: str | None = None, korean_first: bool = False, plain_names: bool = False
) -> list[Ivms]:
    """Return the persons array of one party: a natural person alone, or a company before its representatives.

    ``korean_first``: both VASPs are Korean, so local names are the ``nameIdentifier`` (D17). ``plain_names``: the
    receiver fails on names with blanks, digits or special characters. ``customer_id`` is omitted beyond 50 characters.
    """
    if person.natural is not None:
        natural = _names(person.natural, korean_first=korean_first, plain=plain_names)
        return [{"naturalPerson": {"name": natural, **_natural_facts(person.natural, customer_id)}}]
    if person.legal is None:
        return []
    company = {"name": _company_names(person.legal, korean_first), **_legal_facts(person.legal, customer_id)}
    # Of a representative only the name is required, so only the name is sent.
    people = [
        {"naturalPerson": {"name": _names(one, korean_first=korean_first, plain=plain_names)}}
        for one in person.legal.representatives
    ]
    return [{"legalPerson": company}, *people]


def _names(person: persons.NaturalPerson, *, korean_first: bool, plain: bool) -> Ivms:
    """Return the names by section 5; a blank entry replaces a missing Latin name (D16)."""
    latin = _name(person.last_name, person.first_name, plain=plain)
    local = _name(person.local_last_name, person.local_first_name, plain=plain)
    first, second = (local or latin, latin if local else None) if korean_first else (latin, local)
    names: Ivms = {"nameIdentifier": [first or _name_entry("", "")]}
    if second:
        names["localNameIdentifier"] = [second]
    return names


def _name(last: str | None, first: str | None, *, plain: bool) -> Ivms | None:
    if plain:
        last, first = letters_only(last or ""), letters_only(first or "")
    if not last:
        return None
    return _name_entry(last, first or "")


def _name_entry(last: str, first: str) -> Ivms:
    return {"primaryIdentifier": last, "secondaryIdentifier": first, "nameIdentifierType": _NAME_TYPE}


def _company_names(company: persons.LegalPerson, korean_first: bool) -> Ivms:  # noqa: FBT001
    first, second = company.name, company.local_name
    if korean_first and second:
        first, second = second, first
    names: Ivms = {"nameIdentifier": [_company_name_entry(first)]}
    if second:
        names["localNameIdentifier"] = [_company_name_entry(second)]
    return names


def _company_name_entry(name: str) -> Ivms:
    return {"legalPersonName": name, "legalPersonNameIdentifierType": _NAME_TYPE}


def _natural_facts(person: persons.NaturalPerson, customer_id: str | None) -> Ivms:
    facts = _common_facts(person, customer_id, with_country=True)
    if person.date_of_birth is not None:
        birth = {"dateOfBirth": person.date_of_birth.isoformat()}
        if person.place_of_birth:
            birth["placeOfBirth"] = person.place_of_birth
        facts["dateAndPlaceOfBirth"] = birth
    if person.country_of_residence:
        facts["countryOfResidence"] = person.country_of_residence
    return facts


def _legal_facts(company: persons.LegalPerson, customer_id: str | None) -> Ivms:
    facts = _common_facts(company, customer_id, with_country=False)
    if company.country_of_registration:
        facts["countryOfRegistration"] = company.country_of_registration
    return facts


def _common_facts(
    person: persons.NaturalPerson | persons.LegalPerson, customer_id: str | None, *, with_country: bool
) -> Ivms:
    facts: Ivms = {}
    if person.address is not None:
        facts["geographicAddress"] = [_address(person.address)]
    if person.national_identification is not None:
        facts["nationalIdentification"] = _identification(person.national_identification, with_country=with_country)
    if customer_id and len(customer_id) <= CUSTOMER_ID_MAX:
        facts["customerIdentification"] = customer_id
    return facts


def _address(address: persons.PostalAddress) -> Ivms:
    written: Ivms = {"addressType": address.type}
    if address.lines:
        written["addressLine"] = list(address.lines)
    if address.postcode:
        written["postcode"] = address.postcode
    if address.town:
        written["townName"] = address.town
    return {**written, "country": address.country}


def _identification(number: persons.NationalIdentification, *, with_country: bool) -> Ivms:
    written = {"nationalIdentifier": number.identifier, "nationalIdentifierType": number.type}
    if number.country and with_country:  # natural persons only
        written["countryOfIssue"] = number.country
    if number.authority and number.type != "LEIX":  # an LEI names its authority itself
        written["registrationAuthority"] = number.authority
    return written
