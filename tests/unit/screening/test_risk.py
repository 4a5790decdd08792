"""From the wire to our risk: screening.md section 10, and the verdict rules of section 5."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from schemas.hub.kyt import KytReportResponse
from schemas.hub.screening import TransactionScreeningResponse, WalletScreeningResponse
from travelrule.screening import risk_levels


def wallet(**fields: Any) -> risk_levels.Risk:
    return risk_levels.of_wallet(WalletScreeningResponse.model_validate(fields))


def transaction(senders: list[str | None], receivers: list[str | None], result: str = "NORMAL") -> risk_levels.Risk:
    sides = {
        name: [{"walletAddress": "a", "securityCategory": category} for category in categories]
        for name, categories in (("senderWallets", senders), ("receiverWallets", receivers))
    }
    return risk_levels.of_transaction(TransactionScreeningResponse.model_validate({"result": result, **sides}))


def kyt(**fields: Any) -> risk_levels.Risk:
    return risk_levels.of_kyt(KytReportResponse.model_validate({"requestId": 7, **fields}))


@pytest.mark.parametrize(
    ("category", "expected"),
    [
        ("BLACK", "malicious"),
        ("gray", "suspicious"),
        ("WHITE", "clean"),
        ("UNKNOWN", "unknown"),
        ("GREEN", "unknown"),
        ("", "unknown"),
        (None, "unknown"),
    ],
)
def test_a_wallet_is_what_its_category_says(category: str | None, expected: str) -> None:
    assert wallet(result="NORMAL", securityCategory=category) == expected


def test_tags_never_decide() -> None:
    assert wallet(result="NORMAL", securityCategory="WHITE", securityTags=["Ransomware"]) == "clean"
    assert wallet(result="NORMAL", securityCategory="BLACK", securityTags=["Wiki"]) == "malicious"


def test_an_error_is_no_verdict_even_with_a_category_in_it() -> None:
    assert wallet(result="ERROR", reasonMsg="busy") == "pending"
    assert wallet(result="ERROR", securityCategory="WHITE") == "pending"
    assert transaction(["WHITE"], ["WHITE"], "ERROR") == "pending"
    assert wallet(result="PERHAPS", securityCategory="WHITE") == "unknown"


@pytest.mark.parametrize(
    ("senders", "receivers", "expected"),
    [
        (["WHITE"], ["WHITE"], "clean"),
        (["WHITE", "UNKNOWN"], ["WHITE"], "unknown"),
        (["UNKNOWN"], ["GRAY"], "suspicious"),
        (["WHITE"], ["WHITE", "BLACK", "GRAY"], "malicious"),
        (["WHITE"], ["PURPLE"], "unknown"),
        (["WHITE"], [None], "unknown"),
        ([], [], "unknown"),
    ],
)
def test_the_worst_wallet_of_a_transaction_decides(
    senders: list[str | None], receivers: list[str | None], expected: str
) -> None:
    assert transaction(senders, receivers) == expected


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ({"status": "RELEASED", "report": {"verdict": "Malicious"}}, "malicious"),
        ({"status": "RELEASED", "report": {"verdict": "suspicious"}}, "suspicious"),
        ({"status": "RELEASED", "report": {"verdict": "Clean"}}, "clean"),
        ({"status": "RELEASED", "report": {"verdict": "Fine"}}, "unknown"),
        ({"status": "RELEASED", "report": None}, "unknown"),
        ({"status": "PENDING"}, "pending"),
        ({"status": "PENDING", "report": {"verdict": "Clean"}}, "pending"),
        ({"status": "FAILED", "error": "Tx hash not found"}, "unknown"),
        ({"status": "FAILED", "report": {"verdict": "Clean"}}, "unknown"),
        ({"status": "QUEUED", "report": {"verdict": "Clean"}}, "unknown"),
    ],
)
def test_a_kyt_report_is_its_verdict_once_it_is_released(answer: dict[str, Any], expected: str) -> None:
    assert kyt(**answer) == expected


def test_the_verdict_is_taken_as_given_and_not_computed_again() -> None:
    report = {"verdict": "Clean", "riskIndicators": {"blacklistedAddresses": ["0xbad"]}}
    assert kyt(status="RELEASED", report=report) == "clean"


def test_at_the_deadline_pending_is_unknown_and_nothing_else_changes() -> None:
    assert risk_levels.at_deadline("pending") == "unknown"
    others: list[risk_levels.Risk] = ["clean", "suspicious", "malicious", "unknown"]
    assert [risk_levels.at_deadline(one) for one in others] == others


RISKS = st.sampled_from(["clean", "suspicious", "malicious", "unknown", "pending"])


@settings(max_examples=100)
@given(st.lists(RISKS, max_size=6))
def test_clean_is_only_what_was_wholly_found_clean(risks: list[risk_levels.Risk]) -> None:
    assert (risk_levels.worst(risks) == "clean") == (bool(risks) and set(risks) == {"clean"})
    assert risk_levels.worst(risks) == risk_levels.worst(reversed(risks))


@pytest.mark.parametrize(
    ("indicators", "expected"),
    [
        ({}, "Clean"),
        (
            {
                "blacklistedAddresses": [],
                "suspiciousServices": {},
                "behavioralPatterns": {},
                "transactionPatterns": {},
                "mlFeatures": {},
            },
            "Clean",
        ),
        ({"mlFeatures": {"Tumbling": 0}}, "Clean"),
        ({"behavioralPatterns": None, "mlFeatures": None}, "Clean"),
        ({"mlFeatures": {"Tumbling": 0, "Abnormal Mixing": 1}}, "Suspicious"),
        ({"suspiciousServices": {"0xa": "Mixer"}}, "Suspicious"),
        ({"behavioralPatterns": {"swift_movement": {}}}, "Suspicious"),
        ({"transactionPatterns": {"dormant status": {"is_suspicious": False}}}, "Suspicious"),
        ({"blacklistedAddresses": ["0xa"], "mlFeatures": {"Tumbling": 0}}, "Malicious"),
        ({"blacklistedAddresses": ["0xa"], "suspiciousServices": {"0xa": "Mixer"}}, "Malicious"),
    ],
)
def test_a_computing_side_goes_by_presence(indicators: dict[str, Any], expected: str) -> None:
    assert risk_levels.kyt_verdict(indicators) == expected
