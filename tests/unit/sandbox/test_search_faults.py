"""Faults of searches: of what a VASP asks, of what members are asked, and of callbacks."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.support.hub import error_of
from tests.support.sandbox import OWNED, World, sandbox, withdrawal
from tests.support.search_hub import CALLBACK_URL, REQUEST_ID, TXID_SEARCH, WALLET_SEARCH, rows

URL: dict[str, Any] = {"callbackUrl": CALLBACK_URL}
SEARCH = {"requestId": REQUEST_ID, **TXID_SEARCH.body}


def _world() -> World:
    return sandbox(withdrawals=[withdrawal()], wallets=[OWNED])


def _callback(world: World) -> dict[str, Any]:
    (entry,) = world.entries("callback")
    return entry


async def test_without_faults_a_callback_is_sent_once() -> None:
    world = _world()
    result = await world.find(**URL)
    assert [json.loads(call.body) for call in world.callbacks.calls] == [result]
    entry = _callback(world)
    assert (entry["from"], entry["to"], entry["status"], entry["fault"]) == ("codevasp", "north", 200, "")
    assert entry["ids"] == {"requestId": REQUEST_ID, "result": "valid"}
    assert "secret-path" not in json.dumps(world.entries())


@pytest.mark.parametrize("operation", ["", "callback", "txid-search"])
@pytest.mark.parametrize("member", ["", "north"])
async def test_a_doubled_callback_comes_twice_with_the_same_body(operation: str, member: str) -> None:
    world = _world()
    await world.fault(fault="duplicate-callback", operation=operation, member=member)
    await world.find(**URL)
    assert len(world.callbacks.calls) == 2
    assert len({call.body for call in world.callbacks.calls}) == 1
    assert _callback(world)["fault"] == "duplicate-callback"


@pytest.mark.parametrize(
    ("fault", "name"),
    [
        ({"fault": "lose-callback"}, "lose-callback"),
        ({"fault": "drop-before", "operation": "callback"}, "drop-before"),
        ({"fault": "hang", "operation": "callback"}, "hang"),
    ],
)
async def test_a_lost_callback_never_comes_and_the_result_is_there(fault: dict[str, str], name: str) -> None:
    world = _world()
    await world.fault(**fault)
    assert (await world.find(**URL))["vaspEntityId"] == "robot"
    assert world.callbacks.calls == []
    entry = _callback(world)
    assert (entry["status"], entry["fault"], entry["member"]["reached"]) == (None, name, False)


async def test_faults_of_callbacks_hit_the_search_and_the_member_they_name() -> None:
    world = _world()
    await world.fault(fault="lose-callback", operation="wallet-search")
    await world.fault(fault="lose-callback", member="south")
    await world.find(**URL)
    assert len(world.callbacks.calls) == 1
    await world.find(WALLET_SEARCH, **URL)
    assert len(world.callbacks.calls) == 1


async def test_a_callback_may_come_late_and_after_the_result_was_read() -> None:
    world = _world()
    await world.fault(fault="latency", operation="callback", delaySeconds=40)
    await world.find(**URL)
    assert world.pauses[-1] == 40
    assert len(world.callbacks.calls) == 1
    await world.client.delete("/sandbox/faults")
    await world.fault(fault="drop-after", operation="callback")
    await world.find(request_id="second", **URL)
    assert len(world.callbacks.calls) == 2


@pytest.mark.parametrize(
    "fault",
    [
        {"fault": "status", "status": 503},
        {"fault": "drop-before"},
        {"fault": "drop-before", "status": 0},
        {"fault": "drop-after", "status": 0},
        {"fault": "hang"},
        {"fault": "garbage"},
        {"fault": "missing-field"},
    ],
)
@pytest.mark.parametrize(("kind", "check"), [(TXID_SEARCH, "txid-check"), (WALLET_SEARCH, "wallet-check")])
async def test_a_disturbed_ask_makes_that_member_unavailable(kind: Any, check: str, fault: dict[str, Any]) -> None:
    world = _world()
    await world.fault(operation=check, member="robot", **fault)
    result = await world.find(kind)
    assert (result["reasonType"], rows(result)["robot"]) == (kind.not_found, "SYSTEM_NOT_AVAILABLE")
    asks = {entry["to"]: entry["fault"] for entry in world.entries(check)}
    assert asks == {"south": "", "robot": fault["fault"]}


async def test_a_search_whose_answer_is_lost_still_runs_and_may_be_repeated() -> None:
    world = _world()
    await world.fault(operation="txid-search", fault="drop-after", count=1)
    with pytest.raises(ConnectionResetError):
        await world.send("POST", TXID_SEARCH.path, SEARCH)
    assert (await world.find())["vaspEntityId"] == "robot"
    assert len(world.entries("txid-check")) == 2


async def test_a_search_that_is_lost_on_its_way_never_ran() -> None:
    world = _world()
    await world.fault(operation="txid-search", fault="drop-before")
    with pytest.raises(ConnectionResetError):
        await world.send("POST", TXID_SEARCH.path, SEARCH)
    result = await world.send("GET", f"{TXID_SEARCH.path}/{REQUEST_ID}")
    assert result.json()["reasonType"] == "LACK_OF_INFORMATION"
    assert world.entries("txid-check") == []


async def test_reading_a_result_may_fail_and_work_later() -> None:
    world = _world()
    await world.find()
    await world.fault(operation="txid-search-result", fault="status", status=500, count=1)
    path = f"{TXID_SEARCH.path}/{REQUEST_ID}"
    assert error_of(await world.send("GET", path)) == (500, "CODE_SERVER_INTERNAL_ERROR")
    assert (await world.send("GET", path)).json()["vaspEntityId"] == "robot"
