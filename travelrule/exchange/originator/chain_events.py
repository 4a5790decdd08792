"""Chain events of the platform: broadcast, mined, settled. A stored txid is never replaced (invariant 5)."""

from __future__ import annotations

from schemas.events.txids import WithdrawalBroadcast, WithdrawalSettled
from travelrule.exchange.originator.builder import WithdrawalBuilder
from travelrule.exchange.originator.conclusion import cancel_failed, follow_chain, queue
from travelrule.exchange.originator.state import WithdrawalState
from travelrule.identity.txids import same_txid
from travelrule.machine.alert_codes import AlertCode
from travelrule.machine.decision import Decision, ignored, rejected
from travelrule.machine.transition_table import NEW
from travelrule.policy.causes import Cause

NOT_BROADCAST_FIX = "send withdrawal.broadcast.v1 with the txid first"


def apply_broadcast(builder: WithdrawalBuilder, data: WithdrawalBroadcast) -> Decision[WithdrawalState]:
    """``withdrawal.broadcast.v1``: a node accepted the transaction."""
    state = builder.state
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
    builder.change(txid=state.txid or data.txid, vout=data.vout)
    if filling:
        return builder.done("output index filled in")
    builder.change(chain="failed" if state.chain == "failed" else "broadcast")
    if not allowed or state.chain == "failed":
        builder.alert(AlertCode.BROADCAST_WITHOUT_ALLOW, "critical", counterparty=_counterparty(state))
    attempt = state.attempt
    if attempt is not None and attempt.status == "pending":
        queue(builder)
    else:
        _publish(builder)
    return builder.done("broadcast" if allowed else "broadcast without an allow")


def apply_mined(builder: WithdrawalBuilder) -> Decision[WithdrawalState]:
    """``withdrawal.mined.v1``: the transaction is in a block."""
    state = builder.state
    if state.txid is None:
        return rejected(state, "NOT_BROADCAST", "withdrawalId", NOT_BROADCAST_FIX)
    if state.chain != "broadcast":
        return ignored(state, "the chain is further than that")
    builder.change(chain="mined")
    _advance(builder)
    return builder.done("mined")


def apply_settlement(builder: WithdrawalBuilder, data: WithdrawalSettled) -> Decision[WithdrawalState]:
    """``withdrawal.settled.v1``: final, or failed permanently."""
    if data.outcome == "failed":
        return _failed(builder)
    state = builder.state
    if state.txid is None:
        return rejected(state, "NOT_BROADCAST", "withdrawalId", NOT_BROADCAST_FIX)
    if state.chain == "final":
        return ignored(state, "settled before")
    if state.chain == "failed":
        builder.change(chain="final")
        builder.alert(AlertCode.SETTLED_AFTER_FAILURE, "critical", counterparty=_counterparty(state))
        _publish(builder)
        return builder.done("final after it was said to have failed")
    builder.change(chain="final")
    _advance(builder)
    return builder.done("final")


def _failed(builder: WithdrawalBuilder) -> Decision[WithdrawalState]:
    state = builder.state
    if state.chain == "failed":
        return ignored(state, "settled before")
    builder.change(chain="failed")
    attempt = state.attempt
    before = attempt.status if attempt is not None else NEW
    cancel_failed(builder, attempt)
    if builder.state.attempt is not None and builder.state.attempt.status == before:
        _publish(builder)
    if not state.recorded:
        builder.decide(Cause.CANCELLED)
    return builder.done("failed on chain")


def _advance(builder: WithdrawalBuilder) -> None:
    """Follow the chain; if no exchange moves, emit the change of the chain."""
    before = builder.state.attempt
    follow_chain(builder)
    after = builder.state.attempt
    if before is not None and after is not None and before.status == after.status:
        builder.publish(after)


def _publish(builder: WithdrawalBuilder) -> None:
    if builder.state.attempt is not None:
        builder.publish(builder.state.attempt)


def _counterparty(state: WithdrawalState) -> str | None:
    return state.attempt.counterparty if state.attempt is not None else None
