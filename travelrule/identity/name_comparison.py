"""Comparison of the persons in a message with the registered owner: the receiver's rules of ivms101.md section 5.

A name matches only when each condition is met (member-api.md M2, rule 8):

* natural person: any name of the message (``nameIdentifier``, then ``localNameIdentifier``) against every registered
  name, in both orders of the latter; the first name counts only where a last name is given;
* legal person: the company name, and the representatives under the rule of the policy;
* nothing to compare is ``missing``, which is not the same as ``different``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Literal

from schemas import ivms101
from schemas.events import persons
from travelrule.identity.company_names import CompanyNames
from travelrule.identity.normal_names import normalise

NameResult = Literal["match", "missing", "different"]
RepresentativeRule = Literal["all", "any"]
"""``all``: the named representatives are exactly the registered ones; ``any``: at least one is named."""

PartyKind = Literal["natural", "legal"]

_NO_COMPANY = CompanyNames.of(())
_Pair = tuple[str, str]
_Names = frozenset[str]
"""All forms of one person's names, normalised: ready to be compared."""


@dataclass(frozen=True, slots=True)
class NamedParty:
    """The names of one side of a transfer, normalised, from a message or an event.

    Built once per message (`named_party`), because normalising is most of the cost.
    """

    people: tuple[_Names, ...]
    companies: CompanyNames = _NO_COMPANY
    is_legal: bool = False

    def __repr__(self) -> str:
        return "<NamedParty>"


_Forms = Callable[[Iterable[_Pair]], _Names]


def _as_sent(pairs: Iterable[_Pair]) -> _Names:
    """Left side of steps 1 to 4: last name before first name, as in the message."""
    return frozenset(normalise(last) + normalise(first) for last, first in pairs) - {""}


def _both_orders(pairs: Iterable[_Pair]) -> _Names:
    """Right side of steps 1 to 4: both orders. An empty name is none: it never matches."""
    normal = [(normalise(last), normalise(first)) for last, first in pairs]
    return frozenset(order for last, first in normal for order in (last + first, first + last)) - {""}


def named_party(sent: Sequence[ivms101.IvmsPerson]) -> NamedParty:
    """Return the persons of a message, ready to be compared with several owners."""
    return _party_of_message(sent)


def compare_party(sent: NamedParty, owner: persons.Person, representatives: RepresentativeRule = "all") -> NameResult:
    """Compare the persons of a message with a registered owner."""
    return _compare(sent, _party_of_owner(owner), representatives)


def compare_beneficiary(
    sent: Sequence[ivms101.IvmsPerson],
    owner: persons.Person,
    representatives: RepresentativeRule = "all",
) -> NameResult:
    """Compare the persons of a message with a registered owner."""
    return compare_party(named_party(sent), owner, representatives)


def compare_with_stored(
    sent: NamedParty,
    stored: Sequence[ivms101.IvmsPerson],
    representatives: RepresentativeRule = "all",
) -> NameResult:
    """Compare the persons of a message with those of a stored authorization (address verification, D37).

    ``missing`` if the stored one has no name.
    """
    held = _party_of_message(stored, _both_orders)
    if not held.companies and not held.people:
        return "missing"
    return _compare(sent, held, representatives)


def is_first_party(
    originator: Sequence[ivms101.IvmsPerson],
    beneficiary: Sequence[ivms101.IvmsPerson],
    owner: persons.Person,
    representatives: RepresentativeRule = "all",
) -> bool:
    """Whether sender, receiver and owner are the same (section 5, "First-party transfer")."""
    known = _party_of_owner(owner)
    parties = (_party_of_message(originator), _party_of_message(beneficiary))
    return all(_compare(party, known, representatives) == "match" for party in parties)


def same_party(one: persons.Person, other: persons.Person, representatives: RepresentativeRule = "all") -> bool:
    """Whether two persons, as our platform names them, are the same."""
    return _compare(_party_of_owner(one), _party_of_owner(other), representatives) == "match"


def names_agree(said: Sequence[ivms101.IvmsPerson], sent: Sequence[ivms101.IvmsPerson]) -> bool:
    """Whether an answer names the party of its request, and no other.

    Representatives of a company and further spellings of a name may be missing; order, case and legal form do not
    count.
    """
    answered, asked = _party_of_message(said, _both_orders), _party_of_message(sent, _both_orders)
    if answered.is_legal != asked.is_legal:
        return False
    if asked.is_legal and not answered.companies.is_same(asked.companies):
        return False
    if not asked.is_legal and bool(answered.people) != bool(asked.people):
        return False
    known = frozenset[str]().union(*asked.people)
    return not any(person.isdisjoint(known) for person in answered.people)


def holds_name(sent: Sequence[ivms101.IvmsPerson]) -> bool:
    """Whether the persons of a message hold a comparable name."""
    party = _party_of_message(sent)
    return bool(party.people or party.companies)


def birth_date_differs(sent: Sequence[ivms101.IvmsPerson], owner: persons.Person) -> bool:
    """Whether a date of birth was sent that is not the owner's; unknown on either side is no difference."""
    held = owner.natural.date_of_birth if owner.natural else None
    if held is None:
        return False
    births = (person.natural_person.date_and_place_of_birth for person in sent if person.natural_person)
    dates = (birth.date_of_birth for birth in births if birth and birth.date_of_birth)
    return any(_read_date(text) != held for text in dates)


def _read_date(text: str) -> date | None:
    try:
        return date.fromisoformat(text.strip()[:10])  # some peers append a time
    except ValueError:
        return None


def party_kind(sent: Sequence[ivms101.IvmsPerson]) -> PartyKind | None:
    """Return the kind of party that the persons of a message are; None without persons.

    A ``legalPerson`` at any place makes it a company (section 4, "Detection on deposit").
    """
    if any(person.legal_person for person in sent):
        return "legal"
    return "natural" if any(person.natural_person for person in sent) else None


def _compare(sent: NamedParty, held: NamedParty, representatives: RepresentativeRule) -> NameResult:
    if not sent.companies and not sent.people:
        return "missing"
    if sent.is_legal != held.is_legal:
        return "different"
    if not held.is_legal:
        # Several persons are several receivers: each must match.
        known = frozenset[str]().union(*held.people)
        return "different" if any(person.isdisjoint(known) for person in sent.people) else "match"
    company: NameResult = "missing"
    if sent.companies:
        company = "match" if sent.companies.is_same(held.companies) else "different"
    people = _compare_representatives(sent.people, held.people, representatives)
    if "different" in (company, people):
        return "different"
    return "missing" if "missing" in (company, people) else "match"


def _compare_representatives(sent: Sequence[_Names], held: Sequence[_Names], rule: RepresentativeRule) -> NameResult:
    if not sent:
        return "missing"
    if rule == "any":
        known = frozenset[str]().union(*held)
        return "different" if all(person.isdisjoint(known) for person in sent) else "match"
    return "match" if len(sent) == len(held) and _pairs_off(sent, held) else "different"


def _pairs_off(sent: Sequence[_Names], held: Sequence[_Names]) -> bool:
    """Whether a one-to-one assignment exists (augmenting paths)."""
    hits = [[place for place, names in enumerate(held) if not names.isdisjoint(one)] for one in sent]
    taken: dict[int, int] = {}

    def place(one: int, tried: set[int]) -> bool:
        for other in hits[one]:
            if other not in tried:
                tried.add(other)
                if other not in taken or place(taken[other], tried):
                    taken[other] = one
                    return True
        return False

    return all(place(one, set()) for one in range(len(hits)))


def _party_of_owner(owner: persons.Person) -> NamedParty:
    if owner.legal is None:
        return NamedParty((_held_forms(owner.natural),) if owner.natural else ())
    names = (owner.legal.name, owner.legal.local_name)
    people = tuple(map(_held_forms, owner.legal.representatives))
    return NamedParty(people, CompanyNames.of(name for name in names if name), is_legal=True)


def _held_forms(owner: persons.NaturalPerson) -> _Names:
    pairs = ((owner.last_name, owner.first_name), (owner.local_last_name, owner.local_first_name))
    return _both_orders((last or "", first or "") for last, first in pairs)


def _party_of_message(sent: Sequence[ivms101.IvmsPerson], forms: _Forms = _as_sent) -> NamedParty:
    people = (person.natural_person for person in sent)
    firms = (person.legal_person for person in sent)
    return NamedParty(
        tuple(names for person in people if person and (names := _sent_forms(person, forms))),
        CompanyNames.of(name for firm in firms if firm for name in _companies(firm)),
        is_legal=party_kind(sent) == "legal",
    )


def _sent_forms(sent: ivms101.NaturalPerson, forms: _Forms = _as_sent) -> _Names:
    """Return the names of a message: the first name counts only where the last one is defined."""
    if sent.name is None:
        return frozenset()
    entries = (*sent.name.name_identifier, *sent.name.local_name_identifier)
    pairs = ((entry.primary_identifier, entry.secondary_identifier) for entry in entries)
    return forms(pair for pair in pairs if pair[0].strip())


def _companies(sent: ivms101.LegalPerson) -> Iterator[str]:
    if sent.name:
        for entry in (*sent.name.name_identifier, *sent.name.local_name_identifier):
            if entry.legal_person_name.strip():
                yield entry.legal_person_name
