"""The index of all names of all lists, and the search in it.

An index does not change once built: a new list leads to a new index, which replaces the old one at once. Each step of
building and searching is short, so that an event loop can run them.
"""

from __future__ import annotations

from collections.abc import Generator, Iterable
from datetime import date

from travelrule.screening.names.identity_facts import weighed
from travelrule.screening.names.listed_names import KINDS, ListedName, NameKind, NameMatch
from travelrule.screening.names.name_partition import NamePartition
from travelrule.screening.names.name_query import NameQuery
from travelrule.screening.stepwise import run_steps
from travelrule.text import latin_letters

DEFAULT_THRESHOLD = 0.90
DEFAULT_LIMIT = 20
_WEAK_ALIAS_MIN = 0.97


class NameIndex:
    """All names of all lists at one moment."""

    def __init__(self, partitions: dict[NameKind, NamePartition]) -> None:
        self._partitions = partitions

    @classmethod
    def build_in_steps(cls, names: Iterable[ListedName]) -> Generator[None, None, NameIndex]:
        """Build in steps of about a millisecond; the generator returns the index."""
        yield from latin_letters.load_tables_in_steps()
        sorted_names: dict[NameKind, list[ListedName]] = {kind: [] for kind in KINDS}
        for place, listed in enumerate(names):
            sorted_names[listed.kind].append(listed)
            if not place % 5000:
                yield
        partitions = {kind: NamePartition(kind) for kind in KINDS}
        for kind, partition in partitions.items():
            yield from partition.build_in_steps(sorted_names[kind])
        return cls(partitions)

    @classmethod
    def build(cls, names: Iterable[ListedName]) -> NameIndex:
        """Build at once, for a thread or process of its own."""
        return run_steps(cls.build_in_steps(names))

    def __len__(self) -> int:
        """Return the number of names."""
        return sum(len(partition.listed) for partition in self._partitions.values())

    def release_in_steps(self) -> Generator[None, None, None]:
        """Release the memory in steps: releasing it at once would block the event loop. No search may follow."""
        for partition in self._partitions.values():
            yield from partition.release_in_steps()

    def search(
        self,
        text: str,
        kind: NameKind | None = None,
        *,
        birth_date: date | None = None,
        country: str | None = None,
        threshold: float = DEFAULT_THRESHOLD,
        limit: int = DEFAULT_LIMIT,
    ) -> tuple[NameMatch, ...]:
        """Return the entries that a name may mean, best rank first, one match per entry.

        A text without a letter or digit matches nothing. ``kind`` None searches all kinds.
        """
        return run_steps(
            self.search_in_steps(text, kind, birth_date=birth_date, country=country, threshold=threshold, limit=limit)
        )

    def search_in_steps(
        self,
        text: str,
        kind: NameKind | None = None,
        *,
        birth_date: date | None = None,
        country: str | None = None,
        threshold: float = DEFAULT_THRESHOLD,
        limit: int = DEFAULT_LIMIT,
    ) -> Generator[None, None, tuple[NameMatch, ...]]:
        """Search in steps, for an event loop that runs other work between them; returns the result of ``search``."""
        matches: list[NameMatch] = []
        for one in KINDS if kind is None else (kind,):
            partition = self._partitions[one]
            query = NameQuery(text, partition, threshold)
            yield from query.steps()
            for number, (score, reason) in query.found.items():
                listed = partition.listed[number]
                if listed.quality == "strong" or score >= _WEAK_ALIAS_MIN:
                    matches.append(_match(listed, score, reason, birth_date, country))
            yield
        return _best_per_entry(matches)[:limit]


def _match(listed: ListedName, score: float, reason: str, birth_date: date | None, country: str | None) -> NameMatch:
    change, said = weighed(listed, birth_date, country)
    rank = max(0.0, min(1.0, score + change))
    text = "; ".join((reason, *said))
    return NameMatch(listed.list_code, listed.entry_id, listed.kind, listed.name, round(score, 4), round(rank, 4), text)


def _best_per_entry(matches: list[NameMatch]) -> tuple[NameMatch, ...]:
    best: dict[tuple[str, str], NameMatch] = {}
    for match in sorted(matches, key=lambda each: (-each.rank, -each.score, each.list_code, each.entry_id, each.name)):
        best.setdefault((match.list_code, match.entry_id), match)
    return tuple(best.values())
