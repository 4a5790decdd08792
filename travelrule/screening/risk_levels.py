"""Risk levels from the answers of screening sources (screening.md sections 3, 5 and 10).

Only what a source checked and found clean is ``clean``. A missing answer is ``pending``, an unforeseen one
``unknown``. A source's verdict is not computed again; ``kyt_verdict`` is for the side that computes one.
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
    """Return the worst of several risks, ``unknown`` for none.

    ``pending`` is worse than ``unknown``, because it may still become any risk.
    """
    found = frozenset(risks)
    return next((risk for risk in _WORST_FIRST if risk in found), "unknown")


def of_category(category: str | None) -> Risk:
    """Return the risk of a wallet category; tags do not count."""
    return _CATEGORIES.get((category or "").strip().upper(), "unknown")


def of_wallet(answer: WalletScreeningResponse) -> Risk:
    """Return the risk of a wallet screening (4.B.1); ``ERROR`` is no verdict and counts as pending."""
    return _unless_error(answer.result) or of_category(answer.security_category)


def of_transaction(answer: TransactionScreeningResponse) -> Risk:
    """Return the risk of a transaction screening (4.B.2): that of its worst wallet, unknown without a wallet."""
    wallets = (*answer.sender_wallets, *answer.receiver_wallets)
    return _unless_error(answer.result) or worst(of_category(wallet.security_category) for wallet in wallets)


def of_kyt(answer: KytReportResponse) -> Risk:
    """Return the risk of a KYT report (4.B.4) or its callback: its verdict, pending if there is none yet."""
    match answer.status:
        case "PENDING":
            return "pending"
        case "RELEASED" if answer.report is not None:
            return _VERDICTS.get(answer.report.verdict.strip(), "unknown")
        case _:
            return "unknown"


def at_deadline(risk: Risk) -> Risk:
    """Return the risk at its deadline: a pending one counts as unknown."""
    return "unknown" if risk == "pending" else risk


def kyt_verdict(indicators: Mapping[str, Any]) -> KytVerdict:
    """Return the verdict on risk indicators of the wire, for the side that computes one (screening.md 5).

    The presence of an indicator counts, not its ``is_suspicious``; a machine-learning feature counts if its value is 1.
    """
    if indicators.get("blacklistedAddresses"):
        return "Malicious"
    features = indicators.get("mlFeatures") or {}
    detected = any(value == 1 for value in features.values())
    present = any(indicators.get(name) for name in ("suspiciousServices", "behavioralPatterns", "transactionPatterns"))
    return "Suspicious" if detected or present else "Clean"


def _unless_error(result: str) -> Risk | None:
    """Return the risk of a result other than ``NORMAL``; None for ``NORMAL``, where the categories count."""
    if result == "ERROR":
        return "pending"
    return None if result == "NORMAL" else "unknown"
