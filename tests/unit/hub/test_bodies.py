"""Body fields: what the hub refuses before a member sees it, and what it forwards."""

from __future__ import annotations

from typing import Any

import pytest

from tests.support.hub import AUTHORIZATION, error_of, hub_under_test
from travelrule.hub.body_shapes import AnswerShape, absent

PATHS = {
    "address": ("POST", "/v1/code/VerifyAddress/south", {"currency": "XRP", "payload": "c2VhbGVk"}),
    "authorization": ("POST", "/v1/code/transfer/south", AUTHORIZATION),
    "report": ("POST", "/v1/code/transfer/south/txid", {"transferId": "t", "txid": "x"}),
    "finish": ("PUT", "/v1/code/transfer/south/status", {"transferId": "t", "status": "canceled"}),
    "status": ("POST", "/v1/code/transfer/south/status", {"transferId": "t"}),
}
REQUIRED = [
    (name, field)
    for name, (_, _, body) in PATHS.items()
    for field in body
    if field not in ("historicalCost", "originatingVasp")
]


async def _refusal(name: str, body: Any) -> tuple[int, str]:
    from tests.support.hub import SOUTH

    hub = hub_under_test()
    method, path, _ = PATHS[name]
    response = await hub.send(method, path, body, remote=SOUTH)
    if response.status_code == 422:
        assert hub.south.calls == []
    return error_of(response)


@pytest.mark.parametrize(("name", "field"), REQUIRED)
async def test_required_fields(name: str, field: str) -> None:
    _, _, body = PATHS[name]
    without = {key: value for key, value in body.items() if key != field}
    for lacking in (without, {**body, field: ""}, {**body, field: None}, {**body, field: {}}):
        assert await _refusal(name, lacking) == (422, "MISSING_REQUIRED_MSG_FIELD")


@pytest.mark.parametrize(
    ("name", "field", "value"),
    [
        ("authorization", "amount", "1e"),
        ("authorization", "amount", 250.5),
        ("authorization", "amount", "-1"),
        ("authorization", "tradePrice", "free"),
        ("authorization", "tradeCurrency", "XRP"),
        ("authorization", "isExceedingThreshold", "maybe"),
        ("authorization", "isExceedingThreshold", 1),
        ("authorization", "payload", {"ivms101": {}}),
        ("authorization", "originatingVasp", "x"),
        ("authorization", "transferId", 7),
        ("address", "currency", ["XRP"]),
        ("address", "tag", 77001),
        ("finish", "status", "confirmed"),
        ("finish", "reasonType", "BORED"),
        ("status", "transferId", True),
    ],
)
async def test_values_that_no_member_could_use(name: str, field: str, value: Any) -> None:
    _, _, body = PATHS[name]
    assert await _refusal(name, {**body, field: value}) == (422, "INVALID_MSG_FIELD_VALUE")


@pytest.mark.parametrize("raw", [b"", b"{", b"[]", b'"x"', b"null", b'{"a":"\xff"}', b'{"a":"\\ud800"}'])
async def test_what_is_no_json_object(raw: bytes) -> None:
    assert await _refusal("status", raw) == (422, "INVALID_MSG_FIELD_VALUE")


@pytest.mark.parametrize(
    "more",
    [
        {"isExceedingThreshold": True},
        {"isExceedingThreshold": "FALSE"},
        {"tradeCurrency": "usd"},
        {"originatingVasp": ""},
        {"originatingVasp": None},
        {"unknown": {"fields": ["pass"]}},
        {"amount": "00250.500"},
        {"amount": "2.505E+2"},
    ],
)
async def test_tolerated_forms_are_forwarded(more: dict[str, Any]) -> None:
    hub = hub_under_test()
    assert (await hub.authorize({**AUTHORIZATION, **more})).status_code == 200
    assert len(hub.south.calls) == 1


async def test_a_body_beyond_the_limit_is_refused() -> None:
    hub = hub_under_test()
    assert error_of(await hub.authorize(b" " * 1_048_577)) == (422, "INVALID_MSG_FIELD_VALUE")


async def test_refusals_never_quote_what_was_sent() -> None:
    hub = hub_under_test()
    response = await hub.authorize({**AUTHORIZATION, "amount": "Anna Berg"})
    assert "Anna" not in response.text
    assert "amount" in response.json()["errorMsg"]


def test_absent_is_not_false_or_zero() -> None:
    assert [absent(value) for value in (None, "", {}, False, 0, "0", [])] == [True] * 3 + [False] * 4


def test_a_conditional_field_is_required_only_on_its_condition() -> None:
    shape = AnswerShape(("status", "transferId"), also_when=("status", "confirmed", "txid"))
    assert shape.missing({"status": "pending", "transferId": "t"}) is None
    assert shape.missing({"status": "Confirmed", "transferId": "t"}) == "txid"
    assert shape.missing({"status": "confirmed", "transferId": "t", "txid": "x"}) is None
    assert shape.missing({"status": "confirmed", "transferId": ""}) == "transferId"
