"""Token buckets: how often something may be done under one name. The rule is pure; a store keeps the buckets.

A bucket holds up to ``Rate.burst`` tokens and gets ``Rate.per_minute`` of them each minute. It may be charged below
zero for what was done before it could be counted; the debt is paid before anything else is let in. So the long-term
rate holds however many requests come at once.
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
    """How many tokens come back each minute, and how many there are at most. No ``per_minute``: no limit."""

    per_minute: int
    burst: int

    @classmethod
    def of(cls, per_minute: int) -> Rate:
        """Let all calls of a minute be made at once."""
        return cls(per_minute, per_minute)


class Bucket(NamedTuple):
    """The tokens that were there at a moment."""

    tokens: float
    at: datetime

    def refilled(self, rate: Rate, now: datetime) -> Bucket:
        """Return what is there now; a clock that went back takes nothing away."""
        gained = max(0.0, (now - self.at).total_seconds()) * rate.per_minute / _MINUTE_SECONDS
        return Bucket(min(float(rate.burst), self.tokens + gained), now)

    def less(self, cost: float) -> Bucket:
        """Return what is left after a charge."""
        return Bucket(self.tokens - cost, self.at)

    def wait_seconds(self, rate: Rate) -> float:
        """Return how long it takes until there is a token; 0.0: there is one."""
        return max(0.0, 1 - self.tokens) * _MINUTE_SECONDS / rate.per_minute


class BucketStore(Protocol):
    """Where buckets are kept, by name. Each method is one step on one bucket, so that a store which several processes
    share can be one atomic statement per call.
    """

    async def wait(self, name: str, rate: Rate, now: datetime) -> float:
        """Return the seconds until a token is there, and take none."""

    async def take(self, name: str, rate: Rate, now: datetime, cost: float = 1) -> float:
        """Charge ``cost`` if there is a token, and return 0.0; otherwise return the seconds until there is one."""

    async def charge(self, name: str, rate: Rate, now: datetime, cost: float = 1) -> None:
        """Charge ``cost`` whatever is there."""


class MemoryBuckets:
    """The buckets of one process. The name that was charged longest ago is forgotten first."""

    def __init__(self, names_max: int = NAMES_MAX) -> None:
        self._names_max = names_max
        self._buckets: OrderedDict[str, Bucket] = OrderedDict()

    def __len__(self) -> int:
        """Count the names that are remembered."""
        return len(self._buckets)

    async def wait(self, name: str, rate: Rate, now: datetime) -> float:
        """Return the seconds until a token is there; the name is not remembered for being asked about."""
        return self._wait(name, rate, now)

    async def take(self, name: str, rate: Rate, now: datetime, cost: float = 1) -> float:
        """Charge ``cost`` if there is a token."""
        wait = self._wait(name, rate, now)
        if not wait:
            self._charge(name, rate, now, cost)
        return wait

    async def charge(self, name: str, rate: Rate, now: datetime, cost: float = 1) -> None:
        """Charge ``cost`` whatever is there."""
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
    """Return a wait as ``Retry-After`` has it: whole seconds, at least one."""
    return max(1, math.ceil(wait))
