"""The facts behind a rating or a report, without addresses and without personal data.

Addresses are counted by category, labels are kept, amounts are texts. A label comes from outside and may itself be an
address: one that looks like an address is withheld.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from decimal import Decimal
from typing import Any, Final

from schemas.hub.kyt import KytReport
from schemas.hub.kyt_patterns import BehavioralPatterns, TransactionPatterns
from schemas.hub.screening import TransactionScreeningResponse, WalletInfo, WalletScreeningResponse
from schemas.moments import time_text
from schemas.numbers import decimal_text

WITHHELD: Final = "(withheld)"
LABEL_LENGTH = 80
NAMES_MAX = 100
_ADDRESS_LIKE = re.compile(r"0[xX][0-9a-fA-F]{8}|[^\s/|,;]{24}|@")


def plain(label: str) -> str:
    """Return a label that may be shown; one that may be an address or a contact becomes ``(withheld)``."""
    return WITHHELD if _ADDRESS_LIKE.search(label) else label[:LABEL_LENGTH]


def of_wallet(answer: WalletScreeningResponse) -> dict[str, Any]:
    """Return category and tags of a wallet."""
    return {"category": plain(answer.security_category or ""), "tags": _names(answer.security_tags)}


def of_transaction(answer: TransactionScreeningResponse) -> dict[str, Any]:
    """Return the number of wallets of a transaction by category."""
    wallets = (*answer.sender_wallets, *answer.receiver_wallets)
    return {
        "senders": _categories(answer.sender_wallets),
        "receivers": _categories(answer.receiver_wallets),
        "tags": _names(tag for wallet in wallets for tag in wallet.security_tags),
    }


def _categories(wallets: Iterable[WalletInfo]) -> dict[str, int]:
    return _counted(wallet.security_category or "UNKNOWN" for wallet in wallets)


def of_report(report: KytReport) -> dict[str, Any]:
    """Return the report without its addresses, transactions and times of single movements."""
    indicators = report.risk_indicators
    facts: dict[str, Any] = {
        "reportId": report.report_id,
        "verdict": plain(report.verdict.strip().capitalize()),
        "generatedAt": time_text(report.generated_at) if report.generated_at is not None else None,
        "totalAmount": _amount(report.total_amount),
        "maliciousAmount": _amount(report.malicious_amount),
        "suspiciousAmount": _amount(report.suspicious_amount),
        "senders": len(report.senders),
        "annotations": _counted(one.security_category or "unknown" for one in report.annotations.values()),
        "byToken": {
            plain(symbol): {
                "total": _amount(amounts.total),
                "malicious": _amount(amounts.malicious),
                "suspicious": _amount(amounts.suspicious),
            }
            for symbol, amounts in list(report.by_token.items())[:NAMES_MAX]
        },
    }
    if indicators is not None:
        facts["blacklistedAddresses"] = len(indicators.blacklisted_addresses)
        facts["suspiciousServices"] = _counted(indicators.suspicious_services.values())
        facts["mlFeatures"] = {
            plain(name): value for name, value in list(indicators.ml_features.items())[:NAMES_MAX] if value
        }
        facts["patterns"] = {
            **_behaviour(indicators.behavioral_patterns),
            **_transactions(indicators.transaction_patterns),
        }
    return facts


def _behaviour(patterns: BehavioralPatterns | None) -> dict[str, Any]:
    swift = patterns.swift_movement if patterns is not None else None
    if swift is None:
        return {}
    return {
        "swift_movement": {
            "addresses": swift.addresses_count,
            "movements": swift.movement_count,
            "paths": swift.path_count,
            "thresholdSeconds": _amount(swift.threshold_seconds),
        }
    }


def _transactions(patterns: TransactionPatterns | None) -> dict[str, Any]:
    found: dict[str, Any] = {}
    if patterns is None:
        return found
    if (dormant := patterns.dormant_status) is not None:
        found["dormant_status"] = {
            "isSuspicious": dormant.is_suspicious,
            "addresses": dormant.addresses_count,
            "thresholdDays": _amount(dormant.threshold_days),
        }
    if (value := patterns.high_value_transaction) is not None:
        found["high_value_transaction"] = {
            "isSuspicious": value.is_suspicious,
            "count": value.count,
            "totalUsd": _amount(value.total_usd),
            "thresholdUsd": _amount(value.threshold_usd),
        }
    if (fee := patterns.high_gas_fee) is not None:
        found["high_gas_fee"] = {
            "isSuspicious": fee.is_suspicious,
            "count": fee.count,
            "totalGasCost": _amount(fee.total_gas_cost),
            "averageGasPercentage": _amount(fee.avg_gas_percentage),
        }
    return found


def _amount(number: Decimal | None) -> str | None:
    return decimal_text(number) if number is not None else None


def _counted(labels: Iterable[str]) -> dict[str, int]:
    return dict(sorted(Counter(plain(label) for label in labels).most_common(NAMES_MAX)))


def _names(labels: Iterable[str]) -> list[str]:
    return sorted({plain(label) for label in labels})[:NAMES_MAX]
