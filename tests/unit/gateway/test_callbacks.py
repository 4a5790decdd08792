"""Callbacks: only arrival counts; a path that was never given away does not exist; nothing that is said is believed."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator
from datetime import timedelta

import httpx
import orjson
import pytest

from tests.support.gateway_scene import GatewayScene
from travelrule.engine.callback_urls import SearchRecord
from travelrule.engine.input_outcome import InputOutcome
from travelrule.gateway.callbacks import BODY_BYTES_MAX
from travelrule.messages.arrival import SearchCalledBack

TOKEN = "0123456789abcdef" * 2
JSON = {"Content-Type": "application/json"}
REQUEST = "5d3c0a44-0f4e-4c7f-8a0e-9d0d6f0a1b2c"
RESULT = {
    "result": "valid",
    "vaspEntityId": "north",
    "requestId": REQUEST,
    "analysisResult": [{"entityId": "north", "result": "FOUND"}],
}


@pytest.fixture(autouse=True)
def _a_search(scene: GatewayScene) -> None:
    record = SearchRecord("txid-search", REQUEST, "deposit:d-1")
    scene.searches.known["txid-search", TOKEN] = record
    scene.intake.outcome = InputOutcome("applied")


async def call(
    scene: GatewayScene, body: object = RESULT, token: str = TOKEN, kind: str = "txid-search"
) -> httpx.Response:
    return await scene.send("POST", f"/callbacks/{kind}/{token}", body, {})


async def test_arrival_becomes_an_input_of_whoever_searches(scene: GatewayScene) -> None:
    answer = await call(scene)
    assert (answer.status_code, answer.json()) == (200, {"result": "ok"})
    (item,) = scene.intake.items
    assert (item.source, item.type, item.subject) == ("/gateway/callbacks", "search.called-back", "deposit:d-1")
    assert item.data == SearchCalledBack(operation="txid-search", request_id=REQUEST)
    assert orjson.loads(item.content) == {"operation": "txid-search", "requestId": REQUEST}


async def test_nothing_of_the_body_goes_on(scene: GatewayScene) -> None:
    await call(scene, {**RESULT, "vaspEntityId": "invented", "analysisResult": [{"entityId": "x", "result": "FOUND"}]})
    (item,) = scene.intake.items
    assert b"invented" not in item.content


@pytest.mark.parametrize(
    "token",
    [
        "f" * 32, TOKEN.upper(), TOKEN[:-1], TOKEN + "0", "0" * 4000, REQUEST, "%00" * 4, "..%2f..%2fetc",
        "%F0%9F%92%A9", "' OR 1=1--", "٠" * 32, TOKEN + "%0a", "",
    ],
)  # fmt: skip
async def test_an_unknown_token_is_a_path_that_does_not_exist(scene: GatewayScene, token: str) -> None:
    nowhere = await scene.send("POST", "/nowhere", RESULT, {})
    answer = await call(scene, token=token)
    assert (answer.status_code, answer.content) == (404, nowhere.content)
    assert answer.headers["content-type"] == nowhere.headers["content-type"]
    assert scene.intake.items == []


async def test_a_token_serves_its_own_operation_only(scene: GatewayScene) -> None:
    assert (await call(scene, kind="wallet-search")).status_code == 404
    assert (await call(scene, kind="kyt")).status_code == 404
    scene.searches.known["wallet-search", TOKEN] = SearchRecord("wallet-search", "r-2", "withdrawal:w-1")
    answer = await call(scene, {"requestId": "r-2", "beneficiaryVaspEntityId": "north"}, kind="wallet-search")
    assert answer.status_code == 200
    assert scene.intake.items[0].subject == "withdrawal:w-1"


@pytest.mark.parametrize("said", ["r-2", REQUEST.upper(), 7, ["x"], {"a": 1}, True])
async def test_a_body_that_names_another_search_is_ignored(scene: GatewayScene, said: object) -> None:
    answer = await call(scene, {**RESULT, "requestId": said})
    assert (answer.status_code, answer.json()) == (200, {"result": "ignored"})
    assert scene.intake.items == []


@pytest.mark.parametrize(
    ("operation", "body"),
    [
        ("kyt-search", {"requestId": 4711, "status": "RELEASED", "report": {"verdict": "Clean"}}),
        ("kyt-search", {"requestId": "another-one"}),
        ("unhosted-token", {"verificationId": "v-1", "status": "VERIFIED", "signature": "0x00"}),
        ("unhosted-token", {"requestId": "whatever"}),
    ],
)
async def test_what_the_hub_calls_by_its_own_name_gets_through_and_is_not_believed(
    scene: GatewayScene, operation: str, body: object
) -> None:
    scene.searches.known[operation, TOKEN] = SearchRecord(operation, REQUEST, "screening:s-1")
    answer = await call(scene, body, kind=operation)
    assert (answer.status_code, answer.json()) == (200, {"result": "ok"})
    (item,) = scene.intake.items
    assert item.subject == "screening:s-1"
    assert orjson.loads(item.content) == {"operation": operation, "requestId": REQUEST}
    assert (await call(scene, body, kind=operation)).json() == {"result": "ignored"}, "once a second"


@pytest.mark.parametrize(
    "body",
    [
        b"", b"not json", b"\xff\xfe", b"[]", b"7", b"null", b"{}", b'{"requestId":null}', b'{"requestId":""}',
        b"[" * 100_000, b'{"a":' * 50_000, b'{"requestId":"' + REQUEST.encode() + b'"',
    ],
)  # fmt: skip
async def test_nonsense_arrives_as_well(scene: GatewayScene, body: bytes) -> None:
    """The path alone identifies the search."""
    answer = await call(scene, body)
    assert answer.status_code == 200
    assert len(scene.intake.items) == 1


async def test_a_large_body_is_not_read_to_its_end(scene: GatewayScene) -> None:
    async def endless() -> AsyncIterator[bytes]:
        for _ in range(BODY_BYTES_MAX // 65536 + 2):
            yield b"x" * 65536

    client = scene.open()
    answer = await client.post(f"/callbacks/txid-search/{TOKEN}", content=endless(), headers=JSON)
    assert answer.status_code == 413
    assert scene.intake.items == []


async def test_a_search_is_asked_about_once_a_second(scene: GatewayScene) -> None:
    for _ in range(3):
        assert (await call(scene)).status_code == 200
    assert len(scene.intake.items) == 1
    scene.now += timedelta(seconds=1)
    assert (await call(scene)).json() == {"result": "ok"}
    assert len({item.id for item in scene.intake.items}) == 2


async def test_processes_that_know_nothing_of_each_other_make_one_input_a_second(scene: GatewayScene) -> None:
    """The id is the second's, so the store absorbs what the memory of one process cannot see."""
    for _ in range(2):
        async with scene.open() as client:
            await client.post(f"/callbacks/txid-search/{TOKEN}", content=b"{}", headers=JSON)
    assert len(scene.intake.items) == 2
    assert len({item.id for item in scene.intake.items}) == 1


async def test_a_callback_that_could_not_be_stored_may_come_again(scene: GatewayScene) -> None:
    scene.intake.failure = ConnectionError("gone")
    answer = await call(scene)
    assert (answer.status_code, answer.json()["errorType"]) == (503, "VASP_BACKEND_INTERNAL_ERROR")
    scene.intake.failure = None
    assert (await call(scene)).json() == {"result": "ok"}
    scene.searches.failure = ConnectionError("gone")
    assert (await call(scene)).status_code == 503


async def test_whatever_became_of_the_input_the_hub_is_told_ok(scene: GatewayScene) -> None:
    for outcome in (InputOutcome("rejected", "ERASED"), InputOutcome("duplicate"), InputOutcome("parked")):
        scene.intake.outcome = outcome
        scene.now += timedelta(seconds=2)
        assert (await call(scene)).json() == {"result": "ok"}


async def test_a_stuck_database_does_not_hold_the_hub(scene: GatewayScene) -> None:
    class Stuck:
        async def submit(self, _: object) -> InputOutcome:
            await asyncio.Event().wait()
            raise AssertionError

    scene.open(intake=Stuck(), deadline_s=0.05)
    assert (await call(scene)).status_code == 503


async def test_other_methods(scene: GatewayScene) -> None:
    assert (await scene.send("GET", f"/callbacks/txid-search/{TOKEN}", b"", {})).status_code == 405


async def test_neither_token_nor_body_is_logged(scene: GatewayScene, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    await call(scene, {"requestId": "Zebulon"})
    await call(scene, b"Zebulon")
    scene.searches.failure = ValueError(f"Zebulon {TOKEN}")
    await call(scene)
    ours = [record for record in caplog.records if record.name.startswith("travelrule")]
    everything = "\n".join(f"{record.getMessage()} {record.__dict__}" for record in ours)
    assert "callback-failed" in everything
    assert "callback-ignored" in everything
    assert "Zebulon" not in everything
    assert TOKEN not in everything
