"""Messages between an inbound exchange and its deposit.

The exchange sends a stored txid to ``arrival:<digest>``, where the deposit is or will be. The deposit reports when it
arrived, when it is final and when the customer was credited: from then on a finish is refused (M5,
``ILLEGAL_STATEFLOW``). A message may come twice, late, or after a finish, and applies to a ``confirmed`` exchange only:
any other has announced nothing or was canceled, and its value is an anonymous deposit (member-api.md section 6).
"""

from __future__ import annotations

from decimal import Decimal
from typing import Any

from travelrule.exchange.beneficiary.builder import InboundExchangeBuilder
from travelrule.exchange.beneficiary.state import ExchangeState
from travelrule.exchange.table import BENEFICIARY
from travelrule.identity.account_numbers import split_tag
from travelrule.identity.txids import same_txid
from travelrule.machine.decision import Decision, ignored
from travelrule.messages.arrival import (
    ArrivalReported,
    ArrivalWithdrawn,
    ExchangeArrived,
    ExchangeSettled,
    TxidLearned,
    arrival_subject,
)


def announce(builder: InboundExchangeBuilder) -> None:
    """Announce the stored txid and output index to the arrival subject."""
    state = builder.state
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
    builder.send(place, "arrival.reported", told)


def withdraw(builder: InboundExchangeBuilder) -> None:
    """Withdraw the announcement of a canceled exchange, if there is one."""
    place = _place(builder.state)
    if place is not None:
        told = ArrivalWithdrawn(exchange=f"exchange:{builder.state.subject}")
        builder.send(place, "arrival.withdrawn", told)


def store_txid(builder: InboundExchangeBuilder, trigger: str, txid: str, vout: str | None) -> None:
    """Store the transaction and announce it; the table must have the change."""
    builder.change(txid=txid, vout=vout)
    builder.move(trigger)
    builder.stop_waiting()
    announce(builder)


def fill_vout(builder: InboundExchangeBuilder, vout: str | None) -> bool:
    """Add the output index that the txid came without, while the transfer is open; return whether it was added."""
    state = builder.state
    if vout is None or state.vout is not None or state.status != "confirmed":
        return False
    builder.change(vout=vout)
    announce(builder)
    return True


def handle_arrival(builder: InboundExchangeBuilder, data: ExchangeArrived) -> Decision[Any]:
    """Handle the arrival of the value on our node, possibly again after a reorganisation."""
    state = builder.state
    if state.status != "confirmed":
        return ignored(state, f"{state.status}: no deposit is its own")
    chain = "broadcast" if state.chain in ("none", "retracted") else state.chain
    if (state.deposit_id, state.chain) == (data.deposit_id, chain):
        return ignored(state, "the deposit is known")
    builder.change(deposit_id=data.deposit_id, chain=chain)
    builder.publish()
    return builder.done("the value stands on chain")


def handle_settlement(builder: InboundExchangeBuilder, data: ExchangeSettled) -> Decision[Any]:
    """Handle a stage of the deposit: final, credited, returned, seized, or retracted by a reorganisation."""
    state = builder.state
    if state.status != "confirmed":
        return ignored(state, f"{state.status}: no deposit is its own")
    if data.stage == "retracted":
        return _retracted(builder, data)
    credited = state.credited or data.stage == "credited"
    if (state.deposit_id, state.chain, state.credited) == (data.deposit_id, "final", credited):
        return ignored(state, "said before")
    builder.change(chain="final", credited=credited, deposit_id=data.deposit_id)
    builder.publish()
    return builder.done(f"the deposit is {data.stage}: a finish is refused from now on")


def _retracted(builder: InboundExchangeBuilder, data: ExchangeSettled) -> Decision[Any]:
    """Handle value that is no longer on chain: a finish is possible again, unless the customer was credited."""
    state = builder.state
    if state.deposit_id not in (None, data.deposit_id):
        return ignored(state, "another deposit brought the value since")
    if state.chain == "retracted":
        return ignored(state, "said before")
    builder.change(chain="retracted", deposit_id=data.deposit_id)
    builder.publish()
    return builder.done("the value is not on chain any more")


def handle_txid(builder: InboundExchangeBuilder, data: TxidLearned) -> Decision[Any]:
    """Store the txid of a status search like a report (states.md section 3). A stored one is never replaced."""
    state = builder.state
    if state.txid is not None:
        if not same_txid(state.txid, data.txid):
            return ignored(state, "another txid is stored")
        if fill_vout(builder, data.vout):
            return builder.done("the originator named the output index")
        return ignored(state, "the txid is known")
    if not BENEFICIARY.may(state.status, "origin-confirmed"):
        return ignored(state, f"{state.status}: no txid is stored any more")
    store_txid(builder, "origin-confirmed", data.txid, data.vout)
    return builder.done("the originator named the txid")


def account_of(state: ExchangeState) -> tuple[str, str | None]:
    """Return address and tag of the first account number; the address is empty if there is none.

    The tag is returned only if our wallet has one: else an appended tag names no customer, and the deposit has none.
    """
    beneficiary = state.request.ivms101.get("Beneficiary")
    numbers = beneficiary.get("accountNumber") if isinstance(beneficiary, dict) else None
    first = numbers[0] if isinstance(numbers, list) and numbers else numbers
    if not isinstance(first, str):
        return "", None
    address, tag = split_tag(first)
    return address, tag if state.tagged else None


def _place(state: ExchangeState) -> str | None:
    """Return the arrival subject of this exchange; None without a txid or an address."""
    address, tag = account_of(state)
    return arrival_subject(state.txid, address, tag) if state.txid is not None and address else None
