"""The columns of a withdrawal outside its sealed state, for SQL: derived from the state alone."""

from __future__ import annotations

from decimal import ROUND_HALF_EVEN, Decimal

from travelrule.exchange.originator.state import WithdrawalState
from travelrule.exchange.wire_bodies import split_destination
from travelrule.identity.account_numbers import canonical
from travelrule.machine.projection import ExchangeRow, Projection, WithdrawalRow, earliest
from travelrule.machine.transition_table import NEW

WITHOUT_MINOR_UNITS = frozenset({"KRW", "JPY"})
FIAT_MINOR_MAX = 2**63 - 1
"""The limit of a database column; a larger price is exact in the state and capped in sums."""


def project_withdrawal(state: WithdrawalState) -> Projection:
    """Project a withdrawal: its row, one row per started exchange, the earliest timer."""
    request = state.request
    attempt = state.attempt
    address = canonical(split_destination(request.destination)[0])
    row = WithdrawalRow(
        withdrawal_id=state.withdrawal_id,
        currency=request.currency,
        network=request.network or "",
        amount=request.amount,
        fiat_minor=fiat_minor(request.trade_price, request.trade_currency),
        fiat_currency=request.trade_currency,
        customer_id=request.originator.customer_id,
        address=address,
        txid=state.txid,
        vout=state.vout,
    )
    exchanges = tuple(
        ExchangeRow(
            side="originating",
            counterparty=one.counterparty,
            transfer_id=one.transfer_id,
            status=one.status,
            chain=state.chain if one is attempt else "none",
            txid=state.txid if one is attempt else None,
            vout=state.vout if one is attempt else None,
            address=address,
        )
        for one in state.attempts
        if one.status != NEW
    )
    name, due_at = earliest(state.timers)
    return Projection(
        status=attempt.status if attempt is not None and attempt.status != NEW else "",
        verdict=state.case.verdict,
        chain=state.chain,
        counterparty=request.destination.vasp_entity_id or "",
        due_at=due_at,
        due_timer=name,
        rows=(row, *exchanges),
    )


def fiat_minor(price: Decimal, currency: str) -> int:
    """Return a fiat value in minor units (cents; won and yen have none), rounded half to even."""
    units = price if currency in WITHOUT_MINOR_UNITS else price * 100
    return min(int(units.to_integral_value(ROUND_HALF_EVEN)), FIAT_MINOR_MAX)
