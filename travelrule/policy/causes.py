"""The causes of verdicts: the verdict table of the contract (section 4), one row per cause.

Each row holds the verdict of a cause unless the operator's policy chooses another one; ``movable`` lists the choices.
Eight rows are additions to the contract:

- ``ASSET_NOT_LISTED``: separate from ``ASSET_NOT_SUPPORTED``, because no rule of the operator causes it.
- ``PAYLOAD_UNREADABLE``: the answer held no Travel Rule data (hub-api.md 4.A.5, 4.A.10).
- ``INFORMATION_INCOMPLETE``: data are missing that the protocol (2.4) or the counterparty's network (ivms101.md section
  7) requires, found before anything is sent.
- ``ADDRESS_MISMATCH`` (deposits): the answer names another address.
- ``OWNER_UNKNOWN`` (deposits): no wallet is registered at the address, so no data can be requested.
- ``ASSESSING`` (deposits): a rating is pending and needs no action.
- ``NOT_FIRST_PARTY``: the result of ``names.first_party_withdrawals``.
- ``LISTS_UNCHECKED``: separate from ``RISK_UNKNOWN``, so that a policy may accept a missing rating of a provider and
  still require the sanctions lists.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Literal

VerdictValue = Literal["allow", "hold", "deny"]
SubjectKind = Literal["withdrawal", "deposit", "screening", "ownership"]


class Cause(StrEnum):
    """The causes of the verdict table."""

    VERIFIED = "VERIFIED"
    EXEMPT = "EXEMPT"
    DENIED_CORRECTABLE = "DENIED_CORRECTABLE"
    DENIED = "DENIED"
    ADDRESS_NOT_FOUND = "ADDRESS_NOT_FOUND"
    COUNTERPARTY_FOUND = "COUNTERPARTY_FOUND"
    COUNTERPARTY_UNKNOWN = "COUNTERPARTY_UNKNOWN"
    COUNTERPARTY_AMBIGUOUS = "COUNTERPARTY_AMBIGUOUS"
    COUNTERPARTY_NOT_ALLOWED = "COUNTERPARTY_NOT_ALLOWED"
    NOT_FIRST_PARTY = "NOT_FIRST_PARTY"
    COUNTERPARTY_UNREACHABLE = "COUNTERPARTY_UNREACHABLE"
    HUB_UNREACHABLE = "HUB_UNREACHABLE"
    ASSET_NOT_SUPPORTED = "ASSET_NOT_SUPPORTED"
    ASSET_NOT_LISTED = "ASSET_NOT_LISTED"
    SANCTIONED = "SANCTIONED"
    RISK_MALICIOUS = "RISK_MALICIOUS"
    RISK_SUSPICIOUS = "RISK_SUSPICIOUS"
    RISK_UNKNOWN = "RISK_UNKNOWN"
    RISK_PENDING = "RISK_PENDING"
    LISTS_UNCHECKED = "LISTS_UNCHECKED"
    ASSESSING = "ASSESSING"
    OWNERSHIP_PENDING = "OWNERSHIP_PENDING"
    OWNERSHIP_PROVEN = "OWNERSHIP_PROVEN"
    OWNERSHIP_NOT_PROVEN = "OWNERSHIP_NOT_PROVEN"
    CANCELLED = "CANCELLED"
    MATCHED = "MATCHED"
    DATA_RECEIVED = "DATA_RECEIVED"
    AWAITING_FINALITY = "AWAITING_FINALITY"
    AWAITING_REPORT = "AWAITING_REPORT"
    SEARCHING = "SEARCHING"
    AWAITING_DATA = "AWAITING_DATA"
    NAME_MISMATCH = "NAME_MISMATCH"
    AMOUNT_MISMATCH = "AMOUNT_MISMATCH"
    ASSET_MISMATCH = "ASSET_MISMATCH"
    ADDRESS_MISMATCH = "ADDRESS_MISMATCH"
    OWNER_UNKNOWN = "OWNER_UNKNOWN"
    ORIGINATOR_UNKNOWN = "ORIGINATOR_UNKNOWN"
    ORIGINATOR_AMBIGUOUS = "ORIGINATOR_AMBIGUOUS"
    RETRACTED = "RETRACTED"
    OPERATOR_ALLOW = "OPERATOR_ALLOW"
    OPERATOR_DENY = "OPERATOR_DENY"
    NOT_AVAILABLE = "NOT_AVAILABLE"
    PAYLOAD_UNREADABLE = "PAYLOAD_UNREADABLE"
    ANSWER_NOT_BOUND = "ANSWER_NOT_BOUND"
    INFORMATION_INCOMPLETE = "INFORMATION_INCOMPLETE"
    REJECTED_INPUT = "REJECTED_INPUT"


@dataclass(frozen=True, slots=True)
class VerdictRow:
    """One row. ``reason`` may hold ``{reason}`` or ``{rule}``; ``deposit`` replaces the verdict for a deposit."""

    meaning: str
    verdict: VerdictValue
    reason: str
    needs: tuple[str, ...] = ()
    movable: tuple[VerdictValue, ...] = ()
    deposit: VerdictValue | None = None


HOLD_OR_DENY: tuple[VerdictValue, ...] = ("hold", "deny")
ANY: tuple[VerdictValue, ...] = ("hold", "deny", "allow")
OPERATOR = ("operator-decision",)
CUSTOMER_OR_OPERATOR = ("customer-statement", "operator-decision")

VERDICTS: dict[Cause, VerdictRow] = {
    Cause.VERIFIED: VerdictRow("authorization verified, payload opened, screening passed", "allow", "VERIFIED"),
    Cause.EXEMPT: VerdictRow("a policy rule exempts it", "allow", "EXEMPT_{rule}"),
    Cause.DENIED_CORRECTABLE: VerdictRow(
        "counterparty denied, the customer can correct it", "hold", "DENIED_{reason}", movable=HOLD_OR_DENY
    ),
    Cause.DENIED: VerdictRow("counterparty denied otherwise", "deny", "DENIED_{reason}", movable=HOLD_OR_DENY),
    Cause.ADDRESS_NOT_FOUND: VerdictRow("address not at that VASP", "deny", "ADDRESS_NOT_FOUND", movable=HOLD_OR_DENY),
    Cause.COUNTERPARTY_FOUND: VerdictRow(
        "another VASP was found to hold the address, accept_found_vasp is off",
        "hold",
        "COUNTERPARTY_FOUND",
        ("counterparty-confirmation",),
        HOLD_OR_DENY,
    ),
    Cause.COUNTERPARTY_UNKNOWN: VerdictRow(
        "VASP unknown", "hold", "COUNTERPARTY_UNKNOWN", ("counterparty",), HOLD_OR_DENY
    ),
    Cause.COUNTERPARTY_AMBIGUOUS: VerdictRow(
        "VASP ambiguous", "hold", "COUNTERPARTY_AMBIGUOUS", ("counterparty",), HOLD_OR_DENY
    ),
    Cause.COUNTERPARTY_NOT_ALLOWED: VerdictRow(
        "VASP not on the allow-list", "deny", "COUNTERPARTY_NOT_ALLOWED", movable=HOLD_OR_DENY
    ),
    Cause.NOT_FIRST_PARTY: VerdictRow(
        "withdrawal to somebody else, names.first_party_withdrawals is on",
        "deny",
        "NOT_FIRST_PARTY",
        movable=HOLD_OR_DENY,
    ),
    Cause.COUNTERPARTY_UNREACHABLE: VerdictRow(
        "VASP down, or calls used up", "hold", "COUNTERPARTY_UNREACHABLE", OPERATOR, HOLD_OR_DENY
    ),
    Cause.HUB_UNREACHABLE: VerdictRow(
        "the hub itself cannot be reached; tried again from seconds upward",
        "hold",
        "HUB_UNREACHABLE",
        movable=("deny",),
    ),
    Cause.ASSET_NOT_SUPPORTED: VerdictRow(
        "currency or network not served by policy [assets]",
        "deny",
        "ASSET_NOT_SUPPORTED",
        movable=HOLD_OR_DENY,
    ),
    Cause.ASSET_NOT_LISTED: VerdictRow(
        "coin that neither policy nor the hub's (fresh) table knows, or not on that network",
        "hold",
        "ASSET_NOT_SUPPORTED",
        OPERATOR,
        HOLD_OR_DENY,
    ),
    Cause.SANCTIONED: VerdictRow(
        "sanctions hit on a party or address", "deny", "SANCTIONED", OPERATOR, HOLD_OR_DENY, "hold"
    ),
    Cause.RISK_MALICIOUS: VerdictRow(
        "wallet or transaction malicious", "deny", "RISK_MALICIOUS", OPERATOR, HOLD_OR_DENY, "hold"
    ),
    Cause.RISK_SUSPICIOUS: VerdictRow("suspicious", "hold", "RISK_SUSPICIOUS", OPERATOR, HOLD_OR_DENY),
    Cause.RISK_UNKNOWN: VerdictRow("risk unknown at the limit", "hold", "RISK_UNKNOWN", OPERATOR, ANY),
    Cause.RISK_PENDING: VerdictRow("risk pending at the limit", "hold", "RISK_PENDING", OPERATOR, ANY),
    Cause.LISTS_UNCHECKED: VerdictRow(
        "our sanctions lists gave no answer within the limit", "hold", "RISK_UNKNOWN", OPERATOR, ANY
    ),
    Cause.ASSESSING: VerdictRow("deposit: the transaction is being rated", "hold", "RISK_PENDING"),
    Cause.OWNERSHIP_PENDING: VerdictRow("unhosted: proof awaited", "hold", "OWNERSHIP_PENDING", ("ownership-proof",)),
    Cause.OWNERSHIP_PROVEN: VerdictRow("unhosted: proof given", "allow", "OWNERSHIP_PROVEN"),
    Cause.OWNERSHIP_NOT_PROVEN: VerdictRow(
        "unhosted: proof refused or too late", "deny", "OWNERSHIP_NOT_PROVEN", movable=HOLD_OR_DENY
    ),
    Cause.CANCELLED: VerdictRow("platform cancelled", "deny", "CANCELLED"),
    Cause.MATCHED: VerdictRow("deposit joined to a verified exchange, final, screened", "allow", "MATCHED"),
    Cause.DATA_RECEIVED: VerdictRow("deposit: data received by request, checks passed", "allow", "DATA_RECEIVED"),
    Cause.AWAITING_FINALITY: VerdictRow("deposit waits for finality", "hold", "AWAITING_FINALITY"),
    Cause.AWAITING_REPORT: VerdictRow("deposit waits for the txid report", "hold", "AWAITING_REPORT"),
    Cause.SEARCHING: VerdictRow("deposit: the sender is searched", "hold", "SEARCHING"),
    Cause.AWAITING_DATA: VerdictRow("deposit: the sender's data were asked for", "hold", "AWAITING_DATA"),
    Cause.NAME_MISMATCH: VerdictRow("deposit: name differs", "hold", "NAME_MISMATCH", OPERATOR, HOLD_OR_DENY),
    Cause.AMOUNT_MISMATCH: VerdictRow("deposit: amount differs", "hold", "AMOUNT_MISMATCH", OPERATOR, HOLD_OR_DENY),
    Cause.ASSET_MISMATCH: VerdictRow("deposit: asset differs", "hold", "ASSET_MISMATCH", OPERATOR, HOLD_OR_DENY),
    Cause.ADDRESS_MISMATCH: VerdictRow("deposit: address differs", "hold", "ADDRESS_MISMATCH", OPERATOR, HOLD_OR_DENY),
    Cause.OWNER_UNKNOWN: VerdictRow(
        "deposit: no wallet is registered at the address",
        "hold",
        "OWNER_UNKNOWN",
        ("wallet-registration", "operator-decision"),
        HOLD_OR_DENY,
    ),
    Cause.ORIGINATOR_UNKNOWN: VerdictRow(
        "deposit: sender not found", "hold", "ORIGINATOR_UNKNOWN", CUSTOMER_OR_OPERATOR, HOLD_OR_DENY
    ),
    Cause.ORIGINATOR_AMBIGUOUS: VerdictRow(
        "deposit: two claim to have sent it",
        "hold",
        "ORIGINATOR_AMBIGUOUS",
        CUSTOMER_OR_OPERATOR,
        HOLD_OR_DENY,
    ),
    Cause.RETRACTED: VerdictRow("re-organisation", "deny", "RETRACTED"),
    Cause.OPERATOR_ALLOW: VerdictRow("operator decided: allow", "allow", "OPERATOR"),
    Cause.OPERATOR_DENY: VerdictRow("operator decided: deny", "deny", "OPERATOR"),
    Cause.NOT_AVAILABLE: VerdictRow("not built yet", "hold", "NOT_AVAILABLE", OPERATOR, HOLD_OR_DENY),
    Cause.PAYLOAD_UNREADABLE: VerdictRow(
        "answered without readable Travel Rule data",
        "hold",
        "PAYLOAD_UNREADABLE",
        OPERATOR,
        HOLD_OR_DENY,
    ),
    Cause.ANSWER_NOT_BOUND: VerdictRow(
        "an answer that does not fit its request, after repeats and a finish",
        "hold",
        "ANSWER_NOT_BOUND",
        OPERATOR,
        HOLD_OR_DENY,
    ),
    Cause.INFORMATION_INCOMPLETE: VerdictRow(
        "data that the protocol or the counterparty's network requires are missing",
        "hold",
        "INFORMATION_INCOMPLETE",
        ("information",),
        HOLD_OR_DENY,
    ),
    Cause.REJECTED_INPUT: VerdictRow(
        "a withdrawal.requested that was refused as a message, its id readable and new",
        "hold",
        "REJECTED_INPUT",
        ("information",),
    ),
}

CORRECTABLE: dict[str, str] = {
    "INPUT_NAME_MISMATCHED": "beneficiary-name",
    "DOB_MISMATCHED": "date-of-birth",
    "LACK_OF_INFORMATION": "information",
}
"""Refusals that the customer can correct, and the ``needs`` of each."""
