"""What nudges or ends a deposit from outside: an operator decides, a timer comes due, a call is in trouble."""

from __future__ import annotations

from schemas.events.decisions import DecisionRecorded
from travelrule.deposits.alert_codes import AlertCode
from travelrule.deposits.assessment import unanswered
from travelrule.deposits.builder import DepositTurn, ignored, rejected
from travelrule.deposits.data_request import nudge, try_due
from travelrule.deposits.detection import stand_at
from travelrule.deposits.match import go_on
from travelrule.deposits.state import DepositState
from travelrule.deposits.status_requests import ask_round
from travelrule.deposits.table import ASK, GATE, HELD, REPORT, SEARCH, SETTLE, TRY
from travelrule.deposits.txid_search import search_due
from travelrule.machine.alert_codes import AlertCode as SharedCode
from travelrule.machine.decision import Decision
from travelrule.machine.internal_inputs import CallResult, TimerDue
from travelrule.policy.causes import Cause


def operator_decided(turn: DepositTurn, data: DecisionRecorded) -> Decision[DepositState]:
    """``decision.recorded.v1``: deny anything not final, allow anything on hold (contract section 4)."""
    case = turn.state.case
    if case.final:
        return rejected(turn.state, "ALREADY_FINAL", "subject", "the last verdict is final")
    if turn.state.status == "settled":
        return rejected(turn.state, "ALREADY_SETTLED", "subject", "the platform said what became of the coins")
    if data.decision == "allow" and case.verdict != "hold":
        return rejected(turn.state, "NOT_ON_HOLD", "subject", "only a deposit on hold can be allowed")
    turn.move("decided")
    turn.stop()
    turn.change(refused=data.decision == "deny")
    turn.overrule(Cause.OPERATOR_DENY if data.decision == "deny" else Cause.OPERATOR_ALLOW)
    return turn.done(f"decided by an operator: {data.decision}")


def timer_due(turn: DepositTurn, data: TimerDue) -> Decision[DepositState]:
    """A timer of this deposit came due; one that was moved or dropped since is nothing."""
    if turn.state.timers.get(data.name) != data.due_at:
        return ignored(turn.state, "the timer was moved or dropped")
    turn.clear_timer(data.name)
    status = turn.state.status
    match data.name:
        case _ if data.name == REPORT and status == "awaiting":
            return turn.done(_report_due(turn))
        case _ if data.name == ASK and status == "asking":
            return turn.done(ask_round(turn))
        case _ if data.name == SEARCH and status == "searching":
            return turn.done(search_due(turn))
        case _ if data.name == TRY and status in ("requesting", "held"):
            return turn.done(try_due(turn))
        case _ if data.name == GATE:
            return turn.done(unanswered(turn))
        case _ if data.name == HELD:
            return turn.done(_held_due(turn))
        case _ if data.name == SETTLE:
            turn.alert(AlertCode.DEPOSIT_NOT_SETTLED)
            return turn.done("allowed, and not settled within the limit")
    return turn.done("nothing waits for this timer any more")


def _report_due(turn: DepositTurn) -> str:
    """The time of the report is over. Whoever did not answer within the house is asked again, aloud."""
    state = turn.state
    if not state.looked_up or not state.unannounced:
        turn.alert(AlertCode.DEPOSIT_LOOKUP_MISSING, "critical")
        turn.set_timer(REPORT, turn.policy.time_limits.status_search_after)
        if not state.looked_up:
            turn.look_up()
        if not state.unannounced:
            stand_at(turn, state.place)
        return "the own house did not answer: ask again"
    if any(not one.gone for one in state.candidates):
        turn.move("report-late")
        return ask_round(turn)
    return go_on(turn)


def _held_due(turn: DepositTurn) -> str:
    """A hold is reminded of; what somebody may have corrected is tried once more first."""
    turn.alert(SharedCode.HELD_TOO_LONG)
    if turn.state.status == "held" and TRY not in turn.state.timers:
        return f"on hold for long: {nudge(turn)}"
    return "on hold for long"


def troubled(turn: DepositTurn, report: CallResult) -> Decision[DepositState]:
    """A call is still being tried; an operator should know."""
    turn.alert(SharedCode.CALL_TROUBLED, "warning", report.attempts)
    return turn.done("call still being tried")
