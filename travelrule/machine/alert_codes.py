"""The codes of the alerts that the machines raise. Each names a runbook, ``docs/runbooks/<code>.md``."""

from __future__ import annotations

from enum import StrEnum


class AlertCode(StrEnum):
    """One alert each: a condition that an operator must see."""

    ANSWER_NOT_BOUND = "ANSWER_NOT_BOUND"
    """A counterparty's answers do not fit the request that they answer."""
    ASSESSMENT_UNANSWERED = "ASSESSMENT_UNANSWERED"
    """An assessment of a withdrawal or a deposit gave no answer, not even at its own limit."""
    AUTHORIZATION_OPEN = "AUTHORIZATION_OPEN"
    """Beneficiary: an answered authorization has neither txid nor finish, and a status search did not change that."""
    BROADCAST_WITHOUT_ALLOW = "BROADCAST_WITHOUT_ALLOW"
    """The platform sent value that no verdict allowed."""
    CALL_TROUBLED = "CALL_TROUBLED"
    """A call is still repeated after many tries, or after an answer that only a correction can change."""
    COUNTERPARTY_REFUSED_CALL = "COUNTERPARTY_REFUSED_CALL"
    """The hub or the counterparty refused a call in a way that repeating does not change."""
    COUNTERPARTY_SANCTION_LIST = "COUNTERPARTY_SANCTION_LIST"
    """The counterparty reports the address or its owner as sanctioned."""
    COUNTERPARTY_UNREACHABLE = "COUNTERPARTY_UNREACHABLE"
    """The counterparty could not be reached within the limit of the policy."""
    CREDITED_WITHOUT_ALLOW = "CREDITED_WITHOUT_ALLOW"
    """The platform credited what no verdict allowed."""
    DATA_ANSWER_INCOMPLETE = "DATA_ANSWER_INCOMPLETE"
    """A data request was answered without something that must be sent of an originator."""
    DATA_REQUEST_REFUSED = "DATA_REQUEST_REFUSED"
    """The VASP that sent a deposit refuses the data of its customer."""
    DEPOSIT_BACK_ON_CHAIN = "DEPOSIT_BACK_ON_CHAIN"
    """A deposit that was retracted is on chain again."""
    DEPOSIT_LOOKUP_MISSING = "DEPOSIT_LOOKUP_MISSING"
    """The local store did not return the owner of a deposit's address."""
    DEPOSIT_MATCH_LOST = "DEPOSIT_MATCH_LOST"
    """The exchange for which a deposit was allowed is no longer its exchange."""
    DEPOSIT_MISMATCH = "DEPOSIT_MISMATCH"
    """Amount, asset, name or address of a deposit differ from the data of its originator."""
    DEPOSIT_NOT_SETTLED = "DEPOSIT_NOT_SETTLED"
    """A deposit was allowed, and the platform does not report its settlement."""
    DEPOSIT_OWNER_UNKNOWN = "DEPOSIT_OWNER_UNKNOWN"
    """A deposit went to an address without a registered wallet."""
    DIRECTORY_ENTRY_CHANGED = "DIRECTORY_ENTRY_CHANGED"
    """A VASP's legal name, country or network changed."""
    DIRECTORY_KEY_CHANGED = "DIRECTORY_KEY_CHANGED"
    """A VASP's public keys changed."""
    DIRECTORY_STALE = "DIRECTORY_STALE"
    """The list of VASPs is too old to show which are down: nothing is sent to any."""
    DIRECTORY_VASP_DOWN = "DIRECTORY_VASP_DOWN"
    """A VASP went down: nothing is sent to it."""
    DIRECTORY_VASP_GONE = "DIRECTORY_VASP_GONE"
    """A VASP is no longer listed."""
    DIRECTORY_VASP_NEW = "DIRECTORY_VASP_NEW"
    """A VASP is listed for the first time."""
    DIRECTORY_VASP_UP = "DIRECTORY_VASP_UP"
    """A VASP is up again: the calls queued for it are sent."""
    DUPLICATED_TRANSFER_ID = "DUPLICATED_TRANSFER_ID"
    """Every fresh transferId was refused as known."""
    EXCHANGE_NOT_CONCLUDED = "EXCHANGE_NOT_CONCLUDED"
    """A verified exchange has neither an accepted txid report nor an accepted finish."""
    FINISH_FAILED = "FINISH_FAILED"
    """A finish was refused for good: the counterparty holds the transfer as it is."""
    HELD_TOO_LONG = "HELD_TOO_LONG"
    """A withdrawal has been on hold for too long."""
    HUB_UNREACHABLE = "HUB_UNREACHABLE"
    """The hub itself could not be reached within the limit of the policy."""
    KYT_FAILED = "KYT_FAILED"
    """The provider could not analyse a transaction in any of its tries."""
    KYT_LATE = "KYT_LATE"
    """There is no report on a transaction within the limit."""
    LISTS_UNAVAILABLE = "LISTS_UNAVAILABLE"
    """The sanctions lists could not be searched for parties."""
    MEMBER_RATE_LIMITED = "MEMBER_RATE_LIMITED"
    """A member has exceeded its rate for ten minutes."""
    ORIGINATOR_AMBIGUOUS = "ORIGINATOR_AMBIGUOUS"
    """Two or more VASPs claim a deposit as theirs."""
    ORIGIN_ALLIANCE_MISMATCH = "ORIGIN_ALLIANCE_MISMATCH"
    """A sender with its own key names another network than the directory lists for it."""
    OWNERSHIP_MISMATCH = "OWNERSHIP_MISMATCH"
    """A proof is for another wallet, asset or chain than the requested one."""
    OWNERSHIP_SESSION_LATE = "OWNERSHIP_SESSION_LATE"
    """The hub opens no session for a proof of ownership; tries continue."""
    OWNERSHIP_SIGNATURE_INVALID = "OWNERSHIP_SIGNATURE_INVALID"
    """The hub reports a wallet as proven, and the signature is not valid."""
    OWNERSHIP_UNANSWERED = "OWNERSHIP_UNANSWERED"
    """At the limit of a proof the hub returns no result."""
    OWNER_LISTED = "OWNER_LISTED"
    """An entry of a sanctions list names a customer of ours for the first time."""
    OWN_PROFILE_MISSING = "OWN_PROFILE_MISSING"
    """Our VASP profile is not set: no authorization can be built."""
    PAYLOAD_UNREADABLE = "PAYLOAD_UNREADABLE"
    """The counterparty answered verified without readable Travel Rule data."""
    REQUEST_REFUSED = "REQUEST_REFUSED"
    """A request under the id of a known withdrawal was refused: the withdrawal continues unchanged."""
    RETRACTED_AFTER_ALLOW = "RETRACTED_AFTER_ALLOW"
    """A deposit that was allowed or credited is no longer on chain."""
    RISK_ACCEPTED_UNCHECKED = "RISK_ACCEPTED_UNCHECKED"
    """The policy allows a transfer whose risk could not be assessed."""
    SANCTIONS_HIT = "SANCTIONS_HIT"
    """Our sanctions lists name a party or an address."""
    SCREENING_LATE = "SCREENING_LATE"
    """A wallet or a transaction was not rated within the limit."""
    SCREENING_REFUSED = "SCREENING_REFUSED"
    """The hub refuses to rate, analyse or prove: not registered, quota used up, or a fault of ours."""
    SETTLED_AFTER_FAILURE = "SETTLED_AFTER_FAILURE"
    """A transaction that was reported as failed is final: value moved on a canceled transfer."""
    TXID_REPORT_FAILED = "TXID_REPORT_FAILED"
    """A txid report was refused for good: the counterparty may never credit."""
    TXID_SEARCH_FAILED = "TXID_SEARCH_FAILED"
    """Every search for the VASP that sent a deposit ended without a usable result."""


DEPOSIT_ALERTS = (
    AlertCode.CREDITED_WITHOUT_ALLOW,
    AlertCode.DATA_ANSWER_INCOMPLETE,
    AlertCode.DATA_REQUEST_REFUSED,
    AlertCode.DEPOSIT_BACK_ON_CHAIN,
    AlertCode.DEPOSIT_LOOKUP_MISSING,
    AlertCode.DEPOSIT_MATCH_LOST,
    AlertCode.DEPOSIT_MISMATCH,
    AlertCode.DEPOSIT_NOT_SETTLED,
    AlertCode.DEPOSIT_OWNER_UNKNOWN,
    AlertCode.ORIGINATOR_AMBIGUOUS,
    AlertCode.RETRACTED_AFTER_ALLOW,
    AlertCode.TXID_SEARCH_FAILED,
)
"""The codes that only deposits raise."""

ASSESSMENT_ALERTS = (
    AlertCode.KYT_FAILED,
    AlertCode.KYT_LATE,
    AlertCode.LISTS_UNAVAILABLE,
    AlertCode.OWNERSHIP_MISMATCH,
    AlertCode.OWNERSHIP_SESSION_LATE,
    AlertCode.OWNERSHIP_SIGNATURE_INVALID,
    AlertCode.OWNERSHIP_UNANSWERED,
    AlertCode.SANCTIONS_HIT,
    AlertCode.SCREENING_LATE,
    AlertCode.SCREENING_REFUSED,
)
"""The codes that only assessments raise."""

SHARED_ALERTS = tuple(code for code in AlertCode if code not in DEPOSIT_ALERTS + ASSESSMENT_ALERTS)
"""All other codes: those of exchanges, of the directory and of calls."""
