"""Rate limit: a token bucket per source IP (hub-api.md section 10, D15)."""

from __future__ import annotations

import math
from collections import OrderedDict
from datetime import datetime

from travelrule.hub.answers import HubFault

SOURCES_MAX = 10_000
"""Sources remembered; the one idle for longest is forgotten first, which gives it a full bucket again."""

_MINUTE_SECONDS = 60


class RateLimiter:
    """Lets each source make ``per_minute`` calls a minute, all of them at once if it likes; 0 is no limit."""

    def __init__(self, per_minute: int) -> None:
        self._per_minute = per_minute
        self._buckets: OrderedDict[str, tuple[float, datetime]] = OrderedDict()

    def take(self, source: str, now: datetime) -> None:
        """Count one call of ``source``.

        Raises ``HubFault`` 429 with ``Retry-After`` if its bucket is empty.
        """
        if not self._per_minute:
            return
        tokens = self._tokens(source, now)
        if tokens < 1:
            wait_seconds = math.ceil((1 - tokens) * _MINUTE_SECONDS / self._per_minute)
            raise HubFault(429, "TOO_MANY_REQUESTS", "too many calls from this address", max(1, wait_seconds))
        self._buckets[source] = (tokens - 1, now)
        self._buckets.move_to_end(source)
        if len(self._buckets) > SOURCES_MAX:
            self._buckets.popitem(last=False)

    def _tokens(self, source: str, now: datetime) -> float:
        bucket = self._buckets.get(source)
        if bucket is None:
            return float(self._per_minute)
        tokens, at = bucket
        gained = max(0.0, (now - at).total_seconds()) * self._per_minute / _MINUTE_SECONDS
        return min(float(self._per_minute), tokens + gained)
