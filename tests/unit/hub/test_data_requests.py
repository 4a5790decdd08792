"""Data requests (4.A.10): forwarded like every sealed call, with more fields for affiliated networks."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.support.hub import SOUTH, STRANGER, error_of
from tests.support.search_hub import DATA_REQUEST, REQUEST_ID, TXID, WEST, SearchHub, answered, search_hub
from travelrule.hub.ports import NoMemberAnswer

PATH = "/v1/code/verification/tx/"
ABROAD = {**DATA_REQUEST, "currency": "XRP", "network": "XRP"}
NORMAL = answered(result="normal", transferId=REQUEST_ID, payload="c2VhbGVk")
MISSING_FIELD = (422, "MISSING_REQUIRED_MSG_FIELD")


def _hub(said: Any = NORMAL) -> SearchHub:
    return search_hub({"south": said, "west": said})


async def test_the_originating_vasp_gets_the_signed_bytes_and_its_answer_goes_back() -> None:
    hub = _hub()
    raw = json.dumps({**DATA_REQUEST, "extra": "강남"}, indent=2, ensure_ascii=False).encode()
    answer = await hub.send("PUT", f"{PATH}south", raw, remote=SOUTH)
    assert (answer.status_code, answer.content) == (200, NORMAL.body)
    ((asked, call),) = hub.members.calls
    assert (asked, call.operation.member_path, call.operation.method) == ("south", "/v1/verification/tx", "PUT")
    assert call.body == raw
    assert call.headers["X-Request-Origin"] == "code:north"
    assert call.headers["X-Code-Req-Remote-PubKey"] == SOUTH.public_base64
    (record,) = hub.recorded("data-request")
    assert (record.target, record.transfer_id, record.txid, record.result) == ("south", REQUEST_ID, TXID, "normal")


@pytest.mark.parametrize(
    ("target", "remote", "body", "refusal"),
    [
        ("south", None, DATA_REQUEST, (422, "MISSING_HEADER_FIELD")),
        ("nobody", SOUTH, DATA_REQUEST, (422, "INVALID_TARGET_VASP_ID")),
        ("nobody", STRANGER, {}, (422, "INVALID_TARGET_VASP_ID")),
        ("south", STRANGER, {}, (422, "INVALID_RECEIVER_PUBLIC_KEY")),
        *(("south", SOUTH, {**DATA_REQUEST, field: ""}, MISSING_FIELD) for field in DATA_REQUEST),
        *(("west", WEST, {**ABROAD, field: ""}, MISSING_FIELD) for field in ABROAD),
        ("west", WEST, DATA_REQUEST, MISSING_FIELD),
        ("south", SOUTH, {**DATA_REQUEST, "payload": {"ivms101": {}}}, (422, "INVALID_MSG_FIELD_VALUE")),
        ("south", SOUTH, {**DATA_REQUEST, "currency": 1}, (422, "INVALID_MSG_FIELD_VALUE")),
    ],
)
async def test_what_is_refused_and_not_forwarded(target: str, remote: Any, body: Any, refusal: tuple[int, str]) -> None:
    hub = _hub()
    assert error_of(await hub.send("PUT", PATH + target, body, remote=remote)) == refusal
    assert hub.members.calls == []


async def test_an_affiliated_network_gets_currency_and_network_and_a_payload_the_hub_cannot_read() -> None:
    hub = _hub()
    assert (await hub.send("PUT", f"{PATH}west", ABROAD, remote=WEST)).status_code == 200
    assert hub.members.question("west") == ABROAD


@pytest.mark.parametrize(
    ("said", "seen"),
    [
        (answered(result="error", reasonType="NOT_FOUND_TXID", transferId="t"), (200, None)),
        (answered(result="normal", transferId="t"), (500, "RECEIVED_MSG_MISSING_FIELD")),
        (answered(transferId="t", payload="x"), (500, "RECEIVED_MSG_MISSING_FIELD")),
        (answered(503, errorType="DUPLICATED_TRANSFER_ID"), (503, "DUPLICATED_TRANSFER_ID")),
        (answered(404), (500, "RECEIVED_WRONG_JSON_MESSAGE")),
        (NoMemberAnswer(reached=False), (408, "BENEFICIARY_VASP_REQUEST_TIMEOUT")),
    ],
)
async def test_what_becomes_of_the_answer(said: Any, seen: tuple[int, str | None]) -> None:
    answer = await _hub(said).send("PUT", f"{PATH}south", DATA_REQUEST, remote=SOUTH)
    assert (answer.status_code, answer.json().get("errorType")) == seen


async def test_get_and_put_of_the_same_path_are_different_operations() -> None:
    hub = _hub()
    result = await hub.send("GET", f"{PATH}south")
    assert result.json()["reasonType"] == "LACK_OF_INFORMATION"
    assert hub.members.calls == []
    assert error_of(await hub.send("DELETE", f"{PATH}south")) == (405, "METHOD_NOT_ALLOWED")
