"""All words of a list: their weights, and the words that are spelt almost like a given one."""

from __future__ import annotations

import math
from array import array
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate

from rapidfuzz.distance import OSA

from travelrule.screening.names.id_map import IdMap
from travelrule.screening.names.name_words import PARTICLES
from travelrule.screening.names.spellings import fold, skeleton, sounds_alike
from travelrule.screening.stepwise import empty_in_steps
from travelrule.text.legal_forms import LONG_FORMS

EDITED_LETTERS_MIN = 4
"""Shorter words are equal or different: one letter makes a different name."""

WEIGHT_MAX = 9.0
WEIGHT_OF_PARTICLE = 0.3
_SAME_SOUND = 0.965
_SAME_CONSONANTS = {2: 0.88, 3: 0.93}
_SAME_CONSONANTS_MOST = 0.95
_WEIGHT_BY_LETTERS = {1: 3.0, 2: 4.5, 3: 6.0}
_LETTER_COST = 0.4
_EDIT_COST = 0.01
_FIRST_LETTER_COST = 0.03
_SHORT_WORD_COST = 0.10
_KNOWN_WORD_COST = 0.14
_KNOWN_NAMES = 4
_TWO_EDITS_LETTERS = 9
_NAMES_PER_STEP = 2000
_NAMES_LEAST = 5_000
"""A short list is weighed as part of a list of this size: otherwise all its words would be frequent."""


class Vocabulary:
    """Words by number, with the names that contain them and the keys that find them."""

    def __init__(self) -> None:
        self.words: list[str] = []
        self.counts: array[int] = array("I")
        """Number of names with the word."""
        self.weights: array[float] = array("d")
        self._numbers: dict[str, int] = {}
        self._last_name: array[int] = array("q")
        self._starts: array[int] = array("I")
        self._names: array[int] = array("I")
        self._one_less = IdMap()
        self._folds = IdMap()
        self._skeletons = IdMap()
        self._unvowelled = IdMap()
        self._has_unvowelled = False

    def add(self, word: str, name: int, *, unvowelled: bool) -> int:
        """Add a word of a name; return the number of the word."""
        number = self._numbers.get(word)
        if number is None:
            number = self._numbers[word] = len(self.words)
            self.words.append(word)
            self.counts.append(0)
            self._last_name.append(-1)
            self._index(word, number, unvowelled=unvowelled)
        if self._last_name[number] != name:
            self._last_name[number] = name
            self.counts[number] += 1
        return number

    def post(self, names: Iterable[Sequence[int]]) -> Iterator[None]:
        """Record for each word the names that have it; ``names`` has the words of each name, in the order of ``add``.

        One array holds all: tens of thousands of small ones would slow each pass of the garbage collector.
        """
        for count in accumulate(self.counts, initial=0):
            self._starts.append(count)
        yield
        free = self._starts[:]
        self._names = array("I", bytes(self._names.itemsize * free[-1]))
        yield
        for name, words in enumerate(names):
            for word in dict.fromkeys(words):
                self._names[free[word]] = name
                free[word] += 1
            if not name % _NAMES_PER_STEP:
                yield

    def names_of(self, number: int) -> array[int]:
        """Return the numbers of the names that have a word, ascending."""
        return self._names[self._starts[number] : self._starts[number + 1]]

    def _index(self, word: str, number: int, *, unvowelled: bool) -> None:
        if len(word) >= EDITED_LETTERS_MIN and not word.isdigit():
            self._one_less.add_shorter(word, number)
        self._folds.add(fold(word), number)
        if bones := skeleton(word):
            self._skeletons.add(bones, number)
            if unvowelled:
                self._has_unvowelled = True
                self._unvowelled.add(bones, number)

    def weigh(self, total: int) -> Iterator[None]:
        """Compute the weight of each word in small steps: the rarer, the heavier (inverse document frequency)."""
        total = max(total, _NAMES_LEAST)
        self._largest = min(WEIGHT_MAX, math.log(total + 1.0))
        for number, count in enumerate(self.counts):
            self.weights.append(self._weight(self.words[number], count, total))
            if not number % 1000:
                yield

    def _weight(self, word: str, count: int, total: int) -> float:
        if word in PARTICLES:
            return WEIGHT_OF_PARTICLE
        most = _WEIGHT_BY_LETTERS.get(len(word), WEIGHT_MAX)
        return max(WEIGHT_OF_PARTICLE, min(most, math.log((total + 1.0) / count)))

    def release_in_steps(self) -> Iterator[None]:
        """Release the memory, a part per step."""
        yield from empty_in_steps(self.words)
        yield from empty_in_steps(self._numbers)
        for keys in (self._one_less, self._folds, self._skeletons, self._unvowelled):
            yield from keys.release_in_steps()

    def number(self, word: str) -> int | None:
        """Return the number of a word, None if no name has it."""
        return self._numbers.get(word)

    def weight_of(self, word: str) -> float:
        """Return the weight of a word of a query; a word that no name has weighs most."""
        number = self._numbers.get(word)
        if number is not None:
            return self.weights[number]
        if word in PARTICLES or any(OSA.distance(word, form, score_cutoff=1) <= 1 for form in LONG_FORMS):
            return WEIGHT_OF_PARTICLE
        return min(self._largest, _WEIGHT_BY_LETTERS.get(len(word), WEIGHT_MAX))

    def alike(self, word: str, *, unvowelled: bool = False, exact: bool = False) -> dict[int, float]:
        """Return similar words with their likeness (0 to 1): same, same sound, one edit away.

        An ``exact`` word is similar to itself only.
        """
        found: dict[int, float] = {}
        number = self._numbers.get(word)
        if number is not None:
            found[number] = 1.0
        if exact:
            return found
        sound = fold(word)
        for other in self._folds.get(sound):
            if other not in found and sounds_alike(word, self.words[other]):
                found[other] = _SAME_SOUND
        if unvowelled or self._has_unvowelled:
            bones = skeleton(word)
            for other in (self._skeletons if unvowelled else self._unvowelled).get(bones) if bones else ():
                found.setdefault(other, _SAME_CONSONANTS.get(len(bones), _SAME_CONSONANTS_MOST))
        if len(word) >= EDITED_LETTERS_MIN - 1 and not word.isdigit():
            known = number is not None and self.counts[number] >= _KNOWN_NAMES
            for other in self._edited(word):
                if other not in found and (likeness := self._likeness(word, self.words[other])):
                    # Two frequent words are more likely two words than one misspelt.
                    both = known and self.counts[other] >= _KNOWN_NAMES
                    found[other] = likeness - _KNOWN_WORD_COST if both else likeness
        return found

    def _edited(self, word: str) -> set[int]:
        found = set(self._one_less.get(word))
        if len(word) >= EDITED_LETTERS_MIN:
            for shorter in {word[:place] + word[place + 1 :] for place in range(len(word))}:
                found.update(self._one_less.get(shorter))
                number = self._numbers.get(shorter)
                if number is not None:
                    found.add(number)
        return found

    @staticmethod
    def _likeness(word: str, other: str) -> float:
        letters = max(len(word), len(other))
        if letters < EDITED_LETTERS_MIN or word.isdigit() or other.isdigit():
            return 0.0
        edits = OSA.distance(word, other)
        if edits > 1 and letters < _TWO_EDITS_LETTERS:
            return 0.0
        likeness = 1 - edits * (_LETTER_COST / letters + _EDIT_COST)
        if word[0] != other[0]:
            likeness -= _FIRST_LETTER_COST
        return likeness if letters > EDITED_LETTERS_MIN else likeness - _SHORT_WORD_COST
