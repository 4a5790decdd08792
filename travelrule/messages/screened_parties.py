"""The parties to screen: persons as the platform or a counterparty names them, with every spelling of each."""

from __future__ import annotations

from collections.abc import Iterable

from schemas.events.persons import NaturalPerson, Person
from schemas.events.withdrawals import WithdrawalRequested
from schemas.ivms101 import IvmsPerson
from schemas.ivms101 import LegalPerson as IvmsLegalPerson
from schemas.ivms101 import NaturalPerson as IvmsNaturalPerson
from travelrule.messages.assessment import Party


def parties_of_request(request: WithdrawalRequested) -> tuple[Party, ...]:
    """Return all parties of a withdrawal: both sides, and the representatives of a company."""
    return (*parties_of_person(request.originator), *parties_of_person(request.beneficiary))


def parties_of_person(person: Person | None) -> tuple[Party, ...]:
    """Return a person of an event, and the representatives of a company."""
    if person is None:
        return ()
    if person.natural is not None:
        return (_natural(person.natural),)
    if person.legal is None:
        return ()
    company = person.legal
    names = _present((company.name, company.local_name))
    party = Party(names=names, kind="organisation", country=company.country_of_registration)
    return (party, *(_natural(one) for one in company.representatives))


def parties_of_ivms(persons: Iterable[IvmsPerson]) -> tuple[Party, ...]:
    """Return the persons of a payload. Missing fields are tolerated; a person without a name is left out."""
    found: list[Party] = []
    for person in persons:
        if person.natural_person is not None:
            found.append(_ivms_natural(person.natural_person))
        if person.legal_person is not None:
            found.append(_ivms_legal(person.legal_person))
    return tuple(party for party in found if party.names)


def _natural(person: NaturalPerson) -> Party:
    names = _present(
        (_joined(person.first_name, person.last_name), _joined(person.local_first_name, person.local_last_name))
    )
    born = person.date_of_birth.isoformat() if person.date_of_birth is not None else None
    return Party(names=names, kind="person", date_of_birth=born, country=person.country_of_residence)


def _ivms_natural(person: IvmsNaturalPerson) -> Party:
    name = person.name
    spellings = (
        (*name.name_identifier, *name.local_name_identifier, *name.phonetic_name_identifier) if name is not None else ()
    )
    names = _present(_joined(one.secondary_identifier, one.primary_identifier) for one in spellings)
    born = person.date_and_place_of_birth.date_of_birth if person.date_and_place_of_birth is not None else None
    return Party(names=names, kind="person", date_of_birth=born, country=person.country_of_residence)


def _ivms_legal(company: IvmsLegalPerson) -> Party:
    name = company.name
    spellings = (
        (*name.name_identifier, *name.local_name_identifier, *name.phonetic_name_identifier) if name is not None else ()
    )
    names = _present(one.legal_person_name for one in spellings)
    return Party(names=names, kind="organisation", country=company.country_of_registration)


def _joined(first: str | None, last: str | None) -> str:
    return " ".join(part for part in (first, last) if part)


def _present(names: Iterable[str | None]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(name.strip() for name in names if name and name.strip()))
