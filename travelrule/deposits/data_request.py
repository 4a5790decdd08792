"""The data request to the VASP that was found, and its answer (4.A.10, flows.md 5 and 10)."""

from __future__ import annotations

from typing import Any

from schemas.nesting_depth import is_nested_deeper
from schemas.operations import Operation
from travelrule.deposits import request_bodies
from travelrule.deposits.builder import DepositBuilder
from travelrule.deposits.deposit_context import ContextWallet
from travelrule.deposits.received_data import examine
from travelrule.deposits.state import FoundVasp
from travelrule.deposits.table import SEARCH, TRY
from travelrule.machine.alert_codes import AlertCode
from travelrule.machine.effects import AcceptAnswer
from travelrule.machine.internal_inputs import CallResult, normalized_field
from travelrule.machine.own_profile import own_profile
from travelrule.machine.retry_table import is_of_hub, is_transient
from travelrule.policy.causes import Cause

DATA_REQUEST = Operation.DATA_REQUEST

CORRECTED_BY_OTHERS = frozenset({Cause.OWNER_UNKNOWN, Cause.NOT_AVAILABLE, Cause.INFORMATION_INCOMPLETE})
"""Holds before anything was sent, which end when somebody registers or sets what was missing."""


def ask_vasp(builder: DepositBuilder) -> str:
    """Ask the VASP that was found, if the policy lets us and we know whose data to send."""
    found = builder.state.found
    if found is None or not builder.policy.may_send_to(found.entity_id):
        fail(builder, Cause.COUNTERPARTY_NOT_ALLOWED)
        return "the policy forbids the VASP"
    if builder.state.wallet is None or builder.state.wallet.owner is None:
        # It may have been registered since the deposit was seen.
        builder.change(wallet=None)
        builder.look_up()
        builder.set_timer(TRY, builder.policy.time_limits.unreachable_retry)
        return "whose address is it?"
    return _send(builder, found)


def owner_looked_up(builder: DepositBuilder, wallet: ContextWallet | None) -> str:
    """The own store said once more whose address it is."""
    found = builder.state.found
    known = found is not None and wallet is not None and wallet.owner is not None
    if builder.state.status == "held":
        if not known:
            return "nothing was corrected"
        builder.move("ask-again")
    builder.change(wallet=wallet, held_for=None)
    if found is None or not known:
        fail(builder, Cause.OWNER_UNKNOWN)
        _look_later(builder)
        return "nobody is registered at the address"
    builder.reached()
    return _send(builder, found)


def nudge(builder: DepositBuilder) -> str:
    """On hold for what somebody may have corrected meanwhile: look."""
    if builder.state.found is None or builder.state.held_for not in CORRECTED_BY_OTHERS:
        return "nothing to try again"
    builder.look_up()
    return "corrected meanwhile?"


def _look_later(builder: DepositBuilder) -> None:
    """Look again after a while, ever more rarely; in the end only as often as the hold is reminded of."""
    limits = builder.policy.time_limits
    since, failures = builder.state.failing_since or builder.now, builder.state.failures + 1
    builder.change(failing_since=since, failures=failures)
    if (builder.now - since).total_seconds() < limits.unreachable_limit:
        builder.set_timer(TRY, builder.backoff())


def _send(builder: DepositBuilder, found: FoundVasp) -> str:
    profile = own_profile(builder.policy)
    owner = builder.state.wallet.owner if builder.state.wallet is not None else None
    if profile is None or owner is None:
        builder.alert(AlertCode.OWN_PROFILE_MISSING, "critical")
        fail(builder, Cause.NOT_AVAILABLE)
        return "own profile missing"
    clear, payload = request_bodies.data_request(builder.state, found, owner, profile)
    if missing := request_bodies.missing_fields(found, owner, clear, payload, builder.policy):
        fail(builder, Cause.INFORMATION_INCOMPLETE, missing)
        return "more must be sent than is known"
    builder.drop(DATA_REQUEST)
    builder.call(Operation.DATA_REQUEST, found.entity_id, found.request_id, clear, payload)
    builder.set_timer(TRY, builder.policy.time_limits.data_request)
    return "ask the VASP for the data"


def try_due(builder: DepositBuilder) -> str:
    """The timer came. A request that waits is sent again under the same id; on hold it is looked once more."""
    if builder.state.status == "held":
        rule = nudge(builder)
        _look_later(builder)
        return rule
    builder.unreachable(TRY, hub=builder.state.hub_away)
    due_at = builder.state.timers[TRY]
    rule = ask_vasp(builder)
    if builder.state.status == "requesting":
        builder.change(timers={**builder.state.timers, TRY: due_at})
    return f"no answer: {rule}"


def fail(builder: DepositBuilder, cause: Cause, missing: tuple[str, ...] = ()) -> None:
    """End asking; the verdict says why."""
    builder.drop(DATA_REQUEST)
    builder.clear_timer(TRY)
    builder.change(held_for=cause, missing=missing, unreachable=False)
    builder.move("data-failed")


def data_reported(builder: DepositBuilder, report: CallResult) -> str:
    """What became of the data request."""
    found = builder.state.found
    if builder.state.status != "requesting" or found is None or found.request_id != report.transfer_id:
        return "late answer ignored"
    if report.outcome == "deferred":
        builder.unreachable(TRY)
        return "the VASP is down: the request waits"
    if report.outcome == "failed":
        return _not_answered(builder, report)
    builder.reached()
    body = report.body or {}
    if normalized_field(body, "result") == "normal":
        return _normal(builder, found, report)
    return _error(builder, normalized_field(body, "reasonType").upper())


def _not_answered(builder: DepositBuilder, report: CallResult) -> str:
    if report.code == "COUNTERPARTY_NOT_ALLOWED":
        fail(builder, Cause.COUNTERPARTY_NOT_ALLOWED)
        return "the policy forbids the VASP by now"
    if report.code == "ANSWER_NOT_BOUND":
        return _not_bound(builder, "the answers belong to another request")
    if report.code == "DUPLICATED_TRANSFER_ID":
        return _search_anew(builder, 0, "the VASP knows the transferId")
    if is_transient(report.status, report.code):
        builder.unreachable(TRY, hub=is_of_hub(report.status, report.code))
        return "calls used up: again later under the same transferId"
    builder.alert(AlertCode.COUNTERPARTY_REFUSED_CALL, "critical", attempts=report.attempts)
    fail(builder, Cause.COUNTERPARTY_UNREACHABLE)
    return "the request was refused"


def _not_bound(builder: DepositBuilder, rule: str) -> str:
    builder.alert(AlertCode.ANSWER_NOT_BOUND, "critical")
    fail(builder, Cause.ANSWER_NOT_BOUND)
    return rule


def _error(builder: DepositBuilder, reason: str) -> str:
    """The VASP says no. Only ``NOT_FOUND_TXID`` may pass by itself: once more, after a new search (flows.md 5)."""
    if reason == "NOT_FOUND_TXID" and not builder.state.missed:
        builder.change(missed=True)
        return _search_anew(builder, builder.policy.time_limits.search_again, "the VASP does not find the transaction")
    builder.alert(AlertCode.DATA_REQUEST_REFUSED)
    fail(builder, Cause.ORIGINATOR_UNKNOWN)
    return "the VASP does not tell the data"


def _search_anew(builder: DepositBuilder, seconds: float, why: str) -> str:
    """The same ``transferId`` would get the same answer: a new search gives a new one, if the policy has one left."""
    builder.drop(DATA_REQUEST)
    builder.clear_timer(TRY)
    builder.reached()
    if builder.state.searches >= builder.policy.searches.attempts:
        builder.alert(AlertCode.DATA_REQUEST_REFUSED)
        fail(builder, Cause.ORIGINATOR_UNKNOWN)
        return f"{why}: no search is left"
    builder.change(search=None)
    builder.move("search-anew")
    builder.set_timer(SEARCH, max(seconds, builder.policy.time_limits.search_poll))
    return f"{why}: search anew"


def _normal(builder: DepositBuilder, found: FoundVasp, report: CallResult) -> str:
    if report.accepted_for and report.accepted_for != report.transfer_id:
        return _not_bound(builder, "the answer was accepted for another request before")
    payload: dict[str, Any] | None = None if is_nested_deeper(report.payload) else report.payload
    wallet = builder.state.wallet
    owner = wallet.owner if wallet is not None else None
    if owner is None:
        fail(builder, Cause.OWNER_UNKNOWN)
        return "nobody is registered at the address any more"
    differs = examine(builder.state, found, owner, report.body or {}, payload, builder.policy)
    if differs is not None:
        if differs is Cause.PAYLOAD_UNREADABLE:
            builder.alert(AlertCode.PAYLOAD_UNREADABLE, "critical")
        fail(builder, differs)
        return "data received, but they do not fit"
    if report.answer_seal and not report.accepted_for:
        builder.effects.append(AcceptAnswer(report.answer_seal, report.transfer_id))
    builder.change(received=payload if payload is not None else {})
    builder.clear_timer(TRY)
    builder.move("data-passed")
    return "data received"
