"""What an originating VASP owes after ``verified`` (D46): a txid report, a finish, or one after the other."""

from __future__ import annotations

from travelrule.exchange import wire_bodies
from travelrule.exchange.originator.builder import REPORT_AGAIN, Turn
from travelrule.exchange.originator.state import Attempt, reached
from travelrule.machine.alert_codes import AlertCode
from travelrule.machine.internal_inputs import CallResult
from travelrule.machine.retry_table import CONCLUDING_BY_CODE, is_transient
from travelrule.machine.transition_table import NEW

ON_CHAIN = frozenset({"processing", "wait-confirm", "confirmed"})

REPORTS_MAX = 3
"""How often a txid report is begun, each time with all its tries, before it has failed for good."""

REPORT_AGAIN_SECONDS = 3600
"""Until it is begun anew, as long as a finish waits between its tries (D47); at most half of the policy's limit."""


def owe_finish(turn: Turn, transfer_id: str, reason: str) -> None:
    """Send a finish. It is repeated by the caller until it is accepted or refused for good (D47)."""
    attempt = turn.change_attempt(transfer_id, finish="owed")
    turn.call("finish", attempt, wire_bodies.finish(attempt, reason))


def give_up(turn: Turn, reason: str) -> None:
    """End the attempt that counts, as far as it came, for ``reason`` (a finish code).

    Before the authorization nothing is owed, and an answer about the address that still comes starts nothing. While the
    authorization is on its way the finish waits for the answer, because a finish that overtakes it would leave the
    counterparty waiting; one that waits to be sent (hub or counterparty down) is not sent any more.
    """
    attempt = turn.state.attempt
    if attempt is None:
        return
    if attempt.status == NEW:
        turn.drop("address-search")
        turn.change_attempt(attempt.transfer_id, give_up=reason)
    elif attempt.status == "wait":
        turn.end_unsent("transfer-authorization")
        turn.change_attempt(attempt.transfer_id, give_up=reason)
    elif attempt.status in ("verified", "pending"):
        turn.move(attempt.transfer_id, "not-sent")
        owe_finish(turn, attempt.transfer_id, reason)


def queue(turn: Turn) -> None:
    """Bring a verified exchange to where the chain already is: the platform may have been faster than the answer."""
    attempt = turn.state.attempt
    if attempt is None or attempt.status != "pending" or turn.state.txid is None:
        return
    turn.move(attempt.transfer_id, "broadcast")
    follow_chain(turn)


def follow_chain(turn: Turn) -> None:
    """Step the attempt that counts as far as the chain came, and report the txid when its moment is there."""
    attempt = turn.state.attempt
    if attempt is None:
        return
    if attempt.status == "processing" and reached(turn.state, "mined"):
        attempt = turn.move(attempt.transfer_id, "mined")
    if attempt.status == "wait-confirm" and reached(turn.state, "final"):
        turn.move(attempt.transfer_id, "final")
    report_txid(turn)


def report_txid(turn: Turn) -> None:
    """Send the txid report once, at the moment that the policy names (D11)."""
    attempt, txid = turn.state.attempt, turn.state.txid
    if attempt is None or txid is None or attempt.status not in ON_CHAIN or attempt.report != "none":
        return
    if not reached(turn.state, turn.policy.report_moment_for(turn.state.request.currency)):
        return
    _report(turn, attempt, txid)


def _report(turn: Turn, attempt: Attempt, txid: str) -> None:
    attempt = turn.change_attempt(attempt.transfer_id, report="owed", reports=attempt.reports + 1)
    turn.call("txid-report", attempt, wire_bodies.txid_report(attempt, txid, turn.state.vout))


def report_again(turn: Turn) -> str:
    """The timer came: what kept the counterparty from taking the txid may have passed."""
    attempt, txid = turn.state.attempt, turn.state.txid
    if attempt is None or txid is None or attempt.report != "missed":
        return "no report to make again"
    _report(turn, attempt, txid)
    return "txid reported again"


def report_reported(turn: Turn, report: CallResult) -> str:
    """What became of a txid report."""
    attempt = turn.state.find(report.transfer_id)
    if attempt is None or attempt.report not in ("owed", "dropped"):
        return "late answer ignored"
    if report.outcome == "deferred":
        return "counterparty down: the txid report waits"
    if report.outcome == "answered":
        turn.change_attempt(attempt.transfer_id, report="accepted")
        return "txid report accepted"
    if attempt.report == "dropped":
        return "late answer ignored"
    if attempt.reports < REPORTS_MAX and _may_pass(report):
        turn.change_attempt(attempt.transfer_id, report="missed")
        turn.set_timer(REPORT_AGAIN, min(REPORT_AGAIN_SECONDS, turn.policy.time_limits.conclusion / 2))
        turn.alert(AlertCode.CALL_TROUBLED, "warning", attempt.counterparty, report.attempts)
        return "txid report not accepted: it is made again later"
    turn.change_attempt(attempt.transfer_id, report="failed")
    turn.alert(AlertCode.TXID_REPORT_FAILED, "critical", attempt.counterparty, report.attempts)
    return "txid report failed for good"


def _may_pass(report: CallResult) -> bool:
    """Whether the counterparty may take the same report later, without anybody correcting anything."""
    return (report.operation, report.code) not in CONCLUDING_BY_CODE and is_transient(report.status, report.code)


def finish_reported(turn: Turn, report: CallResult) -> str:
    """What became of a finish. A counterparty that knows nothing of the transfer waits for nothing (D47)."""
    attempt = turn.state.find(report.transfer_id)
    if attempt is None or attempt.finish != "owed":
        return "late answer ignored"
    if report.outcome == "deferred":
        return "counterparty down: the finish waits"
    if report.outcome == "answered":
        turn.change_attempt(attempt.transfer_id, finish="accepted")
        return "finish accepted"
    if report.code == "UNKNOWN_TRANSFER_ID":
        turn.change_attempt(attempt.transfer_id, finish="closed")
        return "finish: nothing is waiting there"
    turn.change_attempt(attempt.transfer_id, finish="failed")
    turn.alert(AlertCode.FINISH_FAILED, "critical", attempt.counterparty, report.attempts)
    return "finish failed for good"


def chain_failed(turn: Turn, attempt: Attempt | None) -> None:
    """The transaction failed for good: cancel, and finish, also after a report (D46)."""
    if attempt is None or attempt.status not in ON_CHAIN:
        give_up(turn, "UNKNOWN")
        return
    if attempt.report == "owed":
        turn.drop("txid-report")
    if attempt.report in ("none", "owed", "missed"):
        turn.clear_timer(REPORT_AGAIN)
        turn.change_attempt(attempt.transfer_id, report="dropped")
    turn.move(attempt.transfer_id, "chain-failed")
    owe_finish(turn, attempt.transfer_id, "UNKNOWN")
