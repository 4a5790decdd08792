"""A map from keys to numbers that is compact if most keys have one number."""

from __future__ import annotations

from array import array
from collections.abc import Iterator

from travelrule.screening.stepwise import empty_in_steps

_SHARDS = 64
_SHORT_RUN = 32


class IdMap:
    """Keys to numbers: dictionaries of plain integers, and one for the few keys that have several numbers.

    Short runs of numbers are tuples, which the garbage collector soon stops tracking, so that a large map does not slow
    its passes; only long runs are arrays. Several small dictionaries grow in small steps; a large one would block the
    event loop while it is copied.
    """

    __slots__ = ("_first", "_more")

    def __init__(self) -> None:
        self._first: tuple[dict[str, int], ...] = tuple({} for _ in range(_SHARDS))
        self._more: dict[str, tuple[int, ...] | array[int]] = {}

    def add(self, key: str, number: int) -> None:
        """Add a number to a key; a number that is repeated in a row counts once."""
        first = self._first[hash(key) % _SHARDS].setdefault(key, number)
        if first != number:
            more = self._more.get(key, ())
            if more and more[-1] == number:
                return
            if isinstance(more, array):
                more.append(number)
            else:
                more = (*more, number)
                self._more[key] = more if len(more) < _SHORT_RUN else array("I", more)

    def add_shorter(self, word: str, number: int) -> None:
        """Add a number to each key that is the word without one letter; ``add`` in a loop takes twice the time."""
        shards = self._first
        for place in range(len(word)):
            key = word[:place] + word[place + 1 :]
            if shards[hash(key) % _SHARDS].setdefault(key, number) != number:
                self.add(key, number)

    def get(self, key: str) -> Iterator[int]:
        """Yield the numbers of a key."""
        first = self._first[hash(key) % _SHARDS].get(key)
        if first is not None:
            yield first
            yield from self._more.get(key, ())

    def release_in_steps(self) -> Iterator[None]:
        """Release the memory, a part per step."""
        for keys in self._first:
            yield from empty_in_steps(keys)
        yield from empty_in_steps(self._more)

    def __len__(self) -> int:
        return sum(map(len, self._first))
