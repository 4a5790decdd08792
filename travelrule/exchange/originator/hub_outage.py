"""A withdrawal on hold because the hub cannot be reached. It needs no decision: it goes on when the hub is back.

A call that waits for the hub is repeated by its row (``retry_policy``); the timer here only watches it. An attempt that
ended because its authorization may have arrived is begun again by the timer, under a fresh ``transferId``.
"""

from __future__ import annotations

from travelrule.exchange.originator.builder import TRY_AGAIN, Turn
from travelrule.exchange.originator.conclusion import give_up
from travelrule.machine.alert_codes import AlertCode
from travelrule.machine.backoff import retry_seconds
from travelrule.policy.causes import Cause

ALERT_AGAIN_SECONDS = 3600.0


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
