"""What each timer of a deposit does when it comes due."""

from __future__ import annotations

from travelrule.deposits.builder import DepositBuilder
from travelrule.deposits.data_request import nudge, try_due
from travelrule.deposits.detection import stand_at
from travelrule.deposits.match import go_on
from travelrule.deposits.risk_assessment import unanswered
from travelrule.deposits.state import DepositState
from travelrule.deposits.status_requests import ask_round
from travelrule.deposits.table import ASK, GATE, HELD, REPORT, SEARCH, SETTLE, TRY
from travelrule.deposits.txid_search import search_due
from travelrule.machine.alert_codes import AlertCode
from travelrule.machine.decision import Decision, ignored
from travelrule.machine.internal_inputs import TimerDue


def timer_due(builder: DepositBuilder, data: TimerDue) -> Decision[DepositState]:
    """A timer of this deposit came due; one that was moved or dropped since is nothing."""
    if builder.state.timers.get(data.name) != data.due_at:
        return ignored(builder.state, "the timer was moved or dropped")
    builder.clear_timer(data.name)
    status = builder.state.status
    match data.name:
        case _ if data.name == REPORT and status == "awaiting":
            return builder.done(_report_due(builder))
        case _ if data.name == ASK and status == "asking":
            return builder.done(ask_round(builder))
        case _ if data.name == SEARCH and status == "searching":
            return builder.done(search_due(builder))
        case _ if data.name == TRY and status in ("requesting", "held"):
            return builder.done(try_due(builder))
        case _ if data.name == GATE:
            return builder.done(unanswered(builder))
        case _ if data.name == HELD:
            return builder.done(_held_due(builder))
        case _ if data.name == SETTLE:
            builder.alert(AlertCode.DEPOSIT_NOT_SETTLED)
            return builder.done("allowed, and not settled within the limit")
    return builder.done("nothing waits for this timer any more")


def _report_due(builder: DepositBuilder) -> str:
    """The time of the report is over. Whoever did not answer within the house is asked again, aloud."""
    state = builder.state
    if not state.looked_up or not state.unannounced:
        builder.alert(AlertCode.DEPOSIT_LOOKUP_MISSING, "critical")
        builder.set_timer(REPORT, builder.policy.time_limits.status_search_after)
        if not state.looked_up:
            builder.look_up()
        if not state.unannounced:
            stand_at(builder, state.place)
        return "the own house did not answer: ask again"
    if any(not one.gone for one in state.candidates):
        builder.move("report-late")
        return ask_round(builder)
    return go_on(builder)


def _held_due(builder: DepositBuilder) -> str:
    """A hold is reminded of; what somebody may have corrected is tried once more first."""
    builder.alert(AlertCode.HELD_TOO_LONG)
    if builder.state.status == "held" and TRY not in builder.state.timers:
        return f"on hold for long: {nudge(builder)}"
    return "on hold for long"
