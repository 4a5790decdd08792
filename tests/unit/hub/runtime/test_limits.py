"""Token bucket per source IP."""

from __future__ import annotations

from datetime import timedelta

import pytest

from tests.support.hub import NOW, error_of, hub_under_test
from travelrule.hub.hub_answer import HubFault
from travelrule.hub.runtime.rate_limiter import RateLimiter
from travelrule.listener.token_buckets import NAMES_MAX, MemoryBuckets


async def _allowed(limiter: RateLimiter, source: str, seconds: float) -> bool:
    try:
        await limiter.take(source, NOW + timedelta(seconds=seconds))
    except HubFault:
        return False
    return True


async def test_a_bucket_empties_and_fills_steadily() -> None:
    limiter = RateLimiter(6)
    assert [await _allowed(limiter, "a", 0) for _ in range(7)] == [True] * 6 + [False]
    assert not await _allowed(limiter, "a", 9.9)
    assert await _allowed(limiter, "a", 10)
    assert not await _allowed(limiter, "a", 10.1)
    assert [await _allowed(limiter, "a", 1000) for _ in range(7)] == [True] * 6 + [False]


async def test_retry_after_is_when_the_next_call_is_allowed() -> None:
    limiter = RateLimiter(6)
    for _ in range(6):
        await limiter.take("a", NOW)
    with pytest.raises(HubFault) as refused:
        await limiter.take("a", NOW + timedelta(seconds=3))
    assert refused.value.error_type == "TOO_MANY_REQUESTS"
    assert refused.value.retry_after_seconds == 7
    assert await _allowed(limiter, "a", 3 + 7)


async def test_sources_have_their_own_buckets_and_zero_is_no_limit() -> None:
    limiter = RateLimiter(1)
    assert await _allowed(limiter, "a", 0)
    assert await _allowed(limiter, "b", 0)
    assert not await _allowed(limiter, "a", 0)
    unlimited = RateLimiter(0)
    assert all([await _allowed(unlimited, "a", 0) for _ in range(100)])


async def test_a_clock_that_goes_back_takes_no_tokens_away() -> None:
    limiter = RateLimiter(2)
    assert await _allowed(limiter, "a", 100)
    assert await _allowed(limiter, "a", 0)


async def test_memory_is_bounded() -> None:
    buckets = MemoryBuckets()
    limiter = RateLimiter(1, buckets)
    for number in range(NAMES_MAX + 10):
        await limiter.take(str(number), NOW)
    assert len(buckets) == NAMES_MAX


async def test_the_source_is_the_connection_and_not_a_header() -> None:
    hub = hub_under_test(source="10.0.0.1", rate_limit_per_minute=1)
    assert (await hub.send("GET", "/v1/code/vasps", headers={"X-Forwarded-For": "1.2.3.4"})).status_code == 200
    limited = await hub.send("GET", "/v1/code/vasps", headers={"X-Forwarded-For": "5.6.7.8"})
    assert error_of(limited) == (429, "TOO_MANY_REQUESTS")


async def test_transfers_are_not_limited() -> None:
    hub = hub_under_test(rate_limit_per_minute=1)
    assert [(await hub.authorize()).status_code for _ in range(3)] == [200, 200, 200]
