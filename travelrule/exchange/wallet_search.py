"""Who owns this address? The wallet search of a withdrawal whose destination is unknown (hub-api.md P.2, P.3).

The search begins when the withdrawal arrives. Its result is asked for more than ten seconds apart, at once if somebody
calls back, and never believed from a callback alone. The VASP that is found must be one that the policy sends to;
unless the policy accepts it, the customer confirms it by amending the withdrawal. Nothing waits for ever: a search that has no
result within the policy's limit ends in a hold that says what would help.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Literal

from pydantic import ValidationError

from schemas.hub import WalletSearchResult
from travelrule.exchange.authorizing import search_address
from travelrule.exchange.decision import Decision, Emit
from travelrule.exchange.ids import first_transfer_id, fresh_transfer_id
from travelrule.exchange.meeting import SearchCalledBack
from travelrule.exchange.messages import where
from travelrule.exchange.reports import CallReport
from travelrule.exchange.state import Attempt, WalletSearch, WithdrawalState
from travelrule.exchange.turn import Turn, ignored
from travelrule.identity.addresses import join
from travelrule.policy.verdicts import Cause

SEARCH_AGAIN = "search-again"
SEARCHES_MAX = 3
"""How often the same address is searched: members that were away may be there the next time."""

Ending = Literal["found", "not-found", "ambiguous", "failed"]


def start_search(turn: Turn) -> None:
    """Begin a search under a fresh request id."""
    before = turn.state.search
    request = turn.state.request
    address, tag = where(request.destination)
    request_id = fresh_transfer_id(turn.item.salt)
    searches = before.searches + 1 if before is not None else 1
    turn.change(search=WalletSearch(request_id, turn.now, searches))
    clear: dict[str, Any] = {
        "currency": request.currency,
        "addressNumber": join(address, tag),
        "requestId": request_id,
    }
    if request.network:
        clear["network"] = request.network
    turn.ask("wallet-search", request_id, clear)


def search_reported(turn: Turn, report: CallReport) -> str:
    """What became of the request for a search."""
    search = _running(turn, report.transfer_id)
    if search is None:
        return "late answer ignored"
    if report.outcome == "failed":
        return _once_more_or(turn, search, "failed", ())
    turn.change(search=replace(search, accepted=True))
    _ask_result(turn, search, turn.policy.time_limits.search_poll)
    return "wallet search runs"


def called_back(turn: Turn, data: SearchCalledBack) -> Decision[WithdrawalState]:
    """Somebody says that the search is over: ask for the result now."""
    search = _running(turn, data.request_id)
    if search is None or not search.accepted:
        return ignored(turn.state, "no search of this id runs")
    turn.drop("wallet-search-result")
    _ask_result(turn, search, 0.0)
    return turn.done("called back: ask for the result now")


def result_reported(turn: Turn, report: CallReport) -> str:
    """What the hub says about the search."""
    search = _running(turn, report.transfer_id)
    if search is None:
        return "late answer ignored"
    try:
        result = WalletSearchResult.model_validate(report.body or {})
    except ValidationError:
        result = None
    if report.outcome == "failed" or result is None:
        return _poll_or_give_up(turn, search)
    if result.is_processing:
        return _poll_or_give_up(turn, search)
    asked = tuple({"counterparty": row.entity_id, "outcome": row.result.lower()} for row in result.analysis_result)
    if result.result == "valid" and result.beneficiary_vasp_entity_id:
        return _found(turn, search, result.beneficiary_vasp_entity_id, asked)
    if result.reason_type == "ALLIANCE_DATA_NON_UNIQUE_RESULT":
        _end(turn, search, "ambiguous", asked)
        turn.decide(Cause.COUNTERPARTY_AMBIGUOUS)
        return "two VASPs say that the address is theirs"
    if result.reason_type == "LACK_OF_INFORMATION" or any(row.unreachable for row in result.analysis_result):
        return _once_more_or(turn, search, "not-found", asked)
    _end(turn, search, "not-found", asked)
    turn.decide(Cause.COUNTERPARTY_UNKNOWN)
    return "no VASP says that the address is its"


def search_again(turn: Turn) -> str:
    """The timer came: search once more, under a new id."""
    turn.clear_timer(SEARCH_AGAIN)
    if turn.state.case.final or turn.state.request.destination.kind != "unknown":
        return "nothing to search for any more"
    start_search(turn)
    return "wallet search begun again"


def end_search(turn: Turn) -> None:
    """The search is of no use any more: its answers are not waited for."""
    turn.clear_timer(SEARCH_AGAIN)
    search = turn.state.search
    if search is not None:
        turn.drop("wallet-search", "wallet-search-result")
        turn.change(search=None)


def _running(turn: Turn, request_id: str) -> WalletSearch | None:
    search = turn.state.search
    if search is None or search.over or search.request_id != request_id or turn.state.case.final:
        return None
    return search


def _ask_result(turn: Turn, search: WalletSearch, seconds: float) -> None:
    turn.ask("wallet-search-result", search.request_id, {"requestId": search.request_id}, seconds)


def _poll_or_give_up(turn: Turn, search: WalletSearch) -> str:
    limits = turn.policy.time_limits
    if (turn.now - search.began_at).total_seconds() < limits.search_limit:
        _ask_result(turn, search, limits.search_poll)
        return "wallet search still runs"
    return _once_more_or(turn, search, "failed", ())


def _found(turn: Turn, search: WalletSearch, entity_id: str, asked: tuple[dict[str, str], ...]) -> str:
    _end(turn, search, "found", asked, entity_id)
    if not turn.policy.may_send_to(entity_id):
        turn.decide(Cause.COUNTERPARTY_NOT_ALLOWED, counterparty=entity_id)
        return "the VASP that was found is not on the allow-list"
    if not turn.policy.accept_found_vasp:
        turn.decide(Cause.COUNTERPARTY_FOUND, counterparty=entity_id)
        return "VASP found: the customer must confirm it"
    request = turn.state.request
    destination = request.destination.model_copy(update={"kind": "vasp", "vasp_entity_id": entity_id})
    turn.change(request=request.model_copy(update={"destination": destination}))
    transfer_id = fresh_transfer_id(turn.item.salt)
    if not turn.state.attempts:
        transfer_id = first_transfer_id(turn.state.withdrawal_id, turn.item.salt)
    turn.change(attempts=(*turn.state.attempts, Attempt(transfer_id, entity_id)))
    search_address(turn)
    return "VASP found and accepted: address search"


def _once_more_or(turn: Turn, search: WalletSearch, ending: Ending, asked: tuple[dict[str, str], ...]) -> str:
    """Search again later, a few times; then it is over."""
    turn.decide(Cause.COUNTERPARTY_UNKNOWN)
    if search.searches < SEARCHES_MAX and not turn.state.case.final:
        turn.change(search=replace(search, over=True))
        turn.set_timer(SEARCH_AGAIN, turn.policy.time_limits.search_again)
        return "no answer from everybody: search again later"
    _end(turn, search, ending, asked)
    return "wallet search ended without a VASP"


def _end(
    turn: Turn, search: WalletSearch, ending: Ending, asked: tuple[dict[str, str], ...], counterparty: str = ""
) -> None:
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
