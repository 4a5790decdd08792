"""Requirements of single networks beyond the common rules (ivms101.md section 7)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from travelrule.identity.fault import PayloadFault
from travelrule.identity.json_fields import items, present
from travelrule.identity.required_data import birth_faults

GTR = "gtr"
SYGNA = "sygna"
VERIFYVASP = "verifyvasp"
OWN = "code"

_ASKED = frozenset({"authorization-request", "data-request", "data-response"})
"""Messages in which a side adds its own data; an authorization response copies the request's."""
_SYGNA_FIELDS = ("customerIdentification", "nationalIdentification", "geographicAddress")


def network_faults(payload: dict[str, Any], message: str, network: str) -> Iterator[PayloadFault]:
    """Yield what the payload lacks that the peer's network requires beyond `required_data`.

    ``network`` is its ``allianceName`` in small letters. Representatives of a company need no date of birth.
    """
    if message not in _ASKED:
        return
    if network in (GTR, SYGNA):
        yield from birth_faults(present(payload, "Originator"), "Originator")
    if network == GTR:
        yield from birth_faults(present(payload, "Beneficiary"), "Beneficiary")
    if network == SYGNA:
        yield from _missing(payload, "Originator", "originatorPersons", _SYGNA_FIELDS)


def _missing(payload: dict[str, Any], entity: str, array: str, fields: tuple[str, ...]) -> Iterator[PayloadFault]:
    """Check the party itself: a natural person alone, or the company, never its representatives."""
    people = items(present(payload, entity), array)
    company = any(present(person, "legalPerson") is not None for person in people)
    kind = "legalPerson" if company else "naturalPerson"
    for place, person in enumerate(people):
        found = present(person, kind)
        if found is None:
            continue
        path = f"{entity}.{array}[{place}].{kind}"
        for field in fields:
            if present(found, field) is None:
                yield PayloadFault(f"{path}.{field}", "MISSING_FIELD", "this network wants the field")


def clear_faults(clear: Any, message: str, alliance: str = OWN, *, tagged: bool = False) -> list[PayloadFault]:
    """Return what the clear fields lack that the peer's network requires. ``tagged``: the account has a tag.

    GTR: ``address``, ``network`` and the tag in searches and authorizations; VerifyVASP: ``originatingVasp`` in
    authorizations; every network but ours: ``currency`` and ``network`` in data requests (D48).
    """
    return [
        PayloadFault(field, "MISSING_FIELD", "this network wants the field outside the payload")
        for field in _clear_fields(message, alliance.casefold(), tagged=tagged)
        if present(clear, field) is None
    ]


def _clear_fields(message: str, network: str, *, tagged: bool) -> tuple[str, ...]:
    if message == "data-request":
        return () if network == OWN else ("currency", "network")
    if network == VERIFYVASP and message == "authorization-request":
        return ("originatingVasp",)
    if network == GTR and message in ("address-search", "authorization-request"):
        return ("address", "tag", "network") if tagged else ("address", "network")
    return ()
