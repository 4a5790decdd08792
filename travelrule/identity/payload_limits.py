"""The limits of ``schemas.limits``, checked on the parsed JSON of a payload.

Every later step (models, name comparison, screening, storing) costs by size, so this check comes first. It stops at the
first excess, and visits no more items of a list than the limit allows.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from schemas import limits
from travelrule.identity.fault import PayloadFault
from travelrule.identity.json_fields import present, several
from travelrule.identity.required_data import PERSONS, VASPS

_NAME_ARRAYS = ("nameIdentifier", "localNameIdentifier", "phoneticNameIdentifier")
_NAME_PARTS = ("primaryIdentifier", "secondaryIdentifier", "legalPersonName")
_ACCOUNTS = {"Originator": limits.ORIGINATOR_ACCOUNTS_MAX, "Beneficiary": limits.BENEFICIARY_ACCOUNTS_MAX}


def excess(payload: Any) -> PayloadFault | None:
    """Return the first limit that an inner ``ivms101`` object exceeds, if any."""
    return next(_excesses(payload), None)


def name_count(payload: Any) -> int:
    """Return the number of names of both sides, by which comparing and screening cost."""
    people = (person for name, persons in PERSONS.items() for person in several(present(payload, name), persons))
    return sum(map(_name_count, people))


def has_too_many_values(value: Any) -> bool:
    """Whether there are more than ``VALUES_MAX`` values inside; visits no more of them than that."""
    count, waiting = 0, [value]
    while waiting:
        inner = waiting.pop()
        if isinstance(inner, dict):
            inner = inner.values()
        elif not isinstance(inner, list):
            continue
        count += len(inner)
        if count > limits.VALUES_MAX:
            return True
        waiting.extend(inner)
    return False


def _excesses(payload: Any) -> Iterator[PayloadFault]:
    for name, persons in PERSONS.items():
        side = present(payload, name)
        if side is not None:
            yield from _side(side, name, persons)
    for name, field in VASPS.items():
        vasp = present(payload, name)
        if vasp is not None:
            yield from _person(present(vasp, field), f"{name}.{field}")


def _side(side: Any, name: str, persons: str) -> Iterator[PayloadFault]:
    yield from _too_many(side, "accountNumber", name, _ACCOUNTS[name])
    people = several(side, persons)
    if not people:
        return
    yield from _too_many(side, persons, name, limits.PERSONS_MAX)
    legal = sum(present(person, "legalPerson") is not None for person in people)
    if legal > limits.LEGAL_PERSONS_MAX:
        yield PayloadFault(f"{name}.{persons}", "TOO_MANY", f"at most {limits.LEGAL_PERSONS_MAX} legal persons")
    names = 0
    for place, person in enumerate(people):
        yield from _person(person, f"{name}.{persons}[{place}]")
        names += _name_count(person)
        if names > limits.NAMES_MAX:
            yield PayloadFault(f"{name}.{persons}", "TOO_MANY", f"at most {limits.NAMES_MAX} names together")


def _person(person: Any, path: str) -> Iterator[PayloadFault]:
    for kind in ("naturalPerson", "legalPerson"):
        one, where = present(person, kind), f"{path}.{kind}"
        if one is None:
            continue
        names = present(one, "name")
        if names is not None:
            for array in _NAME_ARRAYS:
                yield from _names(names, array, f"{where}.name")
        yield from _too_many(one, "geographicAddress", where, limits.GEOGRAPHIC_ADDRESSES_MAX)
        for place, address in enumerate(several(one, "geographicAddress")):
            yield from _too_many(
                address, "addressLine", f"{where}.geographicAddress[{place}]", limits.ADDRESS_LINES_MAX
            )


def _names(names: Any, array: str, path: str) -> Iterator[PayloadFault]:
    yield from _too_many(names, array, path, limits.NAME_IDENTIFIERS_MAX)
    for place, entry in enumerate(several(names, array)):
        for part in _NAME_PARTS:
            text = present(entry, part)
            if isinstance(text, str) and len(text) > limits.NAME_CHARACTERS_MAX:
                where = f"{path}.{array}[{place}].{part}"
                yield PayloadFault(where, "TOO_LONG", f"at most {limits.NAME_CHARACTERS_MAX} characters")


def _name_count(person: Any) -> int:
    names = [present(present(person, kind), "name") for kind in ("naturalPerson", "legalPerson")]
    return sum(len(several(one, array)) for one in names for array in _NAME_ARRAYS)


def _too_many(holder: Any, field: str, path: str, most: int) -> Iterator[PayloadFault]:
    if len(several(holder, field)) > most:
        yield PayloadFault(f"{path}.{field}", "TOO_MANY", f"at most {most}")
