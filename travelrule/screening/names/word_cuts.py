"""Other divisions of a query into words: two words that the list writes as one, one that it writes as two."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from travelrule.screening.names.name_words import PARTICLES
from travelrule.screening.names.vocabulary import Vocabulary

_VARIANTS_MAX = 3
_PART_LETTERS_MIN = 2
_SPLIT_LETTERS_MIN = 5
_COMMON_NAMES_MAX = 4000


def cuts(words: Sequence[str], vocabulary: Vocabulary) -> list[tuple[tuple[str, ...], int]]:
    """Return the query as written and its other divisions, mostly none.

    Each has the position of the first half of a word that was cut in two, -1 without one: the halves must be
    neighbours.
    """
    found = [(tuple(words), -1)]
    for other in _joins(words, vocabulary):
        found.append((other, -1))
        if len(found) > _VARIANTS_MAX:
            return found
    for place, split in _splits(words, vocabulary):
        found.append((split, place))
        if len(found) > _VARIANTS_MAX:
            break
    return found


def _joins(words: Sequence[str], vocabulary: Vocabulary) -> Iterator[tuple[str, ...]]:
    for place in range(len(words) - 1):
        for count in (2, 3):
            if place + count <= len(words):
                joined = "".join(words[place : place + count])
                if vocabulary.number(joined) is not None:
                    yield (*words[:place], joined, *words[place + count :])


def _splits(words: Sequence[str], vocabulary: Vocabulary) -> Iterator[tuple[int, tuple[str, ...]]]:
    for place, word in enumerate(words):
        if len(word) >= _SPLIT_LETTERS_MIN and not word.isdigit():
            for cut in range(_PART_LETTERS_MIN, len(word) - _PART_LETTERS_MIN + 1):
                if _together(word[:cut], word[cut:], vocabulary):
                    yield place, (*words[:place], word[:cut], word[cut:], *words[place + 1 :])


def _together(one: str, other: str, vocabulary: Vocabulary) -> bool:
    """Whether a name of the list has both words."""
    first, second = vocabulary.number(one), vocabulary.number(other)
    if first is None or second is None:
        return False
    if one in PARTICLES:
        return True
    small, large = sorted((first, second), key=vocabulary.counts.__getitem__)
    if vocabulary.counts[small] > _COMMON_NAMES_MAX:
        return False
    return not set(vocabulary.names_of(small)).isdisjoint(vocabulary.names_of(large))
