"""The timers of a deposit that come due."""

from __future__ import annotations

from travelrule.deposits.builder import DepositBuilder
from travelrule.deposits.data_request import apply_retry_timer, retry_held
from travelrule.deposits.detection import announce_at
from travelrule.deposits.match import advance
from travelrule.deposits.risk_assessment import repeat_assessment
from travelrule.deposits.state import DepositState
from travelrule.deposits.status_requests import request_statuses
from travelrule.deposits.table import ASK, GATE, HELD, REPORT, RETRY, SEARCH, SETTLE
from travelrule.deposits.txid_search import apply_search_timer
from travelrule.machine.alert_codes import AlertCode
from travelrule.machine.decision import Decision, ignored
from travelrule.machine.internal_inputs import TimerDue


def apply_timer(builder: DepositBuilder, data: TimerDue) -> Decision[DepositState]:
    """Apply a due timer; one that was moved or dropped in the meantime is ignored."""
    if builder.state.timers.get(data.name) != data.due_at:
        return ignored(builder.state, "the timer was moved or dropped")
    builder.clear_timer(data.name)
    status = builder.state.status
    match data.name:
        case _ if data.name == REPORT and status == "awaiting":
            return builder.done(_report_due(builder))
        case _ if data.name == ASK and status == "asking":
            return builder.done(request_statuses(builder))
        case _ if data.name == SEARCH and status == "searching":
            return builder.done(apply_search_timer(builder))
        case _ if data.name == RETRY and status in ("requesting", "held"):
            return builder.done(apply_retry_timer(builder))
        case _ if data.name == GATE:
            return builder.done(repeat_assessment(builder))
        case _ if data.name == HELD:
            return builder.done(_held_due(builder))
        case _ if data.name == SETTLE:
            builder.alert(AlertCode.DEPOSIT_NOT_SETTLED)
            return builder.done("allowed, and not settled within the limit")
    return builder.done("nothing waits for this timer any more")


def _report_due(builder: DepositBuilder) -> str:
    """Act on a late report: repeat the request of the rendezvous or look-up without an answer, and raise an alert."""
    state = builder.state
    if not state.looked_up or not state.unannounced:
        builder.alert(AlertCode.DEPOSIT_LOOKUP_MISSING, "critical")
        builder.set_timer(REPORT, builder.policy.time_limits.status_search_after)
        if not state.looked_up:
            builder.request_lookup()
        if not state.unannounced:
            announce_at(builder, state.place)
        return "the own house did not answer: ask again"
    if any(not one.gone for one in state.candidates):
        builder.move("report-late")
        return request_statuses(builder)
    return advance(builder)


def _held_due(builder: DepositBuilder) -> str:
    """Alert about a long hold; retry first what may have been corrected in the meantime."""
    builder.alert(AlertCode.HELD_TOO_LONG)
    if builder.state.status == "held" and RETRY not in builder.state.timers:
        return f"on hold for long: {retry_held(builder)}"
    return "on hold for long"
