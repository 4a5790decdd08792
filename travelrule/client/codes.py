"""The error codes of the hub and of the VASPs behind it as one table (``errors.md`` section 2).

A code that the table lacks is judged by its HTTP class: 4xx is ours to fix, 5xx may be tried again.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from travelrule.client.errors import Action, Fault, HubError, HubRefused, HubUnavailable, QuotaRefused

_PLAIN_CODE = re.compile(r"[A-Z][A-Z0-9_]{1,63}")
_MEMBER_STATUS = 503


@dataclass(frozen=True, slots=True)
class CodeRow:
    """One row: whose fault, what to do, and whether the counterparty may have acted.

    ``refusal``: the request was read and refused; otherwise it could not be served.
    """

    fault: Fault
    action: Action
    refusal: bool = True
    maybe_acted: bool = False


_OURS = CodeRow("ours", Action.FIX)

# Codes of the hub alone, with any HTTP status.
_HUB: dict[str, CodeRow] = {
    "INVALID_TARGET_VASP_ID": _OURS,
    "INVALID_BENEFICIARY": _OURS,
    "ILLEGAL_FORMAT_OF_ORIGIN": _OURS,
    "INVALID_ORIGIN": CodeRow("ours", Action.OPERATOR),
    "DUPLICATED_HEADER_NONCE": CodeRow("ours", Action.RETRY),
    "INVALID_RECEIVER_PUBLIC_KEY": CodeRow("ours", Action.KEY),
    "BENEFICIARY_VASP_REQUEST_TIMEOUT": CodeRow("counterparty", Action.RETRY, refusal=False, maybe_acted=True),
    "TOO_MANY_REQUESTS": CodeRow("ours", Action.WAIT, refusal=False),
    "RECEIVED_WRONG_JSON_MESSAGE": CodeRow("counterparty", Action.OPERATOR, refusal=False, maybe_acted=True),
    "RECEIVED_MSG_MISSING_FIELD": CodeRow("counterparty", Action.OPERATOR, refusal=False, maybe_acted=True),
    "CODE_SERVER_INTERNAL_ERROR": CodeRow("hub", Action.RETRY, refusal=False, maybe_acted=True),
}

# Codes that the hub answers with 422 and a VASP with 503; the fault is the same.
_EITHER: dict[str, CodeRow] = {
    "MISSING_REQUIRED_MSG_FIELD": _OURS,
    "MISSING_HEADER_FIELD": _OURS,
    "INVALID_MSG_FIELD_VALUE": _OURS,
    "INVALID_HEADER_SIGNATURE": CodeRow("ours", Action.OPERATOR),
}

# Codes of a VASP's server, which the hub passes on with 503.
_MEMBER: dict[str, CodeRow] = {
    "UNKNOWN_TRANSFER_ID": CodeRow("ours", Action.STOP),
    "VASP_BACKEND_INTERNAL_ERROR": CodeRow("counterparty", Action.RETRY, refusal=False, maybe_acted=True),
    "DUPLICATED_TRANSFER_ID": CodeRow("ours", Action.FIX, maybe_acted=True),
    "INVALID_ENCRYPTED_BODY": CodeRow("ours", Action.KEY),
    "UNACCEPTABLE_REQUEST": CodeRow("counterparty", Action.STOP),
}

# Codes of KYT (screening.md section 7). Its INVALID_ORIGIN differs from the hub's and is a ``QuotaRefused``.
_KYT: dict[str, CodeRow] = {
    "BAD_REQUEST": _OURS,
    "UNSUPPORTED_BLOCKCHAIN": _OURS,
    "ACCESS_DENIED": CodeRow("ours", Action.OPERATOR),
    "NOT_FOUND": _OURS,
    "SERVICE_UNAVAILABLE": CodeRow("hub", Action.RETRY, refusal=False),
    "INTERNAL_SERVER_ERROR": CodeRow("hub", Action.RETRY, refusal=False, maybe_acted=True),
}

CODES: dict[str, CodeRow] = {**_HUB, **_EITHER, **_MEMBER, **_KYT}
"""Every ``errorType`` that the hub answers with."""

_QUOTA = "INVALID_ORIGIN"

_BY_STATUS: dict[int, CodeRow] = {
    408: CODES["BENEFICIARY_VASP_REQUEST_TIMEOUT"],
    429: CODES["TOO_MANY_REQUESTS"],
    _MEMBER_STATUS: CODES["VASP_BACKEND_INTERNAL_ERROR"],
}
_SERVER_CLASS = CODES["CODE_SERVER_INTERNAL_ERROR"]
_SERVER_STATUS_FIRST = 500


def plain_code(value: object) -> str:
    """Return ``value`` if it has the form of an error code, else ``""``: a peer's text must not become a log line."""
    return value if isinstance(value, str) and _PLAIN_CODE.fullmatch(value) else ""


def error_of(
    operation: str, status: int, code: str, retry_after_s: float | None = None, *, of_kyt: bool = False
) -> HubError:
    """Return the exception for an error answer: by its code, or by the HTTP class if the code is unknown.

    ``of_kyt``: KYT answered, where the same code may have another meaning.
    """
    # KYT has no counterparty, so a 503 without a known code is the provider's.
    by_status = CODES["SERVICE_UNAVAILABLE"] if of_kyt and status == _MEMBER_STATUS else _BY_STATUS.get(status)
    row = CODES.get(code) or by_status or (_SERVER_CLASS if status >= _SERVER_STATUS_FIRST else _OURS)
    kind: type[HubError] = HubRefused if row.refusal else HubUnavailable
    if of_kyt and code == _QUOTA:
        kind = QuotaRefused
    return kind(
        operation,
        status=status,
        code=code,
        fault=row.fault,
        action=row.action,
        maybe_acted=row.maybe_acted,
        retry_after_s=retry_after_s,
    )
