"""The codes of the alerts that only deposits raise. Each names a runbook, ``docs/runbooks/<code>.md``.

What a deposit has in common with an exchange (calls, holds) has its code in ``machine.alert_codes``.
"""

from __future__ import annotations

from enum import StrEnum


class AlertCode(StrEnum):
    """What an operator is told."""

    CREDITED_WITHOUT_ALLOW = "CREDITED_WITHOUT_ALLOW"
    """The platform credited what no verdict allowed."""
    DATA_ANSWER_INCOMPLETE = "DATA_ANSWER_INCOMPLETE"
    """A data request was answered without something that must be sent of an originator."""
    DATA_REQUEST_REFUSED = "DATA_REQUEST_REFUSED"
    """The VASP that sent a deposit does not tell who its customer is."""
    DEPOSIT_BACK_ON_CHAIN = "DEPOSIT_BACK_ON_CHAIN"
    """A deposit that was retracted stands on chain again."""
    DEPOSIT_LOOKUP_MISSING = "DEPOSIT_LOOKUP_MISSING"
    """The own store did not say whose address a deposit went to."""
    DEPOSIT_MATCH_LOST = "DEPOSIT_MATCH_LOST"
    """The exchange for which a deposit was allowed is not its exchange any more."""
    DEPOSIT_MISMATCH = "DEPOSIT_MISMATCH"
    """Amount, asset, name or address of a deposit differ from what its originator said."""
    DEPOSIT_NOT_SETTLED = "DEPOSIT_NOT_SETTLED"
    """A deposit was allowed, and the platform does not say what became of it."""
    DEPOSIT_OWNER_UNKNOWN = "DEPOSIT_OWNER_UNKNOWN"
    """A deposit went to an address that no wallet was registered for."""
    ORIGINATOR_AMBIGUOUS = "ORIGINATOR_AMBIGUOUS"
    """Two or more VASPs say that they sent a deposit."""
    RETRACTED_AFTER_ALLOW = "RETRACTED_AFTER_ALLOW"
    """A deposit that was allowed or credited is not on chain any more."""
    TXID_SEARCH_FAILED = "TXID_SEARCH_FAILED"
    """Every search for the VASP that sent a deposit ended without a usable result."""
