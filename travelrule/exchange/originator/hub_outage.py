"""A withdrawal on hold because the hub cannot be reached. It needs no decision: it continues when the hub is back.

A call that waits for the hub is repeated by its row (``retry_policy``); the timer here only watches it. After an
attempt that ended because its authorization may have arrived, the timer starts a new one with a fresh ``transferId``.
"""

from __future__ import annotations

from travelrule.exchange.originator.builder import TRY_AGAIN, WithdrawalBuilder
from travelrule.exchange.originator.conclusion import give_up
from travelrule.machine.alert_codes import AlertCode
from travelrule.machine.backoff import retry_seconds
from travelrule.policy.causes import Cause

ALERT_AGAIN_SECONDS = 3600.0


def wait_for_hub(builder: WithdrawalBuilder, *, begin_again: bool) -> None:
    """Hold. ``begin_again``: no call is queued, so a timer starts the next attempt, from seconds upward."""
    builder.decide(Cause.HUB_UNREACHABLE)
    if builder.state.case.final:
        if builder.state.case.verdict == "deny":
            give_up(builder, "UNKNOWN")
        return
    limit = builder.policy.time_limits.unreachable_limit
    since = builder.state.failing_since or builder.now
    failures = builder.state.failures + 1
    builder.change(failing_since=since, failures=failures)
    left = limit - (builder.now - since).total_seconds()
    if left <= 0:
        builder.alert(AlertCode.HUB_UNREACHABLE, "critical", attempts=failures)
        builder.set_timer(TRY_AGAIN, ALERT_AGAIN_SECONDS)
    else:
        builder.set_timer(TRY_AGAIN, min(left, retry_seconds(failures, builder.item.salt.int)) if begin_again else left)


def waits_for_hub(builder: WithdrawalBuilder) -> bool:
    """Whether the withdrawal is on hold for the hub."""
    return builder.state.case.cause == Cause.HUB_UNREACHABLE
