"""The faults that each operation of the hub may answer with, by HTTP status: hub-api.md section 10 as data.

``hub.openapi`` shows them; the tests of the hub compare each refusal with them.
"""

from __future__ import annotations

from schemas.operations import Operation
from travelrule.hub.operations import HubOperation

MEANINGS: dict[str, str] = {
    "ACCESS_DENIED": "the analysis is another VASP's",
    "BAD_REQUEST": "a field is missing or does not fit",
    "BENEFICIARY_VASP_REQUEST_TIMEOUT": "the member did not answer in time; it may have acted",
    "CODE_SERVER_INTERNAL_ERROR": "the hub failed; the same call may be repeated",
    "DUPLICATED_HEADER_NONCE": "the nonce was used before: sign with another",
    "DUPLICATED_TRANSFER_ID": "the member received this transfer with other content",
    "ILLEGAL_FORMAT_OF_ORIGIN": "X-Request-Origin is not allianceName:vaspEntityId",
    "INVALID_BENEFICIARY": "the path names no registered VASP",
    "INVALID_ENCRYPTED_BODY": "the payload does not open with the member's keys",
    "INVALID_HEADER_SIGNATURE": "the key is not registered, or the signature does not fit",
    "INVALID_MSG_FIELD_VALUE": "a field or header has a wrong type or value",
    "INVALID_ORIGIN": "X-Request-Origin names no registered VASP, or none that may use KYT",
    "INVALID_RECEIVER_PUBLIC_KEY": "X-Code-Req-Remote-PubKey is not a current key of the target",
    "INVALID_TARGET_VASP_ID": "the path names no registered VASP",
    "MISSING_HEADER_FIELD": "a required header is missing",
    "MISSING_REQUIRED_MSG_FIELD": "a required field is missing",
    "NOT_FOUND": "no such id is known, or it is no longer served",
    "RECEIVED_MSG_MISSING_FIELD": "the member's answer lacks a field; it may have acted",
    "RECEIVED_WRONG_JSON_MESSAGE": "the member's answer cannot be read; it may have acted",
    "TOO_MANY_REQUESTS": "too many calls or bodies at once: wait for Retry-After seconds",
    "UNACCEPTABLE_REQUEST": "the member does not accept requests of this VASP",
    "UNKNOWN_TRANSFER_ID": "the member has no such transfer",
    "UNSUPPORTED_BLOCKCHAIN": "KYT does not analyse this blockchain",
    "VASP_BACKEND_INTERNAL_ERROR": "the member cannot process the request now; repeat it later",
}
"""Every code with what it means."""

_HEADERS = (
    "MISSING_HEADER_FIELD",
    "ILLEGAL_FORMAT_OF_ORIGIN",
    "INVALID_ORIGIN",
    "INVALID_HEADER_SIGNATURE",
    "INVALID_MSG_FIELD_VALUE",
    "DUPLICATED_HEADER_NONCE",
)
_MEMBER = (
    "MISSING_REQUIRED_MSG_FIELD",
    "MISSING_HEADER_FIELD",
    "INVALID_MSG_FIELD_VALUE",
    "INVALID_HEADER_SIGNATURE",
    "INVALID_ENCRYPTED_BODY",
    "UNKNOWN_TRANSFER_ID",
    "DUPLICATED_TRANSFER_ID",
    "UNACCEPTABLE_REQUEST",
    "VASP_BACKEND_INTERNAL_ERROR",
)
_KYT: dict[Operation, dict[int, tuple[str, ...]]] = {
    Operation.KYT_SEARCH: {400: ("BAD_REQUEST", "UNSUPPORTED_BLOCKCHAIN")},
    Operation.KYT_REPORT: {400: ("BAD_REQUEST",), 403: ("ACCESS_DENIED",), 404: ("NOT_FOUND",)},
}


def faults_of(operation: HubOperation) -> dict[int, tuple[str, ...]]:
    """Return the codes of an operation's refusals and failures by HTTP status."""
    faults: dict[int, tuple[str, ...]] = {
        422: _unprocessable(operation),
        429: ("TOO_MANY_REQUESTS",),
        500: ("CODE_SERVER_INTERNAL_ERROR",),
    }
    if operation.forwarded:
        faults[408] = ("BENEFICIARY_VASP_REQUEST_TIMEOUT",)
        faults[500] += ("RECEIVED_WRONG_JSON_MESSAGE", "RECEIVED_MSG_MISSING_FIELD")
        faults[503] = _MEMBER
    if operation.name is Operation.UNHOSTED_RESULT:
        faults[404] = ("NOT_FOUND",)
    return faults | _KYT.get(operation.name, {})


def _unprocessable(operation: HubOperation) -> tuple[str, ...]:
    codes = list(_HEADERS)
    if operation.request is not None and not operation.kyt:
        codes.append("MISSING_REQUIRED_MSG_FIELD")
    if operation.unknown_target:
        codes.append(operation.unknown_target)
    if operation.forwarded:
        codes.append("INVALID_RECEIVER_PUBLIC_KEY")
    return tuple(codes)
