"""A snapshot of all names of all lists, and the search over it.

Nothing here changes once built: a new list makes a new index, which takes the place of the old one at once.
No step holds the processor for long, neither of a search nor of building, so that an event loop may run them.
"""

from __future__ import annotations

from collections.abc import Generator, Iterable, Iterator
from datetime import date
from typing import TypeVar

from rapidfuzz.distance import OSA

from travelrule.screening.names import letters, reasons
from travelrule.screening.names.candidates import by_letters, by_words, query_words
from travelrule.screening.names.entries import KINDS, ListedName, NameKind, NameMatch
from travelrule.screening.names.identity_facts import weighed
from travelrule.screening.names.normal import NormalName, normalise
from travelrule.screening.names.partition import Partition
from travelrule.screening.names.scorer import align
from travelrule.screening.names.variants import cuts

DEFAULT_THRESHOLD = 0.90
DEFAULT_LIMIT = 20
_SAME_BUT_FORM = 0.995
_OTHER_ORDER = 0.99
_TOGETHER = 0.97
_ROMANISED = 0.93
_CUT_COST = 0.01
_ALIGNED_MOST = 0.995
_ONE_WORD_MOST = 0.88
_ONE_WORD_LETTERS_MIN = 6
_WEAK_ALIAS_MIN = 0.97
_SCANNED_FACTOR = 0.99
_SCANNED_LETTERS_MIN = 8

_Result = TypeVar("_Result")
_Found = dict[int, tuple[float, str]]
"""Best score and reason by number of the name."""


class NameIndex:
    """All names of all lists at one moment."""

    def __init__(self, partitions: dict[NameKind, Partition]) -> None:
        self._partitions = partitions

    @classmethod
    def building(cls, names: Iterable[ListedName]) -> Generator[None, None, NameIndex]:
        """Build in steps of about a millisecond; what the generator returns is the index."""
        letters.prepare()
        yield
        sorted_names: dict[NameKind, list[ListedName]] = {kind: [] for kind in KINDS}
        for place, listed in enumerate(names):
            sorted_names[listed.kind].append(listed)
            if not place % 5000:
                yield
        partitions = {kind: Partition(kind) for kind in KINDS}
        for kind, partition in partitions.items():
            yield from partition.building(sorted_names[kind])
        return cls(partitions)

    @classmethod
    def build(cls, names: Iterable[ListedName]) -> NameIndex:
        """Build at once: for a thread or process of its own, and for tests."""
        return _last(cls.building(names))

    def __len__(self) -> int:
        """Return how many names there are."""
        return sum(len(partition.listed) for partition in self._partitions.values())

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

        Any text is fine; without a letter or digit it matches nothing. ``kind`` None searches all kinds.
        """
        return _last(
            self.searching(text, kind, birth_date=birth_date, country=country, threshold=threshold, limit=limit)
        )

    def searching(
        self,
        text: str,
        kind: NameKind | None = None,
        *,
        birth_date: date | None = None,
        country: str | None = None,
        threshold: float = DEFAULT_THRESHOLD,
        limit: int = DEFAULT_LIMIT,
    ) -> Generator[None, None, tuple[NameMatch, ...]]:
        """Search in steps: for an event loop that gives way between them. Returns what ``search`` returns."""
        matches: list[NameMatch] = []
        for one in KINDS if kind is None else (kind,):
            partition = self._partitions[one]
            found: _Found = {}
            if partition.listed:
                yield from _search(text, partition, threshold, found)
            for number, (score, reason) in found.items():
                listed = partition.listed[number]
                bar = threshold if listed.quality == "strong" else max(threshold, _WEAK_ALIAS_MIN)
                if score >= bar:
                    matches.append(_match(listed, score, reason, birth_date, country))
            yield
        return _best_per_entry(matches)[:limit]


def _search(text: str, partition: Partition, threshold: float, found: _Found) -> Iterator[None]:
    normal = normalise(text, partition.kind)
    if not normal.words:
        return
    _equal_names(normal, partition, found)
    for words, halves in cuts(normal.words, partition.vocabulary):
        _words_alike(words, halves, normal, partition, found)
        yield
    best = max((score for score, _ in found.values()), default=0.0)
    if best < threshold and len(normal.joined) >= _SCANNED_LETTERS_MIN:
        yield from _letters_alike(normal, partition, found)


def _equal_names(normal: NormalName, partition: Partition, found: _Found) -> None:
    for number in partition.in_any_order.get(normal.sorted_words):
        listed = normalise(partition.listed[number].name, partition.kind)
        if listed.every_word == normal.every_word:
            _note(found, number, 1.0, reasons.SAME_NAME)
        elif listed.words == normal.words:
            _note(found, number, _SAME_BUT_FORM, reasons.SAME_BUT_FORM)
        else:
            _note(found, number, _OTHER_ORDER, reasons.OTHER_ORDER)
    for text in {normal.joined, "".join(normal.every_word)}:
        for number in partition.joined.get(text):
            _note(found, number, _TOGETHER, reasons.WRITTEN_TOGETHER)
    for key in normal.keys:
        for number in partition.keys.get(key):
            _note(found, number, _ROMANISED, reasons.OTHER_ROMANISATION)


def _words_alike(words: tuple[str, ...], halves: int, normal: NormalName, partition: Partition, found: _Found) -> None:
    query = query_words(words, normal.unvowelled, partition)
    vocabulary = partition.vocabulary
    most = _ALIGNED_MOST if words == normal.words else _ALIGNED_MOST - _CUT_COST
    for number in by_words(query, partition):
        alignment = align(query, partition.words[number], vocabulary.words, vocabulary.weights)
        score = min(alignment.score, most)
        letters_alike = alignment.is_one_word_alike(partition.words[number], vocabulary.words)
        if letters_alike and not _stands_alone(letters_alike, normal, partition, number):
            score = min(score, _ONE_WORD_MOST)
        if halves >= 0 and not alignment.keeps_together(halves):
            continue
        if score > found.get(number, (0.0, ""))[0]:
            listed = [vocabulary.words[word] for word in partition.words[number]]
            _note(found, number, score, reasons.of_alignment(query, listed, alignment, normal))


def _stands_alone(size: int, normal: NormalName, partition: Partition, number: int) -> bool:
    """Say whether one word that is only alike tells enough: not a short one, not with another legal form."""
    if size < _ONE_WORD_LETTERS_MIN:
        return False
    return normal.forms == normalise(partition.listed[number].name, partition.kind).forms


def _letters_alike(normal: NormalName, partition: Partition, found: _Found) -> Iterator[None]:
    """Compare the letters as one word: for names misspelt in each word, which no index of words finds."""
    for names in by_letters(normal.joined, partition):
        for number, joined in names:
            if number not in found:  # what was aligned word by word has been judged better
                score = _SCANNED_FACTOR * OSA.normalized_similarity(normal.joined, joined)
                _note(found, number, score, reasons.NEARLY_SAME_LETTERS)
        yield


def _note(found: _Found, number: int, score: float, reason: str) -> None:
    if score > found.get(number, (0.0, ""))[0]:
        found[number] = (score, reason)


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


def _last(steps: Generator[None, None, _Result]) -> _Result:
    """Run all steps; gives what they return."""
    while True:
        try:
            next(steps)
        except StopIteration as end:
            result: _Result = end.value
            return result
