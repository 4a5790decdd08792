"""Bodies of searches and data requests (hub-api.md 4.A.9, 4.A.10, P.1 to P.3; member-api.md M6, M7)."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import ConfigDict, ValidationError, model_validator

from schemas.hub.directory import Accepted, readable
from schemas.hub.transfer import AddressResult, NormalResult
from schemas.input_forms import ABSENT, absent, absent_is_none, upper
from schemas.numbers import DecimalText, PriceText
from schemas.texts import (
    Address,
    Currency,
    FlagText,
    Id,
    MaybePayload,
    MaybeText,
    MaybeUpper,
    Payload,
    TradeCurrency,
    Txid,
    UpperText,
)
from schemas.wire_model import Wire

MaybeCurrency = Annotated[Currency | None, absent]


class TxidSearchRequest(Wire):
    """Request of a TXID search (4.A.9): which VASP sent this transaction to our address."""

    txid: Txid
    """Transaction of an unannounced deposit, exactly as the node printed its id.
    Example: "9f1c0e5a7b3d4c2e8a6f0b1d3c5e7a9f1c0e5a7b3d4c2e8a6f0b1d3c5e7a9f1c"
    """
    beneficiary_address: Address
    """Address that received the coins, with its tag after the rightmost colon.
    Example: "rPEPPER7kfTD9w2To4CQk6UCfuHM9c6GDY:77001"
    """
    request_id: Id
    """Id of the search, a UUID v4 made by the caller; later the ``transferId`` of the data request.
    Example: "5d3c0a44-0f4e-4c7f-8a0e-9d0d6f0a1b2c"
    """
    currency: MaybeCurrency = None
    """Symbol of the coin, in any case; without it and ``network`` no affiliated network is asked.
    Example: "XRP"
    """
    network: MaybeText = None
    """Network of the coin as the hub's list of networks names it, or ``all``.
    Example: "XRP"
    """
    callback_url: MaybeText = None
    """HTTPS URL that the result is posted to.
    Example: "https://vasp.example.com/callbacks/txid-search/0123456789abcdef0123456789abcdef"
    """


class TxidSearchAccepted(Accepted):
    """Answer of 4.A.9: the search runs."""


class SearchRow(Wire):
    """What one member answered to a search."""

    entity_id: Id
    """Entity id of the member that was asked.
    Example: "south"
    """
    result: UpperText
    """Its answer: ``FOUND``; ``SYSTEM_NOT_AVAILABLE`` if it gave none; any other text is a no (D6).
    Example: "NOT_FOUND_TXID"
    """

    @property
    def found(self) -> bool:
        """Whether the member found it; every other value means that it did not (D6)."""
        return self.result == "FOUND"

    @property
    def unreachable(self) -> bool:
        """Whether the member sent no answer: a later search may find it."""
        return self.result == "SYSTEM_NOT_AVAILABLE"


class _SearchResult(Wire):
    result: AddressResult
    """Whether a VASP was found: ``valid`` or ``invalid``, read in any case."""
    reason_type: MaybeUpper = None
    """Why none was found: ``NOT_FOUND_TXID`` or ``NOT_FOUND_ADDRESS``, ``PROCESSING`` while the search runs,
    ``LACK_OF_INFORMATION`` for an unknown ``requestId``, ``ALLIANCE_DATA_NON_UNIQUE_RESULT`` if several said yes.
    Example: "PROCESSING"
    """
    reason_msg: MaybeText = None
    """Explanation for a person.
    Example: "no member said yes"
    """
    request_id: MaybeText = None
    """Id of the search that was asked about.
    Example: "5d3c0a44-0f4e-4c7f-8a0e-9d0d6f0a1b2c"
    """
    analysis_result: Annotated[tuple[SearchRow, ...], readable(SearchRow)] = ()
    """One row for each member that was asked; rows that cannot be read are left out."""

    @property
    def is_processing(self) -> bool:
        """Whether the search still runs: request the result again after more than ten seconds."""
        return self.result == "invalid" and self.reason_type == "PROCESSING"


def _in_place_of(name: str, other: str) -> ConfigDict:
    """Declare in JSON Schema that the VASP may have the other field name if its first one is absent."""

    def extra(schema: dict[str, Any]) -> None:
        form = {"anyOf": schema["properties"][name]["anyOf"]}
        schema["properties"][other] = {"description": f"Another name of `{name}`, read in its absence (D6)."}
        named = {"required": [name], "properties": {name: {"not": {"anyOf": list(ABSENT)}}}}
        schema["allOf"] = [{"anyOf": [named, {"properties": {other: form}}]}]

    return ConfigDict(json_schema_extra=extra)


def _first_named(data: Any, wanted: tuple[str, str], other: str) -> Any:
    """Move the value of the other field name to the wanted one if that is absent."""
    if not isinstance(data, dict) or any(absent_is_none(data.get(name)) is not None for name in wanted):
        return data
    return {**data, wanted[0]: data.get(other)}


def asked_in(body: Any) -> set[str] | None:
    """Return the entity ids of the VASPs that a search asked, empty if all were down; None without such a list."""
    if not isinstance(body, dict) or absent_is_none(body.get("analysisResult")) is None:
        return None
    try:
        return {row.entity_id for row in _SearchResult.from_wire(body).analysis_result}
    except ValidationError:
        return None


class TxidSearchResult(_SearchResult):
    """Result of a TXID search (P.1); its callback has the same body."""

    model_config = _in_place_of("vaspEntityId", "beneficiaryVaspEntityId")

    vasp_entity_id: MaybeText = None
    """Entity id of the VASP that sent the transaction, beside ``valid``.
    Example: "north"
    """

    @model_validator(mode="before")
    @classmethod
    def _either_name(cls, data: Any) -> Any:
        return _first_named(data, ("vaspEntityId", "vasp_entity_id"), "beneficiaryVaspEntityId")

    @classmethod
    def found_in(cls, body: Any) -> str:
        """Return the entity id of the VASP that a result names; empty if it names none or cannot be read."""
        try:
            return cls.from_wire(body).vasp_entity_id or ""
        except ValidationError:
            return ""


class WalletSearchRequest(Wire):
    """Request of a wallet search (P.2): which VASP has this deposit address."""

    currency: Currency
    """Symbol of the coin, in any case.
    Example: "XRP"
    """
    address_number: Address
    """The address in clear text, with its tag after the rightmost colon.
    Example: "rPEPPER7kfTD9w2To4CQk6UCfuHM9c6GDY:77001"
    """
    network: MaybeText = None
    """Network of the coin as the hub's list of networks names it, or ``all``.
    Example: "XRP"
    """
    request_id: Id
    """Id of the search, made by the caller.
    Example: "5d3c0a44-0f4e-4c7f-8a0e-9d0d6f0a1b2c"
    """
    callback_url: MaybeText = None
    """HTTPS URL that the result is posted to.
    Example: "https://vasp.example.com/callbacks/wallet-search/0123456789abcdef0123456789abcdef"
    """


class WalletSearchAccepted(Accepted):
    """Answer of P.2: the search runs."""


class WalletSearchResult(_SearchResult):
    """Result of a wallet search (P.3); its callback has the same body."""

    model_config = _in_place_of("beneficiaryVaspEntityId", "vaspEntityId")

    beneficiary_vasp_entity_id: MaybeText = None
    """Entity id of the VASP that holds the address, beside ``valid``.
    Example: "south"
    """

    @model_validator(mode="before")
    @classmethod
    def _either_name(cls, data: Any) -> Any:
        return _first_named(data, ("beneficiaryVaspEntityId", "beneficiary_vasp_entity_id"), "vaspEntityId")


class TxidCheckRequest(Wire):
    """Question of the hub to a member (M6): did it send this transaction to this address."""

    txid: Txid
    """The transaction, exactly as the node printed its id.
    Example: "9f1c0e5a7b3d4c2e8a6f0b1d3c5e7a9f1c0e5a7b3d4c2e8a6f0b1d3c5e7a9f1c"
    """
    beneficiary_address: Address
    """Address that received the coins, with its tag after the rightmost colon.
    Example: "rPEPPER7kfTD9w2To4CQk6UCfuHM9c6GDY:77001"
    """
    currency: MaybeCurrency = None
    """Symbol of the coin, in any case. Withdrawals of all coins are searched regardless.
    Example: "XRP"
    """
    network: MaybeText = None
    """Network of the coin as the hub's list of networks names it.
    Example: "XRP"
    """


class TxidCheckResponse(Wire):
    """Answer to the hub's question (M6): nothing but yes or no."""

    result: AddressResult
    """Whether the member sent it: ``valid`` or ``invalid``, read in any case. Nothing else is told."""


class DataRequest(Wire):
    """Data request (4.A.10, M7): who sent a transaction that came unannounced."""

    transfer_id: Id
    """Id of the request: the ``requestId`` of the TXID search that found the VASP; case counts.
    Example: "5d3c0a44-0f4e-4c7f-8a0e-9d0d6f0a1b2c"
    """
    txid: Txid
    """The transaction, exactly as the node printed its id.
    Example: "9f1c0e5a7b3d4c2e8a6f0b1d3c5e7a9f1c0e5a7b3d4c2e8a6f0b1d3c5e7a9f1c"
    """
    beneficiary_address: Address
    """Address that received the coins, with its tag after the rightmost colon.
    Example: "rPEPPER7kfTD9w2To4CQk6UCfuHM9c6GDY:77001"
    """
    currency: MaybeCurrency = None
    """Symbol of the coin, in any case; required for VASPs of affiliated networks (D48).
    Example: "XRP"
    """
    network: MaybeText = None
    """Network of the coin; required for VASPs of affiliated networks (D48).
    Example: "XRP"
    """
    payload: Payload
    """Encrypted IVMS101 object with ``Beneficiary`` and ``BeneficiaryVASP``, for affiliated networks with
    ``Originator`` too. Base64 of nonce and box.
    Example: "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8gISIjJCUmJygpKissLS4v"
    """


class DataResponse(Wire):
    """Answer to a data request (4.A.10, M7); the facts of the withdrawal are there beside ``normal``."""

    result: NormalResult
    """Whether the data are given: ``normal`` or ``error``, read in any case."""
    reason_type: MaybeUpper = None
    """Why they are not: ``NOT_FOUND_TXID``, ``LACK_OF_INFORMATION`` or ``UNKNOWN``. Any other text counts as
    ``UNKNOWN``; it means nothing beside ``normal``.
    Example: "NOT_FOUND_TXID"
    """
    reason_msg: MaybeText = None
    """Explanation for a person, without personal data.
    Example: "no such withdrawal"
    """
    transfer_id: MaybeText = None
    """Id of the transfer, repeated from the request that this answers.
    Example: "5d3c0a44-0f4e-4c7f-8a0e-9d0d6f0a1b2c"
    """
    currency: MaybeCurrency = None
    """Symbol of the coin that was sent.
    Example: "XRP"
    """
    amount: Annotated[DecimalText | None, absent] = None
    """Quantity of the coin that was sent, without fees: a decimal number in a JSON string, more than zero.
    Example: "250.5"
    """
    historical_cost: MaybeText = None
    """What the coins cost the customer; a tax field that is usually empty.
    Example: "120.00"
    """
    trade_price: Annotated[PriceText | None, absent] = None
    """Value of the whole amount in ``tradeCurrency``: a decimal number in a JSON string.
    Example: "150.30"
    """
    trade_currency: Annotated[TradeCurrency | None, absent, upper] = None
    """Currency of ``tradePrice``: one of ten ISO 4217 codes, read in any case.
    Example: "USD"
    """
    is_exceeding_threshold: Annotated[FlagText | None, absent] = None
    """Whether the transfer is above the sender's threshold: ``"true"`` or ``"false"`` in any case, or a JSON boolean
    (D7).
    Example: "true"
    """
    payload: MaybePayload = None
    """Encrypted IVMS101 object with all four parts. Base64 of nonce and box.
    Example: "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8gISIjJCUmJygpKissLS4v"
    """
