"""Status requests to the originators with open authorizations, after the report is late (4.A.8, flows.md 3)."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Final

from pydantic import ValidationError

from schemas.hub.transfer import StatusSearchResponse
from schemas.operations import Operation
from travelrule.deposits.builder import DepositBuilder
from travelrule.deposits.state import Candidate
from travelrule.deposits.table import ASK
from travelrule.deposits.txid_search import start_search
from travelrule.identity.txids import same_txid
from travelrule.machine.internal_inputs import CallResult
from travelrule.messages.arrival import TxidLearned

STATUS_SEARCH: Final = Operation.STATUS_SEARCH


def request_statuses(builder: DepositBuilder) -> str:
    """Request the status of every authorization that is left; at the limit, or if none is left, search."""
    since = builder.state.asking_since or builder.now
    builder.change(asking_since=since)
    left = [one for one in builder.state.candidates if not one.gone]
    builder.drop(STATUS_SEARCH)
    limit = builder.policy.time_limits.status_search_limit
    if not left or (builder.now - since).total_seconds() >= limit:
        builder.clear_timer(ASK)
        builder.move("none-left")
        start_search(builder)
        return "no originator says that it is his: search the sender"
    for one in left:
        builder.call(STATUS_SEARCH, one.entity_id, one.transfer_id, {"transferId": one.transfer_id})
    builder.set_timer(ASK, builder.policy.time_limits.status_search_every)
    return "the report is late: ask the originators"


def apply_status_result(builder: DepositBuilder, call: CallResult) -> str:
    """Apply the answer of one originator."""
    candidate = next((one for one in builder.state.candidates if _is_of(one, call)), None)
    if builder.state.status != "asking" or candidate is None or candidate.gone:
        return "late answer ignored"
    if call.outcome == "answered":
        rule = _answered(builder, candidate, call.body or {})
    elif call.outcome == "failed" and call.code == "UNKNOWN_TRANSFER_ID":
        _gone(builder, candidate)
        rule = "the originator does not know the transfer"
    else:
        return "no answer: the originator is asked again"
    if all(one.gone for one in builder.state.candidates):
        return f"{rule}; {request_statuses(builder)}"
    return rule


def _is_of(one: Candidate, call: CallResult) -> bool:
    return (one.entity_id, one.transfer_id) == (call.target, call.correlation_id)


def _answered(builder: DepositBuilder, candidate: Candidate, body: dict[str, Any]) -> str:
    try:
        said = StatusSearchResponse.from_wire(body)
    except ValidationError:
        return "unreadable answer: the originator is asked again"
    ours = said.txid is not None and same_txid(said.txid, builder.state.detected.txid)
    if said.transfer_id is None and not ours:
        return "the answer names neither the transfer nor our transaction: the originator is asked again"
    if said.status == "canceled":
        _gone(builder, candidate)
        return "the originator says canceled"
    if said.status == "confirmed" and said.txid is not None:
        builder.send(candidate.subject, "exchange.txid-learned", TxidLearned(txid=said.txid, vout=said.vout))
    if said.txid is not None and not ours:
        _gone(builder, candidate)
        return "the originator sent another transaction"
    return f"the originator says {said.status}"


def _gone(builder: DepositBuilder, candidate: Candidate) -> None:
    candidates = tuple(replace(one, gone=True) if one == candidate else one for one in builder.state.candidates)
    builder.change(candidates=candidates)
