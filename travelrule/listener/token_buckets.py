"""Token buckets: how often an action is allowed under one name. The rule is pure; a store holds the buckets.

A bucket holds up to ``Rate.burst`` tokens and gains ``Rate.per_minute`` of them each minute. A charge for an action
that could not be counted before it happened may take it below zero; nothing more is allowed until it is positive. So
the long-term rate holds however many requests arrive at once.
"""

from __future__ import annotations

import math
from collections import OrderedDict
from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple, Protocol

NAMES_MAX = 10_000
_MINUTE_SECONDS = 60


@dataclass(frozen=True, slots=True)
class Rate:
    """Tokens gained each minute, and the most that a bucket holds. Without ``per_minute`` there is no limit."""

    per_minute: int
    burst: int

    @classmethod
    def of(cls, per_minute: int) -> Rate:
        """Return the rate at which all calls of a minute may come at once."""
        return cls(per_minute, per_minute)


class Bucket(NamedTuple):
    """The tokens of a bucket at a moment."""

    tokens: float
    at: datetime

    def refilled(self, rate: Rate, now: datetime) -> Bucket:
        """Return the bucket at ``now``; a clock that goes back removes no tokens."""
        gained = max(0.0, (now - self.at).total_seconds()) * rate.per_minute / _MINUTE_SECONDS
        return Bucket(min(float(rate.burst), self.tokens + gained), now)

    def less(self, cost: float) -> Bucket:
        """Return the bucket after a charge."""
        return Bucket(self.tokens - cost, self.at)

    def wait_seconds(self, rate: Rate) -> float:
        """Return the seconds until there is a token; 0.0 if there is one."""
        return max(0.0, 1 - self.tokens) * _MINUTE_SECONDS / rate.per_minute


class BucketStore(Protocol):
    """A store of buckets by name. Each method is one atomic step on one bucket."""

    async def wait(self, name: str, rate: Rate, now: datetime) -> float:
        """Return the seconds until there is a token; take none."""

    async def take(self, name: str, rate: Rate, now: datetime, cost: float = 1) -> float:
        """Charge ``cost`` if there is a token, and return 0.0; otherwise return the seconds until there is one."""

    async def charge(self, name: str, rate: Rate, now: datetime, cost: float = 1) -> None:
        """Charge ``cost``, also without a token."""


class MemoryBuckets:
    """The buckets of one process. Beyond ``names_max`` the name that was charged longest ago is removed."""

    def __init__(self, names_max: int = NAMES_MAX) -> None:
        self._names_max = names_max
        self._buckets: OrderedDict[str, Bucket] = OrderedDict()

    def __len__(self) -> int:
        """Return the number of stored names."""
        return len(self._buckets)

    async def wait(self, name: str, rate: Rate, now: datetime) -> float:
        """Return the seconds until there is a token; the name is not stored."""
        return self._wait(name, rate, now)

    async def take(self, name: str, rate: Rate, now: datetime, cost: float = 1) -> float:
        """Charge ``cost`` if there is a token."""
        wait = self._wait(name, rate, now)
        if not wait:
            self._charge(name, rate, now, cost)
        return wait

    async def charge(self, name: str, rate: Rate, now: datetime, cost: float = 1) -> None:
        """Charge ``cost``, also without a token."""
        self._charge(name, rate, now, cost)

    def _wait(self, name: str, rate: Rate, now: datetime) -> float:
        known = self._buckets.get(name)
        # Tokens only grow with time, so most calls need no arithmetic.
        if known is None or known.tokens >= 1 or not rate.per_minute:
            return 0.0
        return known.refilled(rate, now).wait_seconds(rate)

    def _charge(self, name: str, rate: Rate, now: datetime, cost: float) -> None:
        if not rate.per_minute:
            return
        known = self._buckets.get(name)
        bucket = Bucket(float(rate.burst), now) if known is None else known.refilled(rate, now)
        self._buckets[name] = bucket.less(cost)
        self._buckets.move_to_end(name)
        if len(self._buckets) > self._names_max:
            self._buckets.popitem(last=False)


def retry_after_seconds(wait: float) -> int:
    """Return a wait in the form of ``Retry-After``: whole seconds, at least one."""
    return max(1, math.ceil(wait))
