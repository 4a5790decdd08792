"""Token buckets: whatever comes at once, the long-term rate holds; what is only asked about leaves no trace."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from travelrule.listener.token_buckets import Bucket, MemoryBuckets, Rate, retry_after_seconds

NOW = datetime(2026, 11, 20, 9, 0, tzinfo=UTC)
STEPS = st.lists(st.tuples(st.floats(0, 600), st.floats(0.5, 30)), min_size=1, max_size=60)


@given(STEPS, st.integers(1, 600), st.integers(1, 600))
def test_no_more_is_taken_than_the_burst_and_what_came_back_since(
    steps: list[tuple[float, float]], per_minute: int, burst: int
) -> None:
    rate, now, spent, started, largest = Rate(per_minute, burst), NOW, 0.0, NOW, 0.0
    bucket = Bucket(float(burst), NOW)
    for seconds, cost in steps:
        now += timedelta(seconds=seconds)
        bucket = bucket.refilled(rate, now)
        if not bucket.wait_seconds(rate):
            bucket = bucket.less(cost)
            spent, largest = spent + cost, max(largest, cost)
        elapsed = (now - started).total_seconds()
        # One call may cost more than there is; the deficit is refilled before the next.
        assert spent <= burst + elapsed * per_minute / 60 + largest + 1e-6
        assert bucket.tokens <= burst


@given(st.floats(-50, 0.99), st.integers(1, 600))
def test_after_the_wait_there_is_a_token_and_a_second_earlier_there_is_none(tokens: float, per_minute: int) -> None:
    rate, bucket = Rate.of(per_minute), Bucket(tokens, NOW)
    wait = bucket.wait_seconds(rate)
    assert not bucket.refilled(rate, NOW + timedelta(seconds=retry_after_seconds(wait))).wait_seconds(rate)
    if wait > 1:
        assert bucket.refilled(rate, NOW + timedelta(seconds=wait - 1)).wait_seconds(rate)


async def test_what_was_done_before_it_was_counted_is_paid_for() -> None:
    buckets, rate = MemoryBuckets(), Rate.of(60)
    for _ in range(500):
        await buckets.charge("north", rate, NOW)
    assert await buckets.take("north", rate, NOW + timedelta(seconds=440)) > 0
    assert await buckets.take("north", rate, NOW + timedelta(seconds=441)) == 0


async def test_asking_about_a_name_neither_remembers_it_nor_resets_another() -> None:
    buckets, rate = MemoryBuckets(names_max=3), Rate.of(1)
    assert await buckets.take("north", rate, NOW) == 0
    for number in range(100):
        assert await buckets.wait(f"stranger-{number}", rate, NOW) == 0
        assert await buckets.wait("north", rate, NOW) > 0
    assert len(buckets) == 1
    assert await buckets.take("north", rate, NOW) > 0


async def test_the_name_charged_longest_ago_is_forgotten_first() -> None:
    buckets, rate = MemoryBuckets(names_max=2), Rate.of(1)
    for name in ("a", "b", "c"):
        await buckets.take(name, rate, NOW)
    assert len(buckets) == 2
    assert [await buckets.wait(name, rate, NOW) > 0 for name in ("a", "b", "c")] == [False, True, True]
