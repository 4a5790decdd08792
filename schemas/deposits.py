"""Events of topic ``deposits``: coins that arrived at an own customer's address."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BeforeValidator

from schemas.base import Wire
from schemas.text import (
    Address,
    Currency,
    DecimalText,
    Id,
    MaybeId,
    PriceText,
    TradeCurrency,
    Txid,
    Vout,
    absent_is_none,
)


class DepositDetected(Wire):
    """``deposit.detected.v1``: seen by the own node, final or not."""

    deposit_id: Id
    txid: Txid
    vout: Vout = None
    currency: Currency
    network: MaybeId = None
    amount: DecimalText
    address: Address
    tag: MaybeId = None
    trade_price: Annotated[PriceText | None, BeforeValidator(absent_is_none)] = None
    trade_currency: Annotated[TradeCurrency | None, BeforeValidator(absent_is_none)] = None


class DepositConfirmed(Wire):
    """``deposit.confirmed.v1``: final on the own node."""

    deposit_id: Id


class DepositRetracted(Wire):
    """``deposit.retracted.v1``: gone from the chain after a re-organisation."""

    deposit_id: Id


class DepositSettled(Wire):
    """``deposit.settled.v1``: what the platform did with the coins."""

    deposit_id: Id
    outcome: Literal["credited", "returned", "seized"]
