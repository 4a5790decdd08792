"""The hub's rating of a wallet or a transaction: 4.B.1, 4.B.2 (screening.md 2, 3, 10). ``ERROR`` is no rating."""

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


def start_rating(builder: AssessmentBuilder) -> str:
    """Request a rating, if the network has a code for it."""
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
    builder.start_question(*_call(builder))
    return f"{wanted.kind} to be rated"


def _call(builder: AssessmentBuilder) -> tuple[Operation, dict[str, Any]]:
    wanted = builder.state.wanted
    if wanted.kind == "wallet":
        return Operation.WALLET_SCREENING, {"walletAddress": wanted.address, "chain": builder.state.chain}
    return Operation.TRANSACTION_SCREENING, {"txid": wanted.txid, "chain": builder.state.chain}


def apply_rating_result(builder: AssessmentBuilder, call: CallResult) -> str:
    """Apply the hub's answer. The first rating counts."""
    question = builder.state.question
    operation, _ = _call(builder)
    if builder.state.status != "rating" or question is None:
        return "late answer ignored"
    if (call.operation, call.correlation_id) != (operation, question.call_id):
        return "not the question that was asked"
    if call.outcome == "failed":
        return _failed(builder, call)
    if call.outcome != "answered":
        return "the question waits"
    found, evidence = _read(builder, call)
    if found == "pending":
        return _again(builder, "no rating", call)
    builder.end(risk=found, facts=evidence)
    return f"rated {found}"


def _read(builder: AssessmentBuilder, call: CallResult) -> tuple[Risk, dict[str, Any]]:
    """Return the rating and its facts; pending if it is none, or of another wallet."""
    wanted = builder.state.wanted
    try:
        if wanted.kind == "transaction":
            transaction = TransactionScreeningResponse.from_wire(call.body)
            return risk_levels.of_transaction(transaction), facts.of_transaction(transaction)
        wallet = WalletScreeningResponse.from_wire(call.body)
    except ValidationError:
        return "pending", {}
    named = wallet.wallet_address
    if named is not None and canonical(named) != canonical(wanted.address or ""):
        return "pending", {}
    return risk_levels.of_wallet(wallet), facts.of_wallet(wallet)


def _failed(builder: AssessmentBuilder, call: CallResult) -> str:
    failure = failure_of(call, of_screening=True)
    if failure is Failure.UNSUPPORTED:
        builder.end(reason=UNSUPPORTED)
        return "the provider does not know this chain"
    if failure in (Failure.PASSING, Failure.QUOTA):
        return _again(builder, "no answer", call, failure)
    builder.alert(AlertCode.SCREENING_REFUSED, "critical", attempts=call.attempts)
    builder.end(reason=AlertCode.SCREENING_REFUSED.value)
    return "the hub refuses to rate it"


def _again(builder: AssessmentBuilder, rule: str, call: CallResult, failure: Failure = Failure.PASSING) -> str:
    if builder.is_on_its_way():
        return f"{rule}: the next try is on its way already"
    operation, clear = _call(builder)
    builder.repeat_question(operation, call.correlation_id, clear, pause(builder, failure, call))
    return f"{rule}: ask again"


def end_rating_at_limit(builder: AssessmentBuilder) -> str:
    """End without a rating: the risk is unknown."""
    builder.alert(
        AlertCode.SCREENING_LATE, "warning", attempts=builder.state.question.asked if builder.state.question else None
    )
    builder.end(risk=risk_levels.at_deadline("pending"), reason=AlertCode.SCREENING_LATE.value)
    return "not rated within the limit"
