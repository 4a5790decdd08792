"""From what a screening source says on the wire to our risk (screening.md sections 3, 5 and 10).

``clean`` is only ever what was checked and found clean: no answer is ``pending``, whatever nobody foresaw is
``unknown``. A source's own verdict is taken as given; ``kyt_verdict`` is for a side that computes one.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Literal

from schemas.events.verdicts import Risk
from schemas.hub.kyt import KytReportResponse
from schemas.hub.screening import TransactionScreeningResponse, WalletScreeningResponse

KytVerdict = Literal["Clean", "Suspicious", "Malicious"]

_CATEGORIES: Mapping[str, Risk] = {
    "BLACK": "malicious",
    "GRAY": "suspicious",
    "WHITE": "clean",
    "UNKNOWN": "unknown",
}
_VERDICTS: Mapping[str, Risk] = {"MALICIOUS": "malicious", "SUSPICIOUS": "suspicious", "CLEAN": "clean"}
_WORST_FIRST: tuple[Risk, ...] = ("malicious", "suspicious", "pending", "unknown", "clean")


def worst(risks: Iterable[Risk]) -> Risk:
    """Return the worst of several risks; of none at all it is ``unknown``.

    ``pending`` counts as worse than ``unknown``, because it may still become anything.
    """
    found = frozenset(risks)
    return next((risk for risk in _WORST_FIRST if risk in found), "unknown")


def of_category(category: str | None) -> Risk:
    """Return the risk of a wallet category; tags never decide."""
    return _CATEGORIES.get((category or "").strip().upper(), "unknown")


def of_wallet(answer: WalletScreeningResponse) -> Risk:
    """Return the risk of a wallet screening (4.B.1). ``ERROR`` is no verdict, so it is pending."""
    return _unless_error(answer.result) or of_category(answer.security_category)


def of_transaction(answer: TransactionScreeningResponse) -> Risk:
    """Return the risk of a transaction screening (4.B.2): its worst wallet's; without a wallet unknown."""
    wallets = (*answer.sender_wallets, *answer.receiver_wallets)
    return _unless_error(answer.result) or worst(of_category(wallet.security_category) for wallet in wallets)


def of_kyt(answer: KytReportResponse) -> Risk:
    """Return the risk of a KYT report (4.B.4) or its callback: the verdict, unless there is none yet."""
    match answer.status:
        case "PENDING":
            return "pending"
        case "RELEASED" if answer.report is not None:
            return _VERDICTS.get(answer.report.verdict.strip(), "unknown")
        case _:
            return "unknown"


def at_deadline(risk: Risk) -> Risk:
    """Return what a risk counts as once there is no more time to wait for it."""
    return "unknown" if risk == "pending" else risk


def kyt_verdict(indicators: Mapping[str, Any]) -> KytVerdict:
    """Return the verdict on risk indicators (as on the wire); for a side that computes one (screening.md 5).

    Presence counts, whatever ``is_suspicious`` says; a machine-learning feature counts if its value is 1.
    """
    if indicators.get("blacklistedAddresses"):
        return "Malicious"
    features = indicators.get("mlFeatures") or {}
    detected = any(value == 1 for value in features.values())
    present = any(indicators.get(name) for name in ("suspiciousServices", "behavioralPatterns", "transactionPatterns"))
    return "Suspicious" if detected or present else "Clean"


def _unless_error(result: str) -> Risk | None:
    """Return what the result alone says; nothing for ``NORMAL``, after which the categories decide."""
    if result == "ERROR":
        return "pending"
    return None if result == "NORMAL" else "unknown"
