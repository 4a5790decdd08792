"""Screening, KYT and unhosted wallets: their paths, their answers, and the errors that only they have."""

from __future__ import annotations

from decimal import Decimal

import httpx
import pytest
from pydantic import ValidationError

from schemas.hub.kyt import KytReportResponse
from schemas.hub.screening import KytSearchResponse, UnhostedResult, UnhostedTokenResponse
from schemas.operations import Operation
from tests.support.hub_function import NOW, OWN, HubFunction, signer
from travelrule.client.attempt import attempt
from travelrule.client.errors import Action, BadAnswer, HubError, HubRefused, HubUnavailable, QuotaRefused
from travelrule.client.hub import HubClient


async def test_the_other_prefix_is_used_for_screening_only(hub: HubFunction) -> None:
    hub.answer = lambda _: httpx.Response(200, json={"result": "NORMAL", "requestId": 7, "status": "PENDING"})
    client = HubClient(
        "http://hub.test",
        "code:north",
        signer(),
        httpx.MockTransport(hub),
        clock=lambda: NOW,
        screening_prefix="uppsala",
    )
    await client.call(Operation.WALLET_SCREENING, "", b"{}")
    await client.call(Operation.TRANSACTION_SCREENING, "", b"{}")
    await client.call(Operation.KYT_SEARCH, "", b"{}")
    await client.call(Operation.KYT_REPORT, "7", b"")
    await client.call(Operation.UNHOSTED_RESULT, "w", b"")
    await client.aclose()
    assert [request.url.raw_path.decode() for request in hub.requests] == [
        "/v1/code/uppsala/wallet",
        "/v1/code/uppsala/tx-hash",
        "/v1/code/uppsala/kytsearch",
        "/v1/code/uppsala/kytreport?requestId=7",
        "/v1/code/unhosted-wallet-verification/w",
    ]


async def test_a_report_is_signed_without_body_and_read_whole(client: HubClient, hub: HubFunction) -> None:
    hub.says(
        200,
        json={
            "requestId": 7,
            "status": "RELEASED",
            "error": None,
            "submittedAt": "2026-11-20T08:59:00",
            "report": {
                "reportId": 70,
                "verdict": "Malicious",
                "totalAmount": 12.5,
                "riskIndicators": {"blacklistedAddresses": ["0xbad"], "transactionPatterns": {"dormant status": {}}},
            },
        },
    )
    answer = KytReportResponse.from_wire((await client.call(Operation.KYT_REPORT, "7", b"")).body)
    assert answer.report is not None
    assert (answer.report.verdict, answer.report.total_amount) == ("MALICIOUS", Decimal("12.5"))
    (request,) = hub.requests
    assert request.url.query == b"requestId=7"
    assert request.content == b""


@pytest.mark.parametrize("status", [200, 400, 422, 500, 503])
async def test_a_failed_screening_is_an_answer_with_any_status(
    client: HubClient, hub: HubFunction, status: int
) -> None:
    hub.says(status, json={"result": "ERROR", "reasonMsg": "chain not supported"})
    assert (await client.call(Operation.WALLET_SCREENING, "", b"{}")).result == "error"
    assert (await client.call(Operation.TRANSACTION_SCREENING, "", b"{}")).result == "error"
    tried = await attempt(client.call("wallet-screening", "", b"{}"), OWN)
    assert (tried.kind, tried.status, (tried.body or {})["result"]) == ("answer", status, "ERROR")


@pytest.mark.parametrize(
    ("status", "content", "kind"),
    [
        (422, b'{"errorType": "INVALID_HEADER_SIGNATURE"}', HubRefused),
        (429, b'{"errorType": "TOO_MANY_REQUESTS"}', HubUnavailable),
        (503, b"<html>", HubUnavailable),
        (500, b'{"result": "NORMAL"}', HubUnavailable),
        (500, b'{"result": 7}', HubUnavailable),
        (200, b'{"result": "MAYBE"}', BadAnswer),
    ],
)
async def test_other_answers_to_a_screening_are_errors(
    client: HubClient, hub: HubFunction, status: int, content: bytes, kind: type[HubError]
) -> None:
    hub.says(status, content=content)
    with pytest.raises(HubError) as caught:
        await client.call(Operation.WALLET_SCREENING, "", b"{}")
    assert type(caught.value) is kind


async def test_an_error_result_means_nothing_to_other_operations(client: HubClient, hub: HubFunction) -> None:
    hub.says(503, json={"result": "ERROR"})
    with pytest.raises(HubUnavailable):
        await client.call(Operation.TXID_SEARCH, "", b"{}")
    with pytest.raises(HubUnavailable):
        await client.call(Operation.KYT_SEARCH, "", b"{}")


async def test_invalid_origin_of_kyt_is_its_quota_and_elsewhere_our_registration(
    client: HubClient, hub: HubFunction, seen: list[tuple[str, str]]
) -> None:
    hub.says(422, json={"errorType": "INVALID_ORIGIN"})
    for call in (client.call(Operation.KYT_SEARCH, "", b"{}"), client.call(Operation.KYT_REPORT, "7", b"")):
        with pytest.raises(QuotaRefused) as caught:
            await call
        assert (caught.value.error_code, caught.value.action) == ("INVALID_ORIGIN", Action.OPERATOR)
    for call in (client.call(Operation.WALLET_SCREENING, "", b"{}"), client.call(Operation.UNHOSTED_TOKEN, "", b"{}")):
        with pytest.raises(HubRefused) as refused:
            await call
        assert type(refused.value) is HubRefused
    assert {outcome for _, outcome in seen} == {"refused"}


async def test_a_503_of_kyt_without_a_code_is_the_providers(client: HubClient, hub: HubFunction) -> None:
    hub.says(503, content=b"busy")
    with pytest.raises(HubUnavailable) as caught:
        await client.call(Operation.KYT_SEARCH, "", b"{}")
    assert (caught.value.fault, caught.value.maybe_acted) == ("hub", False)


@pytest.mark.parametrize(
    ("answer", "reads"),
    [
        ({"status": "VERIFIED", "address": "0xa", "verifiedAt": "2026-11-20T09:00:00"}, "VERIFIED"),
        ({"status": "pending"}, "PENDING"),
        ({"status": "SOMETHING_NEW"}, "SOMETHING_NEW"),
    ],
)
async def test_the_status_of_a_session_is_an_open_text(
    client: HubClient, hub: HubFunction, answer: dict[str, str], reads: str
) -> None:
    hub.says(200, json=answer)
    answered = await client.call(Operation.UNHOSTED_RESULT, "w", b"")
    assert UnhostedResult.from_wire(answered.body).status == reads


@pytest.mark.parametrize("answer", [{}, {"token": ""}, {"token": 7}, {"token": "t"}, {"walletVerificationId": "w"}])
async def test_a_token_without_its_parts_is_a_bad_answer(
    client: HubClient, hub: HubFunction, answer: dict[str, object]
) -> None:
    hub.says(200, json=answer)
    with pytest.raises((BadAnswer, ValidationError)):
        UnhostedTokenResponse.from_wire((await client.call(Operation.UNHOSTED_TOKEN, "", b"{}")).body)


@pytest.mark.parametrize("answer", [{"status": "DONE", "requestId": 7}, {"status": "PENDING"}, {"requestId": 7}])
async def test_a_kyt_answer_without_a_known_status_and_id_is_a_bad_answer(
    client: HubClient, hub: HubFunction, answer: dict[str, object]
) -> None:
    hub.says(200, json=answer)
    with pytest.raises((BadAnswer, ValidationError)):
        KytSearchResponse.from_wire((await client.call(Operation.KYT_SEARCH, "", b"{}")).body)
