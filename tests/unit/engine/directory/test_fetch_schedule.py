"""The schedule of the VASP list under any pattern of demands, failures and restarts."""

from __future__ import annotations

import itertools
from dataclasses import replace
from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from travelrule.engine.directory.fetch_schedule import back_off, is_due, is_outdated, period_of, tried_at
from travelrule.store.directory_fetches import FetchState

START = datetime(2026, 11, 20, 9, tzinfo=UTC)
INTERVAL = timedelta(seconds=20)
QUARTER = 10

seconds = st.tuples(st.booleans(), st.sampled_from(["listed", "failed", "limited", "lost"]))
"""One second: whether the list is demanded, and the outcome of a fetch that begins in it."""


@given(st.lists(seconds, min_size=60, max_size=240))
def test_no_minute_sees_a_quarter_of_what_the_hub_allows(course: list[tuple[bool, str]]) -> None:
    state, begun = FetchState(), []
    for number, (wanted, outcome) in enumerate(course):
        now = START + timedelta(seconds=number)
        if wanted:
            state = replace(state, wanted_at=now)
        if not is_due(state, now, INTERVAL):
            continue
        begun.append(now)
        state = replace(state, tried=tried_at(state, now))
        if outcome == "listed":
            state = replace(state, fetched_at=now, failures=0, not_before=None)
        elif outcome != "lost":  # a process that dies in the middle of a fetch records nothing
            failures = state.failures + 1
            wait = back_off(failures, INTERVAL, limited=outcome == "limited", retry_after=None)
            state = replace(state, failures=failures, not_before=now + wait)
    # One request besides may be for the coin networks.
    assert all(sum(timedelta() <= other - at < timedelta(minutes=1) for other in begun) + 1 < QUARTER for at in begun)
    if all(outcome == "listed" for _, outcome in course):
        assert all(later - earlier <= INTERVAL for earlier, later in itertools.pairwise(begun))


def test_a_list_stays_younger_than_its_interval() -> None:
    assert period_of(INTERVAL) <= INTERVAL - timedelta(seconds=3), "a look, a fetch and a copy of a second each"
    assert not is_due(FetchState(tried=(START,)), START + timedelta(seconds=16.9), INTERVAL)
    assert is_due(FetchState(tried=(START,)), START + timedelta(seconds=17), INTERVAL)


def test_a_demand_made_while_a_fetch_runs_is_not_answered_by_it() -> None:
    state = FetchState(tried=(START,), wanted_at=START + timedelta(seconds=1), fetched_at=START)
    assert is_due(state, START + timedelta(seconds=5), INTERVAL)
    assert not is_due(replace(state, wanted_at=START - timedelta(seconds=1)), START + timedelta(seconds=5), INTERVAL)


def test_a_clock_that_was_far_ahead_does_not_stop_the_fetches() -> None:
    assert is_due(FetchState(tried=(START + timedelta(days=1),)), START, INTERVAL)
    assert not is_due(FetchState(tried=(START + timedelta(seconds=2),)), START, INTERVAL)
    assert tried_at(FetchState(tried=(START + timedelta(days=1),)), START) == (START,)


def test_waits_after_failures_grow_and_are_bounded() -> None:
    waits = [back_off(n, INTERVAL, limited=False, retry_after=None).total_seconds() for n in range(1, 6)]
    assert waits == [5, 10, 17, 17, 17]
    limited = [back_off(n, INTERVAL, limited=True, retry_after=None).total_seconds() for n in (1, 2, 3, 6, 500)]
    assert limited == [10, 20, 40, 300, 300]
    assert back_off(1, INTERVAL, limited=True, retry_after=900).total_seconds() == 900


def test_a_list_is_outdated_after_its_limit_and_before_it_was_ever_fetched() -> None:
    assert is_outdated(None, START, INTERVAL)
    assert not is_outdated(START, START + timedelta(seconds=300), INTERVAL)
    assert is_outdated(START, START + timedelta(seconds=301), INTERVAL)
