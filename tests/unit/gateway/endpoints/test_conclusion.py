"""M3 and M5: each row of the tables of member-api.md sections 4 and 6."""

from __future__ import annotations

import asyncio
from typing import Any

import httpx
import pytest

from tests.support.gateway_scene import HEADERS, OTHER, GatewayScene, key, name, transfer, without
from travelrule.engine.input_outcome import InputOutcome

PLAIN = without("X-Code-Req-Remote-PubKey")
EAST = {**PLAIN, "X-Request-Origin": "code:east", "X-Code-Req-PubKey": OTHER.public_base64}


def said(answer: httpx.Response, transfer_id: str = "t-1") -> str:
    assert answer.status_code == 200, answer.text
    body = answer.json()
    assert body["transferId"] == transfer_id
    assert set(body) == {"transferId", "result", "reasonType"}
    return " ".join(part for part in (body["result"], body["reasonType"]) if part)


def code(answer: httpx.Response) -> str:
    assert answer.status_code == 503, answer.text
    return str(answer.json()["errorType"])


@pytest.fixture
async def verified(scene: GatewayScene) -> GatewayScene:
    assert (await scene.authorize()).json()["result"] == "verified"
    return scene


async def test_m3_order_1_unknown_or_other_sender(verified: GatewayScene) -> None:
    assert said(await verified.report(transferId="t-9"), "t-9") == "error UNKNOWN_TRANSFER_ID"
    verified.directory.add("east", key(OTHER))
    assert said(await verified.report(headers=EAST)) == "error UNKNOWN_TRANSFER_ID"
    assert set(verified.intake.states) == {"exchange:north/t-1"}


async def test_m3_order_2_and_3_once_stored_the_txid_stays(verified: GatewayScene) -> None:
    assert said(await verified.report(txid="AB12")) == "normal"
    assert said(await verified.report(txid="AB12")) == "normal"
    assert said(await verified.report(txid="0xab12", vout="0")) == "normal"
    assert said(await verified.report(txid="cd34")) == "error TXID_ALREADY_EXISTS"
    state = verified.intake.states["exchange:north/t-1"]
    assert (state.txid, state.vout, state.status) == ("AB12", "0", "confirmed")
    # In any state: also when canceled.
    assert said(await verified.finish()) == "normal"
    assert said(await verified.report(txid="AB12")) == "normal"
    assert said(await verified.report(txid="cd34")) == "error TXID_ALREADY_EXISTS"


async def test_m3_order_4_chain_failed(verified: GatewayScene) -> None:
    verified.intake.set("t-1", chain="failed")
    assert said(await verified.report()) == "error TRANSFER_ALREADY_FAILED"


async def test_m3_order_5_canceled_or_denied(verified: GatewayScene) -> None:
    assert said(await verified.finish()) == "normal"
    assert said(await verified.report()) == "error TRANSFER_ALREADY_FAILED"
    denied = await verified.authorize(transfer(persons=[name("Lund", "Eva")]), transferId="t-2")
    assert denied.json()["result"] == "denied"
    assert said(await verified.report(transferId="t-2"), "t-2") == "error TRANSFER_ALREADY_FAILED"


async def test_several_transfers_may_share_a_txid(verified: GatewayScene) -> None:
    await verified.authorize(transferId="t-2")
    assert said(await verified.report()) == "normal"
    assert said(await verified.report(transferId="t-2"), "t-2") == "normal"


async def test_m5_unknown_or_other_sender(verified: GatewayScene) -> None:
    assert said(await verified.finish(transferId="t-9"), "t-9") == "error UNKNOWN_TRANSFER_ID"
    verified.directory.add("east", key(OTHER))
    assert said(await verified.finish(headers=EAST)) == "error UNKNOWN_TRANSFER_ID"
    assert verified.intake.states["exchange:north/t-1"].status == "verified"


@pytest.mark.parametrize("status", ["pending", "cancelled", 7])
async def test_m5_other_status(verified: GatewayScene, status: Any) -> None:
    assert code(await verified.finish(status=status)) == "INVALID_MSG_FIELD_VALUE"


async def test_m5_canceled_stays_canceled(verified: GatewayScene) -> None:
    assert said(await verified.finish(status="CANCELED", reasonType="unknown")) == "normal"
    assert said(await verified.finish()) == "normal"
    assert verified.intake.states["exchange:north/t-1"].status == "canceled"


async def test_m5_denied_may_be_closed(scene: GatewayScene) -> None:
    await scene.authorize(transfer(persons=[name("Lund", "Eva")]))
    assert said(await scene.finish()) == "normal"


async def test_m5_after_the_report_until_final_or_credited(verified: GatewayScene) -> None:
    await verified.authorize(transferId="t-2")
    await verified.authorize(transferId="t-3")
    for number in ("1", "2", "3"):
        await verified.report(transferId=f"t-{number}")
    verified.intake.set("t-2", chain="final")
    verified.intake.set("t-3", credited=True)
    assert said(await verified.finish()) == "normal"
    assert verified.intake.states["exchange:north/t-1"].txid == "ab12"
    assert said(await verified.finish(transferId="t-2"), "t-2") == "error ILLEGAL_STATEFLOW"
    assert said(await verified.finish(transferId="t-3"), "t-3") == "error ILLEGAL_STATEFLOW"


async def test_a_failure_inside_is_error_unknown(verified: GatewayScene) -> None:
    verified.intake.failure = ConnectionError("database gone")
    assert said(await verified.report()) == "error UNKNOWN"
    assert said(await verified.finish()) == "error UNKNOWN"
    verified.intake.failure = None
    verified.intake.outcome = InputOutcome("rejected", "ERASED")
    assert said(await verified.finish()) == "error UNKNOWN_TRANSFER_ID"
    verified.intake.outcome = InputOutcome("rejected", "NOT_AVAILABLE")
    assert said(await verified.report()) == "error UNKNOWN"


@pytest.mark.parametrize("operation", ["report", "finish", "status"])
async def test_fields_and_headers(scene: GatewayScene, operation: str) -> None:
    call = getattr(scene, operation)
    assert code(await call(headers=without("X-Request-Origin"))) == "MISSING_HEADER_FIELD"
    assert code(await call(transferId=None)) == "MISSING_REQUIRED_MSG_FIELD"
    assert code(await call(transferId="")) == "MISSING_REQUIRED_MSG_FIELD"
    assert code(await call(transferId=["t"])) == "INVALID_MSG_FIELD_VALUE"
    assert scene.intake.items == []


async def test_required_fields_of_a_report(scene: GatewayScene) -> None:
    assert code(await scene.report(txid="")) == "MISSING_REQUIRED_MSG_FIELD"
    assert code(await scene.report(txid="a b")) == "INVALID_MSG_FIELD_VALUE"
    assert code(await scene.report(vout="x")) == "INVALID_MSG_FIELD_VALUE"
    assert code(await scene.finish(status=None)) == "MISSING_REQUIRED_MSG_FIELD"


@pytest.mark.parametrize("operation", ["report", "finish", "status"])
async def test_outsiders(scene: GatewayScene, operation: str) -> None:
    call = getattr(scene, operation)
    scene.rules(accept_origins=("east",))
    assert code(await call()) == "UNACCEPTABLE_REQUEST"
    stranger = {**PLAIN, "X-Request-Origin": "code:stranger"}
    del stranger["X-Code-Req-PubKey"]
    assert code(await call(headers=stranger)) == "UNACCEPTABLE_REQUEST"


@pytest.mark.parametrize("operation", ["report", "finish", "status"])
async def test_a_key_of_somebody_else(scene: GatewayScene, operation: str) -> None:
    forged = {**PLAIN, "X-Code-Req-PubKey": OTHER.public_base64}
    assert code(await getattr(scene, operation)(headers=forged)) == "INVALID_HEADER_SIGNATURE"


@pytest.mark.parametrize("operation", ["report", "finish"])
async def test_the_key_header_is_not_needed_where_nothing_is_sealed(verified: GatewayScene, operation: str) -> None:
    assert said(await getattr(verified, operation)(headers={"X-Request-Origin": "code:north"})) == "normal"


async def test_each_request_is_an_input_of_its_own_and_answered_at_once(verified: GatewayScene) -> None:
    """A report that came before its authorization must not be answered from memory after it."""
    early = await verified.report(transferId="t-2")
    assert said(early, "t-2") == "error UNKNOWN_TRANSFER_ID"
    await verified.authorize(transferId="t-2")
    assert said(await verified.report(transferId="t-2"), "t-2") == "normal"
    reports = [item for item in verified.intake.items if item.type == "txid-report.received"]
    assert len({item.id for item in reports}) == 2
    assert all(item.reply_to_unknown for item in reports)


async def test_parallel_reports_store_one_txid(verified: GatewayScene) -> None:
    answers = await asyncio.gather(*(verified.report(txid=f"ab1{number % 2}") for number in range(8)))
    said_by = [said(answer) for answer in answers]
    stored = verified.intake.states["exchange:north/t-1"].txid
    assert [text == "normal" for text in said_by] == [f"ab1{number % 2}" == stored for number in range(8)]
    assert HEADERS["X-Request-Origin"] == "code:north"
