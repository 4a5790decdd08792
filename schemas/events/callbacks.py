"""Events of topic ``callbacks``: results of searches, analyses and ownership sessions.

A machine decides the content of a ``...Body``; the engine adds ``sequence``.
"""

from __future__ import annotations

from typing import Any, Literal

from pydantic import StrictBool

from schemas.events.decisions import SubjectText
from schemas.events.verdicts import Risk, Sequenced
from schemas.moments import MaybeTime
from schemas.texts import Id, MaybeId, MaybeText, NonEmpty, Word
from schemas.wire_model import Wire


class AskedRow(Wire):
    """What one VASP answered to a search."""

    counterparty: Id
    """Entity id of the VASP that was asked.
    Example: "east"
    """
    outcome: Word
    """Its answer: ``found`` or ``not-found``; for one that gave none ``not-available`` in a TXID search and
    ``unreachable`` in a wallet search.
    Example: "found"
    """


class SearchResultBody(Wire):
    """The end of a search for the VASP behind a transaction or a wallet."""

    subject: SubjectText
    """What the search was made for, with its kind: ``deposit:ID`` or ``withdrawal:ID``.
    Example: "deposit:d-2001"
    """
    request_id: Id
    """Id of the search at the hub, made by this program; a later search for the same subject has another.
    Example: "5d3c0a44-0f4e-4c7f-8a0e-9d0d6f0a1b2c"
    """
    outcome: Literal["found", "not-found", "ambiguous", "failed"]
    """How it ended: one VASP ``found``, ``not-found``, ``ambiguous`` if several said yes, ``failed`` without a result.
    """
    counterparty: MaybeId = None
    """Entity id of the VASP that was found.
    Example: "north"
    """
    asked: tuple[AskedRow, ...] = ()
    """One row for each VASP that the hub asked; empty if the hub did not say."""


class TxidSearchFound(Sequenced, SearchResultBody):
    """``txid-search.result.v1``: sent when the search for the VASP that sent a deposit's transaction has ended."""


class WalletSearchFound(Sequenced, SearchResultBody):
    """``wallet-search.result.v1``: sent when the search for the VASP that holds a withdrawal's address has ended."""


class KytResultBody(Wire):
    """The end of an analysis."""

    subject: SubjectText
    """What the analysis was made for, with its kind.
    Example: "screening:s-4001"
    """
    request_id: Id
    """The id by which the analysis was asked for: the platform's own for a screening that it requested.
    Example: "s-4001"
    """
    hub_request_id: Id
    """Number of the analysis at the provider, as text.
    Example: "48213"
    """
    status: Literal["released", "failed"]
    """Whether there is a report: ``released``, or ``failed`` with the reason in ``error``."""
    risk: Risk | None = None
    """The rating that the report's verdict stands for; left out where there is none."""
    error: MaybeText = None
    """The provider's reason for a failed analysis.
    Example: "Tx hash not found"
    """
    facts: dict[str, Any]
    """The report without personal data and addresses: verdict, amounts and counts of findings. Empty after a failure.
    Example: {"verdict": "Clean", "totalAmount": 12.5}
    """


class KytResult(Sequenced, KytResultBody):
    """``kyt.result.v1``: sent when the analysis of a transaction has ended: how it was rated, and why."""


class OwnershipSessionBody(Wire):
    """A session for the widget."""

    subject: SubjectText
    """What the session was opened for, with its kind: ``screening:ID``, or ``withdrawal:ID`` for an unhosted wallet.
    Example: "screening:o-5001"
    """
    request_id: Id
    """The id by which the proof was asked for.
    Example: "o-5001"
    """
    token: NonEmpty
    """Secret that the widget is opened with, for this customer only. It serves once.
    Example: "wv-session-token-example"
    """
    wallet_verification_id: Id
    """Id of the session at the hub.
    Example: "wv-7781"
    """
    expires_at: MaybeTime = None
    """Moment from which the token no longer serves: UTC, ISO 8601 to the second.
    Example: "2026-11-21T09:00:00Z"
    """


class OwnershipSession(Sequenced, OwnershipSessionBody):
    """``ownership.session.v1``: sent when the hub opened a session: the platform shows the customer the widget now."""


class OwnershipResultBody(Wire):
    """The end of a session."""

    subject: SubjectText
    """What the session was opened for, with its kind.
    Example: "screening:o-5001"
    """
    request_id: Id
    """The id by which the proof was asked for.
    Example: "o-5001"
    """
    status: NonEmpty
    """State of the session in the hub's own word: ``VERIFIED`` after a proof; any other means that there is none.
    Example: "VERIFIED"
    """
    checked_by_us: StrictBool
    """Whether this program verified the signature too, besides relying on the hub."""
    verified_at: MaybeTime = None
    """Moment of the proof: UTC, ISO 8601 to the second; left out without one.
    Example: "2026-11-20T09:04:11Z"
    """


class OwnershipResult(Sequenced, OwnershipResultBody):
    """``ownership.result.v1``: sent when a session has ended: whether the customer proved the wallet."""
