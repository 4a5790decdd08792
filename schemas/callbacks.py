"""Events of topic ``callbacks``: what searches, analyses and ownership sessions came to.

A ``...Body`` is what a machine decides; the engine adds ``sequence``.
"""

from __future__ import annotations

from typing import Any, Literal

from pydantic import StrictBool

from schemas.base import Wire
from schemas.decisions import SubjectText
from schemas.text import Id, MaybeId, MaybeText, MaybeTimestamp, NonEmpty, Word
from schemas.verdicts import Risk, Sequenced


class AskedRow(Wire):
    """What one VASP answered to a search."""

    counterparty: Id
    outcome: Word


class SearchResultBody(Wire):
    """The end of a search for the VASP behind a transaction or a wallet."""

    subject: SubjectText
    request_id: Id
    outcome: Literal["found", "not-found", "ambiguous", "failed"]
    counterparty: MaybeId = None
    asked: tuple[AskedRow, ...] = ()


class TxidSearchFound(Sequenced, SearchResultBody):
    """``txid-search.result.v1``: who sent a transaction."""


class WalletSearchFound(Sequenced, SearchResultBody):
    """``wallet-search.result.v1``: whose deposit address it is."""


class KytResultBody(Wire):
    """The end of an analysis; ``facts`` is the report without personal data."""

    subject: SubjectText
    request_id: Id
    hub_request_id: Id
    status: Literal["released", "failed"]
    risk: Risk | None = None
    error: MaybeText = None
    facts: dict[str, Any]


class KytResult(Sequenced, KytResultBody):
    """``kyt.result.v1``: how a transaction was rated, and why."""


class OwnershipSessionBody(Wire):
    """A session for the widget; ``token`` serves once."""

    subject: SubjectText
    request_id: Id
    token: NonEmpty
    wallet_verification_id: Id
    expires_at: MaybeTimestamp = None


class OwnershipSession(Sequenced, OwnershipSessionBody):
    """``ownership.session.v1``: show the customer the widget."""


class OwnershipResultBody(Wire):
    """The end of a session; ``checked_by_us`` tells whether the signature was verified here as well."""

    subject: SubjectText
    request_id: Id
    status: NonEmpty
    checked_by_us: StrictBool
    verified_at: MaybeTimestamp = None


class OwnershipResult(Sequenced, OwnershipResultBody):
    """``ownership.result.v1``: whether ownership was proven."""
