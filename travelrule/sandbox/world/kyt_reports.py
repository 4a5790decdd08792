"""KYT reports of a sandbox: complete objects of the documented shape, equal for equal transactions."""

from __future__ import annotations

import hashlib
from datetime import datetime, timedelta
from typing import Any

from schemas.moments import time_text
from travelrule.hub.risk.records import KytSubject
from travelrule.screening.risk_levels import KytVerdict, kyt_verdict

_TOTAL = 12.5
_DORMANT_DAYS = 900


def report_on(subject: KytSubject, verdict: KytVerdict, now: datetime) -> dict[str, Any]:
    """Return the report on a transaction; its indicators lead to this verdict."""
    digest = hashlib.sha256(f"{subject.blockchain} {subject.tx_hash}".encode()).digest()
    sender, receiver = f"0x{digest[:20].hex()}", f"0x{hashlib.sha256(digest).digest()[:20].hex()}"
    indicators = _indicators(verdict, sender, subject, now)
    malicious = _TOTAL if verdict == "Malicious" else 0
    suspicious = _TOTAL if verdict == "Suspicious" else 0
    category = {"Malicious": "blacklist", "Suspicious": "graylist", "Clean": "whitelist"}[verdict]
    return {
        "reportId": int.from_bytes(digest[:5], "big"),
        "verdict": kyt_verdict(indicators),
        "totalAmount": _TOTAL,
        "maliciousAmount": malicious,
        "suspiciousAmount": suspicious,
        "receiver": receiver,
        "generatedAt": time_text(now),
        "senders": [sender],
        "riskIndicators": indicators,
        "annotations": {
            sender: {"annotation": None if verdict == "Clean" else "Mixer", "securityCategory": category},
            receiver: {"annotation": None, "securityCategory": "whitelist"},
        },
        "byToken": {subject.blockchain: {"total": _TOTAL, "malicious": malicious, "suspicious": suspicious}},
    }


def _indicators(verdict: KytVerdict, sender: str, subject: KytSubject, now: datetime) -> dict[str, Any]:
    found = verdict != "Clean"
    return {
        "blacklistedAddresses": [sender] if verdict == "Malicious" else [],
        "suspiciousServices": {sender: "Mixer"} if found else {},
        "behavioralPatterns": {},
        "transactionPatterns": {"dormant status": _dormant(sender, subject, now)} if found else {},
        "mlFeatures": {"Relaying and Mixing": 1, "Tumbling": 0} if found else {},
    }


def _dormant(sender: str, subject: KytSubject, now: datetime) -> dict[str, Any]:
    # Times of this pattern have a blank instead of T, and a text where a holding has not ended.
    start = time_text(now - timedelta(days=_DORMANT_DAYS)).replace("T", " ").rstrip("Z")
    return {
        "pattern": "dormant_account",
        "is_suspicious": True,
        "addresses_count": 1,
        "threshold_days": 365,
        "wallets": [
            {
                "address": sender,
                "holding_type": "still_holding",
                "holding_period_days": _DORMANT_DAYS,
                "hold_start": start,
                "hold_end": "still holding",
                "hold_start_tx": subject.tx_hash,
                "hold_end_tx": None,
            }
        ],
    }
