"""Faults: what each kind does to the caller, to the member and to the journal; and that a seed repeats them."""

from __future__ import annotations

from typing import Any

import pytest

from tests.support.hub import TRANSFER_ID, error_of
from tests.support.sandbox import World, sandbox, transfer_ids
from travelrule.sandbox.faults.fault_book import FaultBook
from travelrule.sandbox.faults.fault_spec import FaultSpec

REPORT = "/v1/code/transfer/south/txid"
BODY = {"transferId": TRANSFER_ID, "txid": "x"}


async def _report(world: World) -> Any:
    world.south.says(result="normal", transferId=TRANSFER_ID)
    return await world.send("POST", REPORT, BODY)


def _member_side(world: World) -> tuple[bool, int | None, str]:
    entry = world.entries("txid-report")[-1]
    return entry["member"]["reached"], entry["member"]["status"], entry["ids"].get("result", "")


@pytest.mark.parametrize(
    ("fault", "seen", "forwarded", "member_side"),
    [
        ({"fault": "drop-before"}, (408, "BENEFICIARY_VASP_REQUEST_TIMEOUT"), 0, (False, None, "")),
        ({"fault": "drop-after"}, (408, "BENEFICIARY_VASP_REQUEST_TIMEOUT"), 1, (True, 200, "normal")),
        ({"fault": "hang"}, (408, "BENEFICIARY_VASP_REQUEST_TIMEOUT"), 0, (False, None, "")),
        ({"fault": "garbage"}, (500, "RECEIVED_WRONG_JSON_MESSAGE"), 1, (True, 200, "normal")),
        ({"fault": "missing-field"}, (500, "RECEIVED_MSG_MISSING_FIELD"), 1, (True, 200, "normal")),
        ({"fault": "status", "status": 503}, (503, "VASP_BACKEND_INTERNAL_ERROR"), 0, (False, None, "")),
        ({"fault": "status", "status": 500}, (500, "CODE_SERVER_INTERNAL_ERROR"), 0, (False, None, "")),
        (
            {"fault": "status", "status": 422, "errorType": "INVALID_RECEIVER_PUBLIC_KEY"},
            (422, "INVALID_RECEIVER_PUBLIC_KEY"),
            0,
            (False, None, ""),
        ),
    ],
)
async def test_what_caller_member_and_journal_see(
    fault: dict[str, Any], seen: tuple[int, str], forwarded: int, member_side: tuple[bool, int | None, str]
) -> None:
    world = sandbox()
    assert (await world.fault(operation="txid-report", member="south", **fault)).status_code == 201
    assert error_of(await _report(world)) == seen
    assert len(world.south.calls) == forwarded
    assert _member_side(world) == member_side
    entry = world.entries("txid-report")[-1]
    assert (entry["fault"], entry["status"], entry["ids"]["transferId"]) == (fault["fault"], seen[0], TRANSFER_ID)


async def test_latency_delays_and_then_forwards() -> None:
    world = sandbox()
    await world.fault(fault="latency", delaySeconds=3)
    assert (await _report(world)).status_code == 200
    assert (world.pauses[0], len(world.south.calls)) == (3, 1)


async def test_429_tells_when_to_come_back() -> None:
    world = sandbox()
    await world.fault(fault="status", status=429)
    answer = await _report(world)
    assert error_of(answer) == (429, "TOO_MANY_REQUESTS")
    assert answer.headers["retry-after"] == "1"


@pytest.mark.parametrize("kind", ["drop-before", "drop-after"])
async def test_a_drop_may_close_the_connection_instead(kind: str) -> None:
    world = sandbox()
    await world.fault(fault=kind, status=0)
    with pytest.raises(ConnectionResetError):
        await _report(world)
    assert len(world.south.calls) == (kind == "drop-after")
    assert world.entries("txid-report")[-1]["status"] is None
    assert _member_side(world)[0] == (kind == "drop-after")


@pytest.mark.parametrize(
    ("fault", "status"),
    [({"fault": "status", "status": 500}, 500), ({"fault": "garbage"}, 200), ({"fault": "missing-field"}, 200)],
)
async def test_faults_of_the_directory(fault: dict[str, Any], status: int) -> None:
    world = sandbox()
    await world.fault(operation="vasp-list", **fault)
    answer = await world.send("GET", "/v1/code/vasps")
    assert answer.status_code == status
    assert b"vaspEntityId" not in answer.content
    assert (await world.send("GET", "/v1/code/Vasp/south/pubkey")).json()["pubkeys"]


@pytest.mark.parametrize("kind", ["drop-before", "drop-after", "hang"])
async def test_lost_answers_of_the_directory_close_the_connection(kind: str) -> None:
    world = sandbox()
    await world.fault(operation="public-key", member="north", fault=kind)
    with pytest.raises(ConnectionResetError):
        await world.send("GET", "/v1/code/Vasp/south/pubkey")
    entry = world.entries("public-key")[-1]
    assert (entry["status"], entry["fault"], entry["from"]) == (None, kind, "north")


@pytest.mark.parametrize(
    "fault",
    [
        {"fault": "status", "status": 503},
        {"fault": "drop-before", "status": 0},
        {"fault": "drop-after"},
        {"fault": "hang"},
    ],
)
async def test_a_fault_of_health_sets_a_member_down(fault: dict[str, Any]) -> None:
    world = sandbox()
    await world.fault(operation="health", member="robot", **fault)
    await world.sandbox.polling.poll()
    assert {member.entity_id: up for member, up in await world.sandbox.state.members()}["robot"] is False
    await world.client.delete("/sandbox/faults")
    await world.sandbox.polling.poll()
    assert {member.entity_id: up for member, up in await world.sandbox.state.members()}["robot"] is True


async def test_a_fault_hits_only_its_operation_and_member() -> None:
    world = sandbox()
    await world.fault(operation="finish", member="south", fault="drop-before")
    await world.fault(operation="txid-report", member="robot", fault="drop-before")
    assert (await _report(world)).status_code == 200
    assert world.entries()[-1]["fault"] == ""


async def test_count_ends_a_fault_and_the_list_tells_its_use() -> None:
    world = sandbox()
    await world.fault(operation="txid-report", fault="drop-before", count=2)
    assert [(await _report(world)).status_code for _ in range(4)] == [408, 408, 200, 200]
    (listed,) = (await world.client.get("/sandbox/faults")).json()["faults"]
    assert listed == {
        "id": 1,
        "operation": "txid-report",
        "fault": "drop-before",
        "count": 2,
        "matched": 2,
        "used": 2,
    }
    assert (await world.client.delete("/sandbox/faults")).json() == {"removed": 1}
    assert (await world.client.get("/sandbox/faults")).json() == {"faults": []}


async def test_a_robot_acted_on_what_was_dropped_after() -> None:
    world = sandbox()
    await world.fault(operation="transfer-authorization", fault="drop-after", count=1)
    assert (await world.authorize()).status_code == 408
    assert (await world.report("tx"))["result"] == "normal"


def _struck(spec: FaultSpec, calls: int = 200) -> list[bool]:
    book = FaultBook()
    book.add(spec)
    return [book.plan("finish", "south").fault is not None for _ in range(calls)]


def test_the_seed_alone_decides_which_calls_are_hit() -> None:
    spec = FaultSpec(fault="drop-before", share=0.3, seed=42)
    hits = _struck(spec)
    assert hits == _struck(spec)
    assert hits != _struck(FaultSpec(fault="drop-before", share=0.3, seed=43))
    assert 30 <= sum(hits) <= 90


def test_other_operations_do_not_shift_the_draws() -> None:
    spec = FaultSpec(fault="drop-before", operation="finish", share=0.3, seed=42)
    book = FaultBook()
    book.add(spec)
    mixed = []
    for _ in range(200):
        book.plan("txid-report", "south")
        mixed.append(book.plan("finish", "south").fault is not None)
    assert mixed == _struck(spec)


@pytest.mark.parametrize(("share", "hit"), [(0.0, 0), (1.0, 200)])
def test_no_share_and_the_whole_share(share: float, hit: int) -> None:
    assert sum(_struck(FaultSpec(fault="hang", share=share))) == hit


def test_delays_add_up_and_the_first_other_fault_counts() -> None:
    book = FaultBook()
    for spec in (
        FaultSpec(fault="latency", delay_seconds=1),
        FaultSpec(fault="garbage", delay_seconds=2),
        FaultSpec(fault="hang", count=1),
    ):
        book.add(spec)
    plan = book.plan("finish", "south")
    assert plan.fault is not None
    assert (plan.delay_seconds, plan.fault.fault, plan.names) == (3, "garbage", "latency+garbage")
    assert book.shown()[2]["used"] == 0


def test_callbacks_are_sent_once_unless_a_fault_says_otherwise() -> None:
    book = FaultBook()
    assert book.callback_copies("health", "south") == 1
    book.add(FaultSpec(fault="lose-callback", count=1))
    book.add(FaultSpec(fault="duplicate-callback"))
    assert [book.callback_copies("health", "south") for _ in range(2)] == [0, 2]
    assert book.plan("health", "south").names == ""


@pytest.mark.parametrize(
    ("spec", "told"),
    [
        ({"fault": "drops"}, "must be one of"),
        ({"fault": "latency"}, "delaySeconds"),
        ({"fault": "status"}, "400 to 599"),
        ({"fault": "status", "status": 200}, "400 to 599"),
        ({"fault": "drop-after", "status": 500}, "408"),
        ({"fault": "hang", "operation": "txid"}, "operation must be one of"),
        ({"fault": "hang", "share": 2}, "must be 1 or less"),
        ({"fault": "hang", "opeartion": "finish"}, "did you mean operation?"),
        ([], "must be a table or an object"),
    ],
)
async def test_faulty_faults_are_refused_with_a_fix(spec: Any, told: str) -> None:
    world = sandbox()
    answer = await world.client.post("/sandbox/faults", json=spec)
    assert error_of(answer) == (422, "INVALID_MSG_FIELD_VALUE")
    assert told in answer.text
    assert (await world.client.get("/sandbox/faults")).json() == {"faults": []}


async def test_transfers_under_a_share_of_faults_are_all_in_the_journal() -> None:
    world = sandbox()
    await world.fault(operation="transfer-authorization", fault="drop-after", share=0.5, seed=7)
    ids = transfer_ids(40)
    seen = {one: (await world.authorize(transfer_id=one)).status_code for one in ids}
    entries = {entry["ids"]["transferId"]: entry for entry in world.entries("transfer-authorization")}
    assert entries.keys() == set(ids)
    assert {one: entry["status"] for one, entry in entries.items()} == seen
    assert {entry["ids"]["result"] for entry in entries.values()} == {"verified"}
    assert 0 < sum(status == 408 for status in seen.values()) < 40
