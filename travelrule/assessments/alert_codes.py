"""The codes of the alerts that only assessments raise. Each names a runbook, ``docs/runbooks/<code>.md``.

What an assessment has in common with an exchange (a call in trouble) has its code in ``machine.alert_codes``.
"""

from __future__ import annotations

from enum import StrEnum


class AlertCode(StrEnum):
    """What an operator is told."""

    KYT_FAILED = "KYT_FAILED"
    """The provider could not analyse a transaction, as often as it was asked to."""
    KYT_LATE = "KYT_LATE"
    """There is no report on a transaction within the limit."""
    LISTS_UNAVAILABLE = "LISTS_UNAVAILABLE"
    """Parties could not be looked for in the sanctions lists."""
    OWNERSHIP_MISMATCH = "OWNERSHIP_MISMATCH"
    """A proof was given for another wallet, asset or chain than the one that was asked for."""
    OWNERSHIP_SESSION_LATE = "OWNERSHIP_SESSION_LATE"
    """The hub opens no session for a proof of ownership, and is tried on."""
    OWNERSHIP_SIGNATURE_INVALID = "OWNERSHIP_SIGNATURE_INVALID"
    """The hub says that a wallet is proven, and the signature says that it is not."""
    OWNERSHIP_UNANSWERED = "OWNERSHIP_UNANSWERED"
    """At the end of the time for a proof the hub does not say what became of it."""
    SANCTIONS_HIT = "SANCTIONS_HIT"
    """The own lists name a party or an address."""
    SCREENING_LATE = "SCREENING_LATE"
    """A wallet or a transaction was not rated within the limit."""
    SCREENING_REFUSED = "SCREENING_REFUSED"
    """The hub refuses to rate, analyse or prove: not registered, quota used up, or a fault of ours."""
