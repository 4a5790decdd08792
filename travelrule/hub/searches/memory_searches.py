"""Searches of one hub process, kept in memory for a day."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import replace
from datetime import datetime, timedelta

from travelrule.hub.searches.records import SEARCH_SECONDS, SearchKey, SearchOutcome, SearchRecord


class MemorySearches:
    """Searches by their key, forgotten ``SEARCH_SECONDS`` after their last change."""

    def __init__(self) -> None:
        self._keep = timedelta(seconds=SEARCH_SECONDS)
        self._kept: OrderedDict[SearchKey, tuple[SearchRecord, datetime]] = OrderedDict()

    def __len__(self) -> int:
        return len(self._kept)

    def open(self, search: SearchRecord, now: datetime) -> SearchRecord | None:
        """Keep a search that begins, or return the one that is known under its key."""
        known = self.find(search.key, now)
        if known is None:
            self._put(search, now)
        return known

    def end(self, key: SearchKey, outcome: SearchOutcome, now: datetime) -> None:
        """Keep the outcome of a search."""
        known = self._kept.get(key)
        if known is not None:
            self._put(replace(known[0], outcome=outcome), now)

    def find(self, key: SearchKey, now: datetime) -> SearchRecord | None:
        """Return a search that is still kept."""
        self._forget(now)
        known = self._kept.get(key)
        return known[0] if known is not None and known[1] > now else None

    def _put(self, search: SearchRecord, now: datetime) -> None:
        self._kept[search.key] = (search, now + self._keep)
        self._kept.move_to_end(search.key)

    def _forget(self, now: datetime) -> None:
        while self._kept:
            oldest = next(iter(self._kept))
            if self._kept[oldest][1] > now:
                return
            del self._kept[oldest]
