"""The hub rates a wallet or a transaction: 4.B.1, 4.B.2 (screening.md 2, 3, 10). ``ERROR`` is no rating."""

from __future__ import annotations

from typing import Any

from pydantic import ValidationError

from schemas.events.verdicts import Risk
from schemas.hub.screening import TransactionScreeningResponse, WalletScreeningResponse
from schemas.operations import Operation
from travelrule.assessments import facts
from travelrule.assessments.builder import AssessmentBuilder
from travelrule.assessments.chain_code import code_for
from travelrule.assessments.failed_calls import UNSUPPORTED, Failure, failure_of, pause
from travelrule.assessments.table import LISTS
from travelrule.identity.account_numbers import canonical
from travelrule.machine.alert_codes import AlertCode
from travelrule.machine.internal_inputs import CallResult
from travelrule.screening import risk_levels

NOT_SCREENABLE = "NETWORK_NOT_SCREENABLE"


def begin_rating(builder: AssessmentBuilder) -> str:
    """Ask the hub, if it can be asked about this network."""
    wanted = builder.state.wanted
    builder.clear_timer(LISTS)
    if not (wanted.address if wanted.kind == "wallet" else wanted.txid):
        builder.end(reason="NOTHING_TO_SCREEN")
        return "nothing to rate"
    builder.change(chain=code_for(wanted, builder.policy))
    if not builder.state.chain:
        builder.end(reason=NOT_SCREENABLE)
        return "the network has no code for screening: not screenable"
    builder.move("rating-asked")
    builder.ask(*_call(builder))
    return f"{wanted.kind} to be rated"


def _call(builder: AssessmentBuilder) -> tuple[Operation, dict[str, Any]]:
    wanted = builder.state.wanted
    if wanted.kind == "wallet":
        return Operation.WALLET_SCREENING, {"walletAddress": wanted.address, "chain": builder.state.chain}
    return Operation.TRANSACTION_SCREENING, {"txid": wanted.txid, "chain": builder.state.chain}


def rated(builder: AssessmentBuilder, report: CallResult) -> str:
    """What the hub says. The first rating counts."""
    question = builder.state.question
    operation, _ = _call(builder)
    if builder.state.status != "rating" or question is None:
        return "late answer ignored"
    if (report.operation, report.transfer_id) != (operation, question.call_id):
        return "not the question that was asked"
    if report.outcome == "failed":
        return _failed(builder, report)
    if report.outcome != "answered":
        return "the question waits"
    found, evidence = _read(builder, report)
    if found == "pending":
        return _again(builder, "no rating", report)
    builder.end(risk=found, facts=evidence)
    return f"rated {found}"


def _read(builder: AssessmentBuilder, report: CallResult) -> tuple[Risk, dict[str, Any]]:
    """Read a rating; pending if it is none, or one of another wallet than the one that was asked about."""
    wanted = builder.state.wanted
    try:
        if wanted.kind == "transaction":
            transaction = TransactionScreeningResponse.from_wire(report.body)
            return risk_levels.of_transaction(transaction), facts.of_transaction(transaction)
        wallet = WalletScreeningResponse.from_wire(report.body)
    except ValidationError:
        return "pending", {}
    named = wallet.wallet_address
    if named is not None and canonical(named) != canonical(wanted.address or ""):
        return "pending", {}
    return risk_levels.of_wallet(wallet), facts.of_wallet(wallet)


def _failed(builder: AssessmentBuilder, report: CallResult) -> str:
    failure = failure_of(report, of_screening=True)
    if failure is Failure.UNSUPPORTED:
        builder.end(reason=UNSUPPORTED)
        return "the provider does not know this chain"
    if failure in (Failure.PASSING, Failure.QUOTA):
        return _again(builder, "no answer", report, failure)
    builder.alert(AlertCode.SCREENING_REFUSED, "critical", attempts=report.attempts)
    builder.end(reason=AlertCode.SCREENING_REFUSED.value)
    return "the hub refuses to rate it"


def _again(builder: AssessmentBuilder, rule: str, report: CallResult, failure: Failure = Failure.PASSING) -> str:
    if builder.is_on_its_way():
        return f"{rule}: the next try is on its way already"
    operation, clear = _call(builder)
    builder.ask_again(operation, report.transfer_id, clear, pause(builder, failure, report))
    return f"{rule}: ask again"


def rating_too_late(builder: AssessmentBuilder) -> str:
    """The limit passed: what was not rated is unknown."""
    builder.alert(
        AlertCode.SCREENING_LATE, "warning", attempts=builder.state.question.asked if builder.state.question else None
    )
    builder.end(risk=risk_levels.at_deadline("pending"), reason=AlertCode.SCREENING_LATE.value)
    return "not rated within the limit"
