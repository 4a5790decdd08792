"""M4 (each row of member-api.md section 5) and M8; what the metric counts."""

from __future__ import annotations

import pytest

from tests.support.gateway_scene import HEADERS, OTHER, GatewayScene, key, without
from travelrule.gateway.endpoints.status_search import ANSWERED
from travelrule.metrics import REGISTRY
from travelrule.store.search_rows import ExchangeRecord

ROWS = {
    "wait": "pending",
    "verified": "pending",
    "pending": "pending",
    "processing": "processing",
    "wait-confirm": "wait-confirm",
    "confirmed": "confirmed",
    "canceled": "canceled",
    "denied": "canceled",
}


@pytest.mark.parametrize("own", sorted(ROWS))
async def test_each_state(scene: GatewayScene, own: str) -> None:
    scene.reads.exchanges["t-1", "north"] = ExchangeRecord("t-1", own, None, None)
    assert (await scene.status()).json() == {"transferId": "t-1", "status": ROWS[own]}
    scene.reads.exchanges["t-1", "north"] = ExchangeRecord("t-1", own, "ab12", "0")
    assert (await scene.status()).json() == {"transferId": "t-1", "status": ROWS[own], "txid": "ab12", "vout": "0"}


def test_every_state_of_the_machine_has_an_answer() -> None:
    from travelrule.exchange.table import ORIGINATING
    from travelrule.machine.transition_table import NEW

    assert set(ANSWERED) == set(ORIGINATING.transitions) - {NEW} == set(ROWS)


async def test_unknown_or_not_the_callers(scene: GatewayScene) -> None:
    answer = await scene.status()
    assert (answer.status_code, answer.json()["errorType"]) == (503, "UNKNOWN_TRANSFER_ID")
    scene.reads.exchanges["t-1", "east"] = ExchangeRecord("t-1", "confirmed", "ab12", None)
    answer = await scene.status()
    assert (answer.status_code, answer.json()["errorType"]) == (503, "UNKNOWN_TRANSFER_ID")
    assert scene.intake.items == []


async def test_an_outsider_that_we_sent_to_may_ask(scene: GatewayScene) -> None:
    """Whom we send to and whom we accept from are two lists."""
    scene.rules(accept_origins=("east",))
    scene.reads.exchanges["t-1", "north"] = ExchangeRecord("t-1", "processing", None, None)
    assert (await scene.status()).json()["status"] == "processing"
    forged = {**without("X-Code-Req-Remote-PubKey"), "X-Code-Req-PubKey": OTHER.public_base64}
    scene.current["north"] = (key(OTHER, days=-1),)
    assert (await scene.status(headers=forged)).json()["errorType"] == "INVALID_HEADER_SIGNATURE"


async def test_health(scene: GatewayScene) -> None:
    answer = await scene.send("GET", "/v1/vasp/health", b"", {})
    assert (answer.status_code, answer.json()) == (200, {"status": "up"})
    scene.reads.up = False
    answer = await scene.send("GET", "/v1/vasp/health", b"", {})
    assert (answer.status_code, answer.json()["errorType"]) == (503, "VASP_BACKEND_INTERNAL_ERROR")


async def test_paths_and_methods_are_exact(scene: GatewayScene) -> None:
    for method, path, status in (
        ("POST", "/v1/beneficiary/verifyaddress", 404),
        ("GET", "/v1/vasp/transfer/status", 405),
        ("GET", "/v1/verification/tx", 405),
        ("PUT", "/v1/verification/tx/south", 404),
        ("PUT", "/v1/beneficiary/transfer", 405),
        ("POST", "/v1/vasp/health", 405),
        ("POST", "/v1/beneficiary/transfer/", 404),
        ("GET", "/", 404),
    ):
        answer = await scene.send(method, path, {})
        assert answer.status_code == status, (method, path)
        assert set(answer.json()) == {"errorType", "errorMsg"}


async def test_a_header_that_comes_twice_is_refused(scene: GatewayScene) -> None:
    client = scene.client or scene.open()
    headers = [*HEADERS.items(), ("X-Request-Origin", "code:other")]
    answer = await client.request("PUT", "/v1/vasp/transfer/status", content=b"{}", headers=headers)
    assert answer.status_code == 503
    assert answer.json() == {
        "errorType": "INVALID_MSG_FIELD_VALUE",
        "errorMsg": "x-request-origin: send the header once",
    }


@pytest.mark.parametrize(
    ("path", "allowed"),
    [
        ("/v1/vasp/transfer/status", "POST, PUT"),
        ("/v1/verification/tx", "POST, PUT"),
        ("/v1/beneficiary/transfer", "POST"),
        ("/v1/vasp/health", "GET, HEAD"),
    ],
)
async def test_a_wrong_method_is_told_all_that_the_path_allows(scene: GatewayScene, path: str, allowed: str) -> None:
    answer = await scene.send("DELETE", path, {})
    assert (answer.status_code, answer.headers["allow"]) == (405, allowed)


def count(operation: str, result: str) -> float:
    labels = {"operation": operation, "result": result}
    return REGISTRY.get_sample_value("travelrule_gateway_request_duration_seconds_count", labels) or 0.0


async def test_the_metric(scene: GatewayScene) -> None:
    before = [count("address-search", "valid"), count("finish", "MISSING_HEADER_FIELD"), count("health", "up")]
    await scene.verify()
    await scene.finish(headers={})
    await scene.send("GET", "/v1/vasp/health", b"", {})
    after = [count("address-search", "valid"), count("finish", "MISSING_HEADER_FIELD"), count("health", "up")]
    assert [new - old for new, old in zip(after, before, strict=True)] == [1, 1, 1]
