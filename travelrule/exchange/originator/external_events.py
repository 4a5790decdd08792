"""What ends or nudges a withdrawal from outside: the platform cancels, an operator decides, a timer comes due."""

from __future__ import annotations

from dataclasses import replace

from schemas.events.decisions import DecisionRecorded
from schemas.events.withdrawals import WithdrawalCancelled
from travelrule.exchange.originator.assessment_results import unanswered
from travelrule.exchange.originator.authorization import try_again
from travelrule.exchange.originator.builder import (
    CONCLUDE,
    GATE,
    REPORT_AGAIN,
    SEARCH_AGAIN,
    TRY_AGAIN,
    WAKE,
    Turn,
    owes,
)
from travelrule.exchange.originator.conclusion import give_up, report_again
from travelrule.exchange.originator.state import WithdrawalState
from travelrule.exchange.originator.wallet_search import search_again
from travelrule.machine.alert_codes import AlertCode
from travelrule.machine.builder import ignored, rejected
from travelrule.machine.decision import Decision
from travelrule.machine.internal_inputs import CallResult, TimerDue
from travelrule.machine.transition_table import NEW
from travelrule.policy.causes import Cause


def cancelled(turn: Turn, data: WithdrawalCancelled) -> Decision[WithdrawalState]:
    """``machine.cancelled.v1``: possible until the value is on its way."""
    state = turn.state
    if state.txid is not None:
        return rejected(
            state, "ALREADY_BROADCAST", "withdrawalId", "the value is on its way: send withdrawal.settled.v1 failed"
        )
    if state.case.final and state.case.verdict == "deny":
        return ignored(state, "denied before")
    give_up(turn, data.reason)
    turn.overrule(Cause.CANCELLED)
    return turn.done("cancelled by the platform")


def operator_decided(turn: Turn, data: DecisionRecorded) -> Decision[WithdrawalState]:
    """``decision.recorded.v1``: deny anything not final; allow what is on hold, as far as the policy lets him."""
    state = turn.state
    if state.case.final:
        return rejected(state, "ALREADY_FINAL", "subject", "the last verdict is final")
    if data.decision == "deny":
        if state.txid is None:
            give_up(turn, "UNKNOWN")
        turn.overrule(Cause.OPERATOR_DENY)
        return turn.done("denied by an operator")
    if state.case.verdict != "hold":
        return rejected(state, "NOT_ON_HOLD", "subject", "only a withdrawal whose last verdict is hold can be allowed")
    if not turn.policy.operator_override:
        return rejected(state, "NOT_VERIFIED", "decision", "the policy has operator_override = false")
    limit = turn.policy.operator_limits.get(state.request.trade_currency)
    if limit is not None and state.request.trade_price > limit:
        return rejected(state, "OPERATOR_LIMIT", "decision", "the value is above the policy's operator_limits")
    if state.attempt is not None and state.attempt.status == NEW:
        turn.drop("address-search")
    turn.overrule(Cause.OPERATOR_ALLOW)
    return turn.done("allowed by an operator")


def timer_due(turn: Turn, data: TimerDue) -> Decision[WithdrawalState]:
    """A timer of this withdrawal came due; one that was moved or dropped since is nothing."""
    if data.name == WAKE:
        return turn.done("looked at once more: it may wait without a timer")
    if turn.state.timers.get(data.name) != data.due_at:
        return ignored(turn.state, "the timer was moved or dropped")
    turn.clear_timer(data.name)
    if data.name == SEARCH_AGAIN:
        return turn.done(search_again(turn, counted=True))
    if data.name == TRY_AGAIN and turn.state.request.destination.kind == "unknown":
        return turn.done(search_again(turn, counted=False))
    if data.name == TRY_AGAIN:
        return turn.done(try_again(turn))
    if data.name == REPORT_AGAIN:
        return turn.done(report_again(turn))
    if data.name == GATE:
        return turn.done(unanswered(turn))
    if data.name == CONCLUDE:
        return turn.done(_not_concluded(turn))
    return turn.done(_held_long(turn))


def _not_concluded(turn: Turn) -> str:
    for attempt in turn.state.attempts:
        if owes(attempt):
            turn.alert(AlertCode.EXCHANGE_NOT_CONCLUDED, "critical", attempt.counterparty, attempt.reports or None)
    return "verified, and not concluded within the limit"


def _held_long(turn: Turn) -> str:
    """Remind the platform; half a limit later tell an operator; and so on."""
    case = turn.state.case
    reminders = case.reminders + 1
    turn.change(case=replace(case, reminders=reminders))
    if reminders % 2:
        turn.say_verdict()
        return "on hold for long: the platform is reminded"
    counterparty = case.counterparty or turn.state.request.destination.vasp_entity_id
    turn.alert(AlertCode.HELD_TOO_LONG, "warning", counterparty, reminders // 2)
    return "on hold for too long"


def troubled(turn: Turn, report: CallResult) -> Decision[WithdrawalState]:
    """A call is still being tried; an operator should know."""
    attempt = turn.state.find(report.transfer_id)
    search = turn.state.search
    if attempt is None and (search is None or search.over or search.request_id != report.transfer_id):
        return ignored(turn.state, "neither an attempt nor a search has this id")
    counterparty = attempt.counterparty if attempt is not None else None
    turn.alert(AlertCode.CALL_TROUBLED, "warning", counterparty, report.attempts)
    return turn.done("call still being tried")
