"""Bodies of searches and data requests (hub-api.md 4.A.9, 4.A.10, P.1 to P.3; member-api.md M6, M7)."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import BeforeValidator, ValidationError, model_validator

from schemas.base import Wire
from schemas.hub_directory import Accepted, readable
from schemas.hub_transfer import AddressResult, NormalResult
from schemas.text import (
    Address,
    Currency,
    DecimalText,
    FlagText,
    Id,
    MaybePayload,
    MaybeText,
    MaybeUpper,
    Payload,
    PriceText,
    TradeCurrency,
    Txid,
    UpperText,
    absent_is_none,
    upper,
)

MaybeCurrency = Annotated[Currency | None, BeforeValidator(absent_is_none)]


class TxidSearchRequest(Wire):
    """4.A.9: who sent this transaction to our address? ``request_id`` is the ``transfer_id`` of 4.A.10."""

    txid: Txid
    beneficiary_address: Address
    request_id: Id
    currency: MaybeCurrency = None
    network: MaybeText = None
    callback_url: MaybeText = None


class TxidSearchAccepted(Accepted):
    """Answer of 4.A.9: the search runs."""


class SearchRow(Wire):
    """What one member answered to a search."""

    entity_id: Id
    result: UpperText

    @property
    def found(self) -> bool:
        """Whether the member said yes; every other value is a no (D6)."""
        return self.result == "FOUND"

    @property
    def unreachable(self) -> bool:
        """Whether the member gave no answer: a later search may find it."""
        return self.result == "SYSTEM_NOT_AVAILABLE"


class _SearchResult(Wire):
    result: AddressResult
    reason_type: MaybeUpper = None
    reason_msg: MaybeText = None
    request_id: MaybeText = None
    analysis_result: Annotated[tuple[SearchRow, ...], readable(SearchRow)] = ()

    @property
    def is_processing(self) -> bool:
        """Whether the search still runs: ask again after more than ten seconds."""
        return self.result == "invalid" and self.reason_type == "PROCESSING"


def _first_named(data: Any, wanted: tuple[str, str], other: str) -> Any:
    """Put the value of the other name where the wanted one is absent."""
    if not isinstance(data, dict) or any(absent_is_none(data.get(name)) is not None for name in wanted):
        return data
    return {**data, wanted[0]: data.get(other)}


def asked_in(body: Any) -> set[str] | None:
    """The entity ids of the VASPs that a result says were asked: none of them if all are down (an empty list); None if
    it does not say whom it asked.
    """
    if not isinstance(body, dict) or absent_is_none(body.get("analysisResult")) is None:
        return None
    try:
        return {row.entity_id for row in _SearchResult.model_validate(body).analysis_result}
    except ValidationError:
        return None


class TxidSearchResult(_SearchResult):
    """P.1, also the callback; reads ``vaspEntityId``, else ``beneficiaryVaspEntityId`` (D6)."""

    vasp_entity_id: MaybeText = None

    @model_validator(mode="before")
    @classmethod
    def _either_name(cls, data: Any) -> Any:
        return _first_named(data, ("vaspEntityId", "vasp_entity_id"), "beneficiaryVaspEntityId")

    @classmethod
    def found_in(cls, body: Any) -> str:
        """The entity id of the VASP that a result names; empty if it names none or cannot be read."""
        try:
            return cls.model_validate(body).vasp_entity_id or ""
        except ValidationError:
            return ""


class WalletSearchRequest(Wire):
    """P.2: whose deposit address is this? ``address_number`` is ``address[:tag]``, plain."""

    currency: Currency
    address_number: Address
    network: MaybeText = None
    request_id: Id
    callback_url: MaybeText = None


class WalletSearchAccepted(Accepted):
    """Answer of P.2: the search runs."""


class WalletSearchResult(_SearchResult):
    """P.3, also the callback; reads ``beneficiaryVaspEntityId``, else ``vaspEntityId``."""

    beneficiary_vasp_entity_id: MaybeText = None

    @model_validator(mode="before")
    @classmethod
    def _either_name(cls, data: Any) -> Any:
        return _first_named(data, ("beneficiaryVaspEntityId", "beneficiary_vasp_entity_id"), "vaspEntityId")


class TxidCheckRequest(Wire):
    """M6: the hub asks a member whether it sent this transaction to this address."""

    txid: Txid
    beneficiary_address: Address
    currency: MaybeCurrency = None
    network: MaybeText = None


class TxidCheckResponse(Wire):
    """Answer of M6: nothing but yes or no."""

    result: AddressResult


class DataRequest(Wire):
    """4.A.10 / M7: the originator's data for a transaction that came unannounced."""

    transfer_id: Id
    txid: Txid
    beneficiary_address: Address
    currency: MaybeCurrency = None
    network: MaybeText = None
    payload: Payload


class DataResponse(Wire):
    """Answer of 4.A.10; the numbers are there when ``result`` is ``normal``."""

    result: NormalResult
    reason_type: MaybeUpper = None
    reason_msg: MaybeText = None
    transfer_id: MaybeText = None
    currency: MaybeCurrency = None
    amount: Annotated[DecimalText | None, BeforeValidator(absent_is_none)] = None
    historical_cost: MaybeText = None
    trade_price: Annotated[PriceText | None, BeforeValidator(absent_is_none)] = None
    trade_currency: Annotated[TradeCurrency | None, BeforeValidator(absent_is_none), upper] = None
    is_exceeding_threshold: Annotated[FlagText | None, BeforeValidator(absent_is_none)] = None
    payload: MaybePayload = None
