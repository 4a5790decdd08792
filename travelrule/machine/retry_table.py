"""What each answer of the hub means for repeating the call: errors.md sections 2 and 3, and D47, as tables.

A plan says how a call goes on after an answer. The plan of a code holds for every operation except the txid report and
the finish, which are repeated after *every* answer that is not ``normal`` (D47) and have their own table.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Literal

from schemas.operations import Operation


class Plan(StrEnum):
    """How a call goes on."""

    REPEAT = "repeat"
    """The operation's own repeats: authorization 2 within 60 s, data request 3 tries, all else 1, 2, 4 s."""
    STOP = "stop"
    """Never again with this content."""
    NONCE = "nonce"
    """At once, with a new nonce and signature."""
    KEY = "key"
    """Once, after the counterparty's key was fetched anew; then never."""
    WAIT = "wait"
    """Back off 5 s to 5 min, at least as long as ``Retry-After`` says."""
    FULL = "full"
    """5 s to 5 min exponential; an operator is told after 10 tries; then a finish goes on hourly, and a report is begun
    anew an hour later, twice, if what stood against it may pass (``conclusion``)."""
    SHORT = "short"
    """2 more tries, 30 s apart, for answers that cannot change by themselves; then an operator, and stop."""


@dataclass(frozen=True, slots=True)
class Rule:
    """One row. ``acted``: the counterparty may have acted on the call. ``passing``: a later, fresh attempt makes sense
    without anybody correcting anything. ``tell``: an operator is told at the first one. ``failed``: who failed to do
    its part, the hub or the counterparty; empty where neither did or it is unknown.
    """

    plan: Plan
    acted: bool = False
    passing: bool = False
    tell: bool = False
    failed: Literal["hub", "counterparty", ""] = ""


BY_CODE: dict[str, Rule] = {
    "INVALID_TARGET_VASP_ID": Rule(Plan.STOP),
    "INVALID_BENEFICIARY": Rule(Plan.STOP),
    "MISSING_REQUIRED_MSG_FIELD": Rule(Plan.STOP),
    "MISSING_HEADER_FIELD": Rule(Plan.STOP),
    "INVALID_MSG_FIELD_VALUE": Rule(Plan.STOP),
    "DUPLICATED_HEADER_NONCE": Rule(Plan.NONCE, passing=True),
    "INVALID_HEADER_SIGNATURE": Rule(Plan.STOP),
    "INVALID_RECEIVER_PUBLIC_KEY": Rule(Plan.KEY),
    "ILLEGAL_FORMAT_OF_ORIGIN": Rule(Plan.STOP),
    "INVALID_ORIGIN": Rule(Plan.STOP),
    "BENEFICIARY_VASP_REQUEST_TIMEOUT": Rule(Plan.REPEAT, acted=True, passing=True, failed="counterparty"),
    "TOO_MANY_REQUESTS": Rule(Plan.WAIT, passing=True, failed="hub"),
    "RECEIVED_WRONG_JSON_MESSAGE": Rule(Plan.REPEAT, acted=True, passing=True, tell=True, failed="counterparty"),
    "RECEIVED_MSG_MISSING_FIELD": Rule(Plan.REPEAT, acted=True, passing=True, tell=True, failed="counterparty"),
    "CODE_SERVER_INTERNAL_ERROR": Rule(Plan.REPEAT, acted=True, passing=True, failed="hub"),
    "VASP_BACKEND_INTERNAL_ERROR": Rule(Plan.REPEAT, acted=True, passing=True, failed="counterparty"),
    "DUPLICATED_TRANSFER_ID": Rule(Plan.STOP, acted=True),
    "INVALID_ENCRYPTED_BODY": Rule(Plan.KEY),
    "UNACCEPTABLE_REQUEST": Rule(Plan.STOP),
    "UNKNOWN_TRANSFER_ID": Rule(Plan.STOP),
    "BAD_REQUEST": Rule(Plan.STOP),
    "UNSUPPORTED_BLOCKCHAIN": Rule(Plan.STOP),
    "ACCESS_DENIED": Rule(Plan.STOP),
    "NOT_FOUND": Rule(Plan.STOP),
    "SERVICE_UNAVAILABLE": Rule(Plan.REPEAT, passing=True),
    "INTERNAL_SERVER_ERROR": Rule(Plan.REPEAT, passing=True),
    "NO_ANSWER": Rule(Plan.REPEAT, acted=True, passing=True, failed="hub"),
    "NOT_SENT": Rule(Plan.REPEAT, passing=True, failed="hub"),
    "BAD_ANSWER": Rule(Plan.REPEAT, acted=True, passing=True),
    "ANSWER_NOT_BOUND": Rule(Plan.REPEAT, acted=True, passing=True, tell=True),
    "COUNTERPARTY_DOWN": Rule(Plan.REPEAT, passing=True, failed="counterparty"),
    "HUB_UNREACHABLE": Rule(Plan.REPEAT, passing=True, failed="hub"),
    "COUNTERPARTY_NOT_ALLOWED": Rule(Plan.STOP),
    "ERASED": Rule(Plan.STOP),
}
"""Every ``errorType``, and our own codes: ``NO_ANSWER`` (sent, nothing came back), ``NOT_SENT`` (no connection),
``BAD_ANSWER`` (outside the documented shapes), ``ANSWER_NOT_BOUND`` (it answers another request), and the caller's
reasons for not sending at all: the directory says ``down``, the hub is not reachable or gives no list, the policy
forbids the counterparty, the subject's data key is destroyed."""

BY_STATUS: dict[int, Rule] = {
    408: Rule(Plan.REPEAT, acted=True, passing=True, failed="counterparty"),
    429: Rule(Plan.WAIT, passing=True, failed="hub"),
    503: Rule(Plan.REPEAT, acted=True, passing=True, failed="counterparty"),
}
BY_STATUS_WITHOUT_CODE: dict[int, Rule] = {
    500: Rule(Plan.REPEAT, acted=True, passing=True, failed="hub"),
    502: Rule(Plan.REPEAT, acted=True, passing=True, failed="hub"),
    504: Rule(Plan.REPEAT, acted=True, passing=True, failed="hub"),
}
"""A proxy in front of the hub answers so, and the hub itself: a member's 500 reaches us with an ``errorType``."""
WITHOUT_CODE = "HTTP_"
"""What begins the code that we give to an error without ``errorType``."""
BY_CLASS: dict[int, Rule] = {
    4: Rule(Plan.STOP),
    5: Rule(Plan.REPEAT, acted=True, passing=True),
}
"""Unknown codes are treated by HTTP status, then by HTTP class (errors.md section 1)."""

OTHER = Rule(Plan.REPEAT, acted=True, passing=True)
"""Redirects and the like: an answer that no rule knows may have followed an action."""

CONCLUDING = frozenset({Operation.TXID_REPORT, Operation.FINISH})
"""The operations that are owed, and repeated per D47."""

WAITING_FOR_HUB = frozenset({Operation.ADDRESS_SEARCH, Operation.TRANSFER_AUTHORIZATION, Operation.WALLET_SEARCH})
"""The operations that are repeated until the hub is back: their withdrawal waits for nothing else. An authorization
that may have arrived keeps its own repeats. Deposits and assessments ask again by their own timers."""

CONCLUDING_BY_CODE: dict[tuple[str, str], Plan] = {
    (Operation.TXID_REPORT, "TXID_ALREADY_EXISTS"): Plan.SHORT,
    (Operation.TXID_REPORT, "TRANSFER_ALREADY_FAILED"): Plan.SHORT,
    (Operation.FINISH, "ILLEGAL_STATEFLOW"): Plan.SHORT,
    (Operation.FINISH, "UNKNOWN_TRANSFER_ID"): Plan.SHORT,
}
"""Answers that cannot change by themselves; everything else goes on with ``Plan.FULL``."""

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
"""The answers that another field decides, and what may stand in it (nothing named: any text). The fourth status of a
status search has the other spelling of D12; the one of an unhosted wallet is open-ended (P.4)."""


def rule_for(status: int, code: str) -> Rule:
    """Find the row of an error, by code, by HTTP status, by HTTP class."""
    if code in BY_CODE:
        return BY_CODE[code]
    if (not code or code.startswith(WITHOUT_CODE)) and status in BY_STATUS_WITHOUT_CODE:
        return BY_STATUS_WITHOUT_CODE[status]
    return BY_STATUS.get(status) or BY_CLASS.get(status // 100, OTHER)


def is_of_hub(status: int, code: str) -> bool:
    """Whether it was the hub that failed, and no counterparty."""
    return rule_for(status, code).failed == "hub"


def names_member(status: int, code: str) -> bool:
    """Whether the error says that the counterparty failed: the hub may list it as down by now."""
    return rule_for(status, code).failed == "counterparty"


def is_transient(status: int, code: str) -> bool:
    """Whether trying again later makes sense although nobody corrects anything."""
    return rule_for(status, code).passing
