"""What a platform does for each cause of a verdict, each need and each code of a dead letter; the page is generated.

A test fails for a cause, need or code without a row.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

from scripts.events_page import table
from travelrule.policy.causes import CORRECTABLE, VERDICTS, Cause

INTRO: Final = """\
What a platform does for each verdict: the companion of [Connect a platform](../guides/connect-a-platform.md). An
unknown reason or need is no error: act on `verdict`, and pass the rest on to people. The verdict of a cause is the
built-in one; the policy may choose another ([verdicts](verdicts.md))."""

NEEDS: Final[Mapping[str, str]] = {
    "beneficiary-name": "Ask the customer for the receiver's name as the other VASP has it. Send "
    "`withdrawal.amended.v1` with the whole `beneficiary`.",
    "date-of-birth": "Compare the date of birth with the customer's documents. Send `withdrawal.amended.v1` with "
    "the whole `originator` or `beneficiary`.",
    "information": "Fill the fields that `missing` names and send `withdrawal.amended.v1`. With reason "
    "`REJECTED_INPUT` send the corrected `withdrawal.requested.v1` instead, under a new event id.",
    "counterparty": "Ask the customer which VASP holds the address. Send `withdrawal.amended.v1` with the whole "
    "`destination`: kind `vasp`, or `unhosted`.",
    "counterparty-confirmation": "Show the customer the VASP in `counterparty`. If it is right, send "
    "`withdrawal.amended.v1` with the `destination` of kind `vasp`; if not, `withdrawal.cancelled.v1`.",
    "ownership-proof": "Show the customer the widget with the `token` of `ownership.session.v1`, before `expiresAt`.",
    "wallet-registration": "Send `wallet.registered.v1` for the deposit address. The deposit is looked at again.",
    "customer-statement": "Ask the customer who sent the coins. An operator decides with the answer.",
    "operator-decision": "Put it before an operator: `travelrule decide`, or `decision.recorded.v1`.",
}
"""What moves a hold, by the word in ``needs``."""

_SEND: Final = "Sign and send the coins, once; then `withdrawal.broadcast.v1`."
_CREDIT: Final = "Credit the customer, once; then `deposit.settled.v1` with `credited`."
_RELEASE: Final = "Release the reserved funds; show the reason."
_WAIT: Final = "Nothing: another verdict follows by itself."
_NEEDS: Final = "What `needs` asks for; or `withdrawal.cancelled.v1`."
_OPERATOR: Final = "Put it before an operator."
_KEEP: Final = "Do not credit; put it before an operator."
_ALERT: Final = "Wait for an operator; the alert of the same subject names the trouble."

ACTIONS: Final[Mapping[Cause, str]] = {
    Cause.VERIFIED: _SEND,
    Cause.EXEMPT: "Withdrawal: sign and send the coins. Deposit: credit it. Once.",
    Cause.DENIED_CORRECTABLE: _NEEDS,
    Cause.DENIED: f"{_RELEASE} A new attempt is a new withdrawal.",
    Cause.ADDRESS_NOT_FOUND: f"{_RELEASE} Ask the customer to check address, tag and VASP.",
    Cause.COUNTERPARTY_FOUND: _NEEDS,
    Cause.COUNTERPARTY_UNKNOWN: _NEEDS,
    Cause.COUNTERPARTY_AMBIGUOUS: _NEEDS,
    Cause.COUNTERPARTY_NOT_ALLOWED: _RELEASE,
    Cause.NOT_FIRST_PARTY: f"{_RELEASE} Only transfers to the customer's own wallets are sent.",
    Cause.COUNTERPARTY_UNREACHABLE: f"{_ALERT} If the VASP returns, `allow` may follow by itself.",
    Cause.HUB_UNREACHABLE: _WAIT,
    Cause.ASSET_NOT_SUPPORTED: f"{_RELEASE} Do not offer this asset.",
    Cause.ASSET_NOT_LISTED: _OPERATOR,
    Cause.SANCTIONED: "Freeze: neither send, credit nor return; put it before the compliance officer.",
    Cause.RISK_MALICIOUS: "Freeze: neither send, credit nor return; put it before the compliance officer.",
    Cause.RISK_SUSPICIOUS: _OPERATOR,
    Cause.RISK_UNKNOWN: _OPERATOR,
    Cause.RISK_PENDING: _OPERATOR,
    Cause.LISTS_UNCHECKED: _ALERT,
    Cause.ASSESSING: _WAIT,
    Cause.OWNERSHIP_PENDING: _NEEDS,
    Cause.OWNERSHIP_PROVEN: _SEND,
    Cause.OWNERSHIP_NOT_PROVEN: f"{_RELEASE} A new attempt is a new withdrawal.",
    Cause.CANCELLED: _RELEASE,
    Cause.MATCHED: _CREDIT,
    Cause.DATA_RECEIVED: _CREDIT,
    Cause.AWAITING_FINALITY: "Send `deposit.confirmed.v1` when the transaction is final.",
    Cause.AWAITING_REPORT: _WAIT,
    Cause.SEARCHING: _WAIT,
    Cause.AWAITING_DATA: _WAIT,
    Cause.NAME_MISMATCH: _KEEP,
    Cause.AMOUNT_MISMATCH: _KEEP,
    Cause.ASSET_MISMATCH: _KEEP,
    Cause.ADDRESS_MISMATCH: _KEEP,
    Cause.OWNER_UNKNOWN: "Register the wallet, or put it before an operator.",
    Cause.ORIGINATOR_UNKNOWN: "Ask the customer for a statement; an operator decides.",
    Cause.ORIGINATOR_AMBIGUOUS: "Ask the customer for a statement; an operator decides.",
    Cause.RETRACTED: "Do not credit; take back what was credited.",
    Cause.OPERATOR_ALLOW: "Withdrawal: sign and send. Deposit: credit. Once.",
    Cause.OPERATOR_DENY: "Withdrawal: release the funds. Deposit: do not credit.",
    Cause.NOT_AVAILABLE: _OPERATOR,
    Cause.PAYLOAD_UNREADABLE: _ALERT,
    Cause.ANSWER_NOT_BOUND: _ALERT,
    Cause.INFORMATION_INCOMPLETE: _NEEDS,
    Cause.REJECTED_INPUT: "Correct the request and send it under a new event id; the dead letter `deadLetterId` names "
    "field and fix.",
}
"""What the platform does, by the cause of its verdict."""

_FORM: Final = "Correct the field that `travelrule.error.field` names and send the event under a new id."

REFUSALS: Final[Mapping[str, str]] = {
    **dict.fromkeys(
        (
            "MISSING_FIELD",
            "EMPTY_VALUE",
            "WRONG_TYPE",
            "INVALID_VALUE",
            "INVALID_TEXT",
            "INVALID_AMOUNT",
            "INVALID_TIME",
            "INVALID_DATE",
            "INVALID_NAME",
            "TOO_LONG",
        ),
        _FORM,
    ),
    "INVALID_JSON": "Send one JSON object in UTF-8 per record.",
    "TOO_DEEP": "Send at most 64 levels of nesting.",
    "TOO_LARGE": "Send at most 1 MiB per event.",
    "UNSUPPORTED_FORMAT": "Send `application/cloudevents+json`, or binary mode, one event per record.",
    "UNKNOWN_TYPE": "Send a type of the table, with its version, for a subject of its kind.",
    "WRONG_TOPIC": "Send the type to its own topic.",
    "KEY_MISMATCH": "Use one id as record key, `subject` and id in the data.",
    "RESERVED_SOURCE": "Name your own system in `source`.",
    "TOMBSTONE_NOT_ALLOWED": "Send a value: only `wallets` takes tombstones.",
    "CONFLICT": "An id was used for other content. Find out which one is true; send the change under a new id, a "
    "withdrawal's change as `withdrawal.amended.v1`.",
    "REQUEST_REFUSED": "The request of this withdrawal was refused: send it again, corrected, before anything else.",
    "NOT_ON_HOLD": "Amend or allow only while the last verdict is `hold`.",
    "ALREADY_FINAL": "The last verdict is final: a new attempt has a new id.",
    "ALREADY_BROADCAST": "The coins are on their way: send `withdrawal.settled.v1` with `failed` if they never arrive.",
    "ALREADY_SETTLED": "`deposit.settled.v1` was received: nothing is left to decide.",
    "NOT_BROADCAST": "Send `withdrawal.broadcast.v1` before `mined` and `settled`.",
    "TXID_ALREADY_STORED": "A stored txid is never replaced. Sent twice on the chain: tell an operator at once.",
    "NOT_VERIFIED": "The policy has no `operator_override`: the counterparty must verify the withdrawal.",
    "OPERATOR_LIMIT": "The value is above the policy's `operator_limits`.",
    "NOT_AVAILABLE": "This kind of subject is not served.",
    "ERASED": "The subject's data were erased: use a new id.",
    "UNREADABLE": "Report it: the fault is this program's.",
}
"""What the platform does about its refused event, by ``travelrule.error.code``."""


def platform_actions_page() -> str:
    """Return the page without its header and title."""
    parts = [INTRO, "## Reasons", table(("Reason", "Verdict", "`needs`", "The platform"), map(_cause, VERDICTS))]
    parts += ["## Needs", table(("`needs`", "What moves the hold"), _coded(NEEDS))]
    parts += ["## Dead letters", _DEAD_LETTERS, table(("`travelrule.error.code`", "The platform"), _coded(REFUSALS))]
    return "\n\n".join(parts) + "\n"


_DEAD_LETTERS: Final = """\
Codes of refused events of a platform. The headers `travelrule.error.field` and `travelrule.error.fix` name the place
and the correction. The codes of refused decisions are in [decisions](../decisions.md). What was refused because
something else was missing is sent again by `travelrule dead-letters replay`; what is wrong itself is corrected and
sent by the platform."""


def _cause(cause: Cause) -> tuple[str, ...]:
    row = VERDICTS[cause]
    verdict = f"{row.verdict} (deposit: {row.deposit})" if row.deposit else row.verdict
    reasons, needs = [row.reason.replace("{reason}", "<REASON>").replace("{rule}", "<RULE>")], row.needs
    if cause is Cause.DENIED_CORRECTABLE:
        reasons, needs = [row.reason.format(reason=reason) for reason in CORRECTABLE], tuple(CORRECTABLE.values())
    return _quoted(reasons), verdict, _quoted(needs), ACTIONS[cause]


def _quoted(words: Iterable[str]) -> str:
    return ", ".join(f"`{word}`" for word in words)


def _coded(rows: Mapping[str, str]) -> Iterable[tuple[str, ...]]:
    return ((f"`{name}`", text) for name, text in rows.items())
