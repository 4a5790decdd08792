"""The limit of the policy within which a platform's request gets its first verdict."""

from __future__ import annotations

from datetime import datetime, timedelta

from schemas.events.deposits import DepositDetected
from schemas.events.screenings import ScreeningRequested
from schemas.events.withdrawals import WithdrawalRequested
from travelrule.machine.input import Input
from travelrule.policy.policy import Policy


def answer_due_at(item: Input, policy: Policy) -> datetime | None:
    """Return until when the subject that ``item`` creates gets a verdict, from the time of the event.

    None for what is not answered by a verdict, and for a proof of ownership, whose time is the customer's.
    """
    limits = policy.time_limits
    match item.data:
        case WithdrawalRequested() | DepositDetected():
            seconds = limits.verdict
        case ScreeningRequested(kind=kind):
            seconds = limits.kyt_limit if kind == "kyt" else limits.screening
        case _:
            return None
    return item.at + timedelta(seconds=seconds)
