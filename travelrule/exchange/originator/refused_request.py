"""A withdrawal of which only refused requests are known. Pure.

A request that was refused as a message is a dead letter. If its id is readable and no withdrawal has it, the platform
receives the verdict ``hold``, ``REJECTED_INPUT``, with the id of the dead letter. A valid request under the same id
opens the withdrawal as a new one; only the sequence of events continues.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Any

from schemas.events.decisions import DecisionRecorded
from schemas.events.txids import WithdrawalBroadcast, WithdrawalMined, WithdrawalSettled
from schemas.events.withdrawals import WithdrawalAmended, WithdrawalCancelled, WithdrawalRecorded, WithdrawalRequested
from schemas.wire_model import Wire
from travelrule.exchange.originator.builder import HELD
from travelrule.machine.alert_codes import AlertCode
from travelrule.machine.case import Case, case_for, verdict_data
from travelrule.machine.decision import Decision, ignored, rejected
from travelrule.machine.effects import Alert, Effect, Emit
from travelrule.machine.input import Input
from travelrule.machine.internal_inputs import TimerDue
from travelrule.machine.projection import Projection
from travelrule.policy.causes import Cause
from travelrule.policy.policy import Policy


class RequestRefused(Wire):
    """A ``withdrawal.requested.v1`` was refused: the dead letter, the code and the field (a path)."""

    dead_letter_id: str
    code: str
    field: str = ""


REFUSED_REQUEST_INPUTS: dict[str, type[Wire]] = {"request.refused": RequestRefused}
"""The model of each input type."""

_OF_THE_CHAIN = (WithdrawalBroadcast, WithdrawalMined, WithdrawalSettled)


@dataclass(frozen=True, slots=True)
class RefusedRequestState:
    """The state of a refused request. ``dead_letter_id`` is that of the newest refusal."""

    withdrawal_id: str
    dead_letter_id: str
    case: Case = field(default_factory=Case)
    timers: dict[str, datetime] = field(default_factory=dict)


def is_reopened(state: RefusedRequestState, data: Wire) -> bool:
    """Whether this input opens the withdrawal: a record always does, because value was sent."""
    if isinstance(data, WithdrawalRecorded):
        return True
    return isinstance(data, WithdrawalRequested) and not state.case.final


def first_refusal(withdrawal_id: str, data: RequestRefused, policy: Policy, now: datetime) -> Decision[Any]:
    """Put a new id on hold."""
    return _hold(RefusedRequestState(withdrawal_id, data.dead_letter_id), policy, now)


def decide_refused(state: RefusedRequestState, item: Input, policy: Policy, now: datetime) -> Decision[Any]:
    """Decide an input that does not open the withdrawal."""
    data = item.data
    if isinstance(data, TimerDue):
        return _timer_due(state, data, policy, now)
    if state.case.final:
        return _after_the_end(state, data)
    if isinstance(data, RequestRefused):
        return _hold(replace(state, dead_letter_id=data.dead_letter_id), policy, now)
    if isinstance(data, WithdrawalCancelled):
        return _end(state, Cause.CANCELLED, policy, "cancelled by the platform")
    if isinstance(data, DecisionRecorded) and data.decision == "deny":
        return _end(state, Cause.OPERATOR_DENY, policy, "denied by an operator")
    if isinstance(data, WithdrawalAmended | DecisionRecorded):
        fix = "its request was refused, so nothing is known of it: send the request again, corrected"
        return rejected(state, "REQUEST_REFUSED", "withdrawalId", fix)
    if isinstance(data, _OF_THE_CHAIN):
        return Decision(state, status="parked", rule="the request was refused")
    return ignored(state, "nothing was begun for a refused request")


def project_refused(state: RefusedRequestState) -> Projection:
    """Project verdict and timer; there is no row, because no field of the request is known."""
    due_at = state.timers.get(HELD)
    return Projection(verdict=state.case.verdict, chain="none", due_at=due_at, due_timer=HELD if due_at else "")


def _hold(state: RefusedRequestState, policy: Policy, now: datetime) -> Decision[Any]:
    case = replace(case_for(Cause.REJECTED_INPUT, "withdrawal", policy), reminders=state.case.reminders)
    held = replace(state, case=case)
    if HELD not in held.timers:  # a sender that repeats its fault must not put off the reminder
        held = _watched(held, policy, now)
    return Decision(held, (_verdict(held),), rule="the request was refused")


def _end(state: RefusedRequestState, cause: Cause, policy: Policy, rule: str) -> Decision[Any]:
    ended = replace(state, case=case_for(cause, "withdrawal", policy), timers={})
    return Decision(ended, (_verdict(ended),), rule=rule)


def _after_the_end(state: RefusedRequestState, data: Wire) -> Decision[Any]:
    if isinstance(data, WithdrawalCancelled | RequestRefused):
        return ignored(state, "the last verdict is final")
    if isinstance(data, WithdrawalBroadcast):
        alert: Effect = Alert(AlertCode.BROADCAST_WITHOUT_ALLOW.value, "critical")
        return Decision(state, (alert,), rule="broadcast without an allow")
    return rejected(state, "ALREADY_FINAL", "withdrawalId", "the last verdict is final: use a new id")


def _timer_due(state: RefusedRequestState, data: TimerDue, policy: Policy, now: datetime) -> Decision[Any]:
    """Repeat the verdict, half a limit later raise an alert, as for every hold."""
    if state.timers.get(data.name) != data.due_at:
        return ignored(state, "the timer was moved or dropped")
    reminders = state.case.reminders + 1
    held = _watched(replace(state, case=replace(state.case, reminders=reminders)), policy, now)
    if reminders % 2:
        return Decision(held, (_verdict(held),), rule="on hold for long: the platform is reminded")
    alert: Effect = Alert(AlertCode.HELD_TOO_LONG.value, attempts=reminders // 2)
    return Decision(held, (alert,), rule="on hold for too long")


def _watched(state: RefusedRequestState, policy: Policy, now: datetime) -> RefusedRequestState:
    return replace(state, timers={HELD: now + timedelta(seconds=policy.time_limits.held_reminder / 2)})


def _verdict(state: RefusedRequestState) -> Emit:
    data = {**verdict_data("withdrawal", state.withdrawal_id, state.case), "deadLetterId": state.dead_letter_id}
    return Emit("verdicts", state.withdrawal_id, "withdrawal.verdict.v1", data)
