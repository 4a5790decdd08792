"""The report is late: ask the originators with open authorizations how far they are (4.A.8, flows.md 3)."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Final

from pydantic import ValidationError

from schemas.hub.transfer import StatusSearchResponse
from travelrule.deposits.builder import DepositTurn
from travelrule.deposits.state import Candidate
from travelrule.deposits.table import ASK
from travelrule.deposits.txid_search import begin_search
from travelrule.identity.txids import same_txid
from travelrule.machine.internal_inputs import CallResult
from travelrule.messages.arrival import TxidLearned

STATUS_SEARCH: Final = "status-search"


def ask_round(turn: DepositTurn) -> str:
    """Ask every originator that may still have sent it; at the limit, or if none is left, search instead."""
    since = turn.state.asking_since or turn.now
    turn.change(asking_since=since)
    left = [one for one in turn.state.candidates if not one.gone]
    turn.drop(STATUS_SEARCH)
    limit = turn.policy.time_limits.status_search_limit
    if not left or (turn.now - since).total_seconds() >= limit:
        turn.clear_timer(ASK)
        turn.move("none-left")
        begin_search(turn)
        return "no originator says that it is his: search the sender"
    for one in left:
        turn.call(STATUS_SEARCH, one.entity_id, one.transfer_id, {"transferId": one.transfer_id})
    turn.set_timer(ASK, turn.policy.time_limits.status_search_every)
    return "the report is late: ask the originators"


def status_reported(turn: DepositTurn, report: CallResult) -> str:
    """What one originator said."""
    candidate = next((one for one in turn.state.candidates if _is_of(one, report)), None)
    if turn.state.status != "asking" or candidate is None or candidate.gone:
        return "late answer ignored"
    if report.outcome == "answered":
        rule = _answered(turn, candidate, report.body or {})
    elif report.outcome == "failed" and report.code == "UNKNOWN_TRANSFER_ID":
        _gone(turn, candidate)
        rule = "the originator does not know the transfer"
    else:
        return "no answer: the originator is asked again"
    if all(one.gone for one in turn.state.candidates):
        return f"{rule}; {ask_round(turn)}"
    return rule


def _is_of(one: Candidate, report: CallResult) -> bool:
    return (one.entity_id, one.transfer_id) == (report.target, report.transfer_id)


def _answered(turn: DepositTurn, candidate: Candidate, body: dict[str, Any]) -> str:
    try:
        said = StatusSearchResponse.from_wire(body)
    except ValidationError:
        return "unreadable answer: the originator is asked again"
    ours = said.txid is not None and same_txid(said.txid, turn.state.detected.txid)
    if said.transfer_id is None and not ours:
        return "the answer names neither the transfer nor our transaction: the originator is asked again"
    if said.status == "canceled":
        _gone(turn, candidate)
        return "the originator says canceled"
    if said.status == "confirmed" and said.txid is not None:
        turn.tell(candidate.subject, "exchange.txid-learned", TxidLearned(txid=said.txid, vout=said.vout))
    if said.txid is not None and not ours:
        _gone(turn, candidate)
        return "the originator sent another transaction"
    return f"the originator says {said.status}"


def _gone(turn: DepositTurn, candidate: Candidate) -> None:
    candidates = tuple(replace(one, gone=True) if one == candidate else one for one in turn.state.candidates)
    turn.change(candidates=candidates)
