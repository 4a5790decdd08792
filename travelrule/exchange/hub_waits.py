"""A withdrawal on hold because the hub cannot be reached. It needs no decision: it goes on when the hub is back.

A call that waits for the hub is repeated by its row (``retries``); the timer here only watches it. An attempt that
ended because its authorization may have arrived is begun again by the timer, under a fresh ``transferId``.
"""

from __future__ import annotations

from travelrule.exchange.alert_codes import AlertCode
from travelrule.exchange.concluding import give_up
from travelrule.exchange.turn import TRY_AGAIN, Turn
from travelrule.policy.verdicts import Cause

RETRY_SECONDS_FIRST = 5.0
RETRY_SECONDS_MAX = 300.0
ALERT_AGAIN_SECONDS = 3600.0
DOUBLINGS_MAX = 10
JITTER_STEPS = 1000
JITTER_SHARE = 0.5


def wait_for_hub(turn: Turn, *, begin_again: bool) -> None:
    """Hold. ``begin_again``: no call waits, so a timer begins the next attempt, from seconds upward."""
    turn.decide(Cause.HUB_UNREACHABLE)
    if turn.state.case.final:
        if turn.state.case.verdict == "deny":
            give_up(turn, "UNKNOWN")
        return
    limit = turn.policy.time_limits.unreachable_limit
    since = turn.state.failing_since or turn.now
    failures = turn.state.failures + 1
    turn.change(failing_since=since, failures=failures)
    left = limit - (turn.now - since).total_seconds()
    if left <= 0:
        turn.alert(AlertCode.HUB_UNREACHABLE, "critical", attempts=failures)
        turn.set_timer(TRY_AGAIN, ALERT_AGAIN_SECONDS)
    else:
        turn.set_timer(TRY_AGAIN, min(left, retry_seconds(failures, turn.item.salt.int)) if begin_again else left)


def waits_for_hub(turn: Turn) -> bool:
    """Whether the verdict says that the hub is waited for."""
    return turn.state.case.cause == Cause.HUB_UNREACHABLE


def retry_seconds(failures: int, salt: int) -> float:
    """How long to wait after so many failures: doubled each time, longer by up to a half, which differs by ``salt``."""
    seconds = min(RETRY_SECONDS_MAX, RETRY_SECONDS_FIRST * 2.0 ** min(failures - 1, DOUBLINGS_MAX))
    return seconds * (1 + JITTER_SHARE * (salt % JITTER_STEPS) / JITTER_STEPS)
