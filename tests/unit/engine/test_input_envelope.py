"""What is stored of an input can be read again years later, for every type of input there is."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest

import schemas
from schemas.registry import EVENTS, TOMBSTONES, TOPICS
from schemas.wire_model import Wire
from travelrule.engine.input_envelope import model_of, pack, pack_raw, unpack, unpack_raw
from travelrule.machine.input import Input, RawMessage
from travelrule.machine.internal_inputs import CALL_AND_TIMER_INPUTS as CALLS_AND_TIMERS
from travelrule.machine.internal_inputs import CallResult
from travelrule.messages.directory import DIRECTORY_INPUTS as DIRECTORY
from travelrule.messages.inbound_request import INBOUND_REQUEST_INPUTS as INBOUND_REQUESTS
from travelrule.messages.inbound_request import AuthorizationReceived

INTERNAL = {**CALLS_AND_TIMERS, **INBOUND_REQUESTS, **DIRECTORY}
EXAMPLES = Path(schemas.__file__).parent / "examples"
INPUT_TYPES = [name for name, spec in EVENTS.items() if TOPICS[spec.topic].direction == "in"]
EXTERNAL = sorted(
    f"{path.parent.name}/{path.name}" for name in INPUT_TYPES for path in EXAMPLES.glob(f"{name}/valid-*")
)
AT = datetime(2026, 11, 20, 9, 0, 0, 123456, tzinfo=UTC)
KEY = {"pubkey": "wbFoqLVxayF7Uz+YSsixnEJr88ll/J+wOhRsbAQ/pO4=", "expiresAt": "2031-01-01T00:00:00+00:00"}
ENTRY = {
    "entityId": "south",
    "alliance": "code",
    "country": "DE",
    "legalName": "Süd",
    "health": "down",
    "pubkeys": [KEY],
}
REPORT: dict[str, Any] = {
    "operation": "transfer-authorization",
    "transferId": "t-1",
    "target": "south",
    "status": 200,
    "code": "",
    "messageCode": "NOT_KYC_USER",
    "body": {"result": "denied", "deep": [{"a": None, "b": 1.5}]},
    "payload": {"Originator": {"originatorPersons": [{"x": "서울"}]}},
    "attempts": 3,
    "maybeActed": True,
    "counterpartyCountry": "DE",
    "counterpartyAlliance": "code",
}
OWNER = {"natural": {"lastName": "Lind", "firstName": "Erik", "dateOfBirth": "1980-05-06"}}
WALLET = {"accountNumber": "r:1", "walletId": "w", "tag": "1", "currencies": ["XRP"], "customerId": "c", "kyc": True}
REQUEST = {
    "origin": "code:south",
    "entityId": "south",
    "transferId": "t-1",
    "currency": "XRP",
    "amount": "250.500",
    "tradePrice": "150.30",
    "tradeCurrency": "USD",
    "isExceedingThreshold": True,
    "originatingVasp": {"name": "x"},
    "ivms101": {"Beneficiary": {"accountNumber": ["r:1"]}, "unknown": [1, None]},
    "sender": {"entityId": "south", "country": "DE"},
    "wallets": [{**WALLET, "owner": OWNER}, WALLET],
    "originatorSanctioned": False,
}
DATA: dict[str, list[dict[str, Any]]] = {
    **{f"call.{word}": [{**REPORT, "outcome": word}] for word in ("answered", "failed", "troubled", "deferred")},
    "timer.due": [{"name": "held", "dueAt": (AT + timedelta(microseconds=1)).isoformat()}],
    "authorization.received": [REQUEST, {**REQUEST, "sender": None, "wallets": [], "originatingVasp": None}],
    "txid-report.received": [{"origin": "code:s", "entityId": "s", "transferId": "t", "txid": "X", "vout": "0"}],
    "finish.received": [{"origin": "code:s", "entityId": "s", "transferId": "t", "reasonType": None}],
    "directory.changed": [
        {"entityId": "south", "old": ENTRY, "new": None},
        {"entityId": "south", "old": None, "new": ENTRY, "firstLoad": True},
    ],
}
INTERNAL_CASES = [(kind, number) for kind, cases in DATA.items() for number in range(len(cases))]


def an_input(kind: str, data: Wire, content: bytes, **more: Any) -> Input:
    return Input("/source/é", "id", kind, "withdrawal:w", AT, data, content, UUID(int=7), "00-ab-cd-01", **more)


def test_no_type_of_input_is_left_out() -> None:
    assert {name.partition("/")[0] for name in EXTERNAL} == set(INPUT_TYPES)
    assert set(DATA) == set(INTERNAL)


@pytest.mark.parametrize("example", EXTERNAL)
def test_a_platforms_event_comes_back_as_it_came(example: str) -> None:
    event = json.loads((EXAMPLES / example).read_text(encoding="utf-8"))
    content = json.dumps(event["data"], ensure_ascii=False).encode()
    data = EVENTS[event["type"]].model.model_validate(event["data"])
    item = an_input(event["type"], data, content)
    back = unpack(pack(item))
    assert back == item
    assert back.content == content, "the bytes by which a repetition is recognised"


@pytest.mark.parametrize(("kind", "number"), INTERNAL_CASES)
def test_an_input_of_our_own_comes_back_with_every_fact(kind: str, number: int) -> None:
    data = INTERNAL[kind].model_validate(DATA[kind][number])
    item = an_input(kind, data, data.model_dump_json(by_alias=True).encode())
    assert unpack(pack(item)) == item


def test_facts_that_are_no_part_of_the_content_are_kept_all_the_same() -> None:
    """The gateway's content is what the peer sent; the wallet that was found belongs to the decision."""
    data = AuthorizationReceived.model_validate(REQUEST)
    back = unpack(pack(an_input("authorization.received", data, b'{"what":"was sent"}')))
    assert back.data == data


@pytest.mark.parametrize(
    "raw",
    [
        RawMessage("txids", 3, 2**40, b"\xff\x00key", bytes(range(256)), (("a", b"\x00"), ("a", b""), ("ключ", b"x"))),
        RawMessage("wallets", 0, 0, None, None, ()),
        RawMessage("txids", 0, 1, b"", b"", ()),
    ],
)
def test_the_kafka_record_is_kept_byte_for_byte(raw: RawMessage) -> None:
    assert unpack_raw(json.loads(json.dumps(pack_raw(raw)))) == raw
    data = TOMBSTONES["wallets"].model.model_validate({"walletId": "w"})
    item = an_input("wallet.removed.v1", data, b'{"walletId":"w"}', raw=raw)
    assert unpack(pack(item, with_raw=True)) == item
    assert unpack(pack(item)).raw is None, "without asking, the record is not stored twice"


def test_whoever_waited_is_not_waiting_any_more() -> None:
    data = CallResult.model_validate({**REPORT, "outcome": "failed"})
    item = an_input("call.failed", data, data.model_dump_json(by_alias=True).encode(), reply_to_unknown=True)
    assert unpack(pack(item)).reply_to_unknown is False


def test_a_type_of_another_version_is_a_key_error() -> None:
    with pytest.raises(KeyError):
        model_of("withdrawal.requested.v2")
