"""Events of topic ``screenings``: a rating or a proof of ownership is wanted."""

from __future__ import annotations

from typing import Any, Literal, Self

from pydantic import ConfigDict, StrictBool, model_validator

from schemas.base import Wire
from schemas.faults import fault
from schemas.text import Address, Id, MaybeAddress, MaybeTxid

_ONE_OF = {"wallet": "address", "transaction": "txid", "kyt": "txid"}


def _needed_by_kind(schema: dict[str, Any]) -> None:
    """Say in JSON Schema what the validator below says in Python."""
    schema["allOf"] = [
        {
            "if": {"properties": {"kind": {"const": kind}}, "required": ["kind"]},
            "then": {"required": [field], "properties": {field: {"type": "string", "minLength": 1}}},
        }
        for kind, field in _ONE_OF.items()
    ]


class ScreeningRequested(Wire):
    """``screening.requested.v1``: ``wallet`` needs ``address``; ``transaction``, ``kyt`` need ``txid``.

    ``force`` (KYT only) asks for a new analysis and costs quota. ``chain`` is a network or a chain code.
    """

    model_config = ConfigDict(json_schema_extra=_needed_by_kind)

    request_id: Id
    kind: Literal["wallet", "transaction", "kyt"]
    chain: Id
    address: MaybeAddress = None
    txid: MaybeTxid = None
    force: StrictBool = False

    @model_validator(mode="after")
    def _has_what_is_screened(self) -> Self:
        if self.kind == "wallet" and self.address is None:
            raise fault("MISSING_FIELD", "a wallet screening needs the address", "address")
        if self.kind != "wallet" and self.txid is None:
            raise fault("MISSING_FIELD", "a transaction screening needs the txid", "txid")
        return self


class OwnershipRequested(Wire):
    """``ownership.requested.v1``: a customer is to prove that a wallet is his own."""

    request_id: Id
    blockchain: Id
    asset: Id
    address: Address
    customer_id: Id
    widget_origin: Id
