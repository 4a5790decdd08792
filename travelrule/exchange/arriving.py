"""The value of an inbound exchange on its way: what the exchange says and hears where it meets its deposit.

A stored txid is told to ``arrival:<digest>``, where the deposit is waiting or will come. The deposit says when it
arrived, when it is final and when the customer was paid: from then on a finish is refused (M5, ``ILLEGAL_STATEFLOW``).
"""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal
from typing import Any

from travelrule.exchange.beneficiary_state import ExchangeState
from travelrule.exchange.beneficiary_turn import OPEN, ExchangeTurn
from travelrule.exchange.decision import Decision, Tell
from travelrule.exchange.meeting import (
    ArrivalReported,
    ArrivalWithdrawn,
    ExchangeArrived,
    ExchangeSettled,
    TxidLearned,
)
from travelrule.exchange.table import may
from travelrule.identity.addresses import same_txid, split_tag
from travelrule.identity.arrivals import arrival_subject


def announce(turn: ExchangeTurn) -> None:
    """The txid is stored: say so where the deposit comes by."""
    state = turn.state
    place = _place(state)
    if place is None:
        return
    request = state.request
    told = ArrivalReported(
        exchange=f"exchange:{state.subject}",
        counterparty=state.counterparty,
        transfer_id=state.transfer_id,
        currency=request.currency.upper(),
        network=request.network or "",
        amount=Decimal(request.amount),
        vout=state.vout,
    )
    turn.effects.append(Tell(place, "arrival.reported", told))


def withdraw(turn: ExchangeTurn) -> None:
    """The exchange was canceled after a txid was stored: it announces nothing any more."""
    place = _place(turn.state)
    if place is not None:
        told = ArrivalWithdrawn(exchange=f"exchange:{turn.state.subject}")
        turn.effects.append(Tell(place, "arrival.withdrawn", told))


def arrived(turn: ExchangeTurn, data: ExchangeArrived) -> Decision[Any]:
    """The own node saw the value."""
    if turn.state.deposit_id == data.deposit_id:
        return Decision(turn.state, status="duplicate", rule="the deposit is known")
    chain = "broadcast" if turn.state.chain == "none" else turn.state.chain
    turn.state = replace(turn.state, deposit_id=data.deposit_id, chain=chain)
    turn.publish()
    return turn.done("the value stands on chain")


def deposit_settled(turn: ExchangeTurn, data: ExchangeSettled) -> Decision[Any]:
    """The deposit went on: final, credited, returned, seized, or taken back by a reorganisation."""
    state = turn.state
    if data.stage == "retracted":
        turn.state = replace(state, chain="none", deposit_id=None)
        turn.publish()
        return turn.done("the value is not on chain any more")
    credited = state.credited or data.stage == "credited"
    if state.chain == "final" and state.credited == credited:
        return Decision(state, status="duplicate", rule="said before")
    turn.state = replace(state, chain="final", credited=credited, deposit_id=data.deposit_id)
    turn.publish()
    return turn.done(f"the deposit is {data.stage}: a finish is refused from now on")


def learned(turn: ExchangeTurn, data: TxidLearned) -> Decision[Any]:
    """A status search told the txid: stored like a report, if none is there (states.md section 3)."""
    state = turn.state
    if state.txid is not None:
        same = same_txid(state.txid, data.txid)
        return Decision(state, status="duplicate", rule="the txid is known" if same else "another txid is stored")
    if not may("beneficiary", state.status, "origin-confirmed"):
        return Decision(state, status="duplicate", rule=f"{state.status}: no txid is stored any more")
    turn.state = replace(state, txid=data.txid, vout=data.vout)
    turn.move("origin-confirmed")
    turn.clear_timer(OPEN)
    announce(turn)
    return turn.done("the originator named the txid")


def _place(state: ExchangeState) -> str | None:
    """Where the deposit of this exchange will come by; None without a txid or an address."""
    beneficiary = state.request.ivms101.get("Beneficiary")
    numbers = beneficiary.get("accountNumber") if isinstance(beneficiary, dict) else None
    first = numbers[0] if isinstance(numbers, list) and numbers else None
    if state.txid is None or not isinstance(first, str) or not first:
        return None
    address, tag = split_tag(first)
    # Where the own wallet has no tag, an appended one means nobody: the deposit comes by without it.
    return arrival_subject(state.txid, address, tag if state.tagged else None)
