"""All lists in force at one moment, ready for searches by name and by address.

A snapshot does not change once built. Building and searching take steps of about a millisecond, so that an event loop
can run them; ``stepwise.run_steps`` runs all steps at once.
"""

from __future__ import annotations

from collections.abc import Generator, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from types import MappingProxyType
from typing import Literal

from travelrule.screening.addresses import address_keys
from travelrule.screening.lists.list_entries import BirthDate, ListEntry
from travelrule.screening.names import ListedName, NameIndex, NameKind, NameMatch, NameQuality
from travelrule.screening.stepwise import empty_in_steps, run_steps

What = Literal["party", "address"]
SAME = Decimal(1)
ALPHA_2 = 2
SPAN_YEARS_MAX = 10
"""A longer span of years of birth distinguishes no persons."""

_KINDS: Mapping[str, tuple[NameKind, ...]] = {
    "person": ("person",),
    "organisation": ("organisation",),
    "vessel": ("organisation",),
    "aircraft": ("organisation",),
    "other": ("person", "organisation"),
}
"""The kinds of names that an entry is compared as. An entry of kind ``other`` may be either."""


@dataclass(frozen=True, slots=True)
class ListHit:
    """An entry of a list that matches a party or an address.

    ``score`` is 0 to 1. ``reason`` is for a reader and quotes words of the list only. ``name`` is the entry's name, for
    an operator's search and never for an event.
    """

    list: str
    entry: str
    score: Decimal
    reason: str
    what: What
    name: str = ""


@dataclass(frozen=True, slots=True)
class ListedAddress:
    """The entry that lists an address."""

    list: str
    entry: str
    name: str
    symbol: str


@dataclass(frozen=True, slots=True)
class LoadedList:
    """One version of one list. ``addresses`` are by their keys (``address_keys``)."""

    code: str
    version: str
    entries: int
    names: list[ListedName]
    addresses: Mapping[str, tuple[ListedAddress, ...]]


def load_in_steps(code: str, version: str, entries: Iterable[ListEntry]) -> Generator[None, None, LoadedList]:
    """Load a list's entries, one per step. Raises what ``entries`` raises."""
    names: list[ListedName] = []
    addresses: dict[str, tuple[ListedAddress, ...]] = {}
    count = 0
    for entry in entries:
        count += 1
        names += _names(entry)
        for address in entry.addresses:
            listed = ListedAddress(code, entry.id, entry.name, address.symbol)
            for key in address_keys(address.address):
                addresses[key] = (*addresses.get(key, ()), listed)
        yield
    return LoadedList(code, version, count, names, MappingProxyType(addresses))


class ListSnapshot:
    """The lists in force, with the index of their names."""

    def __init__(self, lists: Mapping[str, LoadedList], index: NameIndex) -> None:
        self.lists = MappingProxyType(dict(lists))
        self._index = index

    @classmethod
    def build_in_steps(cls, lists: Mapping[str, LoadedList]) -> Generator[None, None, ListSnapshot]:
        """Build the index of all names of all lists."""
        names = (name for loaded in lists.values() for name in loaded.names)
        index = yield from NameIndex.build_in_steps(names)
        return cls(lists, index)

    @property
    def versions(self) -> Mapping[str, str]:
        """The version of each list by its code."""
        return MappingProxyType({code: loaded.version for code, loaded in self.lists.items()})

    def release_in_steps(self, keep: Mapping[str, LoadedList]) -> Generator[None, None, None]:
        """Release the memory in steps, except that of lists in ``keep``. No search may follow."""
        yield from self._index.release_in_steps()
        for code, loaded in self.lists.items():
            if keep.get(code) is not loaded:
                yield from empty_in_steps(loaded.names)

    def addresses(self, asked: Iterable[str]) -> tuple[ListHit, ...]:
        """Return the entries that list one of the addresses, in any spelling."""
        keys = dict.fromkeys(key for address in asked for key in address_keys(address))
        found: dict[tuple[str, str], ListHit] = {}
        for key in keys:
            for loaded in self.lists.values():
                for listed in loaded.addresses.get(key, ()):
                    reason = f"same address, listed as {listed.symbol}" if listed.symbol else "same address"
                    hit = ListHit(listed.list, listed.entry, SAME, reason, "address", listed.name)
                    found.setdefault((listed.list, listed.entry), hit)
        return tuple(found.values())

    def search_in_steps(
        self,
        names: Sequence[str],
        kind: NameKind | None,
        *,
        threshold: Decimal,
        birth_date: date | None = None,
        country: str | None = None,
    ) -> Generator[None, None, tuple[ListHit, ...]]:
        """Search for a party by every spelling of its name, in steps; return each entry once, the best rank first."""
        best: dict[tuple[str, str], NameMatch] = {}
        for name in names:
            matches = yield from self._index.search_in_steps(
                name, kind, birth_date=birth_date, country=country, threshold=float(threshold)
            )
            for match in matches:
                key = (match.list_code, match.entry_id)
                if key not in best or best[key].rank < match.rank:
                    best[key] = match
        ordered = sorted(best.values(), key=lambda match: (-match.rank, match.list_code, match.entry_id))
        return tuple(
            ListHit(one.list_code, one.entry_id, Decimal(str(one.score)), one.reason, "party", one.name)
            for one in ordered
        )


def empty_snapshot() -> ListSnapshot:
    """Return a snapshot without lists."""
    return ListSnapshot({}, run_steps(NameIndex.build_in_steps(())))


def _names(entry: ListEntry) -> Iterable[ListedName]:
    births = tuple(dict.fromkeys(text for birth in entry.birth_dates for text in _births(birth)))
    countries = tuple(country.upper() for country in entry.countries if len(country) == ALPHA_2)
    for name in entry.names:
        quality: NameQuality = "weak" if name.quality == "weak" else "strong"
        for kind in _KINDS[entry.kind]:
            yield ListedName(entry.list, entry.id, kind, name.text, quality, births, countries)


def _births(birth: BirthDate) -> Iterable[str]:
    """Return dates of birth in the form of the name index: a date or its beginning; a span as its years."""
    if birth.first == birth.last and not birth.circa:
        return (birth.first,)
    first, last = birth.earliest.year, birth.latest.year
    return [f"{year:04}" for year in range(first, last + 1)] if last - first <= SPAN_YEARS_MAX else ()
