"""What is forwarded to a member, and how its answer is passed on."""

from __future__ import annotations

import hashlib
import json

import pytest

from tests.support.hub import AUTHORIZATION, SOUTH, TRANSFER_ID, error_of, hub_under_test
from travelrule.hub.ports import MemberAnswer, NoMemberAnswer

WRONG = (500, "RECEIVED_WRONG_JSON_MESSAGE")
MISSING = (500, "RECEIVED_MSG_MISSING_FIELD")
SILENT = (408, "BENEFICIARY_VASP_REQUEST_TIMEOUT")


async def test_the_member_gets_the_signed_bytes_whatever_their_layout() -> None:
    hub = hub_under_test()
    odd = json.dumps({**AUTHORIZATION, "name": "강남 \\u00e9"}, indent=3, ensure_ascii=False).encode() + b"\r\n "
    assert (await hub.authorize(odd)).status_code == 200
    assert hashlib.sha256(hub.south.calls[0].body).digest() == hashlib.sha256(odd).digest()


async def test_the_member_gets_the_headers_it_needs_and_no_signature() -> None:
    hub = hub_under_test()
    trace = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
    await hub.authorize(nonce=77, headers={"traceparent": trace, "Authorization": "secret", "Cookie": "secret"})
    headers = dict(hub.south.calls[0].headers)
    assert headers.pop("X-Code-Req-PubKey")
    assert headers == {
        "X-Code-Req-Datetime": "2026-11-20T09:00:00Z",
        "X-Code-Req-Nonce": "77",
        "X-Code-Req-Remote-PubKey": SOUTH.public_base64,
        "X-Request-Origin": "code:north",
        "traceparent": trace,
        "Content-Type": "application/json",
    }


async def test_a_good_answer_passes_byte_for_byte() -> None:
    hub = hub_under_test()
    raw = b'{ "result":"denied", "reasonType":"UNKNOWN","transferId":"t", "more":[1,2] }\n'
    hub.south.answer = MemberAnswer(200, raw)
    answer = await hub.authorize()
    assert (answer.status_code, answer.content) == (200, raw)
    assert answer.headers["content-type"] == "application/json"


@pytest.mark.parametrize("raw", [b'{"errorType":"DUPLICATED_TRANSFER_ID"}', b"<html>", b""])
async def test_503_passes_through_with_its_body(raw: bytes) -> None:
    hub = hub_under_test()
    hub.south.answer = MemberAnswer(503, raw)
    answer = await hub.authorize()
    assert (answer.status_code, answer.content) == (503, raw)


@pytest.mark.parametrize("status", [201, 204, 301, 400, 404, 422, 429, 500, 502])
async def test_any_other_status_is_a_wrong_answer(status: int) -> None:
    hub = hub_under_test()
    hub.south.says(status, result="verified", transferId="t", payload="p")
    assert error_of(await hub.authorize()) == WRONG


@pytest.mark.parametrize("raw", [b"", b"OK", b"[]", b"null", b'{"result":'])
async def test_200_without_a_json_object_is_a_wrong_answer(raw: bytes) -> None:
    hub = hub_under_test()
    hub.south.answer = MemberAnswer(200, raw)
    assert error_of(await hub.authorize()) == WRONG


@pytest.mark.parametrize("field", ["result", "transferId", "payload"])
async def test_required_fields_of_a_verified_authorization(field: str) -> None:
    hub = hub_under_test()
    whole = {"result": "verified", "transferId": TRANSFER_ID, "payload": "p"}
    hub.south.says(**{name: value for name, value in whole.items() if name != field})
    assert error_of(await hub.authorize()) == MISSING
    hub.south.says(**{**whole, field: ""})
    assert error_of(await hub.authorize()) == MISSING


async def test_a_refusal_without_payload_reaches_the_caller() -> None:
    hub = hub_under_test()
    hub.south.says(result="denied", reasonType="NOT_KYC_USER", transferId=TRANSFER_ID)
    assert (await hub.authorize()).json()["reasonType"] == "NOT_KYC_USER"


@pytest.mark.parametrize(
    ("method", "path", "body", "whole"),
    [
        ("POST", "VerifyAddress/south", {"currency": "X", "payload": "p"}, {"result": "valid"}),
        ("POST", "transfer/south/txid", {"transferId": "t", "txid": "x"}, {"result": "normal", "transferId": "t"}),
        (
            "PUT",
            "transfer/south/status",
            {"transferId": "t", "status": "canceled"},
            {"result": "normal", "transferId": "t"},
        ),
        ("POST", "transfer/south/status", {"transferId": "t"}, {"status": "pending", "transferId": "t"}),
    ],
)
async def test_required_fields_of_every_other_answer(
    method: str, path: str, body: dict[str, str], whole: dict[str, str]
) -> None:
    hub = hub_under_test()
    hub.south.says(**whole)
    assert (await hub.send(method, f"/v1/code/{path}", body, remote=SOUTH)).json() == whole
    for field in whole:
        hub.south.says(**{name: value for name, value in whole.items() if name != field})
        assert error_of(await hub.send(method, f"/v1/code/{path}", body, remote=SOUTH)) == MISSING


async def test_the_two_operations_of_one_path_reach_different_endpoints() -> None:
    """POST asks the originating side, PUT cancels at the beneficiary side."""
    hub = hub_under_test()
    hub.south.says(status="pending", result="normal", transferId="t")
    await hub.send("POST", "/v1/code/transfer/south/status", {"transferId": "t"})
    await hub.send("PUT", "/v1/code/transfer/south/status", {"transferId": "t", "status": "canceled"})
    reached = [(call.operation.method, call.operation.member_path) for call in hub.south.calls]
    assert reached == [("POST", "/v1/vasp/transfer/status"), ("PUT", "/v1/vasp/transfer/status")]


async def test_a_hanging_member_is_given_up_at_the_limit() -> None:
    hub = hub_under_test(member_timeout_seconds=0.02)
    hub.south.hangs = True
    assert error_of(await hub.authorize()) == SILENT
    record = hub.records.kept[-1]
    assert (record.status, record.reached, record.member_status) == (408, True, None)


@pytest.mark.parametrize("reached", [True, False])
async def test_a_member_that_refuses_or_drops_the_connection(reached: bool) -> None:
    hub = hub_under_test()
    hub.south.answer = NoMemberAnswer(reached=reached)
    assert error_of(await hub.authorize()) == SILENT
    assert hub.records.kept[-1].reached is reached


async def test_a_member_that_is_down_is_still_sent_to() -> None:
    hub = hub_under_test()
    await hub.hub.state.set_health("south", up=False)
    assert (await hub.authorize()).status_code == 200


async def test_a_failure_of_the_hub_itself_is_told_in_the_same_shape() -> None:
    hub = hub_under_test()
    hub.south.answer = RuntimeError("Anna Berg")
    answer = await hub.authorize()
    assert error_of(answer) == (500, "CODE_SERVER_INTERNAL_ERROR")
    assert "Anna" not in answer.text
    assert hub.records.kept[-1].status is None


async def test_the_record_holds_ids_and_outcome_and_no_payload() -> None:
    hub = hub_under_test()
    hub.south.says(result="denied", reasonType="NOT_KYC_USER", transferId=TRANSFER_ID)
    await hub.authorize(nonce=9)
    record = hub.records.kept[-1]
    assert (record.operation, record.caller, record.target) == ("transfer-authorization", "north", "south")
    assert (record.transfer_id, record.result, record.reason_type) == (TRANSFER_ID, "denied", "NOT_KYC_USER")
    assert (record.status, record.member_status, record.nonce) == (200, 200, 9)
    assert "c2VhbGVk" not in repr(record)


async def test_refused_calls_are_recorded_with_their_ids_once_verified() -> None:
    hub = hub_under_test()
    await hub.authorize(target="nobody")
    known = hub.records.kept[-1]
    assert (known.error_type, known.transfer_id, known.reached) == ("INVALID_BENEFICIARY", TRANSFER_ID, False)
    await hub.authorize(headers={"X-Code-Req-Nonce": "1"})
    forged = hub.records.kept[-1]
    assert (forged.error_type, forged.transfer_id) == ("INVALID_HEADER_SIGNATURE", "")
