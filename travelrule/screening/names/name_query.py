"""One search over the names of one kind, in steps."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from rapidfuzz.distance import OSA

from travelrule.screening.names import match_reasons
from travelrule.screening.names.candidates import by_letters, by_words, query_words
from travelrule.screening.names.comparable_name import normalise
from travelrule.screening.names.name_partition import NamePartition
from travelrule.screening.names.name_scorer import align
from travelrule.screening.names.word_cuts import cuts

_SAME = 1.0
_SAME_BUT_FORM = 0.995
_OTHER_ORDER = 0.99
_TOGETHER = 0.97
_ROMANISED = 0.93
_CUT_COST = 0.01
_ALIGNED_MOST = 0.995
_ONE_WORD_MOST = 0.88
_ONE_WORD_LETTERS_MIN = 6
_SCANNED_FACTOR = 0.99
_EQUAL_MAX = 200
_ALIGNED_PER_STEP = 12


class NameQuery:
    """A search for a text in a partition. ``found`` has score and reason of each name at or above the threshold."""

    def __init__(self, text: str, partition: NamePartition, threshold: float) -> None:
        self.found: dict[int, tuple[float, str]] = {}
        self._partition = partition
        self._threshold = threshold
        self._normal = normalise(text, partition.kind)
        self._aligned: set[int] = set()

    def steps(self) -> Iterator[None]:
        """Search, a bounded part of the work per step."""
        if not self._normal.words or not self._partition.listed:
            return
        self._equal_names()
        for words, halves in cuts(self._normal.words, self._partition.vocabulary):
            yield
            yield from self._words_alike(words, halves)
        if not self.found:
            yield from self._letters_alike()

    def _note(self, number: int, score: float, reason: str) -> None:
        if score >= self._threshold and score > self._score_of(number):
            self.found[number] = (score, reason)

    def _score_of(self, number: int) -> float:
        known = self.found.get(number)
        return known[0] if known else 0.0

    def _equal_names(self) -> None:
        normal, partition = self._normal, self._partition
        for number in islice(partition.in_any_order.get(normal.sorted_words), _EQUAL_MAX):
            listed = normalise(partition.listed[number].name, partition.kind)
            if listed.every_word == normal.every_word:
                self._note(number, _SAME, match_reasons.SAME_NAME)
            elif listed.words == normal.words:
                self._note(number, _SAME_BUT_FORM, match_reasons.SAME_BUT_FORM)
            else:
                self._note(number, _OTHER_ORDER, match_reasons.OTHER_ORDER)
        for text in {normal.joined, "".join(normal.every_word)}:
            for number in islice(partition.joined.get(text), _EQUAL_MAX):
                self._note(number, _TOGETHER, match_reasons.WRITTEN_TOGETHER)
        for key in normal.keys:
            for number in islice(partition.keys.get(key), _EQUAL_MAX):
                self._note(number, _ROMANISED, match_reasons.OTHER_ROMANISATION)

    def _words_alike(self, words: tuple[str, ...], halves: int) -> Iterator[None]:
        query = query_words(words, self._normal, self._partition)
        vocabulary = self._partition.vocabulary
        most = _ALIGNED_MOST if words == self._normal.words else _ALIGNED_MOST - _CUT_COST
        yield
        candidates = yield from by_words(query, self._partition)
        self._aligned.update(candidates)
        for place, number in enumerate(candidates):
            if not place % _ALIGNED_PER_STEP:
                yield
            name = self._partition.words_of(number)
            alignment = align(query, name, vocabulary.words, vocabulary.weights)
            score = min(alignment.score, most)
            if score < self._threshold or score <= self._score_of(number):
                continue
            if halves >= 0 and not alignment.keeps_together(halves):
                continue
            letters = alignment.is_one_word_alike(query, name, vocabulary.words)
            if letters and not self._stands_alone(letters, number):
                score = min(score, _ONE_WORD_MOST)
            listed = [vocabulary.words[word] for word in name]
            self._note(number, score, match_reasons.of_alignment(query, listed, alignment, self._normal))

    def _stands_alone(self, letters: int, number: int) -> bool:
        """Whether one similar word is enough for a match: it is not short, and the legal form is the same."""
        if letters < _ONE_WORD_LETTERS_MIN:
            return False
        return self._normal.forms == normalise(self._partition.listed[number].name, self._partition.kind).forms

    def _letters_alike(self) -> Iterator[None]:
        """Compare the letters as one word, for names with every word misspelt, which no index of words finds."""
        joined = self._normal.joined
        for names in by_letters(joined, self._partition, self._threshold / _SCANNED_FACTOR):
            for number, text in names:
                if number not in self._aligned:  # word by word is more accurate
                    score = _SCANNED_FACTOR * OSA.normalized_similarity(joined, text)
                    self._note(number, score, match_reasons.NEARLY_SAME_LETTERS)
            yield
