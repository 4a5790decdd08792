"""The conclusion of a verified exchange (D46): a txid report, a finish, or one after the other."""

from __future__ import annotations

from schemas.operations import Operation
from travelrule.exchange import wire_bodies
from travelrule.exchange.originator.builder import REPORT_AGAIN, WithdrawalBuilder
from travelrule.exchange.originator.state import Attempt, reached
from travelrule.machine.alert_codes import AlertCode
from travelrule.machine.internal_inputs import CallResult
from travelrule.machine.retry_table import CONCLUDING_BY_CODE, is_transient
from travelrule.machine.transition_table import NEW

ON_CHAIN = frozenset({"processing", "wait-confirm", "confirmed"})

REPORTS_MAX = 3
"""How often a txid report is started, each time with all its tries, before it has failed for good."""

REPORT_AGAIN_SECONDS = 3600
"""The wait before the next start, equal to that between tries of a finish (D47); at most half the policy's limit."""


def owe_finish(builder: WithdrawalBuilder, transfer_id: str, reason: str) -> None:
    """Send a finish. The dispatcher repeats it until it is accepted or refused permanently (D47)."""
    attempt = builder.change_attempt(transfer_id, finish="owed")
    builder.call_counterparty(Operation.FINISH, attempt, wire_bodies.finish(attempt, reason))


def give_up(builder: WithdrawalBuilder, reason: str) -> None:
    """End the current attempt for ``reason`` (a finish code).

    Before the authorization no finish is due, and a later answer about the address starts nothing. While the
    authorization is pending the finish waits for its answer, because a finish that overtakes it would leave the
    counterparty waiting. An authorization that is still queued (hub or counterparty down) is not sent.
    """
    attempt = builder.state.attempt
    if attempt is None:
        return
    if attempt.status == NEW:
        builder.drop(Operation.ADDRESS_SEARCH)
        builder.change_attempt(attempt.transfer_id, give_up=reason)
    elif attempt.status == "wait":
        builder.end_unsent(Operation.TRANSFER_AUTHORIZATION)
        builder.change_attempt(attempt.transfer_id, give_up=reason)
    elif attempt.status in ("verified", "pending"):
        builder.move(attempt.transfer_id, "not-sent")
        owe_finish(builder, attempt.transfer_id, reason)


def queue(builder: WithdrawalBuilder) -> None:
    """Move a verified exchange to the stage of the chain: the broadcast may have preceded the answer."""
    attempt = builder.state.attempt
    if attempt is None or attempt.status != "pending" or builder.state.txid is None:
        return
    builder.move(attempt.transfer_id, "broadcast")
    follow_chain(builder)


def follow_chain(builder: WithdrawalBuilder) -> None:
    """Move the current attempt to the stage of the chain, and report the txid at its moment."""
    attempt = builder.state.attempt
    if attempt is None:
        return
    if attempt.status == "processing" and reached(builder.state, "mined"):
        attempt = builder.move(attempt.transfer_id, "mined")
    if attempt.status == "wait-confirm" and reached(builder.state, "final"):
        builder.move(attempt.transfer_id, "final")
    report_txid(builder)


def report_txid(builder: WithdrawalBuilder) -> None:
    """Send the txid report once, at the moment that the policy names (D11)."""
    attempt, txid = builder.state.attempt, builder.state.txid
    if attempt is None or txid is None or attempt.status not in ON_CHAIN or attempt.report != "none":
        return
    if not reached(builder.state, builder.policy.report_moment_for(builder.state.request.currency)):
        return
    _report(builder, attempt, txid)


def _report(builder: WithdrawalBuilder, attempt: Attempt, txid: str) -> None:
    attempt = builder.change_attempt(attempt.transfer_id, report="owed", reports=attempt.reports + 1)
    builder.call_counterparty(
        Operation.TXID_REPORT, attempt, wire_bodies.txid_report(attempt, txid, builder.state.vout)
    )


def report_again(builder: WithdrawalBuilder) -> str:
    """Repeat a txid report after its timer: the failure may have passed."""
    attempt, txid = builder.state.attempt, builder.state.txid
    if attempt is None or txid is None or attempt.report != "missed":
        return "no report to make again"
    _report(builder, attempt, txid)
    return "txid reported again"


def handle_report_result(builder: WithdrawalBuilder, report: CallResult) -> str:
    """Handle the result of a txid report."""
    attempt = builder.state.find(report.correlation_id)
    if attempt is None or attempt.report not in ("owed", "dropped"):
        return "late answer ignored"
    if report.outcome == "deferred":
        return "counterparty down: the txid report waits"
    if report.outcome == "answered":
        builder.change_attempt(attempt.transfer_id, report="accepted")
        return "txid report accepted"
    if attempt.report == "dropped":
        return "late answer ignored"
    if attempt.reports < REPORTS_MAX and _may_pass(report):
        builder.change_attempt(attempt.transfer_id, report="missed")
        builder.set_timer(REPORT_AGAIN, min(REPORT_AGAIN_SECONDS, builder.policy.time_limits.conclusion / 2))
        builder.alert(AlertCode.CALL_TROUBLED, "warning", counterparty=attempt.counterparty, attempts=report.attempts)
        return "txid report not accepted: it is made again later"
    builder.change_attempt(attempt.transfer_id, report="failed")
    builder.alert(AlertCode.TXID_REPORT_FAILED, "critical", counterparty=attempt.counterparty, attempts=report.attempts)
    return "txid report failed for good"


def _may_pass(report: CallResult) -> bool:
    """Whether the counterparty may accept the same report later, without a correction."""
    return (report.operation, report.code) not in CONCLUDING_BY_CODE and is_transient(report.status, report.code)


def handle_finish_result(builder: WithdrawalBuilder, report: CallResult) -> str:
    """Handle the result of a finish. A counterparty without a record of the transfer is not waiting (D47)."""
    attempt = builder.state.find(report.correlation_id)
    if attempt is None or attempt.finish != "owed":
        return "late answer ignored"
    if report.outcome == "deferred":
        return "counterparty down: the finish waits"
    if report.outcome == "answered":
        builder.change_attempt(attempt.transfer_id, finish="accepted")
        return "finish accepted"
    if report.code == "UNKNOWN_TRANSFER_ID":
        builder.change_attempt(attempt.transfer_id, finish="closed")
        return "finish: nothing is waiting there"
    builder.change_attempt(attempt.transfer_id, finish="failed")
    builder.alert(AlertCode.FINISH_FAILED, "critical", counterparty=attempt.counterparty, attempts=report.attempts)
    return "finish failed for good"


def cancel_failed(builder: WithdrawalBuilder, attempt: Attempt | None) -> None:
    """Cancel and finish after a transaction that failed for good, also after a report (D46)."""
    if attempt is None or attempt.status not in ON_CHAIN:
        give_up(builder, "UNKNOWN")
        return
    if attempt.report == "owed":
        builder.drop(Operation.TXID_REPORT)
    if attempt.report in ("none", "owed", "missed"):
        builder.clear_timer(REPORT_AGAIN)
        builder.change_attempt(attempt.transfer_id, report="dropped")
    builder.move(attempt.transfer_id, "chain-failed")
    owe_finish(builder, attempt.transfer_id, "UNKNOWN")
