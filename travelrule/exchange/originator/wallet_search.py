"""The wallet search: which VASP owns the address of a withdrawal with an unknown destination (hub-api.md P.2, P.3).

The search starts with the withdrawal. Questions for its result are more than ten seconds apart; a callback moves one
forward and is never trusted. The policy must allow the VASP that is found; unless the policy accepts it, the customer
confirms it by amending the withdrawal.

Every wait has a limit. A search without a result at the policy's limit is over. A search that found no VASP while
members were down is repeated a few times, one that the hub forgot at once, one that could not be sent with the waits of
an unreachable counterparty. Each ends in a hold whose needs name the remedy. The result of every search that was not
dropped is emitted to topic ``callbacks`` once.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import Any, Literal

from pydantic import TypeAdapter, ValidationError

from schemas.hub.bodies import WalletSearchResult
from schemas.hub.search import SearchRow
from schemas.operations import Operation
from schemas.texts import Id
from travelrule.exchange.originator.authorization import hold_unlisted, hold_unreachable, reset_failures, search_address
from travelrule.exchange.originator.builder import SEARCH_AGAIN, TRY_AGAIN, WithdrawalBuilder
from travelrule.exchange.originator.hub_outage import wait_for_hub
from travelrule.exchange.originator.required_fields import missing_fields
from travelrule.exchange.originator.state import Attempt, WalletSearch, WithdrawalState
from travelrule.exchange.wire_bodies import split_destination
from travelrule.identity.account_numbers import join
from travelrule.machine.alert_codes import AlertCode
from travelrule.machine.decision import Decision, ignored
from travelrule.machine.ids import fresh_transfer_id, next_transfer_id
from travelrule.machine.internal_inputs import CallResult
from travelrule.machine.retry_table import is_of_hub, is_transient
from travelrule.messages.arrival import SearchCalledBack
from travelrule.policy.causes import Cause
from travelrule.policy.verdicts import verdict_for

SEARCHES_MAX = 3
"""How often the same address is searched: members that were down may be up the next time."""

EVERY_NETWORK = "all"
"""The name that includes affiliated networks if the platform named none (hub-api.md P.2)."""

Ending = Literal["found", "not-found", "ambiguous", "failed"]
Asked = tuple[dict[str, str], ...]

_ID: TypeAdapter[str] = TypeAdapter(Id)


def start_search(builder: WithdrawalBuilder, searches: int = 1) -> None:
    """Start a search under a fresh request id."""
    request = builder.state.request
    address, tag = split_destination(request.destination)
    request_id = fresh_transfer_id(builder.item.salt)
    builder.change(search=WalletSearch(request_id, builder.now, searches))
    clear: dict[str, Any] = {
        "currency": request.currency,
        "addressNumber": join(address, tag),
        "network": request.network or EVERY_NETWORK,
        "requestId": request_id,
    }
    builder.call(Operation.WALLET_SEARCH, "", request_id, clear, seconds=0.0)


def search_again(builder: WithdrawalBuilder, *, counted: bool) -> str:
    """Search again after the timer, under a new id. A search that could not be sent does not count."""
    before = builder.state.search
    if before is not None and not before.over:
        builder.drop(Operation.WALLET_SEARCH, Operation.WALLET_SEARCH_RESULT)
    searches = before.searches if before is not None else 1
    start_search(builder, searches + 1 if counted else searches)
    return "wallet search begun again"


def handle_search_accepted(builder: WithdrawalBuilder, report: CallResult) -> str:
    """Handle the hub's answer to the request for a search."""
    search = _running(builder, report.correlation_id)
    if search is None or search.asks_at is not None:
        return "late answer ignored"
    if report.outcome == "deferred":
        if is_of_hub(report.status, report.code):
            wait_for_hub(builder, begin_again=False)
        return "the request for a search waits"
    if report.outcome == "failed":
        return _not_asked(builder, search, report)
    builder.clear_timer(TRY_AGAIN)
    seconds = 0.0 if search.called_back else builder.policy.time_limits.search_poll
    _ask_result(builder, search, seconds)
    return "wallet search runs"


def handle_callback(builder: WithdrawalBuilder, data: SearchCalledBack) -> Decision[WithdrawalState]:
    """Handle a callback: request the result now, unless a request was sent a moment ago."""
    search = _running(builder, data.request_id)
    if search is None or data.operation != Operation.WALLET_SEARCH:
        return ignored(builder.state, "no search of this id runs")
    if search.asks_at is None:
        if search.called_back:
            return ignored(builder.state, "called back before")
        builder.change(search=replace(search, called_back=True))
        return builder.done("called back before the hub answered: the result is asked for as soon as it did")
    last = search.asks_at if search.asks_at <= builder.now else search.asked_at
    if last is not None and builder.now - last < timedelta(seconds=builder.policy.time_limits.search_poll):
        return ignored(builder.state, "the result was asked for a moment ago and will be again")
    _ask_result(builder, search, 0.0)
    return builder.done("called back: ask for the result now")


def handle_search_result(builder: WithdrawalBuilder, report: CallResult) -> str:
    """Handle an answer to a question for the result. The first final result counts."""
    search = _running(builder, report.correlation_id)
    if search is None or search.asks_at is None:
        return "late answer ignored"
    if report.outcome == "deferred":
        return "the question for the result waits"
    result = _read(report)
    if result is None or result.is_processing:
        return _without_result(builder, search, report)
    reset_failures(builder)
    asked = tuple(_row(row) for row in result.analysis_result)
    if result.result == "valid":
        return _valid(builder, search, result, asked)
    if result.reason_type == "ALLIANCE_DATA_NON_UNIQUE_RESULT":
        return _ambiguous(builder, search, asked)
    if result.reason_type == "LACK_OF_INFORMATION":
        return _without_vasp(builder, search, "failed", asked, at_once=True)
    if result.reason_type != "NOT_FOUND_ADDRESS":
        return _without_vasp(builder, search, "failed", asked)
    if report.unasked or any(row.unreachable for row in result.analysis_result):
        return _without_vasp(builder, search, "not-found", asked)
    _end(builder, search, "not-found", asked)
    builder.decide(Cause.COUNTERPARTY_UNKNOWN)
    return "no VASP says that the address is its"


def _running(builder: WithdrawalBuilder, request_id: str) -> WalletSearch | None:
    search = builder.state.search
    return search if search is not None and not search.over and search.request_id == request_id else None


def _ask_result(builder: WithdrawalBuilder, search: WalletSearch, seconds: float) -> None:
    """Request the result after some seconds; ``search`` replaces the one in the state.

    A question that is still repeated is dropped: a late answer to an earlier one must not lead to two questions.
    """
    if search.asks_at is not None:
        builder.drop(Operation.WALLET_SEARCH_RESULT)
    before = search.asks_at if search.asks_at is not None and search.asks_at <= builder.now else search.asked_at
    due_at = builder.now + timedelta(seconds=seconds)
    builder.change(search=replace(search, asks_at=due_at, asked_at=before))
    builder.call(
        Operation.WALLET_SEARCH_RESULT, "", search.request_id, {"requestId": search.request_id}, seconds=seconds
    )


def _read(report: CallResult) -> WalletSearchResult | None:
    """Return the result in an answer; None if it is unreadable or there is no answer."""
    if report.outcome != "answered":
        return None
    try:
        return WalletSearchResult.from_wire(report.body or {})
    except ValidationError:
        return None


def _row(row: SearchRow) -> dict[str, str]:
    outcome = "found" if row.found else "unreachable" if row.unreachable else "not-found"
    return {"counterparty": row.entity_id, "outcome": outcome}


def _without_result(builder: WithdrawalBuilder, search: WalletSearch, report: CallResult) -> str:
    """Request the result again while there is none, until the limit."""
    if search.asks_at is not None and search.asks_at > builder.now:
        return "the next question is on its way already"
    limits = builder.policy.time_limits
    failed = report.outcome == "failed"
    in_time = builder.now - search.began_at < timedelta(seconds=limits.search_limit)
    if in_time and (not failed or is_transient(report.status, report.code)):
        # The question may have been sent later than it was due: the wait starts at its answer.
        _ask_result(builder, replace(search, asks_at=builder.now), limits.search_poll)
        return "wallet search still runs"
    if failed:
        return _not_asked(builder, search, report)
    return _without_vasp(builder, search, "failed", ())


def _not_asked(builder: WithdrawalBuilder, search: WalletSearch, report: CallResult) -> str:
    """End a search that could not be requested from the hub, or that the hub refuses."""
    _end(builder, search, "failed", ())
    if report.coin is not None:
        return hold_unlisted(builder)
    if is_of_hub(report.status, report.code):
        wait_for_hub(builder, begin_again=True)
        return "the hub failed: search again soon"
    if is_transient(report.status, report.code):
        hold_unreachable(builder, AlertCode.COUNTERPARTY_UNREACHABLE)
        return "the hub could not be asked: search again later"
    builder.decide(Cause.COUNTERPARTY_UNKNOWN)
    builder.alert(AlertCode.COUNTERPARTY_REFUSED_CALL, "critical", attempts=report.attempts)
    return "the hub refuses the search"


def _valid(builder: WithdrawalBuilder, search: WalletSearch, result: WalletSearchResult, asked: Asked) -> str:
    """Apply the claim of one VASP, if the answer is consistent."""
    claimants = {row.entity_id for row in result.analysis_result if row.found}
    if len(claimants) > 1:
        return _ambiguous(builder, search, asked)
    try:
        named = _ID.validate_python(result.beneficiary_vasp_entity_id or next(iter(claimants), ""))
    except ValidationError:
        return _without_vasp(builder, search, "failed", asked)
    return _found(builder, search, named, asked)


def _found(builder: WithdrawalBuilder, search: WalletSearch, entity_id: str, asked: Asked) -> str:
    _end(builder, search, "found", asked, entity_id)
    policy = builder.policy
    if entity_id == policy.own.entity_id:
        # The customer must confirm an internal transfer: no answer of the hub exempts anything.
        builder.decide(Cause.COUNTERPARTY_FOUND, counterparty=entity_id)
        return "the address is said to be our own: the customer must confirm it"
    if not policy.may_send_to(entity_id):
        builder.decide(Cause.COUNTERPARTY_NOT_ALLOWED, counterparty=entity_id)
        return "the VASP that was found is not on the allow-list"
    if not policy.accept_found_vasp:
        builder.decide(Cause.COUNTERPARTY_FOUND, counterparty=entity_id)
        return "VASP found: the customer must confirm it"
    request = builder.state.request
    destination = request.destination.model_copy(update={"kind": "vasp", "vasp_entity_id": entity_id})
    builder.change(request=request.model_copy(update={"destination": destination}))
    if missing := missing_fields(builder.state.request, entity_id, policy):
        builder.decide(Cause.INFORMATION_INCOMPLETE, missing=missing)
        return "a VASP was found, but something that must be sent to it is missing"
    first = not builder.state.attempts
    attempt = Attempt(next_transfer_id(builder.state.withdrawal_id, builder.item.salt, first=first), entity_id)
    builder.change(attempts=(*builder.state.attempts, attempt))
    search_address(builder, attempt)
    return "VASP found and accepted: address search"


def _ambiguous(builder: WithdrawalBuilder, search: WalletSearch, asked: Asked) -> str:
    _end(builder, search, "ambiguous", asked)
    builder.decide(Cause.COUNTERPARTY_AMBIGUOUS)
    return "more than one VASP says that the address is its"


def _without_vasp(
    builder: WithdrawalBuilder, search: WalletSearch, ending: Ending, asked: Asked, *, at_once: bool = False
) -> str:
    """End a search without a VASP; another search follows, a few times."""
    _end(builder, search, ending, asked)
    if search.searches >= SEARCHES_MAX:
        builder.decide(Cause.COUNTERPARTY_UNKNOWN)
        return "wallet search ended without a VASP"
    if at_once:
        start_search(builder, search.searches + 1)
        return "the hub does not know the search: begun again"
    if not verdict_for(Cause.COUNTERPARTY_UNKNOWN, "withdrawal", builder.policy).final:
        builder.decide(Cause.COUNTERPARTY_UNKNOWN)
    builder.set_timer(SEARCH_AGAIN, builder.policy.time_limits.search_again)
    return "nobody was found: search again later"


def _end(
    builder: WithdrawalBuilder, search: WalletSearch, ending: Ending, asked: Asked, counterparty: str = ""
) -> None:
    """End the search and emit its result; later answers under this id are ignored."""
    builder.change(search=replace(search, over=True))
    data: dict[str, Any] = {
        "subject": f"withdrawal:{builder.state.withdrawal_id}",
        "requestId": search.request_id,
        "outcome": ending,
        "asked": list(asked),
    }
    if counterparty:
        data["counterparty"] = counterparty
    builder.emit("callbacks", builder.state.withdrawal_id, "wallet-search.result.v1", data)
