"""A body without its media type, or with another one, is refused before it is read."""

from __future__ import annotations

import pytest

from tests.support.gateway_scene import HEADERS, GatewayScene
from tests.unit.gateway.test_hygiene import ENDPOINTS
from travelrule.engine.callback_urls import SearchRecord
from travelrule.engine.input_outcome import InputOutcome

TOKEN = "0123456789abcdef" * 2


@pytest.mark.parametrize(("method", "path"), ENDPOINTS)
@pytest.mark.parametrize(
    ("content_type", "code"),
    [(None, "MISSING_HEADER_FIELD"), ("", "MISSING_HEADER_FIELD"), ("text/plain", "INVALID_MSG_FIELD_VALUE")],
)
async def test_every_operation_wants_json(
    scene: GatewayScene, method: str, path: str, content_type: str | None, code: str
) -> None:
    answer = await scene.send(method, path, {"transferId": "t-1"}, HEADERS, content_type)
    assert (answer.status_code, answer.json()["errorType"]) == (503, code)
    assert answer.json()["errorMsg"].startswith("Content-Type: ")


@pytest.mark.parametrize("content_type", ["application/json; charset=utf-8", "Application/Json"])
async def test_what_clients_add_to_it_does_not_count(scene: GatewayScene, content_type: str) -> None:
    answer = await scene.send("POST", "/v1/vasp/transfer/status", {"transferId": "t-1"}, HEADERS, content_type)
    assert answer.json()["errorType"] == "UNKNOWN_TRANSFER_ID"


async def test_a_request_without_body_needs_none(scene: GatewayScene) -> None:
    scene.open()
    assert scene.client is not None
    assert (await scene.client.get("/v1/vasp/health", headers=HEADERS)).status_code == 200
    assert (await scene.client.head("/v1/vasp/health", headers=HEADERS)).status_code == 200


async def test_a_callback_of_another_type_asks_for_nothing(scene: GatewayScene) -> None:
    scene.searches.known["txid-search", TOKEN] = SearchRecord("txid-search", "r-1", "deposit:d-1")
    answer = await scene.send("POST", f"/callbacks/txid-search/{TOKEN}", {"requestId": "r-1"}, {}, "text/plain")
    assert (answer.status_code, answer.json()["errorType"]) == (415, "INVALID_MSG_FIELD_VALUE")
    assert scene.intake.items == []


async def test_a_callback_without_body_needs_no_type(scene: GatewayScene) -> None:
    scene.intake.outcome = InputOutcome("applied")
    scene.searches.known["txid-search", TOKEN] = SearchRecord("txid-search", "r-1", "deposit:d-1")
    answer = await scene.send("POST", f"/callbacks/txid-search/{TOKEN}", b"", {}, None)
    assert (answer.status_code, answer.json()) == (200, {"result": "ok"})
    assert len(scene.intake.items) == 1
