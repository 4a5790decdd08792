"""The inbound exchange machine: a transfer that another VASP started, from its authorization to txid or finish. Pure.

The law
-------
1. An authorization (M2) creates the subject and is answered at once; a repeated one gets the stored answer. A txid
   report (M3) or a finish (M5) for an unknown transfer is answered and leaves nothing behind.
2. The status moves through ``exchange.table.BENEFICIARY`` only. ``inbound_requests`` applies the requests of the
   originator, ``arrival`` the messages of the deposit.
3. An authorization with neither txid nor finish has the timer ``open``: first the status is requested (4.A.8), then an
   alert is raised.
4. All other inputs for an unknown exchange are parked.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import datetime
from decimal import Decimal
from typing import Any

from schemas.numbers import read_amount
from schemas.operations import Operation
from schemas.wire_model import Wire
from travelrule.exchange.beneficiary.arrival import (
    account_of,
    handle_arrival,
    handle_settlement,
    handle_txid,
    store_txid,
)
from travelrule.exchange.beneficiary.builder import OPEN, InboundExchangeBuilder
from travelrule.exchange.beneficiary.inbound_requests import (
    accept_finish,
    accept_report,
    answer_again,
    answer_authorization,
    refuse_unknown,
)
from travelrule.exchange.beneficiary.state import ExchangeState
from travelrule.exchange.originator.answer_check import names_transfer
from travelrule.exchange.table import BENEFICIARY_VERSION
from travelrule.identity.account_numbers import canonical, join
from travelrule.machine.alert_codes import AlertCode
from travelrule.machine.decision import Decision, ignored, rejected
from travelrule.machine.input import Input
from travelrule.machine.internal_inputs import CallResult, TimerDue
from travelrule.machine.port import Machine
from travelrule.machine.projection import ExchangeRow, Projection, earliest
from travelrule.machine.serialization import codec
from travelrule.messages.arrival import ExchangeArrived, ExchangeSettled, TxidLearned
from travelrule.messages.inbound_request import AuthorizationReceived, FinishReceived, TxidReportReceived
from travelrule.policy.policy import Policy

TXID_MAX = 200


def decide(state: ExchangeState | None, item: Input, policy: Policy, now: datetime) -> Decision[Any]:
    """Decide one input about one inbound exchange."""
    data = item.data
    if isinstance(data, AuthorizationReceived):
        if state is not None:
            return answer_again(state, data)
        return answer_authorization(item, data, policy, now)
    if isinstance(data, TxidReportReceived | FinishReceived):
        if state is None or state.counterparty != data.entity_id:
            return replace(refuse_unknown(data.transfer_id), state=state)
        builder = InboundExchangeBuilder(state, item, policy, now)
        return accept_report(builder, data) if isinstance(data, TxidReportReceived) else accept_finish(builder, data)
    if state is None:
        return Decision(None, status="parked", rule="the exchange is not known yet")
    builder = InboundExchangeBuilder(state, item, policy, now)
    if isinstance(data, TimerDue):
        return _handle_timer(builder, data)
    if isinstance(data, CallResult):
        return _handle_status(builder, data)
    handle = DEPOSIT_HANDLERS.get(type(data))
    if handle is not None:
        return handle(builder, data)
    return rejected(state, "UNKNOWN_TYPE", "type", "this type says nothing about an inbound exchange")


def _handle_timer(builder: InboundExchangeBuilder, data: TimerDue) -> Decision[ExchangeState]:
    if builder.state.timers.get(data.name) != data.due_at or builder.state.status != "verified":
        return ignored(builder.state, "the timer was moved or dropped")
    builder.set_timer(OPEN, builder.policy.time_limits.authorization_open)
    if builder.state.asking:
        builder.alert(AlertCode.AUTHORIZATION_OPEN, attempts=builder.state.asked)
        return builder.done("the originator was asked and does not answer")
    builder.request_status()
    return builder.done("neither txid nor finish within the limit: ask the originator")


def _handle_status(builder: InboundExchangeBuilder, report: CallResult) -> Decision[ExchangeState]:
    """Handle the answer to a status search (4.A.8). Only a ``verified`` record moves; no record goes backwards."""
    if report.operation != Operation.STATUS_SEARCH or builder.state.status != "verified":
        return ignored(builder.state, "nothing waits for this answer")
    if report.outcome == "deferred":
        return builder.done("originator down: the question waits")
    if report.outcome != "troubled":
        builder.change(asking=False)
    # An answer without our transferId may be about another transfer, and a txid is stored for good.
    body = report.body if report.body and names_transfer(report.body, builder.state.transfer_id) else {}
    status = _text(body, "status").lower()
    txid = _text(body, "txid")
    if report.outcome == "answered" and status == "canceled":
        builder.move("origin-canceled")
        builder.stop_waiting()
        return builder.done("the originator says canceled")
    if report.outcome == "answered" and status == "confirmed" and 0 < len(txid) <= TXID_MAX:
        store_txid(builder, "origin-confirmed", txid, _text(body, "vout") or None)
        return builder.done("the originator says confirmed")
    builder.alert(AlertCode.AUTHORIZATION_OPEN, attempts=builder.state.asked)
    return builder.done("the originator does not say how it ended")


def _text(body: dict[str, Any], name: str) -> str:
    value = body.get(name)
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    return value.strip() if isinstance(value, str) else ""


def project(state: ExchangeState) -> Projection:
    """Project an inbound exchange: its row and its earliest timer."""
    name, due_at = earliest(state.timers)
    row = ExchangeRow(
        side="beneficiary",
        counterparty=state.counterparty,
        transfer_id=state.transfer_id,
        status=state.status,
        chain=state.chain,
        txid=state.txid,
        vout=state.vout,
        address=_address(state),
        currency=state.request.currency.upper(),
        amount=_amount(state.request.amount),
    )
    return Projection(
        status=state.status,
        chain=state.chain,
        counterparty=state.counterparty,
        due_at=due_at,
        due_timer=name,
        rows=(row,),
    )


def _amount(text: str) -> Decimal | None:
    """Return the announced amount; None for a text that is none, which the gateway refuses."""
    try:
        return read_amount(text)
    except ValueError:
        return None


def _address(state: ExchangeState) -> str:
    """Return the key of the first account number; empty if there is none.

    It has the tag if our wallet has one, because a shared address without it names no customer.
    """
    address, tag = account_of(state)
    return canonical(join(address, tag))


DEPOSIT_HANDLERS: dict[type[Wire], Callable[[InboundExchangeBuilder, Any], Decision[Any]]] = {
    ExchangeArrived: handle_arrival,
    ExchangeSettled: handle_settlement,
    TxidLearned: handle_txid,
}
"""The handler of each message of the deposit."""

_dump, _load = codec(ExchangeState)

MACHINE = Machine("exchange", decide, _dump, _load, project, BENEFICIARY_VERSION)
