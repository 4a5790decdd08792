"""The searchable names of one kind. Built once in small steps, not changed afterwards."""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Sequence

from travelrule.screening.names.comparable_name import NormalName, normalise
from travelrule.screening.names.id_map import IdMap
from travelrule.screening.names.listed_names import ListedName, NameKind
from travelrule.screening.names.vocabulary import Vocabulary
from travelrule.screening.stepwise import empty_in_steps

_NAMES_PER_STEP = 8
_SCANNED_LETTERS_MIN = 6


class NamePartition:
    """Names by number, with maps for equal names, an index of their words and their joined forms by length."""

    def __init__(self, kind: NameKind) -> None:
        self.kind = kind
        self.listed: list[ListedName] = []
        self._words: array[int] = array("I")
        self._starts: array[int] = array("I", (0,))
        self.weights: array[float] = array("d")
        self.vocabulary = Vocabulary()
        self.in_any_order = IdMap()
        self.joined = IdMap()
        self.keys = IdMap()
        self.scanned: list[str] = []
        """Joined names, shorter ones first; ``scanned_names`` has their numbers."""
        self.scanned_names: array[int] = array("I")
        self.scanned_starts: list[int] = []
        """Position of the first joined name with at least so many letters."""

    def build_in_steps(self, names: Sequence[ListedName]) -> Iterator[None]:
        """Add the names, a few per step."""
        joined: list[tuple[int, str, int]] = []
        for place, listed in enumerate(names):
            normal = normalise(listed.name, self.kind)
            number = self._add(listed, normal)
            if len(normal.joined) >= _SCANNED_LETTERS_MIN:
                joined.append((len(normal.joined), normal.joined, number))
            if not place % _NAMES_PER_STEP:
                yield
        yield from self.vocabulary.weigh(len(self.listed))
        yield from self.vocabulary.post(map(self.words_of, range(len(self.listed))))
        weights = self.vocabulary.weights
        for number in range(len(self.listed)):
            self.weights.append(sum([weights[word] for word in self.words_of(number)]))
            if not number % 2000:
                yield
        yield from self._lay_out(joined)

    def _add(self, listed: ListedName, normal: NormalName) -> int:
        number = len(self.listed)
        self.listed.append(listed)
        add = self.vocabulary.add
        self._words.extend([add(word, number, unvowelled=word in normal.unvowelled) for word in normal.words])
        self._starts.append(len(self._words))
        if normal.words:
            self.in_any_order.add(normal.sorted_words, number)
            self.joined.add(normal.joined, number)
            if normal.every_word != normal.words:
                self.joined.add("".join(normal.every_word), number)
        for key in normal.keys:
            self.keys.add(key, number)
        return number

    def words_of(self, number: int) -> array[int]:
        """Return the numbers of the words of a name, in order."""
        return self._words[self._starts[number] : self._starts[number + 1]]

    def _lay_out(self, joined: list[tuple[int, str, int]]) -> Iterator[None]:
        """Order joined names by length, one bucket per step: sorting them at once would take too long."""
        buckets: dict[int, list[tuple[str, int]]] = {}
        for place, (size, text, number) in enumerate(joined):
            buckets.setdefault(size, []).append((text, number))
            if not place % 5000:
                yield
        for size in range(max(buckets, default=0) + 1):
            self.scanned_starts.append(len(self.scanned))
            for text, number in buckets.pop(size, ()):
                self.scanned.append(text)
                self.scanned_names.append(number)
            yield

    def release_in_steps(self) -> Iterator[None]:
        """Release the memory, a part per step."""
        yield from empty_in_steps(self.listed)
        yield from empty_in_steps(self.scanned)
        yield from self.vocabulary.release_in_steps()
        for keys in (self.in_any_order, self.joined, self.keys):
            yield from keys.release_in_steps()

    def window(self, shortest: int, longest: int) -> range:
        """Return the positions in ``scanned`` of joined names with so many letters."""
        starts, end = self.scanned_starts, len(self.scanned)
        return range(
            starts[shortest] if shortest < len(starts) else end,
            starts[longest + 1] if longest + 1 < len(starts) else end,
        )
