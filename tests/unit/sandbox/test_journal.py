"""The journal: complete, in order, bounded, in a file, and without anything that was sealed."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.support.hub import NOW, TRANSFER_ID
from tests.support.sandbox import ivms, sandbox
from travelrule.hub.records import CallRecord
from travelrule.sandbox.journal import SandboxJournal


def _filled(count: int, **how: int) -> SandboxJournal:
    journal = SandboxJournal(**how)
    for number in range(count):
        journal.record(CallRecord(at=NOW, operation="finish", nonce=number))
    return journal


def test_pages_follow_each_other_without_gap_or_overlap() -> None:
    journal = _filled(25)
    seen: list[int] = []
    since = 0
    while (page := journal.page(since, 10)).entries:
        seen += [entry["sequence"] for entry in page.entries]
        since = page.next
    assert seen == list(range(1, 26))
    assert journal.page(25).next == 25


def test_the_oldest_entries_are_forgotten_first_and_that_is_told() -> None:
    page = _filled(25, entries_max=10).page()
    assert [entry["sequence"] for entry in page.entries] == list(range(16, 26))
    assert (page.forgotten, page.next) == (15, 25)
    assert _filled(25, entries_max=10).page(20).entries[0]["sequence"] == 21


def test_a_filter_does_not_move_the_page() -> None:
    page = _filled(25).page(0, 3, lambda record: (record.nonce or 0) % 10 == 4)
    assert [entry["nonce"] for entry in page.entries] == [4, 14, 24]
    assert page.next == 25


async def test_an_entry_tells_time_operation_both_ends_status_and_ids() -> None:
    world = sandbox()
    await world.authorize()
    (entry,) = world.entries()
    assert entry.pop("milliseconds") >= 0
    assert entry == {
        "sequence": 1,
        "time": "2026-11-20T09:00:00Z",
        "operation": "transfer-authorization",
        "from": "north",
        "to": "robot",
        "status": 200,
        "errorType": "",
        "ids": {"transferId": TRANSFER_ID, "result": "verified"},
        "member": {"reached": True, "status": 200, "errorType": ""},
        "fault": "",
        "nonce": 1,
        "traceparent": "",
    }


async def test_every_call_is_there_whatever_became_of_it() -> None:
    world = sandbox()
    await world.authorize()
    await world.authorize(amount="1e")
    await world.authorize(amount="1")
    await world.report("tx1")
    await world.report("tx2")
    await world.send("GET", "/v1/code/Vasp/nobody/pubkey")
    told = [(entry["operation"], entry["status"], entry["errorType"], entry["ids"]) for entry in world.entries()]
    ids = {"transferId": TRANSFER_ID}
    assert told == [
        ("transfer-authorization", 200, "", {**ids, "result": "verified"}),
        ("transfer-authorization", 422, "INVALID_MSG_FIELD_VALUE", ids),
        ("transfer-authorization", 503, "", ids),
        ("txid-report", 200, "", {**ids, "txid": "tx1", "result": "normal"}),
        ("txid-report", 200, "", {**ids, "txid": "tx2", "result": "error", "reasonType": "TXID_ALREADY_EXISTS"}),
        ("public-key", 422, "INVALID_TARGET_VASP_ID", {}),
    ]
    assert world.entries()[2]["member"] == {"reached": True, "status": 503, "errorType": "DUPLICATED_TRANSFER_ID"}


async def test_the_file_holds_the_same_and_survives_a_restart(tmp_path: Path) -> None:
    for _ in range(2):
        with SandboxJournal(tmp_path / "data") as journal:
            world = sandbox(journal=journal)
            await world.authorize()
            assert [entry["status"] for entry in world.entries()] == [200]
    lines = (tmp_path / "data" / "journal.jsonl").read_text().splitlines()
    assert [json.loads(line)["operation"] for line in lines] == ["transfer-authorization"] * 2


async def test_nothing_personal_is_kept() -> None:
    world = sandbox()
    await world.authorize(address="rPEPPER7kfTD9w2To4CQk6UCfuHM9c6GDY", tag="77001")
    kept = json.dumps(world.entries())
    assert not any(text in kept for text in ("Berg", "Lind", "rPEPPER", "77001", "250.5"))
    assert ivms()


async def test_the_journal_is_read_over_http() -> None:
    world = sandbox()
    await world.authorize()
    await world.report("tx1")
    read = (await world.client.get("/sandbox/journal?since=1&limit=5")).json()
    assert ([entry["operation"] for entry in read["entries"]], read["next"]) == (["txid-report"], 2)
    only = (await world.client.get("/sandbox/journal?operation=transfer-authorization")).json()
    assert [entry["sequence"] for entry in only["entries"]] == [1]
    none = (await world.client.get("/sandbox/journal?transferId=other")).json()
    assert none["entries"] == []


@pytest.mark.parametrize("query", ["since=x", "limit=-1", "since=²"])
async def test_wrong_questions_are_told(query: str) -> None:
    assert (await sandbox().client.get(f"/sandbox/journal?{query}")).status_code == 422


def test_ids_that_are_no_text_are_no_ids() -> None:
    record = CallRecord(at=NOW, operation="finish")
    record.note_request({"transferId": {"a": 1}, "txid": "x" * 1000})
    assert (record.transfer_id, len(record.txid)) == ("", 200)
