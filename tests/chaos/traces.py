"""Traces of a sound run, made by hand, for the tests of the oracle."""

from __future__ import annotations

import random
from datetime import UTC, datetime, timedelta
from typing import Any

import orjson

from tests.chaos.answer_proxy import Answer
from tests.chaos.evidence import Call, Evidence, Said, read_said
from tests.chaos.withdrawal_scenarios import WithdrawalScript, new_story

START = datetime(2026, 11, 20, 9, 0, tzinfo=UTC)
TXID = "AB" * 32
STATUSES = ("wait", "verified", "pending", "processing")


def said(topic: str, key: str, sequence: int, seconds: float = 0, **data: Any) -> Said:
    event = {
        "time": (START + timedelta(seconds=seconds)).isoformat(),
        "data": {"sequence": sequence, **data},
        "number": sequence,
    }
    return read_said(topic, key.encode(), orjson.dumps(event), "")


def call(operation: str, story: WithdrawalScript, seconds: float, result: str, txid: str = "") -> Call:
    return Call(
        at=START + timedelta(seconds=seconds),
        operation=operation,
        caller="north",
        target="south",
        transfer_id="" if operation == "address-search" else story.withdrawal_id,
        request_id="",
        txid=txid,
        trace=story.traceparent,
        status=200,
        error="",
        result=result,
        reached=True,
    )


def verdict(story: WithdrawalScript, sequence: int = 1, word: str = "allow", reason: str = "VERIFIED") -> Said:
    return said(
        "verdicts",
        story.withdrawal_id,
        sequence,
        2,
        subject=f"withdrawal:{story.withdrawal_id}",
        verdict=word,
        reasons=[reason],
        policyVersion="p1",
        transferId=story.withdrawal_id,
        counterparty="south",
    )


def exchange(story: WithdrawalScript, sequence: int, status: str, **more: str) -> Said:
    one = story.withdrawal_id
    facts = {"transferId": one, "side": "originating", "counterparty": "south", "withdrawalId": one, **more}
    return said("exchanges", one, sequence, 2, status=status, **facts)


def row(side: str, counterparty: str, transfer_id: str, status: str) -> dict[str, Any]:
    return {
        "side": side,
        "counterparty": counterparty,
        "transfer_id": transfer_id,
        "status": status,
        "txid": TXID,
        "created_at": START,
    }


def stored_input(story: WithdrawalScript, event_id: str) -> dict[str, Any]:
    subject = f"withdrawal:{story.withdrawal_id}"
    return {"source": "/platform", "id": event_id, "type": "", "subject": subject, "status": "applied", "code": ""}


def nothing() -> dict[str, list[dict[str, Any]]]:
    return {"inputs": [], "exchanges": [], "subjects": [], "calls": [], "searches": []}


def sound() -> Evidence:
    """One withdrawal, verified, broadcast and reported, as a sound run leaves it."""
    story = new_story(random.Random(1), "broadcast-only", "north", "south")
    one = story.withdrawal_id
    story.txid, story.sent = TXID, [("withdrawals", "e1"), ("txids", "e2")]
    north, south = nothing(), nothing()
    north["inputs"] = [stored_input(story, "e1"), stored_input(story, "e2")]
    north["exchanges"] = [row("originating", "south", one, "processing")]
    south["exchanges"] = [row("beneficiary", "north", one, "confirmed")]
    told = [exchange(story, number, status) for number, status in enumerate(STATUSES, 1)]
    told[-1] = exchange(story, len(STATUSES), STATUSES[-1], txid=TXID)
    return Evidence(
        scripts=[story],
        said={"north": [*told, verdict(story)], "south": []},
        calls=[
            call("address-search", story, 0, "valid"),
            call("transfer-authorization", story, 1, "verified"),
            call("txid-report", story, 3, "normal", TXID),
        ],
        tables={"north": north, "south": south},
        audit={"north": {"ok": True, "faults": []}, "south": {"ok": True, "faults": []}},
        answers=[Answer("north", "/v1/code/transfer/south", one, 200, "verified")],
    )
