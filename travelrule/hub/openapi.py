"""The OpenAPI document of the hub, built from the table of operations and the models of their bodies.

``python -m travelrule.hub.openapi`` writes ``docs/generated/hub.openapi.json``; ``--check`` compares the committed copy
with it (exit 1 if they differ).
"""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import orjson
from pydantic.json_schema import models_json_schema

from schemas.hub import bodies
from schemas.json_schema import WireJsonSchema
from schemas.operations import CALLED_BACK, HUB_OPERATIONS, Operation
from schemas.wire_model import Wire
from travelrule.hub.operation_faults import MEANINGS, faults_of
from travelrule.hub.operations import OPERATIONS, HubOperation
from travelrule.pages import write_or_check

PAGE = Path(__file__).parents[2] / "docs" / "generated" / "hub.openapi.json"
REF = "#/components/schemas/{model}"
JSON = "application/json"

Document = dict[str, Any]

DESCRIPTION = (
    "What the hub serves to its members. Every request is signed; the signature covers time, body and nonce, byte for "
    "byte. A failure is `errorType` and `errorMsg`, which names the field and quotes no value. A refusal of the "
    "counterparty is an answer with 200. Paths with `partner` are also served with `uppsala`."
)

_HEADERS = {
    "X-Code-Req-Datetime": "moment of the request, ISO 8601 in UTC, within the hub's tolerance of its clock",
    "X-Code-Req-Nonce": "whole number from 0 to 4294967295 that the member uses once",
    "X-Code-Req-PubKey": "the member's registered Ed25519 public key, base64 of 32 bytes",
    "X-Code-Req-Signature": "Ed25519 signature over time, body and nonce, base64 of 64 bytes",
    "X-Request-Origin": "the member: `<alliance>:<entityId>`",
}
_REMOTE_KEY = "X-Code-Req-Remote-PubKey"
_SEALED = "current public key of the target that `payload` is sealed to, base64 of 32 bytes"
_ENTITY = "entity id of the VASP that is asked or called"
_REQUEST = "id of the search, analysis or session, as its start named or answered it"
_PLACEHOLDER = re.compile(r"\{[^}]+\}")


@dataclass(frozen=True, slots=True)
class HubDescription:
    """How the document shows an operation: ``operationId``, a summary, and the models of its bodies."""

    name: str
    summary: str
    answer: type[Wire]
    request: type[Wire] | None = None


DESCRIPTIONS: dict[Operation, HubDescription] = {
    Operation.VASP_LIST: HubDescription("listVasps", "All VASPs, with their health and keys", bodies.VaspList),
    Operation.PUBLIC_KEY: HubDescription("publicKeys", "The current public keys of one VASP", bodies.PublicKeys),
    Operation.COIN_NETWORKS: HubDescription("coinNetworks", "Coins and their networks", bodies.CoinNetworks),
    Operation.ADDRESS_SEARCH: HubDescription(
        "searchAddress", "Is this address at that VASP?", bodies.AddressSearchResponse, bodies.AddressSearchRequest
    ),
    Operation.TRANSFER_AUTHORIZATION: HubDescription(
        "authorizeTransfer",
        "May this transfer be made? The answer of the beneficiary's VASP",
        bodies.TransferAuthorizationResponse,
        bodies.TransferAuthorizationRequest,
    ),
    Operation.TXID_REPORT: HubDescription(
        "reportTxid", "The transaction that carries a transfer", bodies.TxidReportResponse, bodies.TxidReportRequest
    ),
    Operation.FINISH: HubDescription(
        "finishTransfer", "A transfer that will not be made", bodies.FinishResponse, bodies.FinishRequest
    ),
    Operation.STATUS_SEARCH: HubDescription(
        "searchStatus",
        "The state of a transfer at its originator",
        bodies.StatusSearchResponse,
        bodies.StatusSearchRequest,
    ),
    Operation.TXID_SEARCH: HubDescription(
        "startTxidSearch", "Which VASP sent this transaction?", bodies.TxidSearchAccepted, bodies.TxidSearchRequest
    ),
    Operation.TXID_SEARCH_RESULT: HubDescription(
        "txidSearchResult", "The result of a TXID search", bodies.TxidSearchResult
    ),
    Operation.DATA_REQUEST: HubDescription(
        "requestData", "Travel Rule data of a transaction that was sent", bodies.DataResponse, bodies.DataRequest
    ),
    Operation.WALLET_SEARCH: HubDescription(
        "startWalletSearch", "Which VASP holds this address?", bodies.WalletSearchAccepted, bodies.WalletSearchRequest
    ),
    Operation.WALLET_SEARCH_RESULT: HubDescription(
        "walletSearchResult", "The result of a wallet search", bodies.WalletSearchResult
    ),
    Operation.WALLET_SCREENING: HubDescription(
        "screenWallet", "The risk of a wallet", bodies.WalletScreeningResponse, bodies.WalletScreeningRequest
    ),
    Operation.TRANSACTION_SCREENING: HubDescription(
        "screenTransaction",
        "The risk of a transaction",
        bodies.TransactionScreeningResponse,
        bodies.TransactionScreeningRequest,
    ),
    Operation.KYT_SEARCH: HubDescription(
        "startKyt", "An analysis of a transaction", bodies.KytSearchResponse, bodies.KytSearchRequest
    ),
    Operation.KYT_REPORT: HubDescription("kytReport", "The report of an analysis", bodies.KytReportResponse),
    Operation.UNHOSTED_TOKEN: HubDescription(
        "openOwnershipSession",
        "A session in which a customer proves an unhosted wallet",
        bodies.UnhostedTokenResponse,
        bodies.UnhostedTokenRequest,
    ),
    Operation.UNHOSTED_RESULT: HubDescription(
        "ownershipResult", "The result of a proof of ownership", bodies.UnhostedResult
    ),
}
"""Each operation that the hub serves, in the order of the specification."""


@cache
def hub_openapi() -> Document:
    """Return the whole document (OpenAPI 3.1)."""
    paths: dict[str, Document] = {}
    for operation in HUB_OPERATIONS:
        row = OPERATIONS[operation]
        for path in row.paths:
            paths.setdefault(documented_path(path), {})[row.method.lower()] = _operation(row, alias=path == row.alias)
    return {
        "openapi": "3.1.0",
        "info": {"title": "Travel Rule hub", "version": "1", "description": DESCRIPTION},
        "paths": paths,
        "components": {"schemas": _schemas(), "parameters": _header_parameters()},
    }


def documented_path(route: str) -> str:
    """Return the path of a route in the document. Its parameter is ``id``: templates that differ in the name of a
    parameter alone are the same path there.
    """
    return _PLACEHOLDER.sub("{id}", route)


def rendered() -> str:
    """Return the document as it is committed."""
    return orjson.dumps(hub_openapi(), option=orjson.OPT_INDENT_2 | orjson.OPT_SORT_KEYS).decode() + "\n"


def main(arguments: Sequence[str] | None = None, path: Path = PAGE) -> int:
    """Write the committed copy, or report whether it would change; return the exit code."""
    return write_or_check("travelrule.hub.openapi", "The hub's OpenAPI document", rendered(), path, arguments)


def _operation(row: HubOperation, *, alias: bool) -> Document:
    description = DESCRIPTIONS[row.name]
    shown: Document = {
        "operationId": f"{description.name}Alias" if alias else description.name,
        "summary": description.summary,
        "parameters": _parameters(row),
        "responses": {
            "200": {"description": "the answer", "content": _content(description.answer)},
            **{str(status): _refusal(codes) for status, codes in sorted(faults_of(row).items())},
        },
    }
    if description.request is not None:
        shown["requestBody"] = {"required": True, "content": _content(description.request)}
    if row.name in CALLED_BACK:
        shown["description"] = "With `callbackUrl` the hub posts the result there; `gateway.openapi.json` shows it."
    return shown


def _parameters(row: HubOperation) -> list[Document]:
    headers = [*_HEADERS, *([_REMOTE_KEY] if row.remote_key else [])]
    shown: list[Document] = [{"$ref": f"#/components/parameters/{name}"} for name in headers]
    if "{" in row.path:
        shown.append(_parameter("id", "path", _ENTITY if "{target}" in row.path else _REQUEST))
    return shown + ([_parameter(row.query, "query", _REQUEST)] if row.query else [])


def _parameter(name: str, place: str, meaning: str) -> Document:
    return {"name": name, "in": place, "required": True, "schema": {"type": "string"}, "description": meaning}


def _header_parameters() -> Document:
    meanings = {**_HEADERS, _REMOTE_KEY: _SEALED}
    return {
        name: {"name": name, "in": "header", "required": True, "schema": {"type": "string"}, "description": meaning}
        for name, meaning in meanings.items()
    }


def _content(model: type[Wire]) -> Document:
    return {JSON: {"schema": {"$ref": REF.format(model=model.__name__)}}}


def _refusal(codes: Sequence[str]) -> Document:
    """The answer of a status: its codes with their meanings. ``errorType`` of 503 is the member's, an open text."""
    examples = {code: {"value": {"errorType": code, "errorMsg": MEANINGS[code]}} for code in codes}
    said = "; ".join(f"`{code}`: {MEANINGS[code]}" for code in codes)
    return {"description": said, "content": {JSON: {**_content(bodies.ErrorBody)[JSON], "examples": examples}}}


def _schemas() -> Document:
    models: list[type[Wire]] = [bodies.ErrorBody]
    for description in DESCRIPTIONS.values():
        models += [description.answer, *([description.request] if description.request else [])]
    _, definitions = models_json_schema(
        [(model, "validation") for model in models], by_alias=True, ref_template=REF, schema_generator=WireJsonSchema
    )
    schemas: Document = definitions["$defs"]
    return schemas


if __name__ == "__main__":
    sys.exit(main())
