"""Events of topic ``deposits``: coins that arrived at a customer's address."""

from __future__ import annotations

from typing import Annotated, Literal

from schemas.input_forms import absent
from schemas.numbers import DecimalText, PriceText, Vout
from schemas.texts import Address, Currency, Id, MaybeId, TradeCurrency, Txid
from schemas.wire_model import Wire


class DepositDetected(Wire):
    """``deposit.detected.v1``: sent when the platform's node sees a deposit, final or not. It is answered by
    ``deposit.verdict.v1``, which says whether the deposit may be credited.
    """

    deposit_id: Id
    """The platform's id of the deposit, one per output; also the record's key and the ``subject`` of the event.
    Example: "d-2001"
    """
    txid: Txid
    """Id of the transaction that carries the deposit, exactly as the node printed it.
    Example: "9f1c0e5a7b3d4c2e8a6f0b1d3c5e7a9f1c0e5a7b3d4c2e8a6f0b1d3c5e7a9f1c"
    """
    vout: Vout = None
    """Index of the output of the transaction, counted from 0, for coins with outputs: digits in a JSON string; a JSON
    integer is read as well.
    Example: "0"
    """
    currency: Currency
    """Symbol of the coin, not of its network, in any case.
    Example: "XRP"
    """
    network: MaybeId = None
    """Network of the coin as the hub's list of networks names it. Needed to search affiliated networks.
    Example: "XRP"
    """
    amount: DecimalText
    """Quantity of the coin that arrived: a decimal number in a JSON string, more than zero.
    Example: "250.5"
    """
    address: Address
    """The address that received the coins, without the tag; ``wallet.registered.v1`` tells whose it is.
    Example: "rPEPPER7kfTD9w2To4CQk6UCfuHM9c6GDY"
    """
    tag: MaybeId = None
    """Destination tag or memo of the transaction, for coins whose addresses many customers share.
    Example: "77001"
    """
    trade_price: Annotated[PriceText | None, absent] = None
    """Value of the whole amount in ``tradeCurrency``, not the price of one coin: a decimal number in a JSON string.
    Example: "150.30"
    """
    trade_currency: Annotated[TradeCurrency | None, absent] = None
    """ISO 4217 code of the currency that ``tradePrice`` is in: one of the ten that the protocol knows.
    Example: "USD"
    """


class DepositConfirmed(Wire):
    """``deposit.confirmed.v1``: sent when the transaction is final by the platform's own rule of confirmations. A
    deposit is not allowed before.
    """

    deposit_id: Id
    """Id of a deposit that was detected; also the record's key and the ``subject`` of the event.
    Example: "d-2001"
    """


class DepositRetracted(Wire):
    """``deposit.retracted.v1``: sent when a re-organisation took the transaction off the chain. The verdict becomes
    ``deny`` with reason ``RETRACTED``, also after an ``allow``.
    """

    deposit_id: Id
    """Id of a deposit that was detected; also the record's key and the ``subject`` of the event.
    Example: "d-2001"
    """


class DepositSettled(Wire):
    """``deposit.settled.v1``: sent when the platform has done something final with the coins."""

    deposit_id: Id
    """Id of a deposit that was detected; also the record's key and the ``subject`` of the event.
    Example: "d-2001"
    """
    outcome: Literal["credited", "returned", "seized"]
    """What was done: ``credited`` to the customer, ``returned`` to the sender, ``seized`` on an order."""
