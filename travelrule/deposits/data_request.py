"""The data request to the VASP that was found, and its answer (4.A.10, flows.md 5 and 10)."""

from __future__ import annotations

from typing import Any

from schemas.nesting import is_nested_deeper
from travelrule.deposits import wire_bodies
from travelrule.deposits.alert_codes import AlertCode
from travelrule.deposits.builder import DepositTurn
from travelrule.deposits.context import ContextWallet
from travelrule.deposits.received_data import examine
from travelrule.deposits.state import Found
from travelrule.deposits.table import SEARCH, TRY
from travelrule.machine.alert_codes import AlertCode as SharedCode
from travelrule.machine.effects import AcceptAnswer
from travelrule.machine.internal_inputs import CallResult, normalized_field
from travelrule.machine.own_profile import own_profile
from travelrule.machine.retry_table import is_of_hub, is_transient
from travelrule.policy.causes import Cause

DATA_REQUEST = "data-request"

CORRECTED_BY_OTHERS = frozenset({Cause.OWNER_UNKNOWN, Cause.NOT_AVAILABLE, Cause.INFORMATION_INCOMPLETE})
"""Holds before anything was sent, which end when somebody registers or sets what was missing."""


def ask_vasp(turn: DepositTurn) -> str:
    """Ask the VASP that was found, if the policy lets us and we know whose data to send."""
    found = turn.state.found
    if found is None or not turn.policy.may_send_to(found.entity_id):
        fail(turn, Cause.COUNTERPARTY_NOT_ALLOWED)
        return "the policy forbids the VASP"
    if turn.state.wallet is None or turn.state.wallet.owner is None:
        # It may have been registered since the deposit was seen.
        turn.change(wallet=None)
        turn.look_up()
        turn.set_timer(TRY, turn.policy.time_limits.unreachable_retry)
        return "whose address is it?"
    return _send(turn, found)


def owner_looked_up(turn: DepositTurn, wallet: ContextWallet | None) -> str:
    """The own store said once more whose address it is."""
    found = turn.state.found
    known = found is not None and wallet is not None and wallet.owner is not None
    if turn.state.status == "held":
        if not known:
            return "nothing was corrected"
        turn.move("ask-again")
    turn.change(wallet=wallet, held_for=None)
    if found is None or not known:
        fail(turn, Cause.OWNER_UNKNOWN)
        _look_later(turn)
        return "nobody is registered at the address"
    turn.reached()
    return _send(turn, found)


def nudge(turn: DepositTurn) -> str:
    """On hold for what somebody may have corrected meanwhile: look."""
    if turn.state.found is None or turn.state.held_for not in CORRECTED_BY_OTHERS:
        return "nothing to try again"
    turn.look_up()
    return "corrected meanwhile?"


def _look_later(turn: DepositTurn) -> None:
    """Look again after a while, ever more rarely; in the end only as often as the hold is reminded of."""
    limits = turn.policy.time_limits
    since, failures = turn.state.failing_since or turn.now, turn.state.failures + 1
    turn.change(failing_since=since, failures=failures)
    if (turn.now - since).total_seconds() < limits.unreachable_limit:
        turn.set_timer(TRY, turn.backoff())


def _send(turn: DepositTurn, found: Found) -> str:
    profile = own_profile(turn.policy)
    owner = turn.state.wallet.owner if turn.state.wallet is not None else None
    if profile is None or owner is None:
        turn.alert(SharedCode.OWN_PROFILE_MISSING, "critical")
        fail(turn, Cause.NOT_AVAILABLE)
        return "own profile missing"
    clear, payload = wire_bodies.data_request(turn.state, found, owner, profile)
    if missing := wire_bodies.missing_fields(found, owner, clear, payload, turn.policy):
        fail(turn, Cause.INFORMATION_INCOMPLETE, missing)
        return "more must be sent than is known"
    turn.drop(DATA_REQUEST)
    turn.call("data-request", found.entity_id, found.request_id, clear, payload)
    turn.set_timer(TRY, turn.policy.time_limits.data_request)
    return "ask the VASP for the data"


def try_due(turn: DepositTurn) -> str:
    """The timer came. A request that waits is sent again under the same id; on hold it is looked once more."""
    if turn.state.status == "held":
        rule = nudge(turn)
        _look_later(turn)
        return rule
    turn.unreachable(TRY, hub=turn.state.hub_away)
    due_at = turn.state.timers[TRY]
    rule = ask_vasp(turn)
    if turn.state.status == "requesting":
        turn.change(timers={**turn.state.timers, TRY: due_at})
    return f"no answer: {rule}"


def fail(turn: DepositTurn, cause: Cause, missing: tuple[str, ...] = ()) -> None:
    """End asking; the verdict says why."""
    turn.drop(DATA_REQUEST)
    turn.clear_timer(TRY)
    turn.change(held_for=cause, missing=missing, unreachable=False)
    turn.move("data-failed")


def data_reported(turn: DepositTurn, report: CallResult) -> str:
    """What became of the data request."""
    found = turn.state.found
    if turn.state.status != "requesting" or found is None or found.request_id != report.transfer_id:
        return "late answer ignored"
    if report.outcome == "deferred":
        turn.unreachable(TRY)
        return "the VASP is down: the request waits"
    if report.outcome == "failed":
        return _not_answered(turn, report)
    turn.reached()
    body = report.body or {}
    if normalized_field(body, "result") == "normal":
        return _normal(turn, found, report)
    return _error(turn, normalized_field(body, "reasonType").upper())


def _not_answered(turn: DepositTurn, report: CallResult) -> str:
    if report.code == "COUNTERPARTY_NOT_ALLOWED":
        fail(turn, Cause.COUNTERPARTY_NOT_ALLOWED)
        return "the policy forbids the VASP by now"
    if report.code == "ANSWER_NOT_BOUND":
        return _not_bound(turn, "the answers belong to another request")
    if report.code == "DUPLICATED_TRANSFER_ID":
        return _search_anew(turn, 0, "the VASP knows the transferId")
    if is_transient(report.status, report.code):
        turn.unreachable(TRY, hub=is_of_hub(report.status, report.code))
        return "calls used up: again later under the same transferId"
    turn.alert(SharedCode.COUNTERPARTY_REFUSED_CALL, "critical", report.attempts)
    fail(turn, Cause.COUNTERPARTY_UNREACHABLE)
    return "the request was refused"


def _not_bound(turn: DepositTurn, rule: str) -> str:
    turn.alert(SharedCode.ANSWER_NOT_BOUND, "critical")
    fail(turn, Cause.ANSWER_NOT_BOUND)
    return rule


def _error(turn: DepositTurn, reason: str) -> str:
    """The VASP says no. Only ``NOT_FOUND_TXID`` may pass by itself: once more, after a new search (flows.md 5)."""
    if reason == "NOT_FOUND_TXID" and not turn.state.missed:
        turn.change(missed=True)
        return _search_anew(turn, turn.policy.time_limits.search_again, "the VASP does not find the transaction")
    turn.alert(AlertCode.DATA_REQUEST_REFUSED)
    fail(turn, Cause.ORIGINATOR_UNKNOWN)
    return "the VASP does not tell the data"


def _search_anew(turn: DepositTurn, seconds: float, why: str) -> str:
    """The same ``transferId`` would get the same answer: a new search gives a new one, if the policy has one left."""
    turn.drop(DATA_REQUEST)
    turn.clear_timer(TRY)
    turn.reached()
    if turn.state.searches >= turn.policy.searches.attempts:
        turn.alert(AlertCode.DATA_REQUEST_REFUSED)
        fail(turn, Cause.ORIGINATOR_UNKNOWN)
        return f"{why}: no search is left"
    turn.change(search=None)
    turn.move("search-anew")
    turn.set_timer(SEARCH, max(seconds, turn.policy.time_limits.search_poll))
    return f"{why}: search anew"


def _normal(turn: DepositTurn, found: Found, report: CallResult) -> str:
    if report.accepted_for and report.accepted_for != report.transfer_id:
        return _not_bound(turn, "the answer was accepted for another request before")
    payload: dict[str, Any] | None = None if is_nested_deeper(report.payload) else report.payload
    wallet = turn.state.wallet
    owner = wallet.owner if wallet is not None else None
    if owner is None:
        fail(turn, Cause.OWNER_UNKNOWN)
        return "nobody is registered at the address any more"
    differs = examine(turn.state, found, owner, report.body or {}, payload, turn.policy)
    if differs is not None:
        if differs is Cause.PAYLOAD_UNREADABLE:
            turn.alert(SharedCode.PAYLOAD_UNREADABLE, "critical")
        fail(turn, differs)
        return "data received, but they do not fit"
    if report.answer_seal and not report.accepted_for:
        turn.effects.append(AcceptAnswer(report.answer_seal, report.transfer_id))
    turn.change(received=payload if payload is not None else {})
    turn.clear_timer(TRY)
    turn.move("data-passed")
    return "data received"
