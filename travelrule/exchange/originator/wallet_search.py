"""Who owns this address? The wallet search of a withdrawal whose destination is unknown (hub-api.md P.2, P.3).

The search begins when the withdrawal arrives. Its result is asked for more than ten seconds apart, sooner once if
somebody calls back, and a callback alone is never believed. The VASP that is found must be one that the policy sends
to; unless the policy accepts it, the customer confirms it by amending the withdrawal.

Nothing waits for ever. A search without a result at the policy's limit is over. One that found nobody while members
were away is repeated a few times, one that the hub forgot at once, one that the hub could not be asked as rarely and as
long as a counterparty is tried. Each ends in a hold that says what would help. Every search that was not made pointless
is told to topic ``callbacks`` once.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import Any, Literal

from pydantic import TypeAdapter, ValidationError

from schemas.hub.bodies import WalletSearchResult
from schemas.hub.search import SearchRow
from schemas.text import Id
from travelrule.exchange.originator.authorization import answered_at_last, hold_unlisted, search_address, unreachable
from travelrule.exchange.originator.builder import SEARCH_AGAIN, TRY_AGAIN, Turn
from travelrule.exchange.originator.hub_outage import wait_for_hub
from travelrule.exchange.originator.required_fields import hold_incomplete
from travelrule.exchange.originator.state import Attempt, WalletSearch, WithdrawalState
from travelrule.exchange.wire_bodies import split_destination
from travelrule.identity.account_numbers import join
from travelrule.machine.alert_codes import AlertCode
from travelrule.machine.builder import ignored
from travelrule.machine.decision import Decision
from travelrule.machine.effects import Emit
from travelrule.machine.ids import fresh_transfer_id, next_transfer_id
from travelrule.machine.internal_inputs import CallResult
from travelrule.machine.retry_table import is_of_hub, is_transient
from travelrule.messages.arrival import SearchCalledBack
from travelrule.policy.causes import Cause
from travelrule.policy.verdicts import verdict_for

SEARCHES_MAX = 3
"""How often the same address is searched: members that were away may be there the next time."""

EVERY_NETWORK = "all"
"""The network's name that includes affiliated networks where the platform named none (hub-api.md P.2)."""

Ending = Literal["found", "not-found", "ambiguous", "failed"]
Asked = tuple[dict[str, str], ...]

_ID: TypeAdapter[str] = TypeAdapter(Id)


def start_search(turn: Turn, searches: int = 1) -> None:
    """Begin a search under a fresh request id."""
    request = turn.state.request
    address, tag = split_destination(request.destination)
    request_id = fresh_transfer_id(turn.item.salt)
    turn.change(search=WalletSearch(request_id, turn.now, searches))
    clear: dict[str, Any] = {
        "currency": request.currency,
        "addressNumber": join(address, tag),
        "network": request.network or EVERY_NETWORK,
        "requestId": request_id,
    }
    turn.ask("wallet-search", request_id, clear)


def search_again(turn: Turn, *, counted: bool) -> str:
    """The timer came: search once more, under a new id. A search that could not be asked does not count."""
    before = turn.state.search
    if before is not None and not before.over:
        turn.drop("wallet-search", "wallet-search-result")
    searches = before.searches if before is not None else 1
    start_search(turn, searches + 1 if counted else searches)
    return "wallet search begun again"


def search_reported(turn: Turn, report: CallResult) -> str:
    """What became of the request for a search."""
    search = _running(turn, report.transfer_id)
    if search is None or search.asks_at is not None:
        return "late answer ignored"
    if report.outcome == "deferred":
        if is_of_hub(report.status, report.code):
            wait_for_hub(turn, begin_again=False)
        return "the request for a search waits"
    if report.outcome == "failed":
        return _not_asked(turn, search, report)
    turn.clear_timer(TRY_AGAIN)
    seconds = 0.0 if search.called_back else turn.policy.time_limits.search_poll
    _ask_result(turn, search, seconds)
    return "wallet search runs"


def called_back(turn: Turn, data: SearchCalledBack) -> Decision[WithdrawalState]:
    """Somebody says that the search is over: ask for the result now, unless it was asked for a moment ago."""
    search = _running(turn, data.request_id)
    if search is None or data.operation != "wallet-search":
        return ignored(turn.state, "no search of this id runs")
    if search.asks_at is None:
        if search.called_back:
            return ignored(turn.state, "called back before")
        turn.change(search=replace(search, called_back=True))
        return turn.done("called back before the hub answered: the result is asked for as soon as it did")
    last = search.asks_at if search.asks_at <= turn.now else search.asked_at
    if last is not None and turn.now - last < timedelta(seconds=turn.policy.time_limits.search_poll):
        return ignored(turn.state, "the result was asked for a moment ago and will be again")
    turn.drop("wallet-search-result")
    _ask_result(turn, search, 0.0)
    return turn.done("called back: ask for the result now")


def result_reported(turn: Turn, report: CallResult) -> str:
    """What the hub says about the search. The first final result is the one that counts."""
    search = _running(turn, report.transfer_id)
    if search is None or search.asks_at is None:
        return "late answer ignored"
    if report.outcome == "deferred":
        return "the question for the result waits"
    result = _read(report)
    if result is None or result.is_processing:
        return _without_result(turn, search, report)
    answered_at_last(turn)
    asked = tuple(_row(row) for row in result.analysis_result)
    if result.result == "valid":
        return _valid(turn, search, result, asked)
    if result.reason_type == "ALLIANCE_DATA_NON_UNIQUE_RESULT":
        return _ambiguous(turn, search, asked)
    if result.reason_type == "LACK_OF_INFORMATION":
        return _in_vain(turn, search, "failed", asked, at_once=True)
    if result.reason_type != "NOT_FOUND_ADDRESS":
        return _in_vain(turn, search, "failed", asked)
    if report.unasked or any(row.unreachable for row in result.analysis_result):
        return _in_vain(turn, search, "not-found", asked)
    _end(turn, search, "not-found", asked)
    turn.decide(Cause.COUNTERPARTY_UNKNOWN)
    return "no VASP says that the address is its"


def _running(turn: Turn, request_id: str) -> WalletSearch | None:
    search = turn.state.search
    return search if search is not None and not search.over and search.request_id == request_id else None


def _ask_result(turn: Turn, search: WalletSearch, seconds: float) -> None:
    """Ask once more, after some seconds; ``search`` replaces the one in the state."""
    before = search.asks_at if search.asks_at is not None and search.asks_at <= turn.now else search.asked_at
    due_at = turn.now + timedelta(seconds=seconds)
    turn.change(search=replace(search, asks_at=due_at, asked_at=before))
    turn.ask("wallet-search-result", search.request_id, {"requestId": search.request_id}, seconds)


def _read(report: CallResult) -> WalletSearchResult | None:
    """Read the answer; None if there is none that says anything."""
    if report.outcome != "answered":
        return None
    try:
        return WalletSearchResult.from_wire(report.body or {})
    except ValidationError:
        return None


def _row(row: SearchRow) -> dict[str, str]:
    outcome = "found" if row.found else "unreachable" if row.unreachable else "not-found"
    return {"counterparty": row.entity_id, "outcome": outcome}


def _without_result(turn: Turn, search: WalletSearch, report: CallResult) -> str:
    """No result yet: ask again, until the limit."""
    if search.asks_at is not None and search.asks_at > turn.now:
        return "the next question is on its way already"
    limits = turn.policy.time_limits
    failed = report.outcome == "failed"
    in_time = turn.now - search.began_at < timedelta(seconds=limits.search_limit)
    if in_time and (not failed or is_transient(report.status, report.code)):
        # The question may have been made later than it was due: it counts from its answer.
        _ask_result(turn, replace(search, asks_at=turn.now), limits.search_poll)
        return "wallet search still runs"
    if failed:
        return _not_asked(turn, search, report)
    return _in_vain(turn, search, "failed", ())


def _not_asked(turn: Turn, search: WalletSearch, report: CallResult) -> str:
    """The hub could not be asked, or refuses the search."""
    _end(turn, search, "failed", ())
    if report.coin is not None:
        return hold_unlisted(turn)
    if is_of_hub(report.status, report.code):
        wait_for_hub(turn, begin_again=True)
        return "the hub failed: search again soon"
    if is_transient(report.status, report.code):
        unreachable(turn, AlertCode.COUNTERPARTY_UNREACHABLE)
        return "the hub could not be asked: search again later"
    turn.decide(Cause.COUNTERPARTY_UNKNOWN)
    turn.alert(AlertCode.COUNTERPARTY_REFUSED_CALL, "critical", None, report.attempts)
    return "the hub refuses the search"


def _valid(turn: Turn, search: WalletSearch, result: WalletSearchResult, asked: Asked) -> str:
    """One VASP owns the address, if the answer agrees with itself."""
    claimants = {row.entity_id for row in result.analysis_result if row.found}
    if len(claimants) > 1:
        return _ambiguous(turn, search, asked)
    try:
        named = _ID.validate_python(result.beneficiary_vasp_entity_id or next(iter(claimants), ""))
    except ValidationError:
        return _in_vain(turn, search, "failed", asked)
    return _found(turn, search, named, asked)


def _found(turn: Turn, search: WalletSearch, entity_id: str, asked: Asked) -> str:
    _end(turn, search, "found", asked, entity_id)
    policy = turn.policy
    if entity_id == policy.own.entity_id:
        # The customer says whether it stays in the house: on the hub's word alone nothing is exempt.
        turn.decide(Cause.COUNTERPARTY_FOUND, counterparty=entity_id)
        return "the address is said to be our own: the customer must confirm it"
    if not policy.may_send_to(entity_id):
        turn.decide(Cause.COUNTERPARTY_NOT_ALLOWED, counterparty=entity_id)
        return "the VASP that was found is not on the allow-list"
    if not policy.accept_found_vasp:
        turn.decide(Cause.COUNTERPARTY_FOUND, counterparty=entity_id)
        return "VASP found: the customer must confirm it"
    request = turn.state.request
    destination = request.destination.model_copy(update={"kind": "vasp", "vasp_entity_id": entity_id})
    turn.change(request=request.model_copy(update={"destination": destination}))
    if hold_incomplete(turn, entity_id):
        return "a VASP was found, but something that must be sent to it is missing"
    first = not turn.state.attempts
    attempt = Attempt(next_transfer_id(turn.state.withdrawal_id, turn.item.salt, first=first), entity_id)
    turn.change(attempts=(*turn.state.attempts, attempt))
    search_address(turn, attempt)
    return "VASP found and accepted: address search"


def _ambiguous(turn: Turn, search: WalletSearch, asked: Asked) -> str:
    _end(turn, search, "ambiguous", asked)
    turn.decide(Cause.COUNTERPARTY_AMBIGUOUS)
    return "more than one VASP says that the address is its"


def _in_vain(turn: Turn, search: WalletSearch, ending: Ending, asked: Asked, *, at_once: bool = False) -> str:
    """Nobody was found, and another search may find somebody: a few times."""
    _end(turn, search, ending, asked)
    if search.searches >= SEARCHES_MAX:
        turn.decide(Cause.COUNTERPARTY_UNKNOWN)
        return "wallet search ended without a VASP"
    if at_once:
        start_search(turn, search.searches + 1)
        return "the hub does not know the search: begun again"
    if not verdict_for(Cause.COUNTERPARTY_UNKNOWN, "withdrawal", turn.policy).final:
        turn.decide(Cause.COUNTERPARTY_UNKNOWN)
    turn.set_timer(SEARCH_AGAIN, turn.policy.time_limits.search_again)
    return "nobody was found: search again later"


def _end(turn: Turn, search: WalletSearch, ending: Ending, asked: Asked, counterparty: str = "") -> None:
    """Hear nothing more under this id, and say how it ended."""
    turn.change(search=replace(search, over=True))
    data: dict[str, Any] = {
        "subject": f"withdrawal:{turn.state.withdrawal_id}",
        "requestId": search.request_id,
        "outcome": ending,
        "asked": list(asked),
    }
    if counterparty:
        data["counterparty"] = counterparty
    turn.effects.append(Emit("callbacks", turn.state.withdrawal_id, "wallet-search.result.v1", data))
