from __future__ import annotations

import json
from decimal import Decimal
from typing import Any

import pytest

from schemas.hub.bodies import KytReportResponse, KytSearchRequest, KytSearchResponse

ANSWER: dict[str, Any] = {
    "requestId": 48213,
    "status": "RELEASED",
    "error": None,
    "submittedAt": "2026-02-01T10:00:00",
    "report": {
        "reportId": 901,
        "verdict": "Malicious",
        "totalAmount": 12.30,
        "maliciousAmount": 0.1,
        "suspiciousAmount": 0,
        "receiver": "0x52",
        "generatedAt": "2026-02-01T10:00:03",
        "senders": ["0x11", "0x12"],
        "riskIndicators": {
            "blacklistedAddresses": ["0x11"],
            "suspiciousServices": {"0x12": "Mixer"},
            "behavioralPatterns": {
                "swift_movement": {
                    "addresses_count": 2,
                    "paths": [
                        {"path_length": 1, "movements": [{"address": "0x11", "receive_amount": 1.5}], "summary": {}}
                    ],
                }
            },
            "transactionPatterns": {
                "dormant status": {
                    "is_suspicious": False,
                    "wallets": [{"address": "0x12", "hold_end": "still holding"}],
                },
                "high_gas_fee": {"count": 1, "transactions": [{"gas_used": 21000, "gas_percentage": 12.5}]},
            },
            "mlFeatures": {"Tumbling": 1},
        },
        "annotations": {"0x11": {"annotation": None, "securityCategory": "blacklist"}},
        "byToken": {"ETH": {"total": 12.345, "malicious": 0.1, "suspicious": 0}},
    },
}


def read(**changes: Any) -> KytReportResponse:
    return KytReportResponse.model_validate_json(json.dumps({**ANSWER, **changes}))


def test_a_whole_report_is_read() -> None:
    report = read().report
    assert report is not None
    assert report.verdict == "MALICIOUS"
    assert report.malicious_amount == Decimal("0.1")
    indicators = report.risk_indicators
    assert indicators is not None
    assert indicators.blacklisted_addresses == ("0x11",)
    assert indicators.transaction_patterns is not None
    assert indicators.transaction_patterns.dormant_status is not None
    assert indicators.transaction_patterns.dormant_status.wallets[0].hold_end is None
    assert indicators.behavioral_patterns is not None
    assert indicators.behavioral_patterns.swift_movement is not None
    assert indicators.behavioral_patterns.swift_movement.paths[0].movements[0].receive_amount == Decimal("1.5")
    assert report.by_token["ETH"].total == Decimal("12.345")


def test_a_report_is_written_with_the_names_and_numbers_of_the_wire() -> None:
    written = read().to_wire()
    assert written["report"]["totalAmount"] == 12.3
    assert written["report"]["suspiciousAmount"] == 0
    patterns = written["report"]["riskIndicators"]["transactionPatterns"]
    assert patterns["dormant status"]["is_suspicious"] is False
    assert patterns["high_gas_fee"]["transactions"] == [{"gas_used": 21000, "gas_percentage": 12.5}]
    assert KytReportResponse.model_validate(written) == read()


def test_a_report_is_absent_until_it_is_released() -> None:
    absents: list[Any] = [None, {}, ""]
    for absent in absents:
        assert read(status="pending", report=absent).report is None
    assert read(status="FAILED", report=None, error="Tx hash not found").error == "Tx hash not found"


def test_a_detail_in_another_shape_does_not_hide_the_verdict() -> None:
    odd = {**ANSWER["report"], "riskIndicators": {"behavioralPatterns": [1, 2], "transactionPatterns": "none"}}
    report = read(report=odd).report
    assert report is not None
    assert report.verdict == "MALICIOUS"
    assert report.risk_indicators is not None
    assert report.risk_indicators.behavioral_patterns is None


@pytest.mark.parametrize("number", ["1e999", '"1e61"', '"NaN"', "true", "[]", '"x"'])
def test_an_amount_without_a_size_that_exists_is_left_out(number: str) -> None:
    body = json.dumps({**ANSWER, "report": {"verdict": "Clean", "totalAmount": "@"}}).replace('"@"', number)
    report = KytReportResponse.model_validate_json(body).report
    assert report is not None
    assert (report.verdict, report.total_amount) == ("CLEAN", None)


def test_search_bodies() -> None:
    request = KytSearchRequest.model_validate({"txHash": "0x1", "blockchain": "eth", "force": "true"})
    assert request.to_wire() == {"txHash": "0x1", "blockchain": "ETH", "force": True}
    answer = KytSearchResponse.model_validate({"requestId": 5, "status": "pending", "message": "started"})
    assert (answer.request_id, answer.status) == (5, "PENDING")


def test_absent_amounts_are_absent_in_both_directions() -> None:
    report = read(report={"verdict": "Clean", "totalAmount": None, "maliciousAmount": ""}).report
    assert report is not None
    assert report.total_amount is None
    assert report.model_dump(mode="json")["totalAmount"] is None


@pytest.mark.parametrize(
    "odd",
    [
        {"totalAmount": "1e400"},
        {"maliciousAmount": "much"},
        {"reportId": "r-1"},
        {"receiver": {"address": "0xab"}},
        {"senders": "0xab"},
        {"generatedAt": "yesterday"},
        {"annotations": ["0xab"]},
        {"byToken": {"ETH": {"total": True}}},
        {"riskIndicators": []},
        {"riskIndicators": {"mlFeatures": {"Tumbling": 0.5}}},
        {"riskIndicators": {"suspiciousServices": {"0xab": None}}},
        {"riskIndicators": {"blacklistedAddresses": [{"address": "0xab"}]}},
    ],
)
def test_evidence_that_cannot_be_read_costs_no_verdict(odd):
    answer = {"requestId": 7, "status": "RELEASED", "report": {"verdict": "Malicious", **odd}}
    read = KytReportResponse.model_validate(answer)
    assert read.report is not None
    assert read.report.verdict == "MALICIOUS"


def test_the_time_of_an_answer_that_cannot_be_read_costs_no_verdict():
    answer = {"requestId": 7, "status": "RELEASED", "submittedAt": "soon", "report": {"verdict": "Malicious"}}
    assert KytReportResponse.model_validate(answer).report is not None


def test_a_list_with_one_odd_indicator_keeps_the_others():
    indicators = {"mlFeatures": {"Tumbling": 0.5}, "blacklistedAddresses": ["0xab"]}
    report = {"verdict": "Malicious", "riskIndicators": indicators}
    read = KytReportResponse.model_validate({"requestId": 7, "status": "RELEASED", "report": report}).report
    assert read is not None
    assert read.risk_indicators is not None
    assert read.risk_indicators.blacklisted_addresses == ("0xab",)
    assert read.risk_indicators.ml_features == {}
