"""The data that a message must hold, in two columns: required for sending, and required for accepting.

The specification (2.4) defines the originator's data: of an individual name and date of birth, of a legal person its
data and the name of a representative. A sender sends all of it; a receiver refuses only without what it needs
(member-api.md M2 order 5, M7 order 3). The columns differ by D18 and the threshold.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Any, Literal

from schemas.person_names import NAME_FIX, is_name
from travelrule.identity.fault import PayloadFault
from travelrule.identity.json_fields import is_absent, items, present, several

Message = Literal["address-search", "authorization-request", "authorization-response", "data-request", "data-response"]
Datum = Literal["object", "account", "name", "beneficiary-name", "company-first", "representative", "date-of-birth"]

FAULTS_MAX = 100  # bounds the answer to a message with a million bad entries

ENTITIES_OF: dict[Message, tuple[str, ...]] = {
    "address-search": ("Beneficiary",),
    "authorization-request": ("Originator", "Beneficiary", "OriginatingVASP"),
    "authorization-response": ("Originator", "Beneficiary", "OriginatingVASP", "BeneficiaryVASP"),
    "data-request": ("Beneficiary", "BeneficiaryVASP"),
    "data-response": ("Originator", "Beneficiary", "OriginatingVASP", "BeneficiaryVASP"),
}
VASPS = {"OriginatingVASP": "originatingVASP", "BeneficiaryVASP": "beneficiaryVASP"}
PERSONS = {"Originator": "originatorPersons", "Beneficiary": "beneficiaryPersons"}

_ORIGINATOR_FILLED = frozenset({"authorization-request", "data-request", "data-response"})
_NAMED_BY_SENDER = frozenset({"authorization-request", "data-request"})
"""Messages in which the sender fills in the data of a side; an authorization's answer copies the request's."""


@dataclass(frozen=True, slots=True)
class Required:
    """One row of the table."""

    must_send: bool
    must_refuse_without: bool


TABLE: dict[Datum, Required] = {
    "object": Required(must_send=True, must_refuse_without=True),
    "account": Required(must_send=True, must_refuse_without=True),
    "name": Required(must_send=True, must_refuse_without=True),
    # Over the threshold a receiver refuses without it, below it does not (M2 order 10).
    "beneficiary-name": Required(must_send=True, must_refuse_without=False),
    "company-first": Required(must_send=True, must_refuse_without=True),
    "representative": Required(must_send=True, must_refuse_without=True),
    # Of an individual originator; the network's own pages disagree on whether it may be left out (D18).
    "date-of-birth": Required(must_send=True, must_refuse_without=False),
}


@dataclass(frozen=True, slots=True)
class Gap:
    """A missing datum: the row of the table, and the fault."""

    datum: Datum
    fault: PayloadFault


def lacking(payload: Any, message: Message) -> list[PayloadFault]:
    """Return what makes a receiver answer ``LACK_OF_INFORMATION``. Call `payloads.with_clear_vasp` before."""
    found = (gap.fault for gap in _gaps(payload, message) if TABLE[gap.datum].must_refuse_without)
    return list(islice(found, FAULTS_MAX))


def unsendable(payload: Any, message: Message) -> list[Gap]:
    """Return what a message of ours lacks."""
    found = (gap for gap in _gaps(payload, message) if TABLE[gap.datum].must_send)
    return list(islice(found, FAULTS_MAX))


def _gaps(payload: Any, message: Message) -> Iterator[Gap]:
    for name in ENTITIES_OF[message]:
        yield from _entity_gaps(present(payload, name), name, message)
    if message == "data-request" and present(payload, "Originator") is not None:
        yield from _entity_gaps(present(payload, "Originator"), "Originator", message)


def _entity_gaps(entity: Any, name: str, message: Message) -> Iterator[Gap]:
    if not isinstance(entity, dict) or all(map(is_absent, entity.values())):
        yield Gap("object", PayloadFault(name, "MISSING_FIELD", "add the object"))
    elif name in VASPS:
        for fault in name_faults(present(entity, VASPS[name]), f"{name}.{VASPS[name]}"):
            yield Gap("name", fault)
    else:
        yield from _party_gaps(entity, name, message)


def _party_gaps(entity: dict[str, Any], name: str, message: Message) -> Iterator[Gap]:
    if not any(isinstance(account, str) and account for account in items(entity, "accountNumber")):
        yield Gap("account", PayloadFault(f"{name}.accountNumber", "MISSING_FIELD", "add the account"))
    people = items(entity, PERSONS[name])
    path = f"{name}.{PERSONS[name]}"
    if name == "Originator" and not people:
        yield Gap("name", PayloadFault(path, "MISSING_FIELD", "add the persons"))
    elif (name == "Originator" or message in _NAMED_BY_SENDER) and not any(map(_has_name, people)):
        datum: Datum = "name" if name == "Originator" else "beneficiary-name"
        yield Gap(datum, PayloadFault(path, "MISSING_NAME", "add a name"))
    for fault in _nameless_persons(entity, name):
        yield Gap("name", fault)
    for fault in order_faults(entity, name):
        yield Gap("company-first" if fault.code == "WRONG_ORDER" else "representative", fault)
    if name == "Originator" and message in _ORIGINATOR_FILLED:
        for fault in birth_faults(entity, name):
            yield Gap("date-of-birth", fault)


def originator_birth_faults(payload: Any, message: Message, *, sending: bool) -> Iterator[PayloadFault]:
    """Yield the originator's missing dates of birth, where the table requires them of a sender or a receiver."""
    row = TABLE["date-of-birth"]
    if message in _ORIGINATOR_FILLED and (row.must_send if sending else row.must_refuse_without):
        yield from birth_faults(present(payload, "Originator"), "Originator")


def birth_faults(entity: Any, name: str) -> Iterator[PayloadFault]:
    """Yield the individuals without date of birth. Companies and their representatives need none."""
    people = items(entity, PERSONS[name])
    if any(present(person, "legalPerson") is not None for person in people):
        return
    for place, person in enumerate(people):
        natural = present(person, "naturalPerson")
        if natural is not None and present(present(natural, "dateAndPlaceOfBirth"), "dateOfBirth") is None:
            path = f"{name}.{PERSONS[name]}[{place}].naturalPerson.dateAndPlaceOfBirth.dateOfBirth"
            yield PayloadFault(path, "MISSING_FIELD", "add the date of birth")


def order_faults(entity: Any, name: str) -> Iterator[PayloadFault]:
    """Yield faults of the order: the company first, its representatives after it."""
    people = items(entity, PERSONS[name])
    path = f"{name}.{PERSONS[name]}"
    legal = [place for place, person in enumerate(people) if present(person, "legalPerson") is not None]
    if legal and legal != [0]:
        yield PayloadFault(path, "WRONG_ORDER", "one legalPerson, before all natural persons")
    if legal and len(people) == len(legal):
        yield PayloadFault(path, "MISSING_REPRESENTATIVE", "add the representatives as natural persons behind it")


def nameless(payload: Any) -> list[PayloadFault]:
    """Return every filled entry of a payload without a name, whatever the message requires."""
    found = (
        fault
        for name in (*PERSONS, *VASPS)
        for fault in (
            _nameless_persons(present(payload, name), name)
            if name in PERSONS
            else name_faults(present(present(payload, name), VASPS[name]), f"{name}.{VASPS[name]}")
        )
    )
    return list(islice(found, FAULTS_MAX))


def _nameless_persons(entity: Any, name: str) -> Iterator[PayloadFault]:
    for place, person in enumerate(several(entity, PERSONS[name])):
        yield from name_faults(person, f"{name}.{PERSONS[name]}[{place}]")


def name_faults(person: Any, path: str) -> Iterator[PayloadFault]:
    """Yield the filled entries without a name. A blank one is a place holder (D16)."""
    for where, text in _texts(person):
        if text.strip() and not is_name(text):
            yield PayloadFault(f"{path}.{where}", "MISSING_NAME", NAME_FIX)


def _has_name(person: Any) -> bool:
    return any(is_name(text) for where, text in _texts(person) if "phonetic" not in where)


def _texts(person: Any) -> Iterator[tuple[str, str]]:
    """Yield every last name, full name or company name with its path."""
    for kind, field in (("naturalPerson", "primaryIdentifier"), ("legalPerson", "legalPersonName")):
        names = present(present(person, kind), "name")
        for array in ("nameIdentifier", "localNameIdentifier", "phoneticNameIdentifier"):
            for place, entry in enumerate(several(names, array)):
                text = present(entry, field)
                if isinstance(text, str | int):
                    yield f"{kind}.name.{array}[{place}].{field}", str(text)
