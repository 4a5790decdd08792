"""Events of topic ``screenings``: requests for a rating or a proof of ownership."""

from __future__ import annotations

from typing import Any, Literal, Self

from pydantic import ConfigDict, StrictBool, model_validator

from schemas.field_faults import fault
from schemas.texts import Address, Id, MaybeAddress, MaybeTxid
from schemas.wire_model import Wire

_ONE_OF = {"wallet": "address", "transaction": "txid", "kyt": "txid"}


def _needed_by_kind(schema: dict[str, Any]) -> None:
    """Declare in JSON Schema what the validator below requires."""
    schema["allOf"] = [
        {
            "if": {"properties": {"kind": {"const": kind}}, "required": ["kind"]},
            "then": {"required": [field], "properties": {field: {"type": "string", "minLength": 1}}},
        }
        for kind, field in _ONE_OF.items()
    ]


class ScreeningRequested(Wire):
    """``screening.requested.v1``: sent when the platform wants a wallet or a transaction rated. It is answered by
    ``screening.verdict.v1``, and for kind ``kyt`` by ``kyt.result.v1`` too.
    """

    model_config = ConfigDict(json_schema_extra=_needed_by_kind)

    request_id: Id
    """The platform's id of the request; also the record's key and the ``subject`` of the event.
    Example: "s-4001"
    """
    kind: Literal["wallet", "transaction", "kyt"]
    """What is asked: ``wallet`` rates an address, ``transaction`` the wallets of a transaction, ``kyt`` analyses where
    the coins of a confirmed transaction came from.
    """
    chain: Id
    """Network name of the coin, or the provider's own code of the chain, in any case.
    Example: "ETH"
    """
    address: MaybeAddress = None
    """The address to rate. Required for kind ``wallet``.
    Example: "0x52908400098527886E0F7030069857D2E4169EE7"
    """
    txid: MaybeTxid = None
    """The transaction to rate, exactly as the node printed its id. Required for kinds ``transaction`` and ``kyt``.
    Example: "0x5e1d3a76fbf824220eafc8c79ad578ad2b67d01b0c2425eb1f1347e8f50882ab"
    """
    force: StrictBool = False
    """Whether to analyse again although a result is known; costs quota. For kind ``kyt`` only."""

    @model_validator(mode="after")
    def _has_what_is_screened(self) -> Self:
        if self.kind == "wallet" and self.address is None:
            raise fault("MISSING_FIELD", "a wallet screening needs the address", "address")
        if self.kind != "wallet" and self.txid is None:
            raise fault("MISSING_FIELD", "a transaction screening needs the txid", "txid")
        return self


class OwnershipRequested(Wire):
    """``ownership.requested.v1``: sent when a customer is to prove the ownership of an unhosted wallet. It leads to
    ``ownership.session.v1``, ``ownership.result.v1`` and ``ownership.verdict.v1``.
    """

    request_id: Id
    """The platform's id of the request; also the record's key and the ``subject`` of the event.
    Example: "o-5001"
    """
    blockchain: Id
    """Chain code of the wallet, one of those for which the hub offers a proof.
    Example: "ETH"
    """
    asset: Id
    """Ticker of the token that the proof is about.
    Example: "USDC"
    """
    address: Address
    """Address of the wallet whose ownership is to be proven.
    Example: "0x52908400098527886E0F7030069857D2E4169EE7"
    """
    customer_id: Id
    """The platform's own id of the customer who says that the wallet is his.
    Example: "c-1001"
    """
    widget_origin: Id
    """Web origin (scheme, host, port) of the page that will show the proof widget.
    Example: "https://app.example.com:443"
    """
