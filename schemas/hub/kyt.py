"""The KYT report (screening.md 5). Only ``verdict`` is required: it decides, the rest is evidence."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from schemas.hub.kyt_patterns import BehavioralPatterns, Count, Number, TransactionPatterns
from schemas.hub.screening import Texts
from schemas.input_forms import LenientForm, absent, optional_map
from schemas.moments import MaybeTimestamp
from schemas.numbers import Whole
from schemas.texts import MaybeText, Text, UpperText
from schemas.wire_model import Wire

detail = LenientForm(lambda: None)
"""Retains the rest of a report, with its verdict, if a part has another shape than documented."""

details = LenientForm(tuple)
detail_map = LenientForm(dict)


class RiskIndicators(Wire):
    """Why a transaction was rated as it was; labels and names of features are open lists."""

    blacklisted_addresses: Annotated[Texts, details] = ()
    """Addresses on the way that are on a blacklist; one of them makes the report ``Malicious``.
    Example: ["0x52908400098527886E0F7030069857D2E4169EE7"]
    """
    suspicious_services: Annotated[dict[Text, Text], optional_map, detail_map] = Field(default_factory=dict)
    """Services on the way by their address: ``Mixer``, ``Tumbler``, ``Gambling``, ``Darknet Market`` or another label.
    Example: {"0x52908400098527886E0F7030069857D2E4169EE7": "Mixer"}
    """
    behavioral_patterns: Annotated[BehavioralPatterns | None, absent, detail] = None
    """Findings about the behaviour of addresses."""
    transaction_patterns: Annotated[TransactionPatterns | None, absent, detail] = None
    """Findings about the form of transactions."""
    ml_features: Annotated[dict[Text, Count], optional_map, detail_map] = Field(default_factory=dict)
    """Findings of the provider's model by their name; 1 means detected.
    Example: {"Tumbling": 1}
    """


class Annotation(Wire):
    """What is known about an address on the way."""

    annotation: MaybeText = None
    """Name of the address's owner or service, if it is known.
    Example: "Example Exchange"
    """
    security_category: MaybeText = None
    """How the address is listed: ``whitelist`` safe, ``graylist`` neutral, ``blacklist`` malicious.
    Example: "graylist"
    """


class TokenAmounts(Wire):
    """The traced amounts of one token."""

    total: Number = None
    """Quantity that was traced in all.
    Example: 12.345
    """
    malicious: Number = None
    """Quantity that came from blacklisted sources.
    Example: 0.1
    """
    suspicious: Number = None
    """Quantity that came from suspicious sources.
    Example: 0
    """


class KytReport(Wire):
    """The analysis of a transaction. A part in another shape than documented counts as absent."""

    report_id: Annotated[Count, detail] = None
    """Number of the report; several analyses may share one.
    Example: 901
    """
    verdict: UpperText
    """The rating: ``Clean``, ``Suspicious`` or ``Malicious``, read in any case. It alone decides; any other text counts
    as unknown.
    Example: "Clean"
    """
    total_amount: Annotated[Number, detail] = None
    """Quantity that was traced in all; may be rounded against ``byToken``.
    Example: 12.3
    """
    malicious_amount: Annotated[Number, detail] = None
    """Quantity that came from blacklisted sources.
    Example: 0.1
    """
    suspicious_amount: Annotated[Number, detail] = None
    """Quantity that came from suspicious sources.
    Example: 0
    """
    receiver: Annotated[MaybeText, detail] = None
    """Address that received the coins.
    Example: "0x52908400098527886E0F7030069857D2E4169EE7"
    """
    generated_at: Annotated[MaybeTimestamp, detail] = None
    """Moment of the analysis: ISO 8601, UTC if no zone is given.
    Example: "2026-02-01T10:00:03"
    """
    senders: Annotated[Texts, details] = ()
    """Addresses that sent the coins; several for coins with outputs.
    Example: ["0x52908400098527886E0F7030069857D2E4169EE7"]
    """
    risk_indicators: Annotated[RiskIndicators | None, absent, detail] = None
    """What was found, by kind; all empty for a clean transaction."""
    annotations: Annotated[dict[Text, Annotation], optional_map, detail_map] = Field(default_factory=dict)
    """What is known about the addresses on the way, by address."""
    by_token: Annotated[dict[Text, TokenAmounts], optional_map, detail_map] = Field(default_factory=dict)
    """The traced amounts by the symbol of the token."""


class KytReportResponse(Wire):
    """Answer to a question for a KYT report (4.B.4); its callback has the same body."""

    request_id: Whole
    """Number of the analysis, as the KYT search answered it.
    Example: 48213
    """
    status: UpperText
    """How the analysis stands: ``PENDING``, ``RELEASED`` with a report, ``FAILED`` with an error. Read in any case.
    Example: "RELEASED"
    """
    error: MaybeText = None
    """Why the analysis failed, beside ``FAILED``.
    Example: "Tx hash not found"
    """
    submitted_at: Annotated[MaybeTimestamp, detail] = None
    """Moment of the search: ISO 8601, UTC if no zone is given. What cannot be read counts as not stated.
    Example: "2026-02-01T10:00:00"
    """
    report: Annotated[KytReport | None, absent] = None
    """The findings of the analysis: only beside status ``RELEASED``."""
