"""Circuit and bulkhead: a dead counterparty gets no calls, a live one gets all its connections."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from travelrule.engine.calls.circuit_breaker import (
    FAILURES_TO_OPEN,
    OPEN_SECONDS_FIRST,
    OPEN_SECONDS_MAX,
    QUIET,
    Bulkheads,
)
from travelrule.machine.retry_policy import HOURLY_SECONDS, JITTER_SHARE

START = datetime(2026, 1, 1, tzinfo=UTC)


def at(seconds: float) -> datetime:
    return START + timedelta(seconds=seconds)


def fail(bulkheads: Bulkheads, times: int, seconds: float = 0, *, reached: bool = False) -> None:
    for _ in range(times):
        bulkheads.begin("south")
        bulkheads.end("south", at(seconds), reached=reached)


def test_as_many_calls_at_once_as_the_bulkhead_has_places() -> None:
    bulkheads = Bulkheads(3)
    assert bulkheads.free("south", START) == 3
    for _ in range(3):
        bulkheads.begin("south")
    assert bulkheads.free("south", START) == 0
    assert bulkheads.is_closed("south"), "it is busy, its circuit is not open"
    assert bulkheads.free("west", START) == 3
    bulkheads.end("south", START, reached=True)
    assert bulkheads.free("south", START) == 1
    assert sorted(bulkheads.known()) == ["south", "west"]


def test_failures_in_a_row_open_the_circuit_and_time_half_opens_it() -> None:
    bulkheads = Bulkheads(4)
    fail(bulkheads, FAILURES_TO_OPEN - 1)
    assert bulkheads.free("south", START) == 4
    fail(bulkheads, 1)
    assert bulkheads.free("south", at(OPEN_SECONDS_FIRST - 0.1)) == 0
    assert bulkheads.free("south", at(OPEN_SECONDS_FIRST)) == 1
    bulkheads.begin("south")
    assert bulkheads.free("south", at(OPEN_SECONDS_FIRST)) == 0, "one call at a time while half open"


def test_a_success_in_between_starts_the_count_anew() -> None:
    bulkheads = Bulkheads(4)
    for _ in range(3):
        fail(bulkheads, FAILURES_TO_OPEN - 1)
        fail(bulkheads, 1, reached=True)
    assert bulkheads.free("south", START) == 4


def test_one_success_while_half_open_closes_it() -> None:
    bulkheads = Bulkheads(4)
    fail(bulkheads, FAILURES_TO_OPEN)
    fail(bulkheads, 1, 6, reached=True)
    assert bulkheads.free("south", at(6)) == 4
    fail(bulkheads, FAILURES_TO_OPEN, 10)
    assert bulkheads.free("south", at(10 + OPEN_SECONDS_FIRST)) == 1, "and the pause is short again"


def test_each_failed_probe_doubles_the_pause_up_to_the_limit() -> None:
    bulkheads = Bulkheads(4)
    fail(bulkheads, FAILURES_TO_OPEN)
    now, pause, pauses = OPEN_SECONDS_FIRST, OPEN_SECONDS_FIRST, []
    for _ in range(6):
        fail(bulkheads, 1, now)
        pause = min(pause * 2, OPEN_SECONDS_MAX)
        pauses.append(pause)
        assert bulkheads.free("south", at(now + pause - 0.1)) == 0
        assert bulkheads.free("south", at(now + pause)) == 1
        now += pause
    assert pauses[:3] == [10.0, 20.0, 40.0]
    assert pauses[-1] == OPEN_SECONDS_MAX


def test_calls_that_were_on_their_way_when_it_opened_do_not_lengthen_the_pause() -> None:
    """Sixteen time-outs at once are one failure of the counterparty, not twelve failed probes."""
    bulkheads = Bulkheads(16)
    for _ in range(16):
        bulkheads.begin("south")
    for _ in range(16):
        bulkheads.end("south", START, reached=False)
    assert bulkheads.free("south", at(OPEN_SECONDS_FIRST)) == 1


@pytest.mark.parametrize("reached", [True, False])
def test_the_places_come_back_however_a_call_ends(*, reached: bool) -> None:
    bulkheads = Bulkheads(2)
    fail(bulkheads, 2, reached=reached)
    assert bulkheads.free("south", START) == 2


def test_a_circuit_that_no_call_tries_is_closed_after_longer_than_calls_wait() -> None:
    changes: list[tuple[str, bool]] = []
    bulkheads = Bulkheads(4, lambda target, is_open: changes.append((target, is_open)))
    fail(bulkheads, FAILURES_TO_OPEN)
    tried = at(OPEN_SECONDS_FIRST)
    bulkheads.begin("south")
    bulkheads.close_quiet(tried + QUIET)
    assert not bulkheads.is_closed("south"), "a call is on its way"
    bulkheads.end("south", tried, reached=False)
    bulkheads.close_quiet(tried + QUIET)
    assert not bulkheads.is_closed("south"), "the last try is not long ago"
    assert changes == [("south", True)]
    bulkheads.close_quiet(tried + QUIET + timedelta(seconds=OPEN_SECONDS_MAX))
    assert changes == [("south", True), ("south", False)]
    assert bulkheads.free("south", tried + 2 * QUIET) == 4
    fail(bulkheads, FAILURES_TO_OPEN - 1)
    assert bulkheads.is_closed("south"), "its count starts at zero again"


def test_no_call_waits_as_long_as_an_open_circuit_is_kept() -> None:
    assert QUIET.total_seconds() > HOURLY_SECONDS * (1 + JITTER_SHARE) + OPEN_SECONDS_MAX
