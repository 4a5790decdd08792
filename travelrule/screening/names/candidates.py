"""Candidates of a search: the names of a list that are compared in detail."""

from __future__ import annotations

import heapq
from collections.abc import Generator, Iterator, Sequence

from rapidfuzz import process
from rapidfuzz.distance import OSA

from travelrule.screening.names.comparable_name import NormalName
from travelrule.screening.names.name_partition import NamePartition
from travelrule.screening.names.name_scorer import QueryWord
from travelrule.screening.names.name_words import PARTICLES

CANDIDATES_MAX = 40
_POSTINGS_MAX = 12_000
_LEAST_SHARE = 0.35
_LEAST_RATE = 0.45
_LEFT_OUT_COST = 0.3
_SCANNED_PER_STEP = 8_000
_SCAN_MAX = 6


def query_words(words: Sequence[str], normal: NormalName, partition: NamePartition) -> list[QueryWord]:
    """Return the words of a query, each looked up once."""
    vocabulary = partition.vocabulary
    known = {
        word: QueryWord(
            word,
            vocabulary.weight_of(word),
            vocabulary.alike(word, unvowelled=word in normal.unvowelled, exact=word in normal.exact),
            exact=word in normal.exact,
        )
        for word in words
    }
    return [known[word] for word in words]


def by_words(query: Sequence[QueryWord], partition: NamePartition) -> Generator[None, None, list[int]]:
    """Return the names that share most of the weight of a query, best first; the generator's steps are bounded.

    Rare words come first. A name whose shared words are so common that they cannot reach the bar is not collected, and
    common words are skipped once enough names were visited.
    """
    words = {word.text: word for word in query if word.text not in PARTICLES}
    total = sum(word.weight for word in query)
    bar = _LEAST_SHARE * total
    shared: dict[int, float] = {}
    rest, touched = sum(word.weight for word in words.values()), 0
    for word in sorted(words.values(), key=lambda each: -each.weight):
        touched = _collect(word, partition, shared, grow=rest >= bar or not shared, touched=touched)
        rest -= word.weight
        yield
    return _best(shared, total, min(bar, 0.9 * max(shared.values(), default=0.0)), partition)


def _collect(word: QueryWord, partition: NamePartition, shared: dict[int, float], *, grow: bool, touched: int) -> int:
    """Add the weight of a word to each name that has it or a similar one; return how many names were visited so far."""
    vocabulary = partition.vocabulary
    for number, likeness in word.alike.items():
        postings, gain = vocabulary.names_of(number), vocabulary.weights[number] * likeness
        touched += len(postings)
        if touched > _POSTINGS_MAX and shared:
            break
        for name in postings if grow else shared.keys() & postings:
            shared[name] = shared.get(name, 0.0) + gain
    return touched


def _best(shared: dict[int, float], total: float, bar: float, partition: NamePartition) -> list[int]:
    sizes = partition.weights
    rated = []
    for name, gain in shared.items():
        if gain < bar:
            continue
        size = sizes[name]
        small, large = (total, size) if total < size else (size, total)
        # As the scorer rates it: weight that neither shares is a contradiction, weight of one side only an omission.
        contradicted = small - gain if small > gain else 0.0
        rate = gain / (gain + contradicted + _LEFT_OUT_COST * (large - small))
        if rate >= _LEAST_RATE:
            rated.append((rate, name))
    return [name for _, name in heapq.nlargest(CANDIDATES_MAX, rated)]


def by_letters(joined: str, partition: NamePartition, least: float) -> Iterator[list[tuple[int, str]]]:
    """Yield the names whose letters, written as one word, are similar by ``least``; a part of the list per step.

    Only names of nearly the same length can be similar. A short name is similar to itself only, which the exact maps
    find.
    """
    edits = int(len(joined) * (1 - least) / least)
    if not edits:
        return
    window = partition.window(max(0, len(joined) - edits), len(joined) + edits)
    for start in range(window.start, window.stop, _SCANNED_PER_STEP):
        part = partition.scanned[start : min(window.stop, start + _SCANNED_PER_STEP)]
        near = process.extract(
            joined, part, scorer=OSA.normalized_similarity, processor=None, score_cutoff=least, limit=_SCAN_MAX
        )
        yield [(partition.scanned_names[start + place], text) for text, _, place in near]
