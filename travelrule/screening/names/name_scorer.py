"""The score of a name of a query against a name of a list.

Words are aligned one to one. Aligned words count for the match by weight and likeness. Words left over on both sides
contradict each other ("Juan" and "Diego"). Words left over on one side only may have been omitted, which costs little
if the other words are distinctive.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rapidfuzz.distance import OSA, JaroWinkler

from travelrule.screening.names.name_words import PARTICLES
from travelrule.screening.names.spellings import fold

_INITIAL = 0.9
_INITIAL_WEIGHT = 0.4
_LIKE_MIN = 0.72
_EVIDENCE_FULL = 16.0
"""Weight of aligned words above which a missing word costs least (about two rare words)."""
_LETTERS_FULL = 11
"""Letters of aligned words above which a missing word costs least: many names share short words."""
_EVIDENCE_MIN = 5.0
_OMITTED_LEAST, _OMITTED_MOST = 0.10, 0.60
_WEAK_EVIDENCE_SCORE = 0.6
_ALONE_SCORE = 0.85
_EXTRA_WORD_FACTOR = 1.5
_SHORT_NAME = 3


@dataclass(slots=True)
class QueryWord:
    """A word of the query: its weight, and the likeness of similar words of the list by number."""

    text: str
    weight: float
    alike: dict[int, float]
    exact: bool = False


@dataclass(frozen=True, slots=True)
class Alignment:
    """Aligned words and words left over; ``pairs`` are positions in the query and in the name, and the likeness."""

    score: float
    pairs: tuple[tuple[int, int, float], ...]
    left_of_query: tuple[int, ...]
    left_of_name: tuple[int, ...]

    def is_one_word_alike(self, query: Sequence[QueryWord], name: Sequence[int], words: Sequence[str]) -> int:
        """Return the number of letters of the only aligned word if its spellings differ, else 0.

        The shorter of the two spellings counts.
        """
        full = [pair for pair in self.pairs if words[name[pair[1]]] not in PARTICLES]
        if len(full) != 1 or full[0][2] == 1:
            return 0
        return min(len(query[full[0][0]].text), len(words[name[full[0][1]]]))

    def keeps_together(self, place: int) -> bool:
        """Whether a word of the query and the next one are neighbours in the name too."""
        others = {one: other for one, other, _ in self.pairs}
        return place in others and others.get(place + 1) == others[place] + 1


def align(query: Sequence[QueryWord], name: Sequence[int], words: Sequence[str], weights: Sequence[float]) -> Alignment:
    """Align a query with a name of the list, given as numbers of ``words`` with their ``weights``."""
    options = sorted(
        (
            (likeness * weights[number], likeness, one, other)
            for other, number in enumerate(name)
            for one, word in enumerate(query)
            if (likeness := word.alike.get(number))
        ),
        reverse=True,
    )
    pairs: list[tuple[int, int, float]] = []
    left, right = set(range(len(query))), set(range(len(name)))
    for _, likeness, one, other in options:
        if one in left and other in right:
            left.remove(one)
            right.remove(other)
            pairs.append((one, other, likeness))
    if left and right:
        _align_rest(query, name, words, pairs, left, right)
    score = _score(query, name, words, weights, pairs, left, right)
    return Alignment(score, tuple(pairs), tuple(sorted(left)), tuple(sorted(right)))


def _align_rest(
    query: Sequence[QueryWord],
    name: Sequence[int],
    words: Sequence[str],
    pairs: list[tuple[int, int, float]],
    left: set[int],
    right: set[int],
) -> None:
    """Align words that no index finds: initials, and words with more than one edit."""
    for one in sorted(left):
        if query[one].exact:
            continue
        best, chosen = 0.0, -1
        for other in right:
            likeness = _distant(query[one].text, words[name[other]])
            if likeness > best:
                best, chosen = likeness, other
        if chosen >= 0:
            left.remove(one)
            right.remove(chosen)
            pairs.append((one, chosen, best))


def _distant(one: str, other: str) -> float:
    """Return the likeness of two words that are not close, 0 if they are different."""
    if len(one) == 1 or len(other) == 1:
        return _INITIAL if one[0] == other[0] else 0.0
    if len(one) < len("abcde") or len(other) < len("abcde") or one.isdigit() or other.isdigit():
        return 0.0
    likeness = max(OSA.normalized_similarity(one, other), OSA.normalized_similarity(fold(one), fold(other)) - 0.05)
    if likeness < _LIKE_MIN or JaroWinkler.similarity(one, other) < _LIKE_MIN:
        return 0.0
    return likeness


def _score(
    query: Sequence[QueryWord],
    name: Sequence[int],
    words: Sequence[str],
    weights: Sequence[float],
    pairs: Sequence[tuple[int, int, float]],
    left: set[int],
    right: set[int],
) -> float:
    matched = likened = 0.0
    full = initials = letters = 0
    for one, other, likeness in pairs:
        weight = weights[name[other]]
        if len(query[one].text) == 1 or len(words[name[other]]) == 1:
            weight = min(weight, query[one].weight) * _INITIAL_WEIGHT
            initials += 1
        elif words[name[other]] not in PARTICLES:
            full += 1
            letters += len(words[name[other]])
        matched += weight
        likened += weight * likeness
    if not full:
        return 0.0
    asked = sum(query[place].weight for place in left)
    missing = sum(weights[name[place]] for place in right)
    conflict, omitted = min(asked, missing), abs(asked - missing)
    if asked > missing:
        omitted *= _EXTRA_WORD_FACTOR
    cost = _OMITTED_MOST - (_OMITTED_MOST - _OMITTED_LEAST) * min(
        1.0, matched / _EVIDENCE_FULL, letters / _LETTERS_FULL
    )
    score = likened / (matched + conflict + cost * omitted)
    if matched < _EVIDENCE_MIN and (left or right or likened < matched):
        return min(score, _WEAK_EVIDENCE_SCORE)
    alone = ((left or right) and omitted + conflict > 1) or (initials and likened < matched)
    if len(name) <= _SHORT_NAME and any(word.exact for word in query) and right:
        return min(score, _ALONE_SCORE)  # a name in Chinese characters is never abbreviated
    return min(score, _ALONE_SCORE) if full == 1 and alone else score
