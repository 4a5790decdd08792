"""The OpenAPI document of the gateway, built from the models that the endpoints use.

``python -m travelrule.gateway.openapi`` writes ``docs/generated/gateway.openapi.json`` below the working directory;
``--check`` compares the committed copy with it (exit 1 if they differ).
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, get_args

import orjson
from pydantic.json_schema import JsonSchemaMode, models_json_schema

from schemas.hub.bodies import (
    AddressSearchRequest,
    AddressSearchResponse,
    DataRequest,
    ErrorBody,
    FinishRequest,
    FinishResponse,
    StatusSearchRequest,
    StatusSearchResponse,
    TransferAuthorizationRequest,
    TransferAuthorizationResponse,
    TxidCheckRequest,
    TxidCheckResponse,
    TxidReportRequest,
    TxidReportResponse,
    TxidSearchResult,
    WalletSearchResult,
)
from schemas.hub.kyt import KytReportResponse
from schemas.hub.screening import UnhostedResult
from schemas.json_schema import WireJsonSchema
from schemas.operations import MEMBER_ROUTES, MemberOperation, Operation
from schemas.texts import Id, Text
from schemas.wire_model import Wire
from travelrule.engine.callback_urls import CALLBACK_PATH
from travelrule.gateway.endpoint_table import ENDPOINTS
from travelrule.gateway.openapi_examples import EXAMPLES, PLAIN, Example
from travelrule.gateway.refusals import ErrorType

PATH = Path("docs/generated/gateway.openapi.json")
REF = "#/components/schemas/{model}"
JSON = "application/json"

Document = dict[str, Any]


class DataAnswer(Wire):
    """Answer of M7 as we write it: every field is there and is a text, empty where nothing is told."""

    result: Literal["normal", "error"]
    """Whether the data are given: ``normal``, or ``error`` with its reason."""
    reason_type: Text
    """Why they are not given: ``NOT_FOUND_TXID``, ``LACK_OF_INFORMATION`` or ``UNKNOWN``; else empty."""
    reason_msg: Text
    """Explanation for a person, without personal data; empty beside ``normal``."""
    transfer_id: Id
    """Id of the data request, repeated from it."""
    currency: Text
    """Symbol of the coin that was sent; empty beside ``error``."""
    amount: Text
    """Quantity of the coin that was sent, a decimal number; empty beside ``error``."""
    historical_cost: Text
    """What the coins cost the customer; a tax field that is usually empty."""
    trade_price: Text
    """Value of the whole amount in ``tradeCurrency``, a decimal number; empty beside ``error``."""
    trade_currency: Text
    """ISO 4217 code of the currency of ``tradePrice``; empty beside ``error``."""
    is_exceeding_threshold: Text
    """``"true"`` or ``"false"``: whether the withdrawal was above our threshold; empty beside ``error``."""
    payload: Text
    """Encrypted IVMS101 object with all four parts, base64 of nonce and box; empty beside ``error``."""


_HEADERS = {
    "X-Request-Origin": (True, "the sender: `<alliance>:<entityId>`"),
    "X-Code-Req-PubKey": (False, "the sender's Ed25519 public key, base64 of 32 bytes"),
    "X-Code-Req-Remote-PubKey": (False, "our key that `payload` is sealed to; absent: all own keys are tried"),
    "traceparent": (False, "W3C trace context"),
}


@dataclass(frozen=True, slots=True)
class Description:
    """How the document shows an operation: its ``operationId``, a summary, and the models of its bodies."""

    name: str
    summary: str
    request: type[Wire]
    answer: type[Wire]


@dataclass(frozen=True, slots=True)
class BodilessDescription:
    """The document of an operation without a request body: an example of its answer replaces a model."""

    name: str
    summary: str
    said: str
    answer: Document


@dataclass(frozen=True, slots=True)
class CallbackDescription:
    """How the document shows a callback: its ``operationId``, a summary, and the model of its body."""

    name: str
    summary: str
    result: type[Wire]


DESCRIPTIONS: dict[MemberOperation, Description | BodilessDescription] = {
    MemberOperation.ADDRESS_SEARCH: Description(
        "verifyAddress", "M1: is this address one of ours?", AddressSearchRequest, AddressSearchResponse
    ),
    MemberOperation.TRANSFER_AUTHORIZATION: Description(
        "authorizeTransfer",
        "M2: may this transfer be made?",
        TransferAuthorizationRequest,
        TransferAuthorizationResponse,
    ),
    MemberOperation.TXID_REPORT: Description(
        "reportTxid", "M3: the transaction that carries a transfer", TxidReportRequest, TxidReportResponse
    ),
    MemberOperation.STATUS_SEARCH: Description(
        "searchStatus", "M4: how far is a transfer that we originated?", StatusSearchRequest, StatusSearchResponse
    ),
    MemberOperation.FINISH: Description(
        "finishTransfer", "M5: a transfer will not come", FinishRequest, FinishResponse
    ),
    MemberOperation.TXID_SEARCH: Description(
        "searchTxid", "M6: did we send this transaction to this address?", TxidCheckRequest, TxidCheckResponse
    ),
    MemberOperation.DATA_REQUEST: Description("requestData", "M7: who sent this transaction?", DataRequest, DataAnswer),
    MemberOperation.HEALTH: BodilessDescription(
        "health", "M8: can M1 and M2 be served now?", "they can", {"status": "up"}
    ),
}

CALLBACKS: dict[Operation, CallbackDescription] = {
    Operation.TXID_SEARCH: CallbackDescription("txidSearchDone", "a TXID search of ours is over", TxidSearchResult),
    Operation.WALLET_SEARCH: CallbackDescription(
        "walletSearchDone", "a wallet search of ours is over", WalletSearchResult
    ),
    Operation.KYT_SEARCH: CallbackDescription("kytSearchDone", "an analysis of ours is over", KytReportResponse),
    Operation.UNHOSTED_TOKEN: CallbackDescription("ownershipDone", "a customer proved a wallet", UnhostedResult),
}


def openapi_document() -> Document:
    """The whole document (OpenAPI 3.1)."""
    paths: dict[str, Document] = {}
    for operation, description in DESCRIPTIONS.items():
        route = MEMBER_ROUTES[operation]
        paths.setdefault(route.path, {})[route.method.lower()] = (
            _operation(description, sealed=ENDPOINTS[operation].sealed)
            if isinstance(description, Description)
            else _bodiless(description)
        )
    for search, callback in CALLBACKS.items():
        paths[CALLBACK_PATH.replace("{operation}", search)] = {"post": _callback(callback)}
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Member endpoints",
            "version": "1",
            "description": "What a VASP serves to the hub. Every processed request is answered with 200, refusals "
            "included; 503 only when a request cannot be processed at all. A peer outside the allowed networks is "
            "disconnected before it is read; 400, 405, 408 and 431 refuse what is no acceptable HTTP request. Lists "
            "and texts of a payload have limits (`docs/generated/limits.md`); what exceeds one is answered with 503 "
            "`INVALID_MSG_FIELD_VALUE`. A member that asks more often than its rate gets 503 "
            "`VASP_BACKEND_INTERNAL_ERROR` with `Retry-After`.",
        },
        "paths": paths,
        "components": {"schemas": _schemas()},
    }


def rendered() -> bytes:
    """The document as it is committed."""
    return orjson.dumps(openapi_document(), option=orjson.OPT_INDENT_2 | orjson.OPT_SORT_KEYS) + b"\n"


def main(arguments: list[str]) -> int:
    """Write the committed copy, or check it."""
    if "--check" in arguments:
        same = PATH.is_file() and PATH.read_bytes() == rendered()
        print(f"{PATH}: {'up to date' if same else 'differs: run python -m travelrule.gateway.openapi'}")  # noqa: T201
        return 0 if same else 1
    PATH.parent.mkdir(parents=True, exist_ok=True)
    PATH.write_bytes(rendered())
    return 0


def _operation(description: Description, *, sealed: bool) -> Document:
    example = EXAMPLES[description.name]
    request, answer = description.request, description.answer
    return {
        "operationId": description.name,
        "summary": description.summary,
        "parameters": _parameters(sealed=sealed),
        "requestBody": {"required": True, "content": _content(request.__name__, {"request": example.request})},
        "responses": {
            "200": {"description": example.said, "content": _content(answer.__name__, example.answers)},
            "503": _unprocessable(example),
        },
    }


def _bodiless(description: BodilessDescription) -> Document:
    shown = {"schema": {"type": "object"}, "example": description.answer}
    return {
        "operationId": description.name,
        "summary": description.summary,
        "responses": {
            "200": {"description": description.said, "content": {JSON: shown}},
            "503": _unprocessable(PLAIN),
        },
    }


def _callback(callback: CallbackDescription) -> Document:
    example = EXAMPLES[callback.name]
    done = {"schema": {"type": "object"}, "example": {"result": "ok"}}
    token = {
        "name": "token",
        "in": "path",
        "required": True,
        "schema": {"type": "string", "pattern": "^[0-9a-f]{32}$"},
        "description": "the secret of the path, made with the search: 32 hexadecimal digits in small letters",
    }
    return {
        "operationId": callback.name,
        "summary": callback.summary,
        "description": "The path is given away once, with the search. The body is not believed: we ask for the result.",
        "parameters": [token],
        "requestBody": {"required": False, "content": _content(callback.result.__name__, {"request": example.request})},
        "responses": {
            "200": {"description": example.said, "content": {JSON: done}},
            "404": {"description": "no such path"},
            "413": {"description": "the body is too large"},
            "415": {"description": "the body is not announced as `application/json`"},
            "503": _unprocessable(example),
        },
    }


def _parameters(*, sealed: bool) -> list[Document]:
    return [
        {
            "name": name,
            "in": "header",
            "required": required or (sealed and name == "X-Code-Req-PubKey"),
            "schema": {"type": "string"},
            "description": meaning,
        }
        for name, (required, meaning) in _HEADERS.items()
        if sealed or name != "X-Code-Req-Remote-PubKey"
    ]


def _content(model: str, examples: dict[str, Document]) -> Document:
    shown = {name: {"value": value} for name, value in examples.items()}
    return {JSON: {"schema": {"$ref": REF.format(model=model)}, "examples": shown}}


def _unprocessable(example: Example) -> Document:
    codes = ", ".join(f"`{code}`" for code in get_args(ErrorType) if code in example.refusals)
    bodies = {code: {"errorType": code, "errorMsg": text} for code, text in example.refusals.items()}
    return {
        "description": f"the request cannot be processed: {codes}",
        "content": _content(ErrorBody.__name__, bodies),
    }


def _schemas() -> Document:
    """All models and what they refer to; responses as they are written, requests as they are read."""
    models: list[tuple[type[Wire], JsonSchemaMode]] = [(ErrorBody, "serialization")]
    for description in DESCRIPTIONS.values():
        if isinstance(description, Description):
            models += [(description.request, "validation"), (description.answer, "validation")]
    models += [(callback.result, "validation") for callback in CALLBACKS.values()]
    _, definitions = models_json_schema(models, by_alias=True, ref_template=REF, schema_generator=WireJsonSchema)
    schemas: Document = definitions["$defs"]
    return schemas


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
