"""Repeated lines: the first is written, the others are counted and written as one line a minute.

Memory and output are bounded: at most ``KEYS_MAX`` different lines are tracked at a time, each of which is written at
most twice within an interval (itself, and the count of its repetitions); all further lines share one more entry.
"""

from __future__ import annotations

from dataclasses import dataclass

from travelrule.log_fields import Line

INTERVAL_SECONDS = 60.0
KEYS_MAX = 40

Key = tuple[str, ...]
OTHERS: Key = ("others",)


@dataclass(slots=True)
class _Repeats:
    last: Line
    since: float
    count: int = 0


@dataclass(frozen=True, slots=True)
class Summary:
    """``count`` lines were not written within ``seconds``; ``last`` is the last of them."""

    last: Line
    count: int
    seconds: float
    mixed: bool
    """They were different lines: more than are tracked at a time."""


class RepeatedLines:
    """Selects the lines to write. Times are seconds."""

    def __init__(self, interval: float = INTERVAL_SECONDS, keys_max: int = KEYS_MAX) -> None:
        self._interval = interval
        self._keys_max = keys_max
        self._known: dict[Key, _Repeats] = {}

    @property
    def pending(self) -> bool:
        """Whether there are unwritten counts."""
        return any(repeats.count for repeats in self._known.values())

    def admit(self, key: Key, line: Line, now: float) -> bool:
        """Return whether the line is to be written now; otherwise count it."""
        if key not in self._known and len(self._known) >= self._keys_max:
            key = OTHERS
        repeats = self._known.get(key)
        if repeats is None:
            self._known[key] = _Repeats(line, now)
            return True
        repeats.count += 1
        repeats.last = line
        return False

    def due(self, now: float) -> list[Summary]:
        """Take the counts whose interval is over. A line that was not repeated within it counts as new."""
        over = [key for key, repeats in self._known.items() if not 0 <= now - repeats.since < self._interval]
        return self._taken(over, now)

    def rest(self, now: float) -> list[Summary]:
        """Take all counts, at the end of the process."""
        return self._taken(list(self._known), now)

    def _taken(self, keys: list[Key], now: float) -> list[Summary]:
        summaries = []
        for key in keys:
            repeats = self._known.pop(key)
            if repeats.count:
                seconds = round(max(0.0, now - repeats.since), 1)
                summaries.append(Summary(repeats.last, repeats.count, seconds, key == OTHERS))
                self._known[key] = _Repeats(repeats.last, now)
        return summaries
