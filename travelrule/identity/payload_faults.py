"""All faults of a payload: by message (ivms101.md section 1) and by the peer's network (section 7).

The same rules for both directions: ``sending`` (the default) also names what a careful sender fills in and receivers do
not require (``townName``, the originator's date of birth outside GTR and Sygna, capital letters, quotes around
numbers).
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import Any, get_args

from travelrule.identity.fault import PayloadFault
from travelrule.identity.json_fields import is_absent, items, present
from travelrule.identity.network_rules import network_faults
from travelrule.identity.object_faults import value_faults
from travelrule.identity.object_rules import ENTITIES
from travelrule.identity.required_data import (
    ENTITIES_OF,
    FAULTS_MAX,
    PERSONS,
    VASPS,
    Message,
    name_faults,
    order_faults,
    originator_birth_faults,
)

OWN_NETWORK = "code"


def is_own_network(alliance: str) -> bool:
    """Whether an ``allianceName`` is the hub's own network, in any case (D43)."""
    return alliance.casefold() == OWN_NETWORK


def payload_faults(
    payload: Any, message: Message, alliance: str = OWN_NETWORK, *, sending: bool = True, name_required: bool = False
) -> list[PayloadFault]:
    """Return every fault of the inner ``ivms101`` object of a message.

    ``alliance`` is the peer's ``allianceName``. ``name_required``: the transfer is over the threshold, so the
    beneficiary must have a name. ``sending`` False: only what a receiver may refuse. At most ``FAULTS_MAX``.
    """
    if not isinstance(payload, dict):
        return [PayloadFault("", "WRONG_TYPE", "must be a JSON object")]
    if message not in get_args(Message):
        raise ValueError("no such message")
    found = _faults(payload, message, alliance.casefold(), sending=sending, name_required=name_required)
    once = {(fault.path, fault.code): fault for fault in islice(found, FAULTS_MAX)}
    return list(once.values())


def _faults(
    payload: dict[str, Any], message: Message, network: str, *, sending: bool, name_required: bool
) -> Iterator[PayloadFault]:
    yield from _missing_entities(payload, message, network)
    for name, rule in ENTITIES.items():
        if present(payload, name) is None:
            continue
        yield from value_faults(payload[name], rule, name, sending=sending)
        if name in PERSONS:
            for place, person in enumerate(items(payload[name], PERSONS[name])):
                yield from _person_faults(person, f"{name}.{PERSONS[name]}[{place}]")
            yield from order_faults(payload[name], name)
        else:
            yield from _vasp_faults(payload[name], name, sending=sending)
    if name_required and not items(present(payload, "Beneficiary"), "beneficiaryPersons"):
        yield PayloadFault("Beneficiary.beneficiaryPersons", "MISSING_FIELD", "over the threshold a name must be sent")
    yield from originator_birth_faults(payload, message, sending=sending)
    yield from network_faults(payload, message, network)


def _missing_entities(payload: dict[str, Any], message: Message, network: str) -> Iterator[PayloadFault]:
    for name in ENTITIES_OF[message]:
        if network == "verifyvasp" and name == "OriginatingVASP":
            continue  # sent outside the payload there (D8)
        if present(payload, name) is None:
            yield PayloadFault(name, "MISSING_FIELD", "add the object")
    if message == "data-request" and not is_own_network(network) and present(payload, "Originator") is None:
        yield PayloadFault(
            "Originator", "MISSING_FIELD", "a VASP of another network verifies the originator you send (D48)"
        )


def _person_faults(person: Any, path: str) -> Iterator[PayloadFault]:
    natural, legal = present(person, "naturalPerson"), present(person, "legalPerson")
    if (natural is None) == (legal is None):
        yield PayloadFault(path, "NOT_ONE_PERSON", "exactly one of naturalPerson and legalPerson")
    yield from name_faults(person, path)
    if natural is not None and not is_absent(present(natural, "name")):
        yield from _blank_name_faults(present(natural, "name"), f"{path}.naturalPerson.name")
    for kind, found in (("naturalPerson", natural), ("legalPerson", legal)):
        number = present(found, "nationalIdentification")
        if present(number, "nationalIdentifierType") == "LEIX" and present(number, "registrationAuthority"):
            where = f"{path}.{kind}.nationalIdentification.registrationAuthority"
            yield PayloadFault(where, "UNEXPECTED_FIELD", "an LEI has no registration authority: remove it")


def _blank_name_faults(names: Any, path: str) -> Iterator[PayloadFault]:
    """Yield blank names: allowed in ``nameIdentifier`` only, beside a local name (D16)."""
    local = any(present(entry, "primaryIdentifier") for entry in items(names, "localNameIdentifier"))
    for place, entry in enumerate(items(names, "nameIdentifier")):
        primary = present(entry, "primaryIdentifier")
        blank = primary is None or (isinstance(primary, str) and not primary.strip())
        if isinstance(entry, dict) and blank and not local:
            where = f"{path}.nameIdentifier[{place}].primaryIdentifier"
            yield PayloadFault(where, "MISSING_NAME", "add the name, or a localNameIdentifier")


def _vasp_faults(entity: Any, name: str, *, sending: bool) -> Iterator[PayloadFault]:
    path = f"{name}.{VASPS[name]}"
    person = present(entity, VASPS[name])
    if person is None:
        return
    yield from _person_faults(person, path)
    legal = present(person, "legalPerson")
    if legal is None:
        yield PayloadFault(f"{path}.legalPerson", "MISSING_FIELD", "a VASP is a legalPerson")
    elif sending and not present(legal, "geographicAddress") and not present(legal, "nationalIdentification"):
        yield PayloadFault(f"{path}.legalPerson", "MISSING_FIELD", "add geographicAddress or nationalIdentification")
