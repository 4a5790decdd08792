"""KYT at the hub: searches, reports, callbacks and their errors (screening.md sections 4 to 7)."""

from __future__ import annotations

import json
from typing import Any

import pytest

from schemas.hub.kyt import KytReportResponse
from tests.support.hub import error_of
from tests.support.screening_hub import AS_SOUTH, CLEAN, HASH, URL, RiskHub, risk_hub
from travelrule.hub.ports import NoMemberAnswer
from travelrule.hub.risk.records import Analysis, KytSubject

STARTED = "Transaction analysis started."
LINKED = "Linked to existing report for this transaction."


async def _pending(hub: RiskHub, **fields: Any) -> int:
    told = (await hub.search(fields=fields)).json()
    assert (told["status"], told["message"]) == ("PENDING", STARTED), told
    request_id = told["requestId"]
    assert isinstance(request_id, int)
    return request_id


@pytest.mark.parametrize("prefix", ["partner", "uppsala"])
async def test_a_search_is_pending_then_released_and_called_back_once(prefix: str) -> None:
    hub = risk_hub()
    told = (await hub.search(prefix, {"callbackUrl": URL})).json()
    assert (told["status"], told["message"]) == ("PENDING", STARTED)
    pending = (await hub.report(told["requestId"], prefix)).json()
    assert pending == {
        "requestId": told["requestId"],
        "status": "PENDING",
        "error": None,
        "submittedAt": "2026-11-20T09:00:00Z",
        "report": None,
    }
    assert hub.callbacks.calls == []
    await hub.finish_analyses()
    released = (await hub.report(told["requestId"], prefix)).json()
    assert (released["status"], released["report"]) == ("RELEASED", CLEAN.report)
    assert KytReportResponse.model_validate(released).request_id == told["requestId"]
    (call,) = hub.callbacks.calls
    assert (call.url, call.receiver, json.loads(call.body)) == (URL, "north", released)
    assert hub.analyst.analysed == [KytSubject("ETH", HASH.lower().removeprefix("0x"))]


async def test_the_journal_has_the_transaction_the_request_and_the_callback_without_its_url() -> None:
    hub = risk_hub()
    request_id = await _pending(hub, callbackUrl=URL)
    await hub.finish_analyses()
    search, callback = hub.records.kept
    assert (search.operation, search.txid, search.request_id, search.result) == (
        "kyt-search",
        HASH,
        str(request_id),
        "PENDING",
    )
    assert (callback.operation, callback.target, callback.request_id, callback.result) == (
        "callback",
        "north",
        str(request_id),
        "RELEASED",
    )
    assert "secret-path" not in repr(hub.records.kept) + repr(hub.callbacks.calls)


@pytest.mark.parametrize("answer", [500, NoMemberAnswer(reached=True), RuntimeError("a fault of the transport")])
async def test_a_callback_is_not_repeated_whatever_becomes_of_it(answer: int | Exception) -> None:
    hub = risk_hub()
    hub.callbacks.answer = answer
    request_id = await _pending(hub, callbackUrl=URL)
    await hub.finish_analyses()
    assert len(hub.callbacks.calls) == 1
    assert (await hub.report(request_id)).json()["status"] == "RELEASED"


async def test_without_a_url_nobody_is_called() -> None:
    hub = risk_hub()
    await _pending(hub)
    await hub.finish_analyses()
    assert hub.callbacks.calls == []


async def test_a_cache_hit_is_released_at_once_and_not_called_back() -> None:
    hub = risk_hub()
    first = await _pending(hub)
    await hub.finish_analyses()
    # The same hash written otherwise, by somebody else.
    again = (await hub.search(fields={"txHash": HASH.lower(), "callbackUrl": URL}, **AS_SOUTH)).json()
    await hub.hub.tasks.settled()
    assert (again["status"], again["message"]) == ("RELEASED", LINKED)
    assert again["requestId"] > first
    assert (await hub.report(again["requestId"], **AS_SOUTH)).json()["report"]["reportId"] == 70
    assert hub.callbacks.calls == []
    assert len(hub.analyst.analysed) == 1
    assert hub.analyst.admitted[-2:] == [("south", False), ("south", False)]


async def test_what_the_provider_knows_already_is_released_at_once() -> None:
    hub = risk_hub()
    hub.analyst.ready = CLEAN
    told = (await hub.search()).json()
    assert (told["status"], told["message"]) == ("RELEASED", LINKED)
    assert hub.analyst.analysed == []


@pytest.mark.parametrize("force", [True, "true"])
async def test_force_analyses_again_and_costs_quota(force: object) -> None:
    hub = risk_hub()
    hub.analyst.ready = CLEAN
    request_id = await _pending(hub, force=force, callbackUrl=URL)
    hub.analyst.ends = Analysis({"reportId": 71, "verdict": "Malicious"})
    await hub.finish_analyses()
    assert (await hub.report(request_id)).json()["report"]["verdict"] == "Malicious"
    assert len(hub.callbacks.calls) == 1
    assert hub.analyst.admitted[0] == ("north", True)
    # The newer report is the one that is found from now on.
    linked = (await hub.search()).json()
    assert (await hub.report(linked["requestId"])).json()["report"]["reportId"] == 71


async def test_searches_for_one_transaction_share_an_analysis_and_are_each_called_back() -> None:
    hub = risk_hub()
    first = await _pending(hub, callbackUrl=URL)
    second = (await hub.search(fields={"callbackUrl": URL, "force": False}, **AS_SOUTH)).json()
    assert (second["status"], second["message"]) == ("PENDING", LINKED)
    await hub.finish_analyses()
    assert len(hub.analyst.analysed) == 1
    assert [(call.receiver, json.loads(call.body)["requestId"]) for call in hub.callbacks.calls] == [
        ("north", first),
        ("south", second["requestId"]),
    ]


async def test_the_same_hash_on_another_chain_is_another_transaction() -> None:
    hub = risk_hub()
    await _pending(hub)
    await _pending(hub, blockchain="BSC")
    await hub.finish_analyses()
    assert [subject.blockchain for subject in hub.analyst.analysed] == ["ETH", "BSC"]


@pytest.mark.parametrize(
    ("ends", "error"),
    [
        (Analysis(error="Tx hash not found"), "Tx hash not found"),
        (RuntimeError("the provider broke"), "Transaction analysis failed"),
    ],
)
async def test_a_failed_analysis_is_told_and_not_kept_for_the_next_search(
    ends: Analysis | Exception, error: str
) -> None:
    hub = risk_hub()
    hub.analyst.ends = ends
    request_id = await _pending(hub, callbackUrl=URL)
    await hub.finish_analyses()
    told = (await hub.report(request_id)).json()
    assert (told["status"], told["error"], told["report"]) == ("FAILED", error, None)
    assert json.loads(hub.callbacks.calls[0].body) == told
    await _pending(hub)
    await hub.finish_analyses()
    assert len(hub.analyst.analysed) == 2


async def test_a_report_is_its_askers_own_and_served_for_its_time() -> None:
    hub = risk_hub(kyt_request_seconds=300)
    request_id = await _pending(hub)
    assert error_of(await hub.report(request_id, **AS_SOUTH)) == (403, "ACCESS_DENIED")
    hub.clock.forward(299)
    assert (await hub.report(request_id, at="2026-11-20T09:04:59Z")).status_code == 200
    await hub.finish_analyses()
    hub.clock.forward(1)
    # That it ended meanwhile does not prolong it.
    assert error_of(await hub.report(request_id, at="2026-11-20T09:05:00Z")) == (404, "NOT_FOUND")
    assert error_of(await hub.report(12, at="2026-11-20T09:05:00Z")) == (404, "NOT_FOUND")


@pytest.mark.parametrize("request_id", ["", "x", "-1", "1.5", "1e3", "9" * 19, "%20"])
async def test_a_request_id_that_is_no_number_is_a_bad_request(request_id: str) -> None:
    assert error_of(await risk_hub().report(request_id)) == (400, "BAD_REQUEST")


async def test_a_report_without_request_id_is_a_bad_request() -> None:
    assert error_of(await risk_hub().send("GET", "/v1/code/partner/kytreport")) == (400, "BAD_REQUEST")


@pytest.mark.parametrize(
    ("fields", "error_type"),
    [
        ({"txHash": ""}, "BAD_REQUEST"),
        ({"txHash": None}, "BAD_REQUEST"),
        ({"txHash": 7}, "BAD_REQUEST"),
        ({"blockchain": ""}, "BAD_REQUEST"),
        ({"force": "yes"}, "BAD_REQUEST"),
        ({"callbackUrl": "http://north.invalid/x"}, "BAD_REQUEST"),
        ({"callbackUrl": "ftp://north.invalid/x"}, "BAD_REQUEST"),
        ({"callbackUrl": 7}, "BAD_REQUEST"),
        ({"blockchain": "DOGE"}, "UNSUPPORTED_BLOCKCHAIN"),
        ({"blockchain": "TON"}, "UNSUPPORTED_BLOCKCHAIN"),
    ],
)
async def test_faults_of_a_search(fields: dict[str, Any], error_type: str) -> None:
    hub = risk_hub()
    assert error_of(await hub.search(fields=fields)) == (400, error_type)
    assert hub.analyst.admitted == []
    assert error_of(await hub.send("POST", "/v1/code/partner/kytsearch", b"{")) == (400, "BAD_REQUEST")


async def test_plain_http_on_loopback_may_be_allowed_for_tests() -> None:
    hub = risk_hub(allow_http_callbacks=True)
    await _pending(hub, callbackUrl="http://127.0.0.1:9/x")
    assert error_of(await hub.search(fields={"callbackUrl": "http://north.invalid/x"})) == (400, "BAD_REQUEST")


async def test_a_vasp_without_kyt_and_a_hub_without_a_provider_say_invalid_origin() -> None:
    hub = risk_hub()
    hub.analyst.refused = True
    assert error_of(await hub.search()) == (422, "INVALID_ORIGIN")
    assert error_of(await hub.report(1)) == (422, "INVALID_ORIGIN")
    without = risk_hub(providers=False)
    assert error_of(await without.search()) == (422, "INVALID_ORIGIN")
    assert error_of(await without.report(1)) == (422, "INVALID_ORIGIN")


async def test_searches_are_limited_and_reports_are_not() -> None:
    hub = risk_hub(rate_limit_per_minute=1)
    request_id = await _pending(hub)
    assert error_of(await hub.search()) == (429, "TOO_MANY_REQUESTS")
    for _ in range(3):
        assert (await hub.report(request_id)).status_code == 200


async def test_a_hub_that_ends_gives_up_analyses_after_their_grace() -> None:
    hub = risk_hub()
    await _pending(hub, callbackUrl=URL)
    await hub.hub.tasks.aclose(0.01)
    assert hub.callbacks.calls == []
