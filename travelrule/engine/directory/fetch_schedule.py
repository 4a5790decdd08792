"""When the VASP list is fetched: at its interval, sooner on demand, later after a failure. Pure.

One address may make 40 requests a minute to the limited operations of the hub (hub-api.md section 10), and searches and
KYT are among them. Fetching the list uses less than a quarter of that: 3.5 fetches a minute with the default interval,
on demand at most one in ``DEMAND_SECONDS`` and only while the last minute saw fewer than ``MINUTE_FETCHES``.
"""

from __future__ import annotations

from datetime import datetime, timedelta

from travelrule.store.directory_fetches import FetchState

DEMAND_SECONDS = 5.0
"""The least time between two fetches, whatever demands them."""
MINUTE_FETCHES = 7
"""Demands and repeats wait while this many fetches were started within the last minute."""
EARLY_SHARE = 0.15
"""The share of the interval reserved for what follows its end: noticing that a fetch is due, the fetch itself, and the
age of the copy that another process uses."""
FAILED_FIRST_SECONDS = 5.0
LIMITED_FIRST_SECONDS = 10.0
LIMITED_MAX_SECONDS = 300.0
DOUBLINGS_MAX = 10
STALE_INTERVALS = 15
"""A list older than this many intervals proves no VASP's health."""

_MINUTE = timedelta(minutes=1)


def period_of(interval: timedelta) -> timedelta:
    """How long after a fetch the next one starts."""
    return interval * (1 - EARLY_SHARE)


def is_due(state: FetchState, now: datetime, interval: timedelta) -> bool:
    """Whether a fetch is due now."""
    if not state.tried or state.tried[-1] - now > interval:
        return True  # never tried, or tried by a clock that was wrong
    if state.not_before is not None and now < state.not_before:
        return False
    age = now - state.tried[-1]
    if age >= period_of(interval):
        return True
    if age < timedelta(seconds=DEMAND_SECONDS):
        return False
    wanted = state.wanted_at is not None and state.wanted_at >= state.tried[-1]
    return (wanted or state.failures > 0) and _lately(state, now) < MINUTE_FETCHES


def tried_at(state: FetchState, now: datetime) -> tuple[datetime, ...]:
    """The start times to store when a fetch starts now."""
    return (*(at for at in state.tried if timedelta() <= now - at < _MINUTE), now)


def back_off(failures: int, interval: timedelta, *, limited: bool, retry_after: float | None) -> timedelta:
    """How long to wait after consecutive failures. ``limited``: the hub refused for too many requests."""
    doubled = 2.0 ** min(failures - 1, DOUBLINGS_MAX)
    if limited:
        seconds = min(LIMITED_MAX_SECONDS, LIMITED_FIRST_SECONDS * doubled)
        return timedelta(seconds=max(seconds, retry_after or 0.0))
    longest = max(period_of(interval), timedelta(seconds=FAILED_FIRST_SECONDS))
    waited = max(FAILED_FIRST_SECONDS * doubled, retry_after or 0.0)
    return min(longest, timedelta(seconds=waited))


def is_outdated(fetched_at: datetime | None, now: datetime, interval: timedelta) -> bool:
    """Whether the stored list is too old to rely on."""
    return fetched_at is None or now - fetched_at > interval * STALE_INTERVALS


def _lately(state: FetchState, now: datetime) -> int:
    return sum(now - at < _MINUTE for at in state.tried)
