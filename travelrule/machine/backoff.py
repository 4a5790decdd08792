"""Waits that grow with each failure: of the hub from seconds, of a counterparty from the policy's first wait."""

from __future__ import annotations

RETRY_SECONDS_FIRST = 5.0
RETRY_SECONDS_MAX = 300.0
DOUBLINGS_MAX = 10
JITTER_STEPS = 1000
JITTER_SHARE = 0.5

COUNTERPARTY_RETRY_SECONDS_MAX = 3600
COUNTERPARTY_DOUBLINGS_MAX = 12
"""The policy's first wait for an unreachable counterparty is doubled up to this limit."""


def retry_seconds(failures: int, salt: int) -> float:
    """Return the wait after ``failures``: doubled each time, plus up to a half that depends on ``salt``."""
    seconds = min(RETRY_SECONDS_MAX, RETRY_SECONDS_FIRST * 2.0 ** min(failures - 1, DOUBLINGS_MAX))
    return seconds * (1 + JITTER_SHARE * (salt % JITTER_STEPS) / JITTER_STEPS)


def counterparty_retry_seconds(failures: int, first: int) -> int:
    """Return the wait for a counterparty after ``failures``; ``first`` is the policy's first wait. All in seconds."""
    longest = max(first, COUNTERPARTY_RETRY_SECONDS_MAX)
    return min(longest, first << min(max(failures - 1, 0), COUNTERPARTY_DOUBLINGS_MAX))
