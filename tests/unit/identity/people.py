"""Short ways to write the persons of these tests."""

from typing import Any

from schemas.events.persons import Person
from schemas.ivms101 import IvmsPerson

Names = tuple[str, str]


def natural(*names: Names, local: tuple[Names, ...] = (), born: str | None = None) -> dict[str, Any]:
    """A naturalPerson of a message with these (primary, secondary) names."""
    person: dict[str, Any] = {"name": {"nameIdentifier": [_entry(name) for name in names]}}
    if local:
        person["name"]["localNameIdentifier"] = [_entry(name) for name in local]
    if born:
        person["dateAndPlaceOfBirth"] = {"dateOfBirth": born}
    return {"naturalPerson": person}


def company(*names: str, local: tuple[str, ...] = ()) -> dict[str, Any]:
    """A legalPerson of a message with these names."""
    written: dict[str, Any] = {"nameIdentifier": [_firm(name) for name in names]}
    if local:
        written["localNameIdentifier"] = [_firm(name) for name in local]
    return {"legalPerson": {"name": written, "countryOfRegistration": "SG"}}


def sent(*persons: dict[str, Any]) -> list[IvmsPerson]:
    """The persons array of a message, as read."""
    return [IvmsPerson.model_validate(person) for person in persons]


def owner(last: str | None = None, first: str | None = None, **more: Any) -> Person:
    """A natural person whom we know."""
    return Person.model_validate({"natural": {"lastName": last, "firstName": first, **more}})


def firm(name: str, *representatives: Names, **more: Any) -> Person:
    """A company that we know."""
    people = [{"lastName": last, "firstName": first} for last, first in representatives]
    return Person.model_validate({"legal": {"name": name, "representatives": people, **more}})


def _entry(name: Names) -> dict[str, str]:
    return {"primaryIdentifier": name[0], "secondaryIdentifier": name[1], "nameIdentifierType": "LEGL"}


def _firm(name: str) -> dict[str, str]:
    return {"legalPersonName": name, "legalPersonNameIdentifierType": "LEGL"}
