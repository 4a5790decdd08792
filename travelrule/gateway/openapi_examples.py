"""The examples of the OpenAPI document. The tests validate each one against its model."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

_ID = "0b6f3c1e-7d0a-4f6e-9a51-2f1d9d1f7c11"
_TXID = "9f1c0e5a7b3d4c2e8a6f0b1d3c5e7a9f1c0e5a7b3d4c2e8a6f0b1d3c5e7a9f1c"
_PAYLOAD = "fD3dxtfDtVoVHkoZJpmDrJRqG2fISRfQrOjvNDSACE2FVyL954LTTNxLUOE1zkBt4j0q6+630zPtIpr1nE4vs9YLhe0CZ3JK"

_FIELDS = {
    "MISSING_REQUIRED_MSG_FIELD": "transferId: add the field",
    "INVALID_MSG_FIELD_VALUE": "body: must be one JSON object in UTF-8",
}
_ORIGIN = {"MISSING_HEADER_FIELD": "X-Request-Origin: send <alliance>:<entityId>"}
_KEY = {"INVALID_HEADER_SIGNATURE": "X-Code-Req-PubKey: must be a current key of the origin's VASP"}
_OUTSIDER = {"UNACCEPTABLE_REQUEST": "X-Request-Origin: requests of this VASP are not accepted"}
_SEALED = {"INVALID_ENCRYPTED_BODY": "payload: does not open with the keys that the headers name"}
_OURS = {"VASP_BACKEND_INTERNAL_ERROR": "the request could not be processed now; repeat it later"}
_PLAIN = {**_FIELDS, **_ORIGIN, **_KEY, **_OUTSIDER, **_OURS}


@dataclass(frozen=True, slots=True)
class Example:
    """One operation: a request, answers by name, and what a 503 may say."""

    said: str = ""
    request: dict[str, Any] = field(default_factory=dict)
    answers: dict[str, dict[str, Any]] = field(default_factory=dict)
    refusals: dict[str, str] = field(default_factory=dict)


def _invalid(reason: str, message: str, entity_id: str = "") -> dict[str, Any]:
    return {
        "result": "invalid",
        "reasonType": reason,
        "reasonMsg": message,
        "beneficiaryVaspEntityId": entity_id,
    }


def _denied(reason: str, message: str) -> dict[str, Any]:
    return {
        "result": "denied",
        "reasonType": reason,
        "reasonMsg": message,
        "transferId": _ID,
        "beneficiaryVasp": {},
        "payload": _PAYLOAD,
    }


def _concluded(result: str, reason: str = "") -> dict[str, Any]:
    return {"transferId": _ID, "result": result, "reasonType": reason}


def _data_error(reason: str, message: str) -> dict[str, Any]:
    numbers = dict.fromkeys(
        (
            "currency",
            "amount",
            "historicalCost",
            "tradePrice",
            "tradeCurrency",
            "isExceedingThreshold",
            "payload",
        ),
        "",
    )
    return {"result": "error", "reasonType": reason, "reasonMsg": message, "transferId": _ID, **numbers}


def _search_result(found: str) -> dict[str, Any]:
    row = {"entityId": "north", "result": "FOUND"}
    return {"result": "valid", "requestId": _ID, found: "north", "analysisResult": [row]}


PLAIN = Example(refusals=_OURS)
"""An operation without a request body."""

EXAMPLES: dict[str, Example] = {
    "verifyAddress": Example(
        "the address is `valid` or `invalid`",
        {"currency": "XRP", "payload": _PAYLOAD, "network": "XRP"},
        {
            "valid": {
                "result": "valid",
                "reasonType": "",
                "reasonMsg": "",
                "beneficiaryVaspEntityId": "south",
            },
            "lackOfInformation": _invalid("LACK_OF_INFORMATION", "accountNumber is missing"),
            "notSupported": _invalid("NOT_SUPPORTED_SYMBOL", "the currency is not open for deposits"),
            "notFound": _invalid("NOT_FOUND_ADDRESS", "no such deposit address"),
            "noKyc": _invalid("NOT_KYC_USER", "the owner has not finished KYC", "south"),
            "sanctioned": _invalid("SANCTION_LIST", "address or owner is on a list", "south"),
            "otherName": _invalid("UNKNOWN", "the name differs from the owner's", "south"),
            "outsider": _invalid("UNKNOWN", "requests of the sender are not accepted"),
            "late": _invalid("UNKNOWN", "no answer within the time limit; ask again"),
        },
        {**_FIELDS, **_ORIGIN, **_KEY, **_SEALED, **_OURS},
    ),
    "authorizeTransfer": Example(
        "the transfer is `verified` or `denied`, and stored as such",
        {
            "transferId": _ID,
            "currency": "XRP",
            "amount": "250.5",
            "historicalCost": "",
            "tradePrice": "150.30",
            "tradeCurrency": "USD",
            "isExceedingThreshold": "true",
            "payload": _PAYLOAD,
            "address": "rPEPPER7kfTD9w2To4CQk6UCfuHM9c6GDY",
            "tag": "77001",
            "network": "XRP",
        },
        {
            "verified": {
                "result": "verified",
                "reasonType": "",
                "reasonMsg": "",
                "transferId": _ID,
                "beneficiaryVasp": {},
                "payload": _PAYLOAD,
            },
            "lackOfInformation": _denied("LACK_OF_INFORMATION", "the beneficiary's name is missing"),
            "notSupported": _denied("NOT_SUPPORTED_SYMBOL", "the currency is not open for deposits"),
            "notFound": _denied("NOT_FOUND_ADDRESS", "no such deposit address"),
            "noKyc": _denied("NOT_KYC_USER", "the owner has not finished KYC"),
            "sanctioned": _denied("SANCTION_LIST", "a party or the address is on a list"),
            "otherName": _denied("INPUT_NAME_MISMATCHED", "the beneficiary's name differs from the owner's"),
            "otherBirthDate": _denied("DOB_MISMATCHED", "the date of birth differs"),
            "outsider": _denied("UNKNOWN", "transfers of this sender are not accepted"),
        },
        {
            **_FIELDS,
            **_ORIGIN,
            **_KEY,
            **_SEALED,
            "DUPLICATED_TRANSFER_ID": "transferId: names another transfer already; use a new id",
            **_OURS,
        },
    ),
    "reportTxid": Example(
        "the report is stored (`normal`) or cannot be (`error`)",
        {"transferId": _ID, "txid": _TXID, "vout": "0"},
        {
            "normal": _concluded("normal"),
            "unknownTransfer": _concluded("error", "UNKNOWN_TRANSFER_ID"),
            "otherTxid": _concluded("error", "TXID_ALREADY_EXISTS"),
            "failedBefore": _concluded("error", "TRANSFER_ALREADY_FAILED"),
            "failure": _concluded("error", "UNKNOWN"),
        },
        _PLAIN,
    ),
    "searchStatus": Example(
        "the chain status that we keep; `txid` and `vout` only if they exist",
        {"transferId": _ID},
        {
            "pending": {"transferId": _ID, "status": "pending"},
            "confirmed": {"transferId": _ID, "status": "confirmed", "txid": _TXID},
        },
        {**_PLAIN, "UNKNOWN_TRANSFER_ID": "transferId: no such transfer between us"},
    ),
    "finishTransfer": Example(
        "the transfer is closed (`normal`) or cannot be (`error`)",
        {"transferId": _ID, "status": "canceled", "reasonType": "UNKNOWN"},
        {
            "normal": _concluded("normal"),
            "unknownTransfer": _concluded("error", "UNKNOWN_TRANSFER_ID"),
            "tooLate": _concluded("error", "ILLEGAL_STATEFLOW"),
            "failure": _concluded("error", "UNKNOWN"),
        },
        _PLAIN,
    ),
    "searchTxid": Example(
        "whether a withdrawal of ours, of whatever currency, is this transaction to this address; nothing more is told",
        {"txid": _TXID, "beneficiaryAddress": "rPEPPER7kfTD9w2To4CQk6UCfuHM9c6GDY:77001"},
        {"sent": {"result": "valid"}, "notSent": {"result": "invalid"}},
        {**_PLAIN, "INVALID_MSG_FIELD_VALUE": "txid: at most 200 long"},
    ),
    "requestData": Example(
        "the originator's data (`normal`) or why they are not given (`error`), stored as such; all fields are texts",
        {
            "transferId": _ID,
            "txid": _TXID,
            "beneficiaryAddress": "rPEPPER7kfTD9w2To4CQk6UCfuHM9c6GDY:77001",
            "payload": _PAYLOAD,
        },
        {
            "normal": {
                "result": "normal",
                "reasonType": "",
                "reasonMsg": "",
                "transferId": _ID,
                "currency": "XRP",
                "amount": "250.5",
                "historicalCost": "",
                "tradePrice": "150.30",
                "tradeCurrency": "USD",
                "isExceedingThreshold": "true",
                "payload": _PAYLOAD,
            },
            "notFound": _data_error("NOT_FOUND_TXID", "no withdrawal with this txid went to this address"),
            "incomplete": _data_error("LACK_OF_INFORMATION", "missing or incomplete: BeneficiaryVASP"),
            "otherPayee": _data_error("UNKNOWN", "the beneficiary is not the payee that the sender named"),
            "outsider": _data_error("UNKNOWN", "data are not released to this VASP"),
            "unknownSender": _data_error("LACK_OF_INFORMATION", "the sender has neither KYC nor identity data"),
        },
        {
            **_FIELDS,
            **_ORIGIN,
            **_KEY,
            **_SEALED,
            "UNACCEPTABLE_REQUEST": "X-Request-Origin: data are not released to this VASP",
            "DUPLICATED_TRANSFER_ID": "transferId: names another transfer already; use a new id",
            **_OURS,
        },
    ),
    "txidSearchDone": Example("heard", _search_result("vaspEntityId"), refusals=_OURS),
    "walletSearchDone": Example("heard", _search_result("beneficiaryVaspEntityId"), refusals=_OURS),
    "kytSearchDone": Example(
        "heard",
        {
            "requestId": 4711,
            "status": "FAILED",
            "error": "Tx hash not found",
            "submittedAt": "2026-11-20T09:00:00Z",
            "report": None,
        },
        refusals=_OURS,
    ),
    "ownershipDone": Example(
        "heard",
        {
            "verificationId": _ID,
            "status": "VERIFIED",
            "blockchain": "ETH",
            "asset": "USDT",
            "address": "0x52908400098527886e0f7030069857d2e4169ee7",
            "signature": "0x...",
            "signedMessage": "...",
            "verifiedAt": "2026-11-20T09:00:00Z",
        },
        refusals=_OURS,
    ),
}
