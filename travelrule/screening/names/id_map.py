"""A map from keys to numbers that costs little where most keys have one number."""

from __future__ import annotations

from collections.abc import Iterator


class IdMap:
    """Keys to numbers. One dictionary of plain integers, another for the few keys that have several.

    Plain integers are not tracked by the garbage collector, so that a large map does not slow its passes.
    """

    __slots__ = ("_first", "_more")

    def __init__(self) -> None:
        self._first: dict[str, int] = {}
        self._more: dict[str, list[int]] = {}

    def add(self, key: str, number: int) -> None:
        """Add a number to a key; the same number once more at once is no second one."""
        first = self._first.setdefault(key, number)
        if first != number:
            more = self._more.setdefault(key, [])
            if not more or more[-1] != number:
                more.append(number)

    def get(self, key: str) -> Iterator[int]:
        """Give the numbers of a key."""
        first = self._first.get(key)
        if first is not None:
            yield first
            yield from self._more.get(key, ())

    def __contains__(self, key: object) -> bool:
        return key in self._first

    def __len__(self) -> int:
        return len(self._first)
