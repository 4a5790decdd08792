"""Which answers of the hub repeat a call, and how: errors.md sections 2 and 3, and D47, as tables.

The plan of a code holds for every operation except the txid report and the finish. These two are repeated after
*every* answer that is not ``normal`` (D47) and have their own table.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Literal

from schemas.operations import Operation


class RetryPlan(StrEnum):
    """How a call is repeated."""

    REPEAT = "repeat"
    """The operation's own repeats: authorization 2 within 60 s, data request 3 tries, all else 1, 2, 4 s."""
    STOP = "stop"
    """Never again with this content."""
    NONCE = "nonce"
    """At once, with a new nonce and signature."""
    KEY = "key"
    """Once, after the counterparty's key was fetched again."""
    WAIT = "wait"
    """Back off 5 s to 5 min, at least the seconds of ``Retry-After``."""
    FULL = "full"
    """5 s to 5 min, exponential, with an alert after 10 tries. Then a finish is repeated hourly; a txid report starts
    again an hour later, twice, after a transient failure (``conclusion``)."""
    SHORT = "short"
    """2 more tries, 30 s apart, for answers that cannot change by themselves; then an alert, and stop."""


@dataclass(frozen=True, slots=True)
class RetryRule:
    """One row.

    ``acted``: the counterparty may have acted on the call. ``is_transient``: a later, fresh attempt may succeed without
    a correction. ``alerts``: the first one raises an alert. ``failed``: the side that failed, the hub or the
    counterparty; empty if neither did or it is unknown.
    """

    plan: RetryPlan
    acted: bool = False
    is_transient: bool = False
    alerts: bool = False
    failed: Literal["hub", "counterparty", ""] = ""


BY_CODE: dict[str, RetryRule] = {
    "INVALID_TARGET_VASP_ID": RetryRule(RetryPlan.STOP),
    "INVALID_BENEFICIARY": RetryRule(RetryPlan.STOP),
    "MISSING_REQUIRED_MSG_FIELD": RetryRule(RetryPlan.STOP),
    "MISSING_HEADER_FIELD": RetryRule(RetryPlan.STOP),
    "INVALID_MSG_FIELD_VALUE": RetryRule(RetryPlan.STOP),
    "DUPLICATED_HEADER_NONCE": RetryRule(RetryPlan.NONCE, is_transient=True),
    "INVALID_HEADER_SIGNATURE": RetryRule(RetryPlan.STOP),
    "INVALID_RECEIVER_PUBLIC_KEY": RetryRule(RetryPlan.KEY),
    "ILLEGAL_FORMAT_OF_ORIGIN": RetryRule(RetryPlan.STOP),
    "INVALID_ORIGIN": RetryRule(RetryPlan.STOP),
    "BENEFICIARY_VASP_REQUEST_TIMEOUT": RetryRule(
        RetryPlan.REPEAT, acted=True, is_transient=True, failed="counterparty"
    ),
    "TOO_MANY_REQUESTS": RetryRule(RetryPlan.WAIT, is_transient=True, failed="hub"),
    "RECEIVED_WRONG_JSON_MESSAGE": RetryRule(
        RetryPlan.REPEAT, acted=True, is_transient=True, alerts=True, failed="counterparty"
    ),
    "RECEIVED_MSG_MISSING_FIELD": RetryRule(
        RetryPlan.REPEAT, acted=True, is_transient=True, alerts=True, failed="counterparty"
    ),
    "CODE_SERVER_INTERNAL_ERROR": RetryRule(RetryPlan.REPEAT, acted=True, is_transient=True, failed="hub"),
    "VASP_BACKEND_INTERNAL_ERROR": RetryRule(RetryPlan.REPEAT, acted=True, is_transient=True, failed="counterparty"),
    "DUPLICATED_TRANSFER_ID": RetryRule(RetryPlan.STOP, acted=True),
    "INVALID_ENCRYPTED_BODY": RetryRule(RetryPlan.KEY),
    "UNACCEPTABLE_REQUEST": RetryRule(RetryPlan.STOP),
    "UNKNOWN_TRANSFER_ID": RetryRule(RetryPlan.STOP),
    "BAD_REQUEST": RetryRule(RetryPlan.STOP),
    "UNSUPPORTED_BLOCKCHAIN": RetryRule(RetryPlan.STOP),
    "ACCESS_DENIED": RetryRule(RetryPlan.STOP),
    "NOT_FOUND": RetryRule(RetryPlan.STOP),
    "SERVICE_UNAVAILABLE": RetryRule(RetryPlan.REPEAT, is_transient=True),
    "INTERNAL_SERVER_ERROR": RetryRule(RetryPlan.REPEAT, is_transient=True),
    "NO_ANSWER": RetryRule(RetryPlan.REPEAT, acted=True, is_transient=True, failed="hub"),
    "NOT_SENT": RetryRule(RetryPlan.REPEAT, is_transient=True, failed="hub"),
    "BAD_ANSWER": RetryRule(RetryPlan.REPEAT, acted=True, is_transient=True),
    "ANSWER_NOT_BOUND": RetryRule(RetryPlan.REPEAT, acted=True, is_transient=True, alerts=True),
    "COUNTERPARTY_DOWN": RetryRule(RetryPlan.REPEAT, is_transient=True, failed="counterparty"),
    "HUB_UNREACHABLE": RetryRule(RetryPlan.REPEAT, is_transient=True, failed="hub"),
    "COUNTERPARTY_NOT_ALLOWED": RetryRule(RetryPlan.STOP),
    "ERASED": RetryRule(RetryPlan.STOP),
}
"""Every ``errorType``, and our own codes: ``NO_ANSWER`` (sent, nothing came back), ``NOT_SENT`` (no connection),
``BAD_ANSWER`` (outside the documented shapes), ``ANSWER_NOT_BOUND`` (it answers another request), and the reasons for
not sending at all: the directory lists the counterparty as ``down``, the hub is not reachable or returns no list, the
policy forbids the counterparty, the subject's data key is destroyed."""

BY_STATUS: dict[int, RetryRule] = {
    408: RetryRule(RetryPlan.REPEAT, acted=True, is_transient=True, failed="counterparty"),
    429: RetryRule(RetryPlan.WAIT, is_transient=True, failed="hub"),
    503: RetryRule(RetryPlan.REPEAT, acted=True, is_transient=True, failed="counterparty"),
}
BY_STATUS_WITHOUT_CODE: dict[int, RetryRule] = {
    500: RetryRule(RetryPlan.REPEAT, acted=True, is_transient=True, failed="hub"),
    502: RetryRule(RetryPlan.REPEAT, acted=True, is_transient=True, failed="hub"),
    504: RetryRule(RetryPlan.REPEAT, acted=True, is_transient=True, failed="hub"),
}
"""Answers of the hub or of a proxy in front of it: a member's 500 arrives with an ``errorType``."""
WITHOUT_CODE = "HTTP_"
"""The prefix of our own code for an error without ``errorType``."""
BY_CLASS: dict[int, RetryRule] = {
    4: RetryRule(RetryPlan.STOP),
    5: RetryRule(RetryPlan.REPEAT, acted=True, is_transient=True),
}
"""Unknown codes are treated by HTTP status, then by HTTP class (errors.md section 1)."""

OTHER = RetryRule(RetryPlan.REPEAT, acted=True, is_transient=True)
"""Redirects and other answers without a rule: the counterparty may have acted before."""

CONCLUDING = frozenset({Operation.TXID_REPORT, Operation.FINISH})
"""The operations that conclude an exchange, repeated per D47."""

WAITING_FOR_HUB = frozenset({Operation.ADDRESS_SEARCH, Operation.TRANSFER_AUTHORIZATION, Operation.WALLET_SEARCH})
"""The operations that are repeated until the hub is back: their withdrawal waits for nothing else. An authorization
that may have arrived keeps its own repeats. Deposits and assessments repeat their calls by their own timers."""

CONCLUDING_BY_CODE: dict[tuple[str, str], RetryPlan] = {
    (Operation.TXID_REPORT, "TXID_ALREADY_EXISTS"): RetryPlan.SHORT,
    (Operation.TXID_REPORT, "TRANSFER_ALREADY_FAILED"): RetryPlan.SHORT,
    (Operation.FINISH, "ILLEGAL_STATEFLOW"): RetryPlan.SHORT,
    (Operation.FINISH, "UNKNOWN_TRANSFER_ID"): RetryPlan.SHORT,
}
"""Answers that cannot change by themselves; all others follow ``RetryPlan.FULL``."""

RESULTS: dict[str, tuple[frozenset[str], frozenset[str]]] = {
    Operation.ADDRESS_SEARCH: (frozenset({"valid"}), frozenset({"invalid"})),
    Operation.TRANSFER_AUTHORIZATION: (frozenset({"verified"}), frozenset({"denied"})),
    Operation.TXID_REPORT: (frozenset({"normal"}), frozenset({"error"})),
    Operation.FINISH: (frozenset({"normal"}), frozenset({"error"})),
    Operation.TXID_SEARCH: (frozenset({"success"}), frozenset()),
    Operation.TXID_SEARCH_RESULT: (frozenset({"valid"}), frozenset({"invalid"})),
    Operation.WALLET_SEARCH: (frozenset({"success"}), frozenset()),
    Operation.WALLET_SEARCH_RESULT: (frozenset({"valid"}), frozenset({"invalid"})),
    Operation.DATA_REQUEST: (frozenset({"normal"}), frozenset({"error"})),
    Operation.WALLET_SCREENING: (frozenset({"normal"}), frozenset({"error"})),
    Operation.TRANSACTION_SCREENING: (frozenset({"normal"}), frozenset({"error"})),
}
"""The documented values of ``result``, good and bad, in small letters (errors.md section 1)."""

OTHER_FIELDS: dict[str, tuple[str, frozenset[str]]] = {
    Operation.STATUS_SEARCH: (
        "status",
        frozenset({"pending", "processing", "wait-confirm", "wait-confirmed", "confirmed", "canceled"}),
    ),
    Operation.KYT_SEARCH: ("status", frozenset({"pending", "released"})),
    Operation.KYT_REPORT: ("status", frozenset({"pending", "released", "failed"})),
    Operation.UNHOSTED_TOKEN: ("token", frozenset()),
    Operation.UNHOSTED_RESULT: ("status", frozenset()),
}
"""The answers that another field decides, and its documented values (none: any text). The fourth status of a status
search has the other spelling of D12; the status of an unhosted wallet is open-ended (P.4)."""


def rule_for(status: int, code: str) -> RetryRule:
    """Return the row of an error: by code, by HTTP status, by HTTP class."""
    if code in BY_CODE:
        return BY_CODE[code]
    if (not code or code.startswith(WITHOUT_CODE)) and status in BY_STATUS_WITHOUT_CODE:
        return BY_STATUS_WITHOUT_CODE[status]
    return BY_STATUS.get(status) or BY_CLASS.get(status // 100, OTHER)


def is_of_hub(status: int, code: str) -> bool:
    """Whether the hub failed, not a counterparty."""
    return rule_for(status, code).failed == "hub"


def names_member(status: int, code: str) -> bool:
    """Whether the counterparty failed: the hub may list it as down by now."""
    return rule_for(status, code).failed == "counterparty"


def is_transient(status: int, code: str) -> bool:
    """Whether a later try may succeed without a correction."""
    return rule_for(status, code).is_transient
