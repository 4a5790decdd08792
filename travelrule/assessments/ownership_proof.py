"""Proof that a wallet is the customer's own: session and result, 4.B.5 and P.4 (hub-api.md 7)."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import Any, Final

from pydantic import ValidationError

from schemas.hub.screening import UnhostedResult, UnhostedTokenResponse
from schemas.operations import Operation
from travelrule.assessments import notifications
from travelrule.assessments.builder import AssessmentBuilder
from travelrule.assessments.chain_code import code_for
from travelrule.assessments.failed_calls import UNSUPPORTED, Failure, failure_of, pause
from travelrule.assessments.hub_screening import NOT_SCREENABLE
from travelrule.assessments.table import LIMIT
from travelrule.identity.account_numbers import canonical
from travelrule.machine.alert_codes import AlertCode
from travelrule.machine.internal_inputs import CallResult
from travelrule.messages.arrival import SearchCalledBack
from travelrule.messages.assessment import AssessmentSession
from travelrule.screening.ownership.proof_check import check_proof

TOKEN: Final = Operation.UNHOSTED_TOKEN
RESULT: Final = Operation.UNHOSTED_RESULT
TOKEN_LIFE = timedelta(hours=24)
FAILURES_TOLD = 5
SCHEME_UNSTATED = frozenset({"SOL"})
"""Chains for which no source states how the hub's proof is signed (D38): the hub's result counts although we cannot
confirm the signature."""
ROUND = 10
POLLS_MAX = 20
"""The wait between two polls grows by the policy's with every ten polls, up to twenty times the policy's."""


def open_session(builder: AssessmentBuilder) -> str:
    """Request a session, if the network has a code for it."""
    wanted = builder.state.wanted
    builder.change(chain=code_for(wanted, builder.policy))
    if not builder.state.chain:
        return _not_proven(
            builder, NOT_SCREENABLE, "the network has no code for unhosted wallets: nothing can be proven"
        )
    if not (wanted.address and wanted.asset and wanted.customer_id and wanted.widget_origin):
        return _not_proven(builder, "INFORMATION_INCOMPLETE", "a session needs address, asset, customer and origin")
    if _is_for_another_wallet(builder):
        rule = "what is to be sent is another asset, or on another chain, than the wallet is to be proven for"
        return _not_proven(builder, AlertCode.OWNERSHIP_MISMATCH.value, rule, "MISMATCH")
    builder.move("session-asked")
    builder.start_question(TOKEN, _token_request(builder))
    return "session asked for"


def _is_for_another_wallet(builder: AssessmentBuilder) -> bool:
    """Whether the coins are sent in another asset, or on another chain, than the proof is for."""
    wanted = builder.state.wanted
    if wanted.sent_currency and wanted.sent_currency.upper() != wanted.asset.upper():
        return True
    sent = wanted.model_copy(update={"network": wanted.sent_network, "network_example": ""})
    return bool(wanted.sent_network) and code_for(sent, builder.policy) != builder.state.chain


def _token_request(builder: AssessmentBuilder) -> dict[str, Any]:
    wanted = builder.state.wanted
    return {
        "blockchain": builder.state.chain,
        "asset": wanted.asset,
        "address": wanted.address,
        "customerIdentification": wanted.customer_id,
        "widgetRenderingOrigin": wanted.widget_origin,
    }


def apply_session_result(builder: AssessmentBuilder, call: CallResult) -> str:
    """Apply the result of 4.B.5: a session, or none."""
    question = builder.state.question
    if builder.state.status != "opening" or question is None or question.call_id != call.correlation_id:
        return "late answer ignored"
    if call.outcome == "failed":
        return _session_failed(builder, call)
    if call.outcome != "answered":
        return "the question waits"
    try:
        opened = UnhostedTokenResponse.from_wire(call.body)
    except ValidationError:
        return _open_again(builder, builder.count_failure())
    session = AssessmentSession(
        assessment=builder.state.subject,
        token=opened.token,
        wallet_verification_id=opened.wallet_verification_id,
        expires_at=builder.now + TOKEN_LIFE,
    )
    builder.move("session-opened")
    builder.change(
        session=session,
        question=replace(question, hub_id=opened.wallet_verification_id, asks_at=None, asked=0),
        hub_id=opened.wallet_verification_id,
        failures=0,
    )
    builder.set_timer(LIMIT, builder.policy.time_limits.ownership)
    notifications.publish_session(builder.state, builder.effects)
    _ask_result(builder, 0 if question.called_back else _poll_seconds(builder))
    return "session opened: the customer is to prove it"


def _session_failed(builder: AssessmentBuilder, call: CallResult) -> str:
    failure = failure_of(call)
    if failure is Failure.UNSUPPORTED:
        return _not_proven(builder, UNSUPPORTED, "the hub does not know this chain")
    if failure is Failure.PASSING:
        return _open_again(builder, pause(builder, failure, call))
    builder.alert(AlertCode.SCREENING_REFUSED, "critical", attempts=call.attempts)
    return _not_proven(builder, AlertCode.SCREENING_REFUSED.value, "the hub refuses a session")


def _open_again(builder: AssessmentBuilder, seconds: float) -> str:
    question = builder.state.question
    if question is None or builder.is_on_its_way():
        return "the next try is on its way already"
    if builder.state.failures >= FAILURES_TOLD:
        builder.alert(AlertCode.OWNERSHIP_SESSION_LATE, "warning", attempts=builder.state.failures)
    builder.repeat_question(TOKEN, question.call_id, _token_request(builder), seconds)
    return "no session yet: ask again"


def _ask_result(builder: AssessmentBuilder, seconds: float) -> None:
    question = builder.state.question
    if question is not None:
        builder.repeat_question(RESULT, question.hub_id, {"verificationId": question.hub_id}, seconds)


def _poll_seconds(builder: AssessmentBuilder) -> float:
    """Return the wait to the next poll; it grows with the number of polls."""
    first = builder.policy.time_limits.ownership_poll
    asked = builder.state.question.asked if builder.state.question is not None else 0
    return builder.spread_wait(min(first * (1 + asked // ROUND), first * POLLS_MAX))


def apply_callback(builder: AssessmentBuilder, data: SearchCalledBack) -> str:
    """Apply a callback: it moves the next poll forward."""
    question = builder.state.question
    named = {question.call_id, question.hub_id} - {""} if question is not None else set()
    if question is None or data.operation != TOKEN or data.request_id not in named:
        return "not the session that runs: callback ignored"
    if builder.state.status == "opening":
        builder.change(question=replace(question, called_back=True))
        return "called back before the hub answered: the result is asked for as soon as it did"
    if builder.state.status != "proving" or not builder.may_hasten():
        return "the result is asked for anyway"
    builder.change(question=replace(question, hastened=question.hastened + 1))
    _ask_result(builder, 0)
    return "called back: ask for the result"


def apply_proof_result(builder: AssessmentBuilder, call: CallResult) -> str:
    """Apply the answer to a poll. Only ``VERIFIED`` ends the session; any other status may still change."""
    question = builder.state.question
    if builder.state.status != "proving" or question is None or question.hub_id != call.correlation_id:
        return "late answer ignored"
    if call.outcome in ("deferred", "troubled"):
        return "the question waits"
    result = _read(call)
    if result is not None and result.status.strip() == "VERIFIED":
        return _verified(builder, result)
    if builder.is_on_its_way():
        return "the next question is on its way already"
    seconds = _poll_seconds(builder)
    failure = failure_of(call) if call.outcome == "failed" else None
    if result is None:
        seconds = max(seconds, builder.count_failure())
    else:
        builder.change(failures=0)
    if question.last:
        return end_proof_at_limit(builder, answered=result is not None)
    if failure not in (None, Failure.PASSING):
        builder.alert(AlertCode.SCREENING_REFUSED, "critical", attempts=call.attempts)
        builder.change(question=replace(question, asks_at=None))
        return "the hub refuses to say: it is asked once more at the limit"
    _ask_result(builder, seconds)
    return "not proven yet"


def _read(call: CallResult) -> UnhostedResult | None:
    if call.outcome != "answered":
        return None
    try:
        return UnhostedResult.from_wire(call.body)
    except ValidationError:
        return None


def _verified(builder: AssessmentBuilder, result: UnhostedResult) -> str:
    """Compare with our own record, then check the signature as far as we can (hub-api.md P.4)."""
    if not _is_ours(builder, result):
        builder.alert(AlertCode.OWNERSHIP_MISMATCH, "critical")
        return _not_proven(
            builder, AlertCode.OWNERSHIP_MISMATCH.value, "proven for another wallet, asset or chain", "MISMATCH"
        )
    checked = False
    if result.signature and result.signed_message:
        address = builder.state.wanted.address or ""
        check = check_proof(builder.state.chain, address, result.signed_message, result.signature)
        if check.outcome == "invalid" and builder.state.chain not in SCHEME_UNSTATED:
            builder.alert(AlertCode.OWNERSHIP_SIGNATURE_INVALID, "critical")
            code = AlertCode.OWNERSHIP_SIGNATURE_INVALID.value
            return _not_proven(builder, code, "the signature is not that of the wallet", "INVALID", checked=True)
        checked = check.outcome == "valid"
    builder.end(proven=True, checked_by_us=checked, verified_at=result.verified_at or builder.now, status="VERIFIED")
    return "proven, and the signature checked" if checked else "proven, by the hub's word"


def _is_ours(builder: AssessmentBuilder, result: UnhostedResult) -> bool:
    """Whether the result names our session, wallet, asset and chain; a missing field is a difference."""
    state, wanted = builder.state, builder.state.wanted
    question = state.question
    named = result.verification_id
    if question is None or (named is not None and named != question.hub_id):
        return False
    return (
        canonical(result.address or "") == canonical(wanted.address or "")
        and (result.asset or "").strip().upper() == wanted.asset.strip().upper()
        and (result.blockchain or "").strip().upper() == state.chain.upper()
    )


def apply_session_limit(builder: AssessmentBuilder) -> str:
    """Poll once more at the limit of an open session; after that the ownership is not proven."""
    question = builder.state.question
    if question is None or question.last:
        return end_proof_at_limit(builder)
    builder.change(question=replace(question, last=True))
    builder.set_timer(LIMIT, builder.policy.time_limits.screening)
    _ask_result(builder, 0)
    return "the time for the proof is over: ask one last time"


def end_proof_at_limit(builder: AssessmentBuilder, *, answered: bool = False) -> str:
    """End without a proof. Without an answer of the hub a proof may exist: that raises an alert."""
    if not answered:
        builder.alert(AlertCode.OWNERSHIP_UNANSWERED, "warning", attempts=builder.state.failures)
    return _not_proven(builder, "", "not proven within the limit", "EXPIRED")


def _not_proven(
    builder: AssessmentBuilder, reason: str, rule: str, status: str = "NOT_STARTED", *, checked: bool = False
) -> str:
    builder.end(proven=False, reason=reason, status=status, checked_by_us=checked)
    return rule
