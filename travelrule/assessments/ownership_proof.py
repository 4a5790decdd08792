"""A customer proves that a wallet is his own: session and result, 4.B.5 and P.4 (hub-api.md 7)."""

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
"""Chains for which no source says how the hub's proof is signed (D38): a signature that we cannot confirm is not held
against the hub's word."""
ROUND = 10
POLLS_MAX = 20
"""The wait between two questions grows by the policy's with every round of ten, up to twenty times the policy's."""


def open_session(builder: AssessmentBuilder) -> str:
    """Ask for a session, if the wallet's chain can be proven."""
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
    builder.ask(TOKEN, _token_request(builder))
    return "session asked for"


def _is_for_another_wallet(builder: AssessmentBuilder) -> bool:
    """Whether the proof would say nothing about the wallet that coins are sent to."""
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


def session_reported(builder: AssessmentBuilder, report: CallResult) -> str:
    """What became of 4.B.5: the session, or none."""
    question = builder.state.question
    if builder.state.status != "opening" or question is None or question.call_id != report.transfer_id:
        return "late answer ignored"
    if report.outcome == "failed":
        return _session_failed(builder, report)
    if report.outcome != "answered":
        return "the question waits"
    try:
        opened = UnhostedTokenResponse.from_wire(report.body)
    except ValidationError:
        return _open_again(builder, builder.failed())
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
    notifications.say_session(builder.state, builder.effects)
    _ask_result(builder, 0 if question.called_back else _poll_seconds(builder))
    return "session opened: the customer is to prove it"


def _session_failed(builder: AssessmentBuilder, report: CallResult) -> str:
    failure = failure_of(report)
    if failure is Failure.UNSUPPORTED:
        return _not_proven(builder, UNSUPPORTED, "the hub does not know this chain")
    if failure is Failure.PASSING:
        return _open_again(builder, pause(builder, failure, report))
    builder.alert(AlertCode.SCREENING_REFUSED, "critical", attempts=report.attempts)
    return _not_proven(builder, AlertCode.SCREENING_REFUSED.value, "the hub refuses a session")


def _open_again(builder: AssessmentBuilder, seconds: float) -> str:
    question = builder.state.question
    if question is None or builder.is_on_its_way():
        return "the next try is on its way already"
    if builder.state.failures >= FAILURES_TOLD:
        builder.alert(AlertCode.OWNERSHIP_SESSION_LATE, "warning", attempts=builder.state.failures)
    builder.ask_again(TOKEN, question.call_id, _token_request(builder), seconds)
    return "no session yet: ask again"


def _ask_result(builder: AssessmentBuilder, seconds: float) -> None:
    question = builder.state.question
    if question is not None:
        builder.ask_again(RESULT, question.hub_id, {"verificationId": question.hub_id}, seconds)


def _poll_seconds(builder: AssessmentBuilder) -> float:
    """Give the wait to the next question; who has not proven it for a while is not expected every moment."""
    first = builder.policy.time_limits.ownership_poll
    asked = builder.state.question.asked if builder.state.question is not None else 0
    return builder.spread(min(first * (1 + asked // ROUND), first * POLLS_MAX))


def called_back(builder: AssessmentBuilder, data: SearchCalledBack) -> str:
    """A callback is no proof: it moves the next question forward."""
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


def result_reported(builder: AssessmentBuilder, report: CallResult) -> str:
    """What the hub says about the session. Only ``VERIFIED`` ends it; any other status may still change."""
    question = builder.state.question
    if builder.state.status != "proving" or question is None or question.hub_id != report.transfer_id:
        return "late answer ignored"
    if report.outcome in ("deferred", "troubled"):
        return "the question waits"
    result = _read(report)
    if result is not None and result.status.strip() == "VERIFIED":
        return _verified(builder, result)
    if builder.is_on_its_way():
        return "the next question is on its way already"
    seconds = _poll_seconds(builder)
    failure = failure_of(report) if report.outcome == "failed" else None
    if result is None:
        seconds = max(seconds, builder.failed())
    else:
        builder.change(failures=0)
    if question.last:
        return proof_too_late(builder, answered=result is not None)
    if failure not in (None, Failure.PASSING):
        builder.alert(AlertCode.SCREENING_REFUSED, "critical", attempts=report.attempts)
        builder.change(question=replace(question, asks_at=None))
        return "the hub refuses to say: it is asked once more at the limit"
    _ask_result(builder, seconds)
    return "not proven yet"


def _read(report: CallResult) -> UnhostedResult | None:
    if report.outcome != "answered":
        return None
    try:
        return UnhostedResult.from_wire(report.body)
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
    """Whether the result speaks of our session, and of all that was asked for; what it leaves out is not ours."""
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


def session_due(builder: AssessmentBuilder) -> str:
    """The limit passed while the customer had a session: ask once more, then it is not proven."""
    question = builder.state.question
    if question is None or question.last:
        return proof_too_late(builder)
    builder.change(question=replace(question, last=True))
    builder.set_timer(LIMIT, builder.policy.time_limits.screening)
    _ask_result(builder, 0)
    return "the time for the proof is over: ask one last time"


def proof_too_late(builder: AssessmentBuilder, *, answered: bool = False) -> str:
    """There is no proof at the limit. Without the hub's word on that nobody knows whether there is none."""
    if not answered:
        builder.alert(AlertCode.OWNERSHIP_UNANSWERED, "warning", attempts=builder.state.failures)
    return _not_proven(builder, "", "not proven within the limit", "EXPIRED")


def _not_proven(
    builder: AssessmentBuilder, reason: str, rule: str, status: str = "NOT_STARTED", *, checked: bool = False
) -> str:
    builder.end(proven=False, reason=reason, status=status, checked_by_us=checked)
    return rule
