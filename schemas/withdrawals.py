"""Events of topic ``withdrawals``: what a platform wants to send, and what became of the wish."""

from __future__ import annotations

from typing import Annotated, Any, Literal, Self

from pydantic import BeforeValidator, ConfigDict, StrictBool, model_validator

from schemas.base import Wire
from schemas.faults import fault
from schemas.persons import Person, one_present
from schemas.text import (
    Address,
    Currency,
    DecimalText,
    Id,
    MaybeAddress,
    MaybeId,
    MaybeText,
    PriceText,
    TradeCurrency,
    Txid,
    Vout,
    absent_is_none,
)

DestinationKind = Literal["vasp", "unknown", "unhosted"]

CancelReason = Literal[
    "NOT_FOUND_ADDRESS",
    "NOT_SUPPORTED_SYMBOL",
    "NOT_KYC_USER",
    "SANCTION_LIST",
    "LACK_OF_INFORMATION",
    "UNKNOWN",
]
"""The six finish codes of hub-api.md 4.A.7."""

_NEEDED: dict[str, tuple[tuple[str, str], ...]] = {
    "vasp": (("vasp_entity_id", "vaspEntityId"),),
    "unknown": (),
    "unhosted": (("blockchain", "blockchain"), ("asset", "asset"), ("widget_origin", "widgetOrigin")),
}


def _needed_by_kind(schema: dict[str, Any]) -> None:
    """Say in JSON Schema what the validator below says in Python."""
    schema["allOf"] = [
        {
            "if": {"properties": {"kind": {"const": kind}}, "required": ["kind"]},
            "then": {
                "required": [name for _, name in fields],
                "properties": {name: {"type": "string", "minLength": 1} for _, name in fields},
            },
        }
        for kind, fields in _NEEDED.items()
        if fields
    ]


class Destination(Wire):
    """Where the coins go. ``vasp`` needs its entity id; ``unhosted`` what the ownership proof asks for."""

    model_config = ConfigDict(json_schema_extra=_needed_by_kind)

    kind: DestinationKind
    vasp_entity_id: MaybeId = None
    address: Address
    tag: MaybeId = None
    blockchain: MaybeId = None
    asset: MaybeId = None
    widget_origin: MaybeId = None

    @model_validator(mode="after")
    def _has_what_its_kind_needs(self) -> Self:
        for attribute, name in _NEEDED[self.kind]:
            if getattr(self, attribute) is None:
                raise fault("MISSING_FIELD", "this kind of destination needs the field", name)
        return self


class OriginatorData(Person):
    """The customer who sends. ``wallet_address`` (``address[:tag]``) is his deposit address at this VASP."""

    customer_id: Id
    wallet_address: MaybeAddress = None

    @property
    def account_number(self) -> str:
        """The wallet address, or the customer id where there is none."""
        return self.wallet_address or self.customer_id


class BeneficiaryData(Person):
    """Whom the customer says the coins are for."""


class WithdrawalRequested(Wire):
    """``withdrawal.requested.v1``: may these coins be sent."""

    withdrawal_id: Id
    currency: Currency
    network: MaybeId = None
    amount: DecimalText
    trade_price: PriceText
    trade_currency: TradeCurrency
    is_exceeding_threshold: StrictBool
    historical_cost: MaybeText = None
    destination: Destination
    originator: OriginatorData
    beneficiary: BeneficiaryData


class WithdrawalAmended(Wire):
    """``withdrawal.amended.v1``: other facts for a withdrawal on hold; each replaces the old one."""

    model_config = ConfigDict(
        json_schema_extra=one_present("anyOf", "object", "destination", "originator", "beneficiary")
    )

    withdrawal_id: Id
    destination: Annotated[Destination | None, BeforeValidator(absent_is_none)] = None
    originator: Annotated[OriginatorData | None, BeforeValidator(absent_is_none)] = None
    beneficiary: Annotated[BeneficiaryData | None, BeforeValidator(absent_is_none)] = None

    @model_validator(mode="after")
    def _changes_something(self) -> Self:
        if self.destination is None and self.originator is None and self.beneficiary is None:
            raise fault("MISSING_FIELD", "add destination, originator or beneficiary", "destination")
        return self


class WithdrawalCancelled(Wire):
    """``withdrawal.cancelled.v1``: the platform will not send."""

    withdrawal_id: Id
    reason: CancelReason


class WithdrawalRecorded(WithdrawalRequested):
    """``withdrawal.recorded.v1``: sent without an exchange; makes TXID searches answerable."""

    txid: Txid
    vout: Vout = None
