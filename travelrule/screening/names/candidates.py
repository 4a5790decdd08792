"""Which names of a list are worth a closer look."""

from __future__ import annotations

import heapq
from collections.abc import Iterator, Sequence

from rapidfuzz import fuzz, process

from travelrule.screening.names.partition import Partition
from travelrule.screening.names.scorer import QueryWord
from travelrule.screening.names.words import PARTICLES

CANDIDATES_MAX = 40
_POSTINGS_MAX = 20_000
_LEAST_SHARE = 0.35
_SCANNED_PER_STEP = 8_000
_SCAN_RATIO = 86.0
_SCAN_MAX = 6


def query_words(words: Sequence[str], unvowelled: frozenset[str], partition: Partition) -> list[QueryWord]:
    """Look each word of a query up once."""
    vocabulary = partition.vocabulary
    known = {
        word: QueryWord(word, vocabulary.weight_of(word), vocabulary.alike(word, unvowelled=word in unvowelled))
        for word in words
    }
    return [known[word] for word in words]


def by_words(query: Sequence[QueryWord], partition: Partition) -> list[int]:
    """Return the names that share most of the weight of a query, best first.

    Rare words are followed first; common ones are left out once enough names were touched, unless there are no others.
    """
    names, weights = partition.vocabulary.names, partition.vocabulary.weights
    shared: dict[int, float] = {}
    touched = 0
    for word in sorted({word.text: word for word in query}.values(), key=lambda each: -each.weight):
        if word.text in PARTICLES:
            continue
        for number, likeness in word.alike.items():
            postings, gain = names[number], weights[number] * likeness
            touched += len(postings)
            if touched > _POSTINGS_MAX and shared:
                break
            for name in postings:
                shared[name] = shared.get(name, 0.0) + gain
    if not shared:
        return []
    total = sum(word.weight for word in query)
    bar = min(_LEAST_SHARE * total, 0.9 * max(shared.values()))
    near = [(gain, name) for name, gain in shared.items() if gain >= bar]
    sizes = partition.weights
    # Twice the shared weight over both sizes, with less blame for what the longer one has more.
    best = heapq.nlargest(
        CANDIDATES_MAX,
        ((gain / (gain + abs(total - sizes[name]) * 0.3 + max(0.0, min(total, sizes[name]) - gain)), name)
         for gain, name in near),
    )  # fmt: skip
    return [name for _, name in best]


def by_letters(joined: str, partition: Partition) -> Iterator[list[tuple[int, str]]]:
    """Give the names whose letters, written as one word, are nearly the same; a part of the list per step."""
    slack = max(1, len(joined) // 8)
    window = partition.window(max(0, len(joined) - slack), len(joined) + slack)
    for start in range(window.start, window.stop, _SCANNED_PER_STEP):
        part = partition.scanned[start : min(window.stop, start + _SCANNED_PER_STEP)]
        near = process.extract(joined, part, scorer=fuzz.ratio, score_cutoff=_SCAN_RATIO, limit=_SCAN_MAX)
        yield [(partition.scanned_names[start + place], text) for text, _, place in near]
