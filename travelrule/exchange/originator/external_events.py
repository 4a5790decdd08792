"""External events of a withdrawal: cancelled by the platform, decided by an operator, timers, calls in trouble."""

from __future__ import annotations

from dataclasses import replace

from schemas.events.decisions import DecisionRecorded
from schemas.events.withdrawals import WithdrawalCancelled
from schemas.operations import Operation
from travelrule.exchange.originator.assessment_results import repeat_unanswered
from travelrule.exchange.originator.authorization import try_again
from travelrule.exchange.originator.builder import (
    CONCLUDE,
    GATE,
    REPORT_AGAIN,
    SEARCH_AGAIN,
    TRY_AGAIN,
    WAKE,
    WithdrawalBuilder,
    owes_conclusion,
)
from travelrule.exchange.originator.conclusion import give_up, report_again
from travelrule.exchange.originator.state import WithdrawalState
from travelrule.exchange.originator.wallet_search import search_again
from travelrule.machine.alert_codes import AlertCode
from travelrule.machine.decision import Decision, ignored, rejected
from travelrule.machine.internal_inputs import CallResult, TimerDue
from travelrule.machine.transition_table import NEW
from travelrule.policy.causes import Cause


def cancel(builder: WithdrawalBuilder, data: WithdrawalCancelled) -> Decision[WithdrawalState]:
    """``withdrawal.cancelled.v1``: possible until the value is on its way."""
    state = builder.state
    if state.txid is not None:
        return rejected(
            state, "ALREADY_BROADCAST", "withdrawalId", "the value is on its way: send withdrawal.settled.v1 failed"
        )
    if state.case.final and state.case.verdict == "deny":
        return ignored(state, "denied before")
    give_up(builder, data.reason)
    builder.overrule(Cause.CANCELLED)
    return builder.done("cancelled by the platform")


def apply_decision(builder: WithdrawalBuilder, data: DecisionRecorded) -> Decision[WithdrawalState]:
    """``decision.recorded.v1``: deny what is not final; allow what is on hold, within the limits of the policy."""
    state = builder.state
    if state.case.final:
        return rejected(state, "ALREADY_FINAL", "subject", "the last verdict is final")
    if data.decision == "deny":
        if state.txid is None:
            give_up(builder, "UNKNOWN")
        builder.overrule(Cause.OPERATOR_DENY)
        return builder.done("denied by an operator")
    if state.case.verdict != "hold":
        return rejected(state, "NOT_ON_HOLD", "subject", "only a withdrawal whose last verdict is hold can be allowed")
    if not builder.policy.operator_override:
        return rejected(state, "NOT_VERIFIED", "decision", "the policy has operator_override = false")
    limit = builder.policy.operator_limits.get(state.request.trade_currency)
    if limit is not None and state.request.trade_price > limit:
        return rejected(state, "OPERATOR_LIMIT", "decision", "the value is above the policy's operator_limits")
    if state.attempt is not None and state.attempt.status == NEW:
        builder.drop(Operation.ADDRESS_SEARCH)
    builder.overrule(Cause.OPERATOR_ALLOW)
    return builder.done("allowed by an operator")


def handle_timer(builder: WithdrawalBuilder, data: TimerDue) -> Decision[WithdrawalState]:
    """Handle a timer that came due; one that was moved or dropped since is ignored."""
    if data.name == WAKE:
        return builder.done("looked at once more: it may wait without a timer")
    if builder.state.timers.get(data.name) != data.due_at:
        return ignored(builder.state, "the timer was moved or dropped")
    builder.clear_timer(data.name)
    if data.name == SEARCH_AGAIN:
        return builder.done(search_again(builder, counted=True))
    if data.name == TRY_AGAIN and builder.state.request.destination.kind == "unknown":
        return builder.done(search_again(builder, counted=False))
    if data.name == TRY_AGAIN:
        return builder.done(try_again(builder))
    if data.name == REPORT_AGAIN:
        return builder.done(report_again(builder))
    if data.name == GATE:
        return builder.done(repeat_unanswered(builder))
    if data.name == CONCLUDE:
        return builder.done(_alert_unconcluded(builder))
    return builder.done(_remind(builder))


def _alert_unconcluded(builder: WithdrawalBuilder) -> str:
    for attempt in builder.state.attempts:
        if owes_conclusion(attempt):
            builder.alert(
                AlertCode.EXCHANGE_NOT_CONCLUDED,
                "critical",
                counterparty=attempt.counterparty,
                attempts=attempt.reports or None,
            )
    return "verified, and not concluded within the limit"


def _remind(builder: WithdrawalBuilder) -> str:
    """Repeat the verdict for the platform; half a limit later raise an alert; and so on."""
    case = builder.state.case
    reminders = case.reminders + 1
    builder.change(case=replace(case, reminders=reminders))
    if reminders % 2:
        builder.publish_verdict()
        return "on hold for long: the platform is reminded"
    counterparty = case.counterparty or builder.state.request.destination.vasp_entity_id
    builder.alert(AlertCode.HELD_TOO_LONG, "warning", counterparty=counterparty, attempts=reminders // 2)
    return "on hold for too long"


def alert_trouble(builder: WithdrawalBuilder, report: CallResult) -> Decision[WithdrawalState]:
    """Raise an alert for a call that is still repeated."""
    attempt = builder.state.find(report.correlation_id)
    search = builder.state.search
    if attempt is None and (search is None or search.over or search.request_id != report.correlation_id):
        return ignored(builder.state, "neither an attempt nor a search has this id")
    counterparty = attempt.counterparty if attempt is not None else None
    builder.alert(AlertCode.CALL_TROUBLED, "warning", counterparty=counterparty, attempts=report.attempts)
    return builder.done("call still being tried")
