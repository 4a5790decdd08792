"""Bodies of a transfer: address search to status search (hub-api.md 4.A.4 to 4.A.8, member-api.md M1 to M5).

The same models serve the client, the gateway and the hub; a request of ours and of a peer differ only in what
is left out. ``{}``, ``""`` and null mean absent.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BeforeValidator

from schemas.base import Wire
from schemas.text import (
    Currency,
    DecimalText,
    FlagText,
    Id,
    MaybeAddress,
    MaybePayload,
    MaybeText,
    MaybeTxid,
    MaybeUpper,
    Payload,
    PriceText,
    TradeCurrency,
    Txid,
    Vout,
    absent_is_none,
    lower,
    upper,
)

MaybeObject = Annotated[dict[str, Any] | None, BeforeValidator(absent_is_none)]

AddressResult = Annotated[Literal["valid", "invalid"], lower]
AuthorizationResult = Annotated[Literal["verified", "denied"], lower]
NormalResult = Annotated[Literal["normal", "error"], lower]


def _status_word(value: Any) -> Any:
    """Read a status without case, and the spelling of one of the network's own pages (D12)."""
    if not isinstance(value, str):
        return value
    word = value.lower()
    return "wait-confirm" if word == "wait-confirmed" else word


TransferStatus = Annotated[
    Literal["pending", "processing", "wait-confirm", "confirmed", "canceled"], BeforeValidator(_status_word)
]


class AddressSearchRequest(Wire):
    """4.A.4 / M1: is this address yours. The address that counts is the one inside ``payload``."""

    currency: Currency
    payload: Payload
    address: MaybeAddress = None
    tag: MaybeText = None
    network: MaybeText = None


class AddressSearchResponse(Wire):
    """Answer of 4.A.4; ``invalid`` is an answer, not a failure."""

    result: AddressResult
    reason_type: MaybeUpper = None
    reason_msg: MaybeText = None
    beneficiary_vasp_entity_id: MaybeText = None


class TransferAuthorizationRequest(Wire):
    """4.A.5 / M2: may this transfer be sent. ``transfer_id`` is any text of the peer's making (D31)."""

    transfer_id: Id
    currency: Currency
    amount: DecimalText
    historical_cost: MaybeText = None
    trade_price: PriceText
    trade_currency: Annotated[TradeCurrency, upper]
    is_exceeding_threshold: FlagText
    originating_vasp: MaybeObject = None
    payload: Payload
    address: MaybeAddress = None
    tag: MaybeText = None
    network: MaybeText = None


class TransferAuthorizationResponse(Wire):
    """Answer of 4.A.5. A refusal may lack the payload; ``verified`` without one means: do not transfer."""

    result: AuthorizationResult
    reason_type: MaybeUpper = None
    reason_msg: MaybeText = None
    transfer_id: MaybeText = None
    beneficiary_vasp: MaybeObject = None
    payload: MaybePayload = None


class TxidReportRequest(Wire):
    """4.A.6 / M3: this transaction carries the transfer."""

    transfer_id: Id
    txid: Txid
    vout: Vout = None


class TxidReportResponse(Wire):
    """Answer of 4.A.6; ``reason_type`` counts only with ``error`` (D42)."""

    transfer_id: MaybeText = None
    result: NormalResult
    reason_type: MaybeUpper = None


class FinishRequest(Wire):
    """4.A.7 / M5: the transfer will not happen."""

    transfer_id: Id
    status: Annotated[Literal["canceled"], lower]
    reason_type: MaybeUpper = None


class FinishResponse(Wire):
    """Answer of 4.A.7."""

    transfer_id: MaybeText = None
    result: NormalResult
    reason_type: MaybeUpper = None


class StatusSearchRequest(Wire):
    """4.A.8 / M4: how far is this transfer on the chain."""

    transfer_id: Id


class StatusSearchResponse(Wire):
    """Answer of 4.A.8; ``txid`` is there when it is known."""

    transfer_id: MaybeText = None
    status: TransferStatus
    txid: MaybeTxid = None
    vout: Vout = None
