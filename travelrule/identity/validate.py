"""Every fault of a payload at once: by message (ivms101.md section 1) and by the peer's network (section 7).

Two views of the same rules: ``sending`` (the default) also names what a careful sender fills in and receivers overlook
(``townName``, the originator's date of birth outside GTR and Sygna, capital letters, quotes around numbers).
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import Any, Literal, get_args

from travelrule.identity.checking import check, is_absent, items, present
from travelrule.identity.fault import Code, Fault
from travelrule.identity.network_rules import network_faults
from travelrule.identity.object_rules import ENTITIES

__all__ = ["Code", "Fault", "Message", "faults", "is_own_network", "lacking"]

Message = Literal["address-search", "authorization-request", "authorization-response", "data-request", "data-response"]

OWN_NETWORK = "code"
FAULTS_MAX = 100  # a message with a million bad entries has one problem, not a million

_ENTITIES_OF: dict[Message, tuple[str, ...]] = {
    "address-search": ("Beneficiary",),
    "authorization-request": ("Originator", "Beneficiary", "OriginatingVASP"),
    "authorization-response": ("Originator", "Beneficiary", "OriginatingVASP", "BeneficiaryVASP"),
    "data-request": ("Beneficiary", "BeneficiaryVASP"),
    "data-response": ("Originator", "Beneficiary", "OriginatingVASP", "BeneficiaryVASP"),
}
_VASPS = {"OriginatingVASP": "originatingVASP", "BeneficiaryVASP": "beneficiaryVASP"}
_PERSONS = {"Originator": "originatorPersons", "Beneficiary": "beneficiaryPersons"}


def is_own_network(alliance: str) -> bool:
    """Say whether an ``allianceName`` is the hub's own network (D43: case does not matter)."""
    return alliance.casefold() == OWN_NETWORK


def faults(
    payload: Any, message: Message, alliance: str = OWN_NETWORK, *, sending: bool = True, name_required: bool = False
) -> list[Fault]:
    """Name every fault of the inner ``ivms101`` object of a message.

    ``alliance`` is the peer's ``allianceName``. ``name_required``: the transfer is over the threshold, so the
    beneficiary must have a name. ``sending`` False: only what a receiver need not accept. At most ``FAULTS_MAX``.
    """
    if not isinstance(payload, dict):
        return [Fault("", "WRONG_TYPE", "must be a JSON object")]
    if message not in get_args(Message):
        raise ValueError("no such message")
    found = _faults(payload, message, alliance.casefold(), sending=sending, name_required=name_required)
    once = {(fault.path, fault.code): fault for fault in islice(found, FAULTS_MAX)}
    return list(once.values())


def _faults(
    payload: dict[str, Any], message: Message, network: str, *, sending: bool, name_required: bool
) -> Iterator[Fault]:
    yield from _missing_entities(payload, message, network)
    for name, rule in ENTITIES.items():
        if present(payload, name) is None:
            continue
        yield from check(payload[name], rule, name, sending=sending)
        if name in _PERSONS:
            yield from _party_faults(payload[name], name)
        else:
            yield from _vasp_faults(payload[name], name, sending=sending)
    if name_required and not items(present(payload, "Beneficiary"), "beneficiaryPersons"):
        yield Fault("Beneficiary.beneficiaryPersons", "MISSING_FIELD", "over the threshold a name must be sent")
    yield from network_faults(payload, message, network, sending=sending)


def _missing_entities(payload: dict[str, Any], message: Message, network: str) -> Iterator[Fault]:
    for name in _ENTITIES_OF[message]:
        if network == "verifyvasp" and name == "OriginatingVASP":
            continue  # stands outside the payload there (D8)
        if present(payload, name) is None:
            yield Fault(name, "MISSING_FIELD", "add the object")
    if message == "data-request" and not is_own_network(network) and present(payload, "Originator") is None:
        yield Fault("Originator", "MISSING_FIELD", "a VASP of another network verifies the originator you send (D48)")


def _party_faults(entity: Any, name: str) -> Iterator[Fault]:
    """Check the persons of a side: one kind each, the company first, its representatives behind it."""
    people = items(entity, _PERSONS[name])
    path = f"{name}.{_PERSONS[name]}"
    for place, person in enumerate(people):
        yield from _person_faults(person, f"{path}[{place}]")
    legal = [place for place, person in enumerate(people) if present(person, "legalPerson") is not None]
    if legal and legal != [0]:
        yield Fault(path, "WRONG_ORDER", "one legalPerson, before all natural persons")
    if legal and len(people) == len(legal):
        yield Fault(path, "MISSING_REPRESENTATIVE", "add the representatives as natural persons behind it")


def _person_faults(person: Any, path: str) -> Iterator[Fault]:
    natural, legal = present(person, "naturalPerson"), present(person, "legalPerson")
    if (natural is None) == (legal is None):
        yield Fault(path, "NOT_ONE_PERSON", "exactly one of naturalPerson and legalPerson")
    if natural is not None and not is_absent(present(natural, "name")):
        yield from _blank_name_faults(present(natural, "name"), f"{path}.naturalPerson.name")
    for kind, found in (("naturalPerson", natural), ("legalPerson", legal)):
        number = present(found, "nationalIdentification")
        if present(number, "nationalIdentifierType") == "LEIX" and present(number, "registrationAuthority"):
            where = f"{path}.{kind}.nationalIdentification.registrationAuthority"
            yield Fault(where, "UNEXPECTED_FIELD", "an LEI has no registration authority: remove it")


def _blank_name_faults(names: Any, path: str) -> Iterator[Fault]:
    """A name may be blank in ``nameIdentifier`` only, and only beside a local name (D16)."""
    local = any(present(entry, "primaryIdentifier") for entry in items(names, "localNameIdentifier"))
    for place, entry in enumerate(items(names, "nameIdentifier")):
        primary = present(entry, "primaryIdentifier")
        blank = primary is None or (isinstance(primary, str) and not primary.strip())
        if isinstance(entry, dict) and blank and not local:
            where = f"{path}.nameIdentifier[{place}].primaryIdentifier"
            yield Fault(where, "MISSING_NAME", "add the name, or a localNameIdentifier")


def _vasp_faults(entity: Any, name: str, *, sending: bool) -> Iterator[Fault]:
    path = f"{name}.{_VASPS[name]}"
    person = present(entity, _VASPS[name])
    if person is None:
        return
    yield from _person_faults(person, path)
    legal = present(person, "legalPerson")
    if legal is None:
        yield Fault(f"{path}.legalPerson", "MISSING_FIELD", "a VASP is a legalPerson")
    elif sending and not present(legal, "geographicAddress") and not present(legal, "nationalIdentification"):
        yield Fault(f"{path}.legalPerson", "MISSING_FIELD", "add geographicAddress or nationalIdentification")


def lacking(payload: Any, message: Message) -> list[Fault]:
    """Name only what makes a receiver answer ``LACK_OF_INFORMATION`` (member-api.md M2 order 5, M7 order 3).

    An originator needs persons, a name and an account; a beneficiary an account; a VASP object must be there; a company
    stands first and has a representative. Call `build.with_clear_vasp` before. The beneficiary's name is not asked for
    here: whether it must be there depends on the threshold.
    """
    found = (fault for name in _ENTITIES_OF[message] for fault in _lacking_entity(present(payload, name), name))
    return list(islice(found, FAULTS_MAX))


def _lacking_entity(entity: Any, name: str) -> Iterator[Fault]:
    if not isinstance(entity, dict) or all(map(is_absent, entity.values())):
        yield Fault(name, "MISSING_FIELD", "add the object")
        return
    if name in _VASPS:
        return
    if not any(isinstance(account, str) and account for account in items(entity, "accountNumber")):
        yield Fault(f"{name}.accountNumber", "MISSING_FIELD", "add the account")
    people = items(entity, _PERSONS[name])
    path = f"{name}.{_PERSONS[name]}"
    if name == "Originator":
        if not people:
            yield Fault(path, "MISSING_FIELD", "add the persons")
        elif not any(_has_name(person) for person in people):
            yield Fault(path, "MISSING_NAME", "add a name")
    yield from (
        fault for fault in _party_faults(entity, name) if fault.code in ("WRONG_ORDER", "MISSING_REPRESENTATIVE")
    )


def _has_name(person: Any) -> bool:
    natural = present(present(person, "naturalPerson"), "name")
    legal = present(present(person, "legalPerson"), "name")
    entries = [(entry, "primaryIdentifier") for entry in _entries(natural)]
    entries += [(entry, "legalPersonName") for entry in _entries(legal)]
    return any(str(present(entry, field) or "").strip() for entry, field in entries)


def _entries(names: Any) -> list[Any]:
    return [*items(names, "nameIdentifier"), *items(names, "localNameIdentifier")]
