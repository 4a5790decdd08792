"""The address search, the authorization and its answer; the repeated tries when the counterparty is unreachable."""

from __future__ import annotations

from schemas.nesting_depth import is_nested_deeper
from schemas.operations import Operation
from travelrule.exchange import wire_bodies
from travelrule.exchange.originator.answer_check import BindingFault, binding_fault
from travelrule.exchange.originator.builder import TRY_AGAIN, WithdrawalBuilder
from travelrule.exchange.originator.conclusion import give_up, owe_finish, queue
from travelrule.exchange.originator.hub_outage import wait_for_hub, waits_for_hub
from travelrule.exchange.originator.required_fields import unsendable_fields
from travelrule.exchange.originator.state import Attempt
from travelrule.machine.alert_codes import AlertCode
from travelrule.machine.backoff import COUNTERPARTY_RETRY_SECONDS_MAX, counterparty_retry_seconds
from travelrule.machine.ids import fresh_transfer_id
from travelrule.machine.internal_inputs import CallResult, SentBody, normalized_field
from travelrule.machine.own_profile import own_profile
from travelrule.machine.retry_table import is_of_hub, is_transient
from travelrule.machine.transition_table import NEW
from travelrule.policy.causes import Cause
from travelrule.policy.verdicts import denied_cause

RESTARTS_MAX = 3
"""How many fresh ids are tried when the counterparty refuses each as known."""

UNBOUND_SECONDS = (2.0, 8.0)
UNBOUND_WINDOW_SECONDS = 60.0
"""The waits before an authorization is repeated whose answer does not match, within the window."""

ENTITY_ID_MAX = 200

UNKNOWN_VASP_CODES = frozenset({"INVALID_TARGET_VASP_ID", "INVALID_BENEFICIARY"})

REFUSALS = frozenset(
    {
        "NOT_FOUND_ADDRESS",
        "NOT_SUPPORTED_SYMBOL",
        "NOT_KYC_USER",
        "SANCTION_LIST",
        "LACK_OF_INFORMATION",
        "INPUT_NAME_MISMATCHED",
        "DOB_MISMATCHED",
        "UNKNOWN",
    }
)
"""The documented reasons of a refusal (errors.md section 4); any other is ``UNKNOWN``."""


def search_address(builder: WithdrawalBuilder, attempt: Attempt) -> None:
    """Search for the address at the counterparty; no personal data are sent (invariant 6)."""
    clear, payload = wire_bodies.address_search(builder.state.request)
    builder.call_counterparty(Operation.ADDRESS_SEARCH, attempt, clear, payload)


def handle_address_result(builder: WithdrawalBuilder, report: CallResult) -> str:
    """Handle the result of the address search of the current attempt."""
    attempt = builder.state.attempt
    if attempt is None or attempt.transfer_id != report.correlation_id or attempt.status != NEW:
        return "late answer ignored"
    if builder.state.case.final or attempt.give_up:
        return "the case is decided, or goes another way: answer ignored"
    if report.outcome == "deferred":
        return _deferred(builder, report)
    builder.clear_timer(TRY_AGAIN)
    if report.outcome == "failed":
        return _not_answered(builder, attempt, report)
    return _address_answered(builder, attempt, report)


def _address_answered(builder: WithdrawalBuilder, attempt: Attempt, report: CallResult) -> str:
    body = report.body or {}
    if normalized_field(body, "result") != "valid":
        return _address_refused(builder, attempt, reason_of(report))
    owner = body.get("beneficiaryVaspEntityId")
    if isinstance(owner, str) and owner and owner.lower() != attempt.counterparty.lower():
        named = owner if owner.isprintable() and len(owner) <= ENTITY_ID_MAX else ""
        builder.decide(Cause.COUNTERPARTY_FOUND, counterparty=named)
        return "the address belongs to another VASP"
    country, alliance = report.counterparty_country, report.counterparty_alliance
    authorize(builder, builder.change_attempt(attempt.transfer_id, country=country, alliance=alliance))
    return "address valid"


def _address_refused(builder: WithdrawalBuilder, attempt: Attempt, reason: str) -> str:
    if reason == "NOT_FOUND_ADDRESS":
        builder.decide(Cause.ADDRESS_NOT_FOUND)
        return "address not at that VASP"
    _refused(builder, attempt, reason)
    return "address refused"


def _refused(builder: WithdrawalBuilder, attempt: Attempt, reason: str) -> None:
    builder.decide(denied_cause(reason), reason=reason)
    if reason == "SANCTION_LIST":
        builder.alert(AlertCode.COUNTERPARTY_SANCTION_LIST, "critical", counterparty=attempt.counterparty)


def authorize(builder: WithdrawalBuilder, attempt: Attempt) -> None:
    """Store ``wait`` and send the authorization of the current attempt."""
    profile = own_profile(builder.policy)
    if profile is None:
        builder.decide(Cause.NOT_AVAILABLE)
        builder.alert(AlertCode.OWN_PROFILE_MISSING, "critical")
        return
    request = builder.state.request
    exceeding = wire_bodies.exceeds(request, builder.policy)
    clear, payload = wire_bodies.authorization(request, attempt, profile, exceeding=exceeding)
    if missing := unsendable_fields(request, attempt, clear, payload, builder.policy):
        builder.decide(Cause.INFORMATION_INCOMPLETE, missing=missing)
        return
    attempt = builder.move(attempt.transfer_id, "authorization-sent")
    builder.call_counterparty(Operation.TRANSFER_AUTHORIZATION, attempt, clear, payload)


def handle_authorization_result(builder: WithdrawalBuilder, report: CallResult) -> str:
    """Handle the result of an authorization. For an attempt that is not in ``wait`` it is too late."""
    attempt = builder.state.find(report.correlation_id)
    if attempt is None or attempt.status != "wait":
        return "late answer ignored"
    if report.outcome == "deferred":
        return "given up, and not answered yet" if attempt.give_up else _deferred(builder, report)
    if report.outcome == "failed":
        return _authorization_lost(builder, attempt, report)
    verified = normalized_field(report.body or {}, "result") == "verified"
    report = _with_request(builder, attempt, report)
    checks = builder.policy.answers.checks(attempt.counterparty, attempt.alliance)
    fault = binding_fault(report, checks, verified=verified)
    if fault is not None:
        return _unbound(builder, attempt, report, fault)
    if report.payload:
        builder.accept_answer(report)
    return _verified(builder, attempt, report) if verified else _denied(builder, attempt, reason_of(report))


def _with_request(builder: WithdrawalBuilder, attempt: Attempt, report: CallResult) -> CallResult:
    """Return the result with the request. Results stored by earlier versions lack it: it is built again."""
    profile = own_profile(builder.policy)
    if report.sent is not None or profile is None:
        return report
    request = builder.state.request
    exceeding = wire_bodies.exceeds(request, builder.policy)
    clear, payload = wire_bodies.authorization(request, attempt, profile, exceeding=exceeding)
    return report.model_copy(update={"sent": SentBody(clear=clear, payload=payload)})


def _unbound(builder: WithdrawalBuilder, attempt: Attempt, report: CallResult, fault: BindingFault) -> str:
    """Repeat the same authorization, which a correct counterparty answers again, a few times; then give it up.

    The counterparty's record is not known, so a finish is due whatever the answer was.
    """
    since = attempt.unbound_since or builder.now
    waits = UNBOUND_SECONDS[attempt.unbound : attempt.unbound + 1]
    in_time = all((builder.now - since).total_seconds() + wait <= UNBOUND_WINDOW_SECONDS for wait in waits)
    attempt = builder.change_attempt(attempt.transfer_id, unbound=attempt.unbound + 1, unbound_since=since)
    decided = attempt.give_up or builder.state.case.final
    if waits and in_time and report.sent is not None and not decided:
        sent = report.sent
        builder.call_counterparty(Operation.TRANSFER_AUTHORIZATION, attempt, sent.clear, sent.payload, seconds=waits[0])
        return f"the answer does not fit its request ({fault}): asked again"
    builder.move(attempt.transfer_id, "answer-lost")
    owe_finish(builder, attempt.transfer_id, attempt.give_up or "UNKNOWN")
    return _not_bound(builder, attempt, f"the answer does not fit its request ({fault}): finish")


def _not_bound(builder: WithdrawalBuilder, attempt: Attempt, rule: str) -> str:
    if attempt.give_up:
        return rule
    reset_failures(builder)
    builder.decide(Cause.ANSWER_NOT_BOUND)
    builder.alert(AlertCode.ANSWER_NOT_BOUND, "critical", counterparty=attempt.counterparty, attempts=attempt.unbound)
    return rule


def _verified(builder: WithdrawalBuilder, attempt: Attempt, report: CallResult) -> str:
    payload = None if is_nested_deeper(report.payload) else report.payload
    builder.change_attempt(attempt.transfer_id, payload=payload)
    if attempt.give_up:
        builder.move(attempt.transfer_id, "answered-verified", "not-sent")
        owe_finish(builder, attempt.transfer_id, attempt.give_up)
        return "verified after the withdrawal was given up: finish"
    if not payload:
        builder.move(attempt.transfer_id, "answered-verified", "not-sent")
        owe_finish(builder, attempt.transfer_id, "LACK_OF_INFORMATION")
        builder.decide(Cause.PAYLOAD_UNREADABLE)
        builder.alert(AlertCode.PAYLOAD_UNREADABLE, "critical", counterparty=attempt.counterparty)
        return "verified without Travel Rule data: finish"
    reset_failures(builder)
    builder.move(attempt.transfer_id, "answered-verified", "queued")
    builder.judge()
    queue(builder)
    return "verified"


def _denied(builder: WithdrawalBuilder, attempt: Attempt, reason: str) -> str:
    builder.change_attempt(attempt.transfer_id, reason=reason)
    builder.move(attempt.transfer_id, "answered-denied")
    if attempt.give_up:
        return "denied after the withdrawal was given up"
    reset_failures(builder)
    _refused(builder, attempt, reason)
    return "denied"


def _authorization_lost(builder: WithdrawalBuilder, attempt: Attempt, report: CallResult) -> str:
    builder.change_attempt(attempt.transfer_id, reason=report.code[:100])
    builder.move(attempt.transfer_id, "answer-lost")
    if attempt is builder.before.attempt:
        builder.clear_timer(TRY_AGAIN)
    duplicated = report.code == "DUPLICATED_TRANSFER_ID"
    if report.maybe_acted or duplicated or attempt.unbound:
        owe_finish(builder, attempt.transfer_id, attempt.give_up or "UNKNOWN")
    if attempt.give_up or builder.state.case.final:
        return "answer lost after the withdrawal was given up"
    if attempt.unbound:
        return _not_bound(builder, attempt, "no answer that fits its request: finish")
    if not duplicated:
        return _not_answered(builder, attempt, report)
    if builder.state.restarts >= RESTARTS_MAX:
        builder.decide(Cause.COUNTERPARTY_UNREACHABLE)
        builder.alert(AlertCode.DUPLICATED_TRANSFER_ID, "critical", counterparty=attempt.counterparty)
        return "every transferId is known there"
    fresh = Attempt(
        fresh_transfer_id(builder.item.salt), attempt.counterparty, country=attempt.country, alliance=attempt.alliance
    )
    builder.change(attempts=(*builder.state.attempts, fresh), restarts=builder.state.restarts + 1)
    authorize(builder, fresh)
    return "transferId known there: finished, begun anew"


def _deferred(builder: WithdrawalBuilder, report: CallResult) -> str:
    if is_of_hub(report.status, report.code):
        wait_for_hub(builder, begin_again=False)
        return "the hub cannot be reached: the call waits"
    hold_unreachable(builder, AlertCode.COUNTERPARTY_UNREACHABLE)
    return "counterparty down"


def _not_answered(builder: WithdrawalBuilder, attempt: Attempt, report: CallResult) -> str:
    """Set the verdict of a call that was given up."""
    if report.code in UNKNOWN_VASP_CODES:
        builder.decide(Cause.COUNTERPARTY_UNKNOWN)
        return "the hub does not know the VASP"
    if report.coin is not None:
        return hold_unlisted(builder)
    if report.code == "COUNTERPARTY_NOT_ALLOWED":
        builder.decide(Cause.COUNTERPARTY_NOT_ALLOWED)
        return "the policy forbids the VASP by now"
    if is_of_hub(report.status, report.code):
        wait_for_hub(builder, begin_again=True)
        return "the hub failed: begun again soon"
    if is_transient(report.status, report.code):
        hold_unreachable(builder, AlertCode.COUNTERPARTY_UNREACHABLE)
        return "calls used up"
    builder.decide(Cause.COUNTERPARTY_UNREACHABLE)
    builder.alert(
        AlertCode.COUNTERPARTY_REFUSED_CALL, "critical", counterparty=attempt.counterparty, attempts=report.attempts
    )
    return "call refused"


def hold_unlisted(builder: WithdrawalBuilder) -> str:
    """Hold a coin that the hub's table does not list on that network; the table is checked again later."""
    builder.decide(Cause.ASSET_NOT_LISTED)
    builder.set_timer(TRY_AGAIN, COUNTERPARTY_RETRY_SECONDS_MAX)
    return "the hub's table does not list the coin, or not on that network"


def hold_unreachable(builder: WithdrawalBuilder, code: AlertCode) -> None:
    """Hold, and try again with growing waits until the policy's limit; then an operator must decide."""
    builder.decide(Cause.COUNTERPARTY_UNREACHABLE)
    if builder.state.case.final:
        if builder.state.case.verdict == "deny":
            give_up(builder, "UNKNOWN")
        return
    limits = builder.policy.time_limits
    since = builder.state.failing_since or builder.now
    failures = builder.state.failures + 1
    builder.change(failing_since=since, failures=failures)
    if (builder.now - since).total_seconds() >= limits.unreachable_limit:
        builder.clear_timer(TRY_AGAIN)
        builder.alert(
            code, "critical", counterparty=builder.state.request.destination.vasp_entity_id, attempts=failures
        )
        return
    builder.set_timer(TRY_AGAIN, counterparty_retry_seconds(failures, limits.unreachable_retry))


def try_again(builder: WithdrawalBuilder) -> str:
    """Search the address again after the timer, under a fresh ``transferId`` if the last one was used."""
    attempt = builder.state.attempt
    if attempt is not None and attempt.status == "wait" and waits_for_hub(builder):
        wait_for_hub(builder, begin_again=False)
        return "the authorization still waits for the hub"
    if attempt is not None and attempt.status == "wait":
        hold_unreachable(builder, AlertCode.COUNTERPARTY_UNREACHABLE)
        return "the authorization still waits for the counterparty"
    if attempt is None or attempt.status != NEW:
        target = builder.state.request.destination.vasp_entity_id or ""
        attempt = Attempt(fresh_transfer_id(builder.item.salt), target)
        builder.change(attempts=(*builder.state.attempts, attempt))
    else:
        builder.drop(Operation.ADDRESS_SEARCH)
    search_address(builder, attempt)
    return "counterparty tried again"


def reset_failures(builder: WithdrawalBuilder) -> None:
    """Reset the count of failed tries after an answer."""
    builder.clear_timer(TRY_AGAIN)
    builder.change(failing_since=None, failures=0)


def reason_of(report: CallResult) -> str:
    """Return the reason of a refusal; one that is not documented is ``UNKNOWN``."""
    reason = normalized_field(report.body or {}, "reasonType").upper()
    return reason if reason in REFUSALS else "UNKNOWN"
