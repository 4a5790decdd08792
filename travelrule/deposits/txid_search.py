"""The anonymous path: who sent this transaction? TXID search and its result (4.A.9, P.1, flows.md 4)."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import Any, Literal

from pydantic import ValidationError

from schemas.hub.search import TxidSearchResult
from travelrule.deposits import wire_bodies
from travelrule.deposits.alert_codes import AlertCode
from travelrule.deposits.builder import DepositTurn
from travelrule.deposits.data_request import ask_vasp
from travelrule.deposits.state import Found, Search
from travelrule.deposits.table import SEARCH
from travelrule.machine.alert_codes import AlertCode as SharedCode
from travelrule.machine.effects import Emit
from travelrule.machine.ids import fresh_transfer_id
from travelrule.machine.internal_inputs import CallResult
from travelrule.machine.retry_table import is_of_hub, is_transient
from travelrule.messages.arrival import SearchCalledBack
from travelrule.policy.causes import Cause

SEARCH_TXID = "txid-search"
RESULT = "txid-search-result"
ENTITY_MAX = 200

ROWS = {"FOUND": "found", "NOT_FOUND_TXID": "not-found", "SYSTEM_NOT_AVAILABLE": "not-available"}
"""What a VASP answered, as topic ``callbacks`` says it; any other word is ``other``."""

ResultWord = Literal["found", "not-found", "ambiguous", "failed"]


def begin_search(turn: DepositTurn) -> None:
    """Begin a search with a new ``requestId``."""
    request_id = fresh_transfer_id(turn.item.salt)
    turn.change(search=Search(request_id, turn.now), searches=turn.state.searches + 1, found=None)
    turn.drop(SEARCH_TXID, RESULT)
    turn.call("txid-search", "", request_id, wire_bodies.txid_search(turn.state, request_id))
    turn.set_timer(SEARCH, turn.policy.time_limits.search_limit)


def search_again(turn: DepositTurn, seconds: float = 0) -> str:
    """Begin another search now or later, if the policy has one left."""
    turn.drop(SEARCH_TXID, RESULT)
    turn.change(search=None)
    if turn.state.searches >= turn.policy.searches.attempts:
        turn.clear_timer(SEARCH)
        turn.change(held_for=Cause.ORIGINATOR_UNKNOWN)
        turn.move("given-up")
        turn.alert(AlertCode.TXID_SEARCH_FAILED, "warning", turn.state.searches)
        return "no search is left"
    if seconds:
        turn.set_timer(SEARCH, seconds)
        return "search again later"
    begin_search(turn)
    return "search again"


def search_due(turn: DepositTurn) -> str:
    """The timer came: begin the search that was put off, or give up the one that does not end."""
    if turn.state.search is None:
        begin_search(turn)
        return "search again"
    publish(turn, turn.state.search.request_id, "failed")
    return f"no result within the limit: {search_again(turn)}"


def search_reported(turn: DepositTurn, report: CallResult) -> str:
    """What became of 4.A.9: taken, or not."""
    search = turn.state.search
    if not _is_running(turn, report) or search is None:
        return "late answer ignored"
    if report.outcome == "answered":
        turn.reached()
        if not search.accepted:
            turn.change(search=replace(search, accepted=True))
            _poll(turn, turn.policy.time_limits.search_poll)
        return "the search runs"
    if report.outcome != "failed":
        return "the search waits"
    if search.accepted:
        return "the hub called back about it: it runs"
    if is_transient(report.status, report.code):
        turn.change(search=None, searches=max(turn.state.searches - 1, 0))
        turn.unreachable(SEARCH, hub=is_of_hub(report.status, report.code))
        return "the hub did not take the search: again later"
    turn.alert(SharedCode.COUNTERPARTY_REFUSED_CALL, "critical", report.attempts)
    _give_up(turn, Cause.ORIGINATOR_UNKNOWN)
    return "the hub refused the search"


def called_back(turn: DepositTurn, data: SearchCalledBack) -> str:
    """A callback is no result: it moves the first question forward, once. Later ones are seconds away anyway."""
    search = turn.state.search
    if data.operation != SEARCH_TXID or search is None or search.request_id != data.request_id:
        return "not the search that runs: callback ignored"
    if search.hastened or search.polls or turn.state.status != "searching":
        return "the result is asked for anyway"
    turn.change(search=replace(search, accepted=True, hastened=True))
    _poll(turn, 0)
    return "called back: ask for the result"


def _poll(turn: DepositTurn, seconds: float) -> None:
    """Ask for the result; a question that was put off is replaced, so that there is never more than one."""
    search = turn.state.search
    if search is None:
        return
    turn.drop(RESULT)
    due_at = turn.now + timedelta(seconds=seconds) if seconds else None
    turn.call("txid-search-result", "", search.request_id, {"requestId": search.request_id}, due_at=due_at)


def result_reported(turn: DepositTurn, report: CallResult) -> str:
    """P.1. The first final result of a search wins; an answer about another search is nothing."""
    search = turn.state.search
    if not _is_running(turn, report) or search is None:
        return "late answer ignored"
    turn.change(search=replace(search, polls=search.polls + 1))
    limits = turn.policy.time_limits
    if report.outcome == "failed":
        if not is_transient(report.status, report.code):
            publish(turn, search.request_id, "failed")
            return f"the hub refused to give the result: {search_again(turn, limits.search_again)}"
        _poll(turn, limits.search_poll if is_of_hub(report.status, report.code) else limits.unreachable_retry)
        return "no answer: ask for the result later"
    if report.outcome != "answered":
        return "the question waits"
    result = _read(report.body)
    if result is None or result.is_processing:
        _poll(turn, limits.search_poll)
        return "the search still runs" if result is not None else "unreadable answer: ask once more"
    return _ended(turn, search.request_id, result, report)


def _is_running(turn: DepositTurn, report: CallResult) -> bool:
    search = turn.state.search
    return turn.state.status == "searching" and search is not None and search.request_id == report.transfer_id


def _read(body: dict[str, Any] | None) -> TxidSearchResult | None:
    try:
        return TxidSearchResult.from_wire(body)
    except ValidationError:
        return None


def _ended(turn: DepositTurn, request_id: str, result: TxidSearchResult, report: CallResult) -> str:
    limits = turn.policy.time_limits
    # The hub may name one of two that both say yes: then neither is sent any data.
    claimants = {row.entity_id for row in result.analysis_result if row.found}
    if result.result == "valid" and len(claimants) <= 1:
        entity = (result.vasp_entity_id or "").strip()
        if not entity or len(entity) > ENTITY_MAX or not entity.isprintable():
            publish(turn, request_id, "failed", result)
            return f"found, but not named: {search_again(turn, limits.search_again)}"
        return _found(turn, Found(entity, request_id, report.counterparty_alliance or ""), result)
    if result.result == "valid" or result.reason_type == "ALLIANCE_DATA_NON_UNIQUE_RESULT":
        publish(turn, request_id, "ambiguous", result)
        _give_up(turn, Cause.ORIGINATOR_AMBIGUOUS)
        return "two or more VASPs say that they sent it"
    if result.reason_type == "NOT_FOUND_TXID":
        publish(turn, request_id, "not-found", result)
        if report.unasked or any(row.unreachable for row in result.analysis_result):
            return f"not found, but not everybody answered: {search_again(turn, limits.search_again)}"
        _give_up(turn, Cause.ORIGINATOR_UNKNOWN)
        return "no VASP sent it"
    publish(turn, request_id, "failed", result)
    lost = result.reason_type == "LACK_OF_INFORMATION"
    return f"no usable result: {search_again(turn, 0 if lost else limits.search_again)}"


def _found(turn: DepositTurn, found: Found, result: TxidSearchResult) -> str:
    turn.change(found=found, search=None)
    turn.clear_timer(SEARCH)
    publish(turn, found.request_id, "found", result)
    turn.move("found")
    return f"found: {ask_vasp(turn)}"


def _give_up(turn: DepositTurn, cause: Cause) -> None:
    turn.drop(SEARCH_TXID, RESULT)
    turn.clear_timer(SEARCH)
    turn.reached()
    turn.change(search=None, held_for=cause)
    turn.move("given-up")


def publish(turn: DepositTurn, request_id: str, outcome: ResultWord, result: TxidSearchResult | None = None) -> None:
    """Say on topic ``callbacks`` how a search ended."""
    data: dict[str, Any] = {
        "subject": f"deposit:{turn.state.deposit_id}",
        "requestId": request_id,
        "outcome": outcome,
        "asked": [
            {"counterparty": row.entity_id, "outcome": ROWS.get(row.result, "other")}
            for row in (result.analysis_result if result is not None else ())
        ],
    }
    if outcome == "found" and turn.state.found is not None:
        data["counterparty"] = turn.state.found.entity_id
    turn.effects.append(Emit("callbacks", turn.state.deposit_id, "txid-search.result.v1", data))
