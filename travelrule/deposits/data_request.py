"""The data request to the VASP that was found, and its answer (4.A.10, flows.md 5 and 10)."""

from __future__ import annotations

from typing import Any

from schemas.nesting_depth import is_nested_deeper
from schemas.operations import Operation
from travelrule.deposits import request_bodies
from travelrule.deposits.builder import DepositBuilder
from travelrule.deposits.deposit_context import ContextWallet
from travelrule.deposits.received_data import data_difference
from travelrule.deposits.state import FoundVasp
from travelrule.deposits.table import RETRY, SEARCH
from travelrule.machine.alert_codes import AlertCode
from travelrule.machine.effects import AcceptAnswer
from travelrule.machine.internal_inputs import CallResult, normalized_field
from travelrule.machine.own_profile import own_profile
from travelrule.machine.retry_table import is_of_hub, is_transient
from travelrule.policy.causes import Cause

DATA_REQUEST = Operation.DATA_REQUEST

CORRECTED_BY_OTHERS = frozenset({Cause.OWNER_UNKNOWN, Cause.NOT_AVAILABLE, Cause.INFORMATION_INCOMPLETE})
"""Holds before a request was sent, which a registration or a setting may correct."""


def request_data(builder: DepositBuilder) -> str:
    """Send the data request, if the policy allows the VASP and the owner of the address is known."""
    found = builder.state.found
    if found is None or not builder.policy.may_send_to(found.entity_id):
        end_request(builder, Cause.COUNTERPARTY_NOT_ALLOWED)
        return "the policy forbids the VASP"
    if builder.state.wallet is None or builder.state.wallet.owner is None:
        # It may have been registered since the detection.
        builder.change(wallet=None)
        builder.request_lookup()
        builder.set_timer(RETRY, builder.policy.time_limits.unreachable_retry)
        return "whose address is it?"
    return _send(builder, found)


def apply_owner_lookup(builder: DepositBuilder, wallet: ContextWallet | None) -> str:
    """Apply a repeated look-up of the owner of the address."""
    found = builder.state.found
    known = found is not None and wallet is not None and wallet.owner is not None
    if builder.state.status == "held":
        if not known:
            return "nothing was corrected"
        builder.move("ask-again")
    builder.change(wallet=wallet, held_for=None)
    if found is None or not known:
        end_request(builder, Cause.OWNER_UNKNOWN)
        _look_later(builder)
        return "nobody is registered at the address"
    builder.clear_failures()
    return _send(builder, found)


def retry_held(builder: DepositBuilder) -> str:
    """Look up the owner again, if the hold may have been corrected in the meantime."""
    if builder.state.found is None or builder.state.held_for not in CORRECTED_BY_OTHERS:
        return "nothing to try again"
    builder.request_lookup()
    return "corrected meanwhile?"


def _look_later(builder: DepositBuilder) -> None:
    """Set the timer to the next look-up: waits grow, and after the limit only the reminder of the hold looks again."""
    limits = builder.policy.time_limits
    since, failures = builder.state.failing_since or builder.now, builder.state.failures + 1
    builder.change(failing_since=since, failures=failures)
    if (builder.now - since).total_seconds() < limits.unreachable_limit:
        builder.set_timer(RETRY, builder.backoff())


def _send(builder: DepositBuilder, found: FoundVasp) -> str:
    profile = own_profile(builder.policy)
    owner = builder.state.wallet.owner if builder.state.wallet is not None else None
    if profile is None or owner is None:
        builder.alert(AlertCode.OWN_PROFILE_MISSING, "critical")
        end_request(builder, Cause.NOT_AVAILABLE)
        return "own profile missing"
    clear, payload = request_bodies.data_request(builder.state, found, owner, profile)
    if missing := request_bodies.missing_fields(found, owner, clear, payload, builder.policy):
        end_request(builder, Cause.INFORMATION_INCOMPLETE, missing)
        return "more must be sent than is known"
    builder.drop(DATA_REQUEST)
    builder.call(Operation.DATA_REQUEST, found.entity_id, found.request_id, clear, payload)
    builder.set_timer(RETRY, builder.policy.time_limits.data_request)
    return "ask the VASP for the data"


def apply_retry_timer(builder: DepositBuilder) -> str:
    """Apply the due timer: send an unanswered request again under the same id; on hold, look up the owner again."""
    if builder.state.status == "held":
        rule = retry_held(builder)
        _look_later(builder)
        return rule
    builder.retry_later(RETRY, hub=builder.state.hub_away)
    due_at = builder.state.timers[RETRY]
    rule = request_data(builder)
    if builder.state.status == "requesting":
        builder.change(timers={**builder.state.timers, RETRY: due_at})
    return f"no answer: {rule}"


def end_request(builder: DepositBuilder, cause: Cause, missing: tuple[str, ...] = ()) -> None:
    """End the data request; ``cause`` becomes the verdict's."""
    builder.drop(DATA_REQUEST)
    builder.clear_timer(RETRY)
    builder.change(held_for=cause, missing=missing, unreachable=False)
    builder.move("data-failed")


def apply_data_result(builder: DepositBuilder, call: CallResult) -> str:
    """Apply the result of the data request."""
    found = builder.state.found
    if builder.state.status != "requesting" or found is None or found.request_id != call.correlation_id:
        return "late answer ignored"
    if call.outcome == "deferred":
        builder.retry_later(RETRY)
        return "the VASP is down: the request waits"
    if call.outcome == "failed":
        return _not_answered(builder, call)
    builder.clear_failures()
    body = call.body or {}
    if normalized_field(body, "result") == "normal":
        return _normal(builder, found, call)
    return _error(builder, normalized_field(body, "reasonType").upper())


def _not_answered(builder: DepositBuilder, call: CallResult) -> str:
    if call.code == "COUNTERPARTY_NOT_ALLOWED":
        end_request(builder, Cause.COUNTERPARTY_NOT_ALLOWED)
        return "the policy forbids the VASP by now"
    if call.code == "ANSWER_NOT_BOUND":
        return _not_bound(builder, "the answers belong to another request")
    if call.code == "DUPLICATED_TRANSFER_ID":
        return _search_anew(builder, 0, "the VASP knows the transferId")
    if is_transient(call.status, call.code):
        builder.retry_later(RETRY, hub=is_of_hub(call.status, call.code))
        return "calls used up: again later under the same transferId"
    builder.alert(AlertCode.COUNTERPARTY_REFUSED_CALL, "critical", attempts=call.attempts)
    end_request(builder, Cause.COUNTERPARTY_UNREACHABLE)
    return "the request was refused"


def _not_bound(builder: DepositBuilder, rule: str) -> str:
    builder.alert(AlertCode.ANSWER_NOT_BOUND, "critical")
    end_request(builder, Cause.ANSWER_NOT_BOUND)
    return rule


def _error(builder: DepositBuilder, reason: str) -> str:
    """Apply a refusal. Only ``NOT_FOUND_TXID`` is transient: one new search, then a new request (flows.md 5)."""
    if reason == "NOT_FOUND_TXID" and not builder.state.missed:
        builder.change(missed=True)
        return _search_anew(builder, builder.policy.time_limits.search_again, "the VASP does not find the transaction")
    builder.alert(AlertCode.DATA_REQUEST_REFUSED)
    end_request(builder, Cause.ORIGINATOR_UNKNOWN)
    return "the VASP does not tell the data"


def _search_anew(builder: DepositBuilder, seconds: float, why: str) -> str:
    """Search again for a new ``transferId``, because the same one gets the same answer; hold if no search is left."""
    builder.drop(DATA_REQUEST)
    builder.clear_timer(RETRY)
    builder.clear_failures()
    if builder.state.searches >= builder.policy.searches.attempts:
        builder.alert(AlertCode.DATA_REQUEST_REFUSED)
        end_request(builder, Cause.ORIGINATOR_UNKNOWN)
        return f"{why}: no search is left"
    builder.change(search=None)
    builder.move("search-anew")
    builder.set_timer(SEARCH, max(seconds, builder.policy.time_limits.search_poll))
    return f"{why}: search anew"


def _normal(builder: DepositBuilder, found: FoundVasp, call: CallResult) -> str:
    if call.accepted_for and call.accepted_for != call.correlation_id:
        return _not_bound(builder, "the answer was accepted for another request before")
    payload: dict[str, Any] | None = None if is_nested_deeper(call.payload) else call.payload
    wallet = builder.state.wallet
    owner = wallet.owner if wallet is not None else None
    if owner is None:
        end_request(builder, Cause.OWNER_UNKNOWN)
        return "nobody is registered at the address any more"
    differs = data_difference(builder.state, found, owner, call.body or {}, payload, builder.policy)
    if differs is not None:
        if differs is Cause.PAYLOAD_UNREADABLE:
            builder.alert(AlertCode.PAYLOAD_UNREADABLE, "critical")
        end_request(builder, differs)
        return "data received, but they do not fit"
    if call.answer_seal and not call.accepted_for:
        builder.effects.append(AcceptAnswer(call.answer_seal, call.correlation_id))
    builder.change(received=payload if payload is not None else {})
    builder.clear_timer(RETRY)
    builder.move("data-passed")
    return "data received"
