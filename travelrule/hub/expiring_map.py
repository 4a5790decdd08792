"""Entries by key that are removed some time after they were stored. The present time is an argument."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Hashable
from datetime import datetime, timedelta
from typing import Generic, TypeVar

Key = TypeVar("Key", bound=Hashable)
Entry = TypeVar("Entry")


class ExpiringMap(Generic[Key, Entry]):
    """Entries that expire ``seconds`` after they were stored, and the oldest first beyond ``entries_max``."""

    def __init__(self, seconds: float, entries_max: int | None = None) -> None:
        self._lifetime = timedelta(seconds=seconds)
        self._entries_max = entries_max
        self._entries: OrderedDict[Key, tuple[Entry, datetime]] = OrderedDict()

    def __len__(self) -> int:
        return len(self._entries)

    def put(self, key: Key, entry: Entry, now: datetime) -> None:
        """Store an entry; its lifetime begins now."""
        self._entries[key] = (entry, now + self._lifetime)
        self._entries.move_to_end(key)
        self._remove_expired(now)

    def change(self, key: Key, entry: Entry) -> None:
        """Replace an entry; its lifetime stays the same."""
        known = self._entries.get(key)
        if known is not None:
            self._entries[key] = (entry, known[1])

    def find(self, key: Key, now: datetime) -> Entry | None:
        """Return an entry that has not expired."""
        self._remove_expired(now)
        known = self._entries.get(key)
        return known[0] if known is not None and known[1] > now else None

    def _remove_expired(self, now: datetime) -> None:
        while self._entries:
            oldest = next(iter(self._entries))
            full = self._entries_max is not None and len(self._entries) > self._entries_max
            if self._entries[oldest][1] > now and not full:
                return
            del self._entries[oldest]


class ExpiringSet:
    """Entries that expire ``seconds`` after they were added."""

    def __init__(self, seconds: float) -> None:
        self._entries: ExpiringMap[Hashable, bool] = ExpiringMap(seconds)

    def __len__(self) -> int:
        return len(self._entries)

    def add(self, entry: Hashable, now: datetime) -> bool:
        """Add an entry; return False if the set holds it already."""
        if self._entries.find(entry, now):
            return False
        self._entries.put(entry, True, now)  # noqa: FBT003 -- the value of the map
        return True
