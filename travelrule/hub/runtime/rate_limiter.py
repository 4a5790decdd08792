"""Rate limit: a token bucket per source IP (hub-api.md section 10, D15)."""

from __future__ import annotations

from datetime import datetime

from travelrule.hub.hub_answer import HubFault
from travelrule.listener.token_buckets import BucketStore, MemoryBuckets, Rate, retry_after_seconds


class RateLimiter:
    """Limits each source to ``per_minute`` calls a minute, which may come all at once; 0 is no limit."""

    def __init__(self, per_minute: int, buckets: BucketStore | None = None) -> None:
        self._rate = Rate.of(per_minute)
        self._buckets = buckets if buckets is not None else MemoryBuckets()

    async def check(self, source: str, now: datetime) -> None:
        """Raise ``HubFault`` 429 with ``Retry-After`` if the bucket of ``source`` is empty. Counts no call."""
        _refuse(await self._buckets.wait(source, self._rate, now))

    async def take(self, source: str, now: datetime) -> None:
        """Count one call of ``source``. Raises ``HubFault`` 429 with ``Retry-After`` if its bucket is empty."""
        _refuse(await self._buckets.take(source, self._rate, now))


def _refuse(wait: float) -> None:
    if wait:
        raise HubFault(429, "TOO_MANY_REQUESTS", "too many calls from this address", retry_after_seconds(wait))
