"""Events of topic ``withdrawals``: requests to send, their changes and cancellations."""

from __future__ import annotations

from typing import Annotated, Any, Literal, Self

from pydantic import ConfigDict, StrictBool, model_validator

from schemas.events.persons import Person, one_present
from schemas.field_faults import fault
from schemas.finish_reasons import FinishReason
from schemas.input_forms import absent
from schemas.numbers import DecimalText, PriceText, Vout
from schemas.texts import Address, Currency, Id, MaybeAddress, MaybeId, MaybeText, TradeCurrency, Txid
from schemas.wire_model import Wire

DestinationKind = Literal["vasp", "unknown", "unhosted"]

_NEEDED: dict[str, tuple[tuple[str, str], ...]] = {
    "vasp": (("vasp_entity_id", "vaspEntityId"),),
    "unknown": (),
    "unhosted": (("blockchain", "blockchain"), ("asset", "asset"), ("widget_origin", "widgetOrigin")),
}


def _needed_by_kind(schema: dict[str, Any]) -> None:
    """Declare in JSON Schema what the validator below requires."""
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
    """Who holds the address: ``vasp`` a VASP that the customer named, ``unknown`` a VASP that has yet to be found by
    wallet search, ``unhosted`` the customer's own wallet, for which he proves ownership.
    """
    vasp_entity_id: MaybeId = None
    """Entity id of the receiving VASP as the hub's directory lists it. Required for kind ``vasp``.
    Example: "south"
    """
    address: Address
    """Address on the chain that the coins are sent to, without the tag, compared as the coin's own rules say.
    Example: "rPEPPER7kfTD9w2To4CQk6UCfuHM9c6GDY"
    """
    tag: MaybeId = None
    """Destination tag or memo, for coins whose addresses many customers share.
    Example: "77001"
    """
    blockchain: MaybeId = None
    """Chain code of the ownership proof, one of those that the hub offers. Required for kind ``unhosted``.
    Example: "ETH"
    """
    asset: MaybeId = None
    """Ticker of the token that the ownership proof is about. Required for kind ``unhosted``.
    Example: "USDC"
    """
    widget_origin: MaybeId = None
    """Web origin (scheme, host, port) of the page that will show the proof widget. Required for kind ``unhosted``.
    Example: "https://app.example.com:443"
    """

    @model_validator(mode="after")
    def _has_what_its_kind_needs(self) -> Self:
        for attribute, name in _NEEDED[self.kind]:
            if getattr(self, attribute) is None:
                raise fault("MISSING_FIELD", "this kind of destination needs the field", name)
        return self


class OriginatorData(Person):
    """The customer who sends: exactly one of a natural and a legal person, as the KYC database has it."""

    customer_id: Id
    """The platform's own id of the customer; serves as account number where there is no ``walletAddress``.
    Example: "c-1001"
    """
    wallet_address: MaybeAddress = None
    """The customer's own deposit address at this VASP, with its tag after the rightmost colon.
    Example: "rEb8TK3gBgk5auZkwc6sHnwrGVJH8DuaLh:1001"
    """

    @property
    def account_number(self) -> str:
        """The wallet address, or the customer id if there is none."""
        return self.wallet_address or self.customer_id


class BeneficiaryData(Person):
    """The person whom the customer says the coins are for: exactly one of a natural and a legal person."""


class WithdrawalRequested(Wire):
    """``withdrawal.requested.v1``: sent when a customer wants to withdraw and before anything is signed. It is
    answered by ``withdrawal.verdict.v1``, which says whether the coins may be sent.
    """

    withdrawal_id: Id
    """The platform's id of the withdrawal; also the record's key and the ``subject`` of the event.
    Example: "0b6f3c1e-7d0a-4f6e-9a51-2f1d9d1f7c11"
    """
    currency: Currency
    """Symbol of the coin, not of its network, in any case.
    Example: "XRP"
    """
    network: MaybeId = None
    """Network of the coin as the hub's list of networks names it. Needed for VASPs of affiliated networks, and where a
    coin exists on several networks.
    Example: "XRP"
    """
    amount: DecimalText
    """Quantity of the coin that the receiver gets on the chain, without fees: a decimal number in a JSON string, more
    than zero.
    Example: "250.5"
    """
    trade_price: PriceText
    """Value of the whole amount in ``tradeCurrency``, not the price of one coin: a decimal number in a JSON string.
    Example: "150.30"
    """
    trade_currency: TradeCurrency
    """ISO 4217 code of the currency that ``tradePrice`` is in: one of the ten that the protocol knows.
    Example: "USD"
    """
    is_exceeding_threshold: StrictBool
    """Whether the transfer is above the threshold of the Travel Rule that applies to this VASP. Above it, the
    beneficiary's name is required.
    """
    historical_cost: MaybeText = None
    """What the coins cost the customer; a tax field that is passed on as it is and usually empty.
    Example: "120.00"
    """
    destination: Destination
    """Where the coins are to be sent, and who is thought to hold that address."""
    originator: OriginatorData
    """The customer who sends, as this VASP's KYC database knows him."""
    beneficiary: BeneficiaryData
    """The receiver as the customer entered it in the withdrawal form."""


class WithdrawalAmended(Wire):
    """``withdrawal.amended.v1``: sent while the last verdict is ``hold``, with what the verdict's ``needs`` asked for.
    Each part replaces the earlier one, and a new attempt begins.
    """

    model_config = ConfigDict(
        json_schema_extra=one_present("anyOf", "object", "destination", "originator", "beneficiary")
    )

    withdrawal_id: Id
    """Id of the withdrawal on hold; also the record's key and the ``subject`` of the event.
    Example: "0b6f3c1e-7d0a-4f6e-9a51-2f1d9d1f7c11"
    """
    destination: Annotated[Destination | None, absent] = None
    """The corrected destination, whole; left out if it stays."""
    originator: Annotated[OriginatorData | None, absent] = None
    """The corrected data of the sender, whole; left out if they stay."""
    beneficiary: Annotated[BeneficiaryData | None, absent] = None
    """The corrected data of the receiver, whole; left out if they stay."""

    @model_validator(mode="after")
    def _changes_something(self) -> Self:
        if self.destination is None and self.originator is None and self.beneficiary is None:
            raise fault("MISSING_FIELD", "add destination, originator or beneficiary", "destination")
        return self


class WithdrawalCancelled(Wire):
    """``withdrawal.cancelled.v1``: sent when the platform will not send the coins after all. The counterparty is told
    with the same reason.
    """

    withdrawal_id: Id
    """Id of the withdrawal; also the record's key and the ``subject`` of the event.
    Example: "0b6f3c1e-7d0a-4f6e-9a51-2f1d9d1f7c11"
    """
    reason: FinishReason
    """Why the coins are not sent: one of the protocol's six codes for finishing a transfer.
    Example: "UNKNOWN"
    """


class WithdrawalRecorded(WithdrawalRequested):
    """``withdrawal.recorded.v1``: sent for a withdrawal that was made without an exchange, or before this program was
    in use. There is no verdict; searches and data requests of other VASPs about it can be answered.
    """

    txid: Txid
    """Id of the transaction that carried the withdrawal, exactly as the node printed it.
    Example: "9f1c0e5a7b3d4c2e8a6f0b1d3c5e7a9f1c0e5a7b3d4c2e8a6f0b1d3c5e7a9f1c"
    """
    vout: Vout = None
    """Index of the output of the transaction, counted from 0, for coins with outputs: digits in a JSON string; a JSON
    integer is read as well.
    Example: "0"
    """
