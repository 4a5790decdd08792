"""The throttle of key refreshes: a pause per VASP, a budget for all, and bounded memory."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from schemas.hub.bodies import PublicKey
from travelrule.engine.directory.key_throttle import _VASPS_MAX, KeyThrottle

START = datetime(2026, 1, 1, tzinfo=UTC)
KEY = PublicKey(pubkey="a" * 43 + "=", start_time=None, expires_at=None)


class Clock:
    def __init__(self) -> None:
        self.now = START

    def __call__(self) -> datetime:
        return self.now

    def forward(self, seconds: float) -> None:
        self.now += timedelta(seconds=seconds)


def test_a_vasp_rests_for_the_pause_and_its_keys_are_remembered() -> None:
    clock = Clock()
    throttle = KeyThrottle(clock, 5)
    assert throttle.recent("north") is None
    throttle.note("north", (KEY,))
    clock.forward(4.9)
    assert throttle.recent("north") == (KEY,)
    assert throttle.recent("south") is None
    clock.forward(0.2)
    assert throttle.recent("north") is None


def test_a_question_without_an_answer_starts_the_pause_too() -> None:
    throttle = KeyThrottle(Clock(), 5)
    throttle.note("north")
    assert throttle.recent("north") == ()


def test_the_budget_of_a_minute_comes_back() -> None:
    clock = Clock()
    throttle = KeyThrottle(clock, 5, per_minute=2)
    assert [throttle.spend() for _ in range(3)] == [True, True, False]
    clock.forward(59.9)
    assert not throttle.spend()
    clock.forward(0.1)
    assert [throttle.spend() for _ in range(3)] == [True, True, False]


def test_without_a_budget_nothing_is_refused() -> None:
    throttle = KeyThrottle(Clock(), 5)
    assert all(throttle.spend() for _ in range(100))


def test_strangers_cannot_fill_the_memory() -> None:
    throttle = KeyThrottle(Clock(), 5)
    for number in range(_VASPS_MAX + 10):
        throttle.note(str(number))
    assert throttle.recent("0") is None
    assert throttle.recent(str(_VASPS_MAX + 9)) == ()
