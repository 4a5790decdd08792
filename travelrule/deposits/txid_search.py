"""The anonymous path: who sent this transaction? TXID search and its result (4.A.9, P.1, flows.md 4)."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Literal

from pydantic import ValidationError

from schemas.hub.search import TxidSearchResult
from schemas.operations import Operation
from travelrule.deposits import request_bodies
from travelrule.deposits.builder import DepositBuilder
from travelrule.deposits.data_request import ask_vasp
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
"""What a VASP answered, as topic ``callbacks`` says it; any other word is ``other``."""

ResultWord = Literal["found", "not-found", "ambiguous", "failed"]


def begin_search(builder: DepositBuilder) -> None:
    """Begin a search with a new ``requestId``."""
    request_id = fresh_transfer_id(builder.item.salt)
    builder.change(search=RunningSearch(request_id, builder.now), searches=builder.state.searches + 1, found=None)
    builder.drop(SEARCH_TXID, RESULT)
    builder.call(Operation.TXID_SEARCH, "", request_id, request_bodies.txid_search(builder.state, request_id))
    builder.set_timer(SEARCH, builder.policy.time_limits.search_limit)


def search_again(builder: DepositBuilder, seconds: float = 0) -> str:
    """Begin another search now or later, if the policy has one left."""
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
    begin_search(builder)
    return "search again"


def search_due(builder: DepositBuilder) -> str:
    """The timer came: begin the search that was put off, or give up the one that does not end."""
    if builder.state.search is None:
        begin_search(builder)
        return "search again"
    publish(builder, builder.state.search.request_id, "failed")
    return f"no result within the limit: {search_again(builder)}"


def search_reported(builder: DepositBuilder, report: CallResult) -> str:
    """What became of 4.A.9: taken, or not."""
    search = builder.state.search
    if not _is_running(builder, report) or search is None:
        return "late answer ignored"
    if report.outcome == "answered":
        builder.reached()
        if not search.accepted:
            builder.change(search=replace(search, accepted=True))
            _poll(builder, builder.policy.time_limits.search_poll)
        return "the search runs"
    if report.outcome != "failed":
        return "the search waits"
    if search.accepted:
        return "the hub called back about it: it runs"
    if is_transient(report.status, report.code):
        builder.change(search=None, searches=max(builder.state.searches - 1, 0))
        builder.unreachable(SEARCH, hub=is_of_hub(report.status, report.code))
        return "the hub did not take the search: again later"
    builder.alert(AlertCode.COUNTERPARTY_REFUSED_CALL, "critical", attempts=report.attempts)
    _give_up(builder, Cause.ORIGINATOR_UNKNOWN)
    return "the hub refused the search"


def called_back(builder: DepositBuilder, data: SearchCalledBack) -> str:
    """A callback is no result: it moves the first question forward, once. Later ones are seconds away anyway."""
    search = builder.state.search
    if data.operation != SEARCH_TXID or search is None or search.request_id != data.request_id:
        return "not the search that runs: callback ignored"
    if search.hastened or search.polls or builder.state.status != "searching":
        return "the result is asked for anyway"
    builder.change(search=replace(search, accepted=True, hastened=True))
    _poll(builder, 0)
    return "called back: ask for the result"


def _poll(builder: DepositBuilder, seconds: float) -> None:
    """Ask for the result; a question that was put off is replaced, so that there is never more than one."""
    search = builder.state.search
    if search is None:
        return
    builder.drop(RESULT)
    clear = {"requestId": search.request_id}
    builder.call(Operation.TXID_SEARCH_RESULT, "", search.request_id, clear, seconds=seconds or None)


def result_reported(builder: DepositBuilder, report: CallResult) -> str:
    """P.1. The first final result of a search wins; an answer about another search is nothing."""
    search = builder.state.search
    if not _is_running(builder, report) or search is None:
        return "late answer ignored"
    builder.change(search=replace(search, polls=search.polls + 1))
    limits = builder.policy.time_limits
    if report.outcome == "failed":
        if not is_transient(report.status, report.code):
            publish(builder, search.request_id, "failed")
            return f"the hub refused to give the result: {search_again(builder, limits.search_again)}"
        _poll(builder, limits.search_poll if is_of_hub(report.status, report.code) else limits.unreachable_retry)
        return "no answer: ask for the result later"
    if report.outcome != "answered":
        return "the question waits"
    result = _read(report.body)
    if result is None or result.is_processing:
        _poll(builder, limits.search_poll)
        return "the search still runs" if result is not None else "unreadable answer: ask once more"
    return _ended(builder, search.request_id, result, report)


def _is_running(builder: DepositBuilder, report: CallResult) -> bool:
    search = builder.state.search
    return builder.state.status == "searching" and search is not None and search.request_id == report.transfer_id


def _read(body: dict[str, Any] | None) -> TxidSearchResult | None:
    try:
        return TxidSearchResult.from_wire(body)
    except ValidationError:
        return None


def _ended(builder: DepositBuilder, request_id: str, result: TxidSearchResult, report: CallResult) -> str:
    limits = builder.policy.time_limits
    # The hub may name one of two that both say yes: then neither is sent any data.
    claimants = {row.entity_id for row in result.analysis_result if row.found}
    if result.result == "valid" and len(claimants) <= 1:
        entity = (result.vasp_entity_id or "").strip()
        if not entity or len(entity) > ENTITY_MAX or not entity.isprintable():
            publish(builder, request_id, "failed", result)
            return f"found, but not named: {search_again(builder, limits.search_again)}"
        return _found(builder, FoundVasp(entity, request_id, report.counterparty_alliance or ""), result)
    if result.result == "valid" or result.reason_type == "ALLIANCE_DATA_NON_UNIQUE_RESULT":
        publish(builder, request_id, "ambiguous", result)
        _give_up(builder, Cause.ORIGINATOR_AMBIGUOUS)
        return "two or more VASPs say that they sent it"
    if result.reason_type == "NOT_FOUND_TXID":
        publish(builder, request_id, "not-found", result)
        if report.unasked or any(row.unreachable for row in result.analysis_result):
            return f"not found, but not everybody answered: {search_again(builder, limits.search_again)}"
        _give_up(builder, Cause.ORIGINATOR_UNKNOWN)
        return "no VASP sent it"
    publish(builder, request_id, "failed", result)
    lost = result.reason_type == "LACK_OF_INFORMATION"
    return f"no usable result: {search_again(builder, 0 if lost else limits.search_again)}"


def _found(builder: DepositBuilder, found: FoundVasp, result: TxidSearchResult) -> str:
    builder.change(found=found, search=None)
    builder.clear_timer(SEARCH)
    publish(builder, found.request_id, "found", result)
    builder.move("found")
    return f"found: {ask_vasp(builder)}"


def _give_up(builder: DepositBuilder, cause: Cause) -> None:
    builder.drop(SEARCH_TXID, RESULT)
    builder.clear_timer(SEARCH)
    builder.reached()
    builder.change(search=None, held_for=cause)
    builder.move("given-up")


def publish(
    builder: DepositBuilder, request_id: str, outcome: ResultWord, result: TxidSearchResult | None = None
) -> None:
    """Say on topic ``callbacks`` how a search ended."""
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
