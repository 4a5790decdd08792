"""Bodies of a transfer: address search to status search (hub-api.md 4.A.4 to 4.A.8, member-api.md M1 to M5).

The same models serve the client, the gateway and the hub; a request of ours and of a peer differ only in what
is left out. ``{}``, ``""`` and null mean absent.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from schemas.input_forms import InputForm, absent, any_case, lower, upper
from schemas.numbers import DecimalText, OutputIndex, PriceText, Vout
from schemas.texts import (
    Currency,
    FlagText,
    Id,
    MaybeAddress,
    MaybePayload,
    MaybeText,
    MaybeTxid,
    MaybeUpper,
    Payload,
    TradeCurrency,
    Txid,
)
from schemas.wire_model import Wire

MaybeObject = Annotated[dict[str, Any] | None, absent]

AddressResult = Annotated[Literal["valid", "invalid"], lower]
AuthorizationResult = Annotated[Literal["verified", "denied"], lower]
NormalResult = Annotated[Literal["normal", "error"], lower]

OTHER_SPELLING = "wait-confirmed"
"""The spelling of ``wait-confirm`` on one of the network's pages (D12)."""


def _status_word(value: Any) -> Any:
    if not isinstance(value, str) or not value.isascii():
        return value
    word = value.lower()
    return "wait-confirm" if word == OTHER_SPELLING else word


TransferStatus = Annotated[
    Literal["pending", "processing", "wait-confirm", "confirmed", "canceled"],
    InputForm(_status_word, lambda inner: any_case({"enum": [*inner["enum"], OTHER_SPELLING]})),
]


class AddressSearchRequest(Wire):
    """Request of an address search (4.A.4, M1): is this address held by the VASP that is asked."""

    currency: Currency
    """Symbol of the coin, not of its network, in any case.
    Example: "XRP"
    """
    payload: Payload
    """Encrypted IVMS101 object with the ``Beneficiary`` alone: no persons, and the address in ``accountNumber``, which
    is the one that counts. Base64 of nonce and box.
    Example: "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8gISIjJCUmJygpKissLS4v"
    """
    address: MaybeAddress = None
    """The address in clear text, which some affiliated networks need; may hold the tag after a colon.
    Example: "rPEPPER7kfTD9w2To4CQk6UCfuHM9c6GDY"
    """
    tag: MaybeText = None
    """Destination tag or memo in clear text, where there is one.
    Example: "77001"
    """
    network: MaybeText = None
    """Network of the coin as the hub's list of networks names it; affiliated networks need it.
    Example: "XRP"
    """


class AddressSearchResponse(Wire):
    """Answer to an address search (4.A.4, M1); ``invalid`` is an answer and no failure."""

    result: AddressResult
    """Whether the address is a deposit address of a customer there: ``valid`` or ``invalid``, read in any case."""
    reason_type: MaybeUpper = None
    """Why the address is not valid: ``NOT_FOUND_ADDRESS``, ``NOT_SUPPORTED_SYMBOL``, ``NOT_KYC_USER``,
    ``SANCTION_LIST``, ``LACK_OF_INFORMATION`` or ``UNKNOWN``. Any other text counts as ``UNKNOWN``; it means nothing
    beside ``valid``.
    Example: "NOT_FOUND_ADDRESS"
    """
    reason_msg: MaybeText = None
    """Explanation for a person, without personal data.
    Example: "no such deposit address"
    """
    beneficiary_vasp_entity_id: MaybeText = None
    """Entity id of the VASP that holds the address, if it was found.
    Example: "south"
    """


class TransferAuthorizationRequest(Wire):
    """Request of a transfer authorization (4.A.5, M2): may this transfer be sent."""

    transfer_id: Id
    """Id of the transfer, a UUID v4 made by the originating VASP. Any text is read (D31); case counts.
    Example: "0b6f3c1e-7d0a-4f6e-9a51-2f1d9d1f7c11"
    """
    currency: Currency
    """Symbol of the coin, not of its network, in any case.
    Example: "XRP"
    """
    amount: DecimalText
    """Quantity of the coin that arrives on the chain, without fees: a decimal number in a JSON string, more than zero.
    Example: "250.5"
    """
    historical_cost: MaybeText = None
    """What the coins cost the customer; a tax field that is usually empty and is not evaluated.
    Example: "120.00"
    """
    trade_price: PriceText
    """Value of the whole amount in ``tradeCurrency``, not the price of one coin: a decimal number in a JSON string.
    Example: "150.30"
    """
    trade_currency: Annotated[TradeCurrency, upper]
    """Currency of ``tradePrice``: one of ten ISO 4217 codes, read in any case.
    Example: "USD"
    """
    is_exceeding_threshold: FlagText
    """Whether the transfer is above the sender's threshold of the Travel Rule: ``"true"`` or ``"false"`` in any case; a
    JSON boolean is read too (D7).
    Example: "true"
    """
    originating_vasp: MaybeObject = None
    """Data of the originating VASP outside the payload, as an IVMS101 person. If it is not empty it replaces
    ``OriginatingVASP`` inside (D8).
    """
    payload: Payload
    """Encrypted IVMS101 object with ``Originator``, ``Beneficiary`` and ``OriginatingVASP``. Base64 of nonce and box.
    Example: "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8gISIjJCUmJygpKissLS4v"
    """
    address: MaybeAddress = None
    """The beneficiary's address in clear text, which some affiliated networks need; may hold the tag after a colon.
    Example: "rPEPPER7kfTD9w2To4CQk6UCfuHM9c6GDY"
    """
    tag: MaybeText = None
    """Destination tag or memo in clear text, where there is one.
    Example: "77001"
    """
    network: MaybeText = None
    """Network of the coin as the hub's list of networks names it; affiliated networks need it.
    Example: "XRP"
    """


class TransferAuthorizationResponse(Wire):
    """Answer to a transfer authorization (4.A.5, M2). A refusal may lack the payload; ``verified`` without a payload
    that can be opened means that nothing may be sent.
    """

    result: AuthorizationResult
    """The decision of the beneficiary VASP: ``verified`` or ``denied``, read in any case."""
    reason_type: MaybeUpper = None
    """Why the transfer is denied: the codes of an address search, ``INPUT_NAME_MISMATCHED`` or ``DOB_MISMATCHED``. Any
    other text counts as ``UNKNOWN``; it means nothing beside ``verified``.
    Example: "INPUT_NAME_MISMATCHED"
    """
    reason_msg: MaybeText = None
    """Explanation for a person, without personal data.
    Example: "the name differs"
    """
    transfer_id: MaybeText = None
    """Id of the transfer, repeated from the request that this answers.
    Example: "0b6f3c1e-7d0a-4f6e-9a51-2f1d9d1f7c11"
    """
    beneficiary_vasp: MaybeObject = None
    """Data of the beneficiary VASP outside the payload, as an IVMS101 person."""
    payload: MaybePayload = None
    """Encrypted IVMS101 object with all four parts: those of the request, and ``BeneficiaryVASP``. Base64 of nonce and
    box.
    Example: "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8gISIjJCUmJygpKissLS4v"
    """


class TxidReportRequest(Wire):
    """Request of a txid report (4.A.6, M3): this transaction carries the transfer."""

    transfer_id: Id
    """Id of the transfer that was authorized; case counts.
    Example: "0b6f3c1e-7d0a-4f6e-9a51-2f1d9d1f7c11"
    """
    txid: Txid
    """Id of the transaction, exactly as the node printed it. A stored one is never replaced.
    Example: "9f1c0e5a7b3d4c2e8a6f0b1d3c5e7a9f1c0e5a7b3d4c2e8a6f0b1d3c5e7a9f1c"
    """
    vout: OutputIndex = None
    """Index of the output that pays the beneficiary, counted from 0: digits in a JSON string.
    Example: "0"
    """


class TxidReportResponse(Wire):
    """Answer to a txid report (4.A.6, M3)."""

    transfer_id: MaybeText = None
    """Id of the transfer, repeated from the request that this answers.
    Example: "0b6f3c1e-7d0a-4f6e-9a51-2f1d9d1f7c11"
    """
    result: NormalResult
    """Whether the transaction is stored: ``normal`` or ``error``, read in any case."""
    reason_type: MaybeUpper = None
    """Why it is not stored: ``TXID_ALREADY_EXISTS``, ``TRANSFER_ALREADY_FAILED``, ``UNKNOWN_TRANSFER_ID`` or
    ``UNKNOWN``. It means nothing beside ``normal`` (D42).
    Example: "TXID_ALREADY_EXISTS"
    """


class FinishRequest(Wire):
    """Request to finish a transfer (4.A.7, M5): it will not happen, or its transaction failed."""

    transfer_id: Id
    """Id of the transfer to finish; case counts.
    Example: "0b6f3c1e-7d0a-4f6e-9a51-2f1d9d1f7c11"
    """
    status: Annotated[Literal["canceled"], lower]
    """The state that the transfer takes: ``canceled``, the only one there is, read in any case."""
    reason_type: MaybeUpper = None
    """Why the transfer is finished: ``NOT_FOUND_ADDRESS``, ``NOT_SUPPORTED_SYMBOL``, ``NOT_KYC_USER``,
    ``SANCTION_LIST``, ``LACK_OF_INFORMATION`` or ``UNKNOWN``. The hub takes no other; a member does not refuse one.
    Example: "UNKNOWN"
    """


class FinishResponse(Wire):
    """Answer to the finish of a transfer (4.A.7, M5)."""

    transfer_id: MaybeText = None
    """Id of the transfer, repeated from the request that this answers.
    Example: "0b6f3c1e-7d0a-4f6e-9a51-2f1d9d1f7c11"
    """
    result: NormalResult
    """Whether the transfer is closed now: ``normal`` or ``error``, read in any case."""
    reason_type: MaybeUpper = None
    """Why it is not closed: ``UNKNOWN_TRANSFER_ID``, ``ILLEGAL_STATEFLOW`` or ``UNKNOWN``. It means nothing beside
    ``normal`` (D42).
    Example: "ILLEGAL_STATEFLOW"
    """


class StatusSearchRequest(Wire):
    """Request of a status search (4.A.8, M4): how far is this transfer on the chain."""

    transfer_id: Id
    """Id of the transfer that was authorized; case counts.
    Example: "0b6f3c1e-7d0a-4f6e-9a51-2f1d9d1f7c11"
    """


class StatusSearchResponse(Wire):
    """Answer to a status search (4.A.8, M4)."""

    transfer_id: MaybeText = None
    """Id of the transfer, repeated from the request that this answers.
    Example: "0b6f3c1e-7d0a-4f6e-9a51-2f1d9d1f7c11"
    """
    status: TransferStatus
    """State of the transaction at the originating VASP: ``pending`` not sent, ``processing`` sent, ``wait-confirm`` in
    a block, ``confirmed`` final, ``canceled``. Read in any case, and as ``wait-confirmed`` (D12).
    """
    txid: MaybeTxid = None
    """Id of the transaction: always beside ``confirmed``, otherwise if it is known.
    Example: "9f1c0e5a7b3d4c2e8a6f0b1d3c5e7a9f1c0e5a7b3d4c2e8a6f0b1d3c5e7a9f1c"
    """
    vout: Vout = None
    """Index of the output that pays the beneficiary, counted from 0: digits in a JSON string; a JSON integer is read
    too.
    Example: "0"
    """
