"""What the platform says about the chain: broadcast, mined, settled. A stored txid is never replaced (invariant 5)."""

from __future__ import annotations

from schemas.events.txids import WithdrawalBroadcast, WithdrawalSettled
from travelrule.exchange.originator.builder import Turn
from travelrule.exchange.originator.conclusion import chain_failed, follow_chain, queue
from travelrule.exchange.originator.state import WithdrawalState
from travelrule.identity.txids import same_txid
from travelrule.machine.alert_codes import AlertCode
from travelrule.machine.builder import ignored, rejected
from travelrule.machine.decision import Decision
from travelrule.machine.transition_table import NEW
from travelrule.policy.causes import Cause

NOT_BROADCAST_FIX = "send withdrawal.broadcast.v1 with the txid first"


def broadcast(turn: Turn, data: WithdrawalBroadcast) -> Decision[WithdrawalState]:
    """``machine.broadcast.v1``: a node accepted the transaction."""
    state = turn.state
    if state.txid is not None:
        if not same_txid(state.txid, data.txid):
            return rejected(
                state, "TXID_ALREADY_STORED", "txid", "another txid is stored; only settled failed can end this one"
            )
        if data.vout is None or data.vout == state.vout:
            return ignored(state, "the txid is known")
        if state.vout is not None:
            return rejected(state, "TXID_ALREADY_STORED", "vout", "another output index is stored with this txid")
    allowed = state.case.verdict == "allow"
    filling = state.txid is not None
    turn.change(txid=state.txid or data.txid, vout=data.vout)
    if filling:
        return turn.done("output index filled in")
    turn.change(chain="failed" if state.chain == "failed" else "broadcast")
    if not allowed or state.chain == "failed":
        turn.alert(AlertCode.BROADCAST_WITHOUT_ALLOW, "critical", _counterparty(state))
    attempt = state.attempt
    if attempt is not None and attempt.status == "pending":
        queue(turn)
    else:
        _publish(turn)
    return turn.done("broadcast" if allowed else "broadcast without an allow")


def mined(turn: Turn) -> Decision[WithdrawalState]:
    """``machine.mined.v1``: the transaction is in a block."""
    state = turn.state
    if state.txid is None:
        return rejected(state, "NOT_BROADCAST", "withdrawalId", NOT_BROADCAST_FIX)
    if state.chain != "broadcast":
        return ignored(state, "the chain is further than that")
    turn.change(chain="mined")
    _advance(turn)
    return turn.done("mined")


def settled(turn: Turn, data: WithdrawalSettled) -> Decision[WithdrawalState]:
    """``machine.settled.v1``: final, or failed for good."""
    if data.outcome == "failed":
        return _failed(turn)
    state = turn.state
    if state.txid is None:
        return rejected(state, "NOT_BROADCAST", "withdrawalId", NOT_BROADCAST_FIX)
    if state.chain == "final":
        return ignored(state, "settled before")
    if state.chain == "failed":
        turn.change(chain="final")
        turn.alert(AlertCode.SETTLED_AFTER_FAILURE, "critical", _counterparty(state))
        _publish(turn)
        return turn.done("final after it was said to have failed")
    turn.change(chain="final")
    _advance(turn)
    return turn.done("final")


def _failed(turn: Turn) -> Decision[WithdrawalState]:
    state = turn.state
    if state.chain == "failed":
        return ignored(state, "settled before")
    turn.change(chain="failed")
    attempt = state.attempt
    before = attempt.status if attempt is not None else NEW
    chain_failed(turn, attempt)
    if turn.state.attempt is not None and turn.state.attempt.status == before:
        _publish(turn)
    if not state.recorded:
        turn.decide(Cause.CANCELLED)
    return turn.done("failed on chain")


def _advance(turn: Turn) -> None:
    """Follow the chain; if that steps no exchange, the chain's own change is still worth saying."""
    before = turn.state.attempt
    follow_chain(turn)
    after = turn.state.attempt
    if before is not None and after is not None and before.status == after.status:
        turn.publish(after)


def _publish(turn: Turn) -> None:
    if turn.state.attempt is not None:
        turn.publish(turn.state.attempt)


def _counterparty(state: WithdrawalState) -> str | None:
    return state.attempt.counterparty if state.attempt is not None else None
