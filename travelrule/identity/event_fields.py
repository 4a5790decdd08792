"""The field of the platform's event behind a payload fault: paths, no values."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from travelrule.identity.fault import PayloadFault

_PERSON = re.compile(r"(Originator|Beneficiary)\.(?:originator|beneficiary)Persons(?:\[(\d+)\]\.(\w+)(?:\.(.+))?)?")
_ACCOUNT = re.compile(r"(Originator|Beneficiary)\.accountNumber.*")
_FIELDS = (
    (re.compile(r"name\.nameIdentifier.*primaryIdentifier"), "lastName"),
    (re.compile(r"name\.nameIdentifier.*secondaryIdentifier"), "firstName"),
    (re.compile(r"name\.localNameIdentifier.*primaryIdentifier"), "localLastName"),
    (re.compile(r"name\.localNameIdentifier.*secondaryIdentifier"), "localFirstName"),
    (re.compile(r"name\.localNameIdentifier.*legalPersonName"), "localName"),
    (re.compile(r"name\.nameIdentifier.*legalPersonName"), "name"),
    (re.compile(r"dateAndPlaceOfBirth\.(\w+)"), r"\1"),
    (re.compile(r"geographicAddress.*"), "address"),
    (re.compile(r"nationalIdentification.*"), "nationalIdentification"),
)


@dataclass(frozen=True, slots=True)
class EventSide:
    """The paths of one party in an event: person, account, customer id."""

    person: str
    account: str
    customer_id: str
    is_legal: bool


def event_field(fault: PayloadFault, sides: Mapping[str, EventSide], clear: Mapping[str, str]) -> str:
    """Return the path in the event; ``clear`` maps the body's clear fields. A fault of our own data keeps its path."""
    if (account := _ACCOUNT.fullmatch(fault.path)) is not None:
        return sides[account[1]].account
    parts = _PERSON.fullmatch(fault.path)
    if parts is None:
        return clear.get(fault.path, fault.path)
    side = sides[parts[1]]
    if fault.code == "MISSING_REPRESENTATIVE":
        return f"{side.person}.legal.representatives"
    kind = "legal" if side.is_legal else "natural"
    person, field = f"{side.person}.{kind}", parts[4] or ""
    if not field:
        return f"{person}.{'name' if side.is_legal else 'lastName'}"
    if field in ("customerIdentification", "customerNumber"):
        return side.customer_id
    if side.is_legal and parts[3] == "naturalPerson":
        person += f".representatives[{max(int(parts[2]) - 1, 0)}]"
    return f"{person}.{_field(field)}"


def _field(path: str) -> str:
    for pattern, name in _FIELDS:
        if (found := pattern.fullmatch(path)) is not None:
            return found.expand(name)
    return path
