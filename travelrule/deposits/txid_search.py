"""TXID search for the sender of an anonymous deposit, and its result (4.A.9, P.1, flows.md 4)."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Literal

from pydantic import ValidationError

from schemas.hub.search import TxidSearchResult
from schemas.operations import Operation
from travelrule.deposits import request_bodies
from travelrule.deposits.builder import DepositBuilder
from travelrule.deposits.data_request import request_data
from travelrule.deposits.state import FoundVasp, RunningSearch
from travelrule.deposits.table import SEARCH
from travelrule.machine.alert_codes import AlertCode
from travelrule.machine.effects import Emit
from travelrule.machine.ids import fresh_transfer_id
from travelrule.machine.internal_inputs import CallResult
from travelrule.machine.retry_table import is_of_hub, is_transient
from travelrule.messages.arrival import SearchCalledBack
from travelrule.policy.causes import Cause

SEARCH_TXID = Operation.TXID_SEARCH
RESULT = Operation.TXID_SEARCH_RESULT
ENTITY_MAX = 200

ROWS = {"FOUND": "found", "NOT_FOUND_TXID": "not-found", "SYSTEM_NOT_AVAILABLE": "not-available"}
"""A VASP's answer as topic ``callbacks`` names it; anything else is ``other``."""

ResultWord = Literal["found", "not-found", "ambiguous", "failed"]


def start_search(builder: DepositBuilder) -> None:
    """Start a search with a new ``requestId``."""
    request_id = fresh_transfer_id(builder.item.salt)
    builder.change(search=RunningSearch(request_id, builder.now), searches=builder.state.searches + 1, found=None)
    builder.drop(SEARCH_TXID, RESULT)
    builder.call(Operation.TXID_SEARCH, "", request_id, request_bodies.txid_search(builder.state, request_id))
    builder.set_timer(SEARCH, builder.policy.time_limits.search_limit)


def repeat_search(builder: DepositBuilder, seconds: float = 0) -> str:
    """Start another search now or later, if the policy allows one more; else hold the deposit."""
    builder.drop(SEARCH_TXID, RESULT)
    builder.change(search=None)
    if builder.state.searches >= builder.policy.searches.attempts:
        builder.clear_timer(SEARCH)
        builder.change(held_for=Cause.ORIGINATOR_UNKNOWN)
        builder.move("given-up")
        builder.alert(AlertCode.TXID_SEARCH_FAILED, "warning", attempts=builder.state.searches)
        return "no search is left"
    if seconds:
        builder.set_timer(SEARCH, seconds)
        return "search again later"
    start_search(builder)
    return "search again"


def apply_search_timer(builder: DepositBuilder) -> str:
    """Apply the due timer: start the postponed search, or give up the one without a result."""
    if builder.state.search is None:
        start_search(builder)
        return "search again"
    publish_outcome(builder, builder.state.search.request_id, "failed")
    return f"no result within the limit: {repeat_search(builder)}"


def apply_search_result(builder: DepositBuilder, call: CallResult) -> str:
    """Apply the result of 4.A.9: accepted or not."""
    search = builder.state.search
    if not _is_running(builder, call) or search is None:
        return "late answer ignored"
    if call.outcome == "answered":
        builder.clear_failures()
        if not search.accepted:
            builder.change(search=replace(search, accepted=True))
            _poll(builder, builder.policy.time_limits.search_poll)
        return "the search runs"
    if call.outcome != "failed":
        return "the search waits"
    if search.accepted:
        return "the hub called back about it: it runs"
    if is_transient(call.status, call.code):
        builder.change(search=None, searches=max(builder.state.searches - 1, 0))
        builder.retry_later(SEARCH, hub=is_of_hub(call.status, call.code))
        return "the hub did not take the search: again later"
    builder.alert(AlertCode.COUNTERPARTY_REFUSED_CALL, "critical", attempts=call.attempts)
    _give_up(builder, Cause.ORIGINATOR_UNKNOWN)
    return "the hub refused the search"


def apply_callback(builder: DepositBuilder, data: SearchCalledBack) -> str:
    """Apply a callback: it moves the first poll forward, once. Later polls are seconds away."""
    search = builder.state.search
    if data.operation != SEARCH_TXID or search is None or search.request_id != data.request_id:
        return "not the search that runs: callback ignored"
    if search.hastened or search.polls or builder.state.status != "searching":
        return "the result is asked for anyway"
    builder.change(search=replace(search, accepted=True, hastened=True))
    _poll(builder, 0)
    return "called back: ask for the result"


def _poll(builder: DepositBuilder, seconds: float) -> None:
    """Poll the result; a postponed poll is replaced, so there is never more than one."""
    search = builder.state.search
    if search is None:
        return
    builder.drop(RESULT)
    clear = {"requestId": search.request_id}
    builder.call(Operation.TXID_SEARCH_RESULT, "", search.request_id, clear, seconds=seconds or None)


def apply_search_outcome(builder: DepositBuilder, call: CallResult) -> str:
    """Apply P.1. The first final result of a search counts; one of another search is ignored."""
    search = builder.state.search
    if not _is_running(builder, call) or search is None:
        return "late answer ignored"
    builder.change(search=replace(search, polls=search.polls + 1))
    limits = builder.policy.time_limits
    if call.outcome == "failed":
        if not is_transient(call.status, call.code):
            publish_outcome(builder, search.request_id, "failed")
            return f"the hub refused to give the result: {repeat_search(builder, limits.search_again)}"
        _poll(builder, limits.search_poll if is_of_hub(call.status, call.code) else limits.unreachable_retry)
        return "no answer: ask for the result later"
    if call.outcome != "answered":
        return "the question waits"
    result = _read(call.body)
    if result is None or result.is_processing:
        _poll(builder, limits.search_poll)
        return "the search still runs" if result is not None else "unreadable answer: ask once more"
    return _ended(builder, search.request_id, result, call)


def _is_running(builder: DepositBuilder, call: CallResult) -> bool:
    search = builder.state.search
    return builder.state.status == "searching" and search is not None and search.request_id == call.correlation_id


def _read(body: dict[str, Any] | None) -> TxidSearchResult | None:
    try:
        return TxidSearchResult.from_wire(body)
    except ValidationError:
        return None


def _ended(builder: DepositBuilder, request_id: str, result: TxidSearchResult, call: CallResult) -> str:
    limits = builder.policy.time_limits
    # The hub may name one of two VASPs that both claim it: then neither receives data.
    claimants = {row.entity_id for row in result.analysis_result if row.found}
    if result.result == "valid" and len(claimants) <= 1:
        entity = (result.vasp_entity_id or "").strip()
        if not entity or len(entity) > ENTITY_MAX or not entity.isprintable():
            publish_outcome(builder, request_id, "failed", result)
            return f"found, but not named: {repeat_search(builder, limits.search_again)}"
        return _found(builder, FoundVasp(entity, request_id, call.counterparty_alliance or ""), result)
    if result.result == "valid" or result.reason_type == "ALLIANCE_DATA_NON_UNIQUE_RESULT":
        publish_outcome(builder, request_id, "ambiguous", result)
        _give_up(builder, Cause.ORIGINATOR_AMBIGUOUS)
        return "two or more VASPs say that they sent it"
    if result.reason_type == "NOT_FOUND_TXID":
        publish_outcome(builder, request_id, "not-found", result)
        if call.unasked or any(row.unreachable for row in result.analysis_result):
            return f"not found, but not everybody answered: {repeat_search(builder, limits.search_again)}"
        _give_up(builder, Cause.ORIGINATOR_UNKNOWN)
        return "no VASP sent it"
    publish_outcome(builder, request_id, "failed", result)
    lost = result.reason_type == "LACK_OF_INFORMATION"
    return f"no usable result: {repeat_search(builder, 0 if lost else limits.search_again)}"


def _found(builder: DepositBuilder, found: FoundVasp, result: TxidSearchResult) -> str:
    builder.change(found=found, search=None)
    builder.clear_timer(SEARCH)
    publish_outcome(builder, found.request_id, "found", result)
    builder.move("found")
    return f"found: {request_data(builder)}"


def _give_up(builder: DepositBuilder, cause: Cause) -> None:
    builder.drop(SEARCH_TXID, RESULT)
    builder.clear_timer(SEARCH)
    builder.clear_failures()
    builder.change(search=None, held_for=cause)
    builder.move("given-up")


def publish_outcome(
    builder: DepositBuilder, request_id: str, outcome: ResultWord, result: TxidSearchResult | None = None
) -> None:
    """Emit the outcome of a search to topic ``callbacks``."""
    data: dict[str, Any] = {
        "subject": f"deposit:{builder.state.deposit_id}",
        "requestId": request_id,
        "outcome": outcome,
        "asked": [
            {"counterparty": row.entity_id, "outcome": ROWS.get(row.result, "other")}
            for row in (result.analysis_result if result is not None else ())
        ],
    }
    if outcome == "found" and builder.state.found is not None:
        data["counterparty"] = builder.state.found.entity_id
    builder.effects.append(Emit("callbacks", builder.state.deposit_id, "txid-search.result.v1", data))
