"""The check order of hub-api.md section 10: each step's refusal, and that an earlier step answers first."""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable
from typing import Any

import httpx
import pytest

from tests.support.hub import AUTHORIZATION, NORTH, SOUTH, STRANGER, HubUnderTest, error_of, hub_under_test, signed

Break = Callable[[dict[str, Any]], None]
"""Spoils a request, given as its parts: headers, body, target."""


def _header(name: str, value: str | None) -> Break:
    def spoil(parts: dict[str, Any]) -> None:
        parts["headers"][name] = value

    return spoil


def _part(name: str, value: Any) -> Break:
    def spoil(parts: dict[str, Any]) -> None:
        parts[name] = value

    return spoil


def _nothing(_: dict[str, Any]) -> None:
    """The state of the hub is what refuses."""


STEPS: list[tuple[str, Break, tuple[int, str]]] = [
    ("header", _header("X-Code-Req-Remote-PubKey", None), (422, "MISSING_HEADER_FIELD")),
    ("origin syntax", _header("X-Request-Origin", "north"), (422, "ILLEGAL_FORMAT_OF_ORIGIN")),
    ("origin", _header("X-Request-Origin", "code:nobody"), (422, "INVALID_ORIGIN")),
    ("key", _header("X-Code-Req-PubKey", STRANGER.public_base64), (422, "INVALID_HEADER_SIGNATURE")),
    ("nonce form", _header("X-Code-Req-Nonce", "4294967296"), (422, "INVALID_MSG_FIELD_VALUE")),
    ("time", _part("at", "2026-11-20T09:05:01Z"), (422, "INVALID_MSG_FIELD_VALUE")),
    ("signature", _header("X-Code-Req-Signature", NORTH.sign("x", b"", 1)), (422, "INVALID_HEADER_SIGNATURE")),
    ("nonce used", _part("nonce", 7), (422, "DUPLICATED_HEADER_NONCE")),
    ("target", _part("target", "nobody"), (422, "INVALID_BENEFICIARY")),
    (
        "remote key",
        _header("X-Code-Req-Remote-PubKey", STRANGER.public_base64),
        (422, "INVALID_RECEIVER_PUBLIC_KEY"),
    ),
    ("missing field", _part("body", {**AUTHORIZATION, "amount": ""}), (422, "MISSING_REQUIRED_MSG_FIELD")),
]
"""A way to fail each step, in the order of the steps."""

# Two spoilings of one header are one spoiling, and the target decides which keys are right.
_SAME_PART = {("header", "remote key"), ("origin syntax", "origin"), ("target", "remote key")}


async def _send_spoiled(hub: HubUnderTest, *breaks: Break) -> httpx.Response:
    parts: dict[str, Any] = {
        "headers": {},
        "body": AUTHORIZATION,
        "target": "south",
        "at": "2026-11-20T09:00:00Z",
        "nonce": 8,
    }
    for spoil in breaks:
        spoil(parts)
    await hub.send("GET", "/v1/code/connect/coin-network", nonce=7)
    raw = json.dumps(parts["body"]).encode()
    headers = signed(raw, nonce=parts["nonce"], at=parts["at"], remote=SOUTH) | parts["headers"]
    kept = {name: value for name, value in headers.items() if value is not None}
    return await hub.client.post(f"/v1/code/transfer/{parts['target']}", content=raw, headers=kept)


async def test_the_unspoiled_request_passes() -> None:
    hub = hub_under_test()
    assert (await _send_spoiled(hub, _nothing)).status_code == 200
    assert len(hub.south.calls) == 1


@pytest.mark.parametrize("step", range(len(STEPS)), ids=[name for name, _, _ in STEPS])
async def test_each_step_refuses_and_forwards_nothing(step: int) -> None:
    hub = hub_under_test()
    name, spoil, refusal = STEPS[step]
    assert error_of(await _send_spoiled(hub, spoil)) == refusal, name
    assert hub.south.calls == []


@pytest.mark.parametrize(
    ("earlier", "later"),
    [
        pytest.param(earlier, later, id=f"{STEPS[earlier][0]}, {STEPS[later][0]}")
        for earlier, later in itertools.combinations(range(len(STEPS)), 2)
        if (STEPS[earlier][0], STEPS[later][0]) not in _SAME_PART
    ],
)
async def test_of_two_faults_the_earlier_step_answers(earlier: int, later: int) -> None:
    hub = hub_under_test()
    spoiled = await _send_spoiled(hub, STEPS[later][1], STEPS[earlier][1])
    assert error_of(spoiled) == STEPS[earlier][2]


async def test_rate_stands_between_nonce_and_target() -> None:
    """Only the VASP list is limited, so the two neighbours are shown on it."""
    hub = hub_under_test(rate_limit_per_minute=1)
    assert (await hub.send("GET", "/v1/code/vasps", nonce=1)).status_code == 200
    assert error_of(await hub.send("GET", "/v1/code/vasps", nonce=1)) == (422, "DUPLICATED_HEADER_NONCE")
    limited = await hub.send("GET", "/v1/code/vasps", nonce=2)
    assert error_of(limited) == (429, "TOO_MANY_REQUESTS")
    assert limited.headers["retry-after"] == "60"


@pytest.mark.parametrize(
    "name",
    ["X-Code-Req-Datetime", "X-Code-Req-Nonce", "X-Code-Req-PubKey", "X-Code-Req-Signature", "X-Request-Origin"],
)
async def test_each_header_of_set_s_is_required(name: str) -> None:
    hub = hub_under_test()
    for value in (None, ""):
        response = await hub.send("GET", "/v1/code/vasps", headers={name: value})
        assert error_of(response) == (422, "MISSING_HEADER_FIELD")


@pytest.mark.parametrize("origin", ["north", "code:", ":north", "code:north:x", "co de:north", "code north"])
async def test_origin_is_alliance_and_entity(origin: str) -> None:
    refused = await hub_under_test().send("GET", "/v1/code/vasps", origin=origin)
    assert error_of(refused) == (422, "ILLEGAL_FORMAT_OF_ORIGIN")


async def test_the_alliance_is_part_of_the_origin_but_not_its_case() -> None:
    hub = hub_under_test()
    assert error_of(await hub.send("GET", "/v1/code/vasps", origin="gtr:north")) == (422, "INVALID_ORIGIN")
    assert (await hub.send("GET", "/v1/code/vasps", origin="CODE:north")).status_code == 200


@pytest.mark.parametrize("nonce", ["-1", "1.0", "abc", "0x1", "+1", "1_0", "²", "99999999999"])
async def test_a_nonce_is_an_unsigned_32_bit_integer(nonce: str) -> None:
    refused = await hub_under_test().send("GET", "/v1/code/vasps", headers={"X-Code-Req-Nonce": nonce.encode()})
    assert error_of(refused) == (422, "INVALID_MSG_FIELD_VALUE")


async def test_the_whole_range_of_nonces_is_accepted() -> None:
    hub = hub_under_test()
    for nonce in (0, 2**32 - 1):
        assert (await hub.send("GET", "/v1/code/vasps", nonce=nonce)).status_code == 200


@pytest.mark.parametrize(
    "at",
    ["2026-11-20T09:00:07.512Z", "2026-11-20T09:00:28+0000", "2026-11-20T09:00Z", "2026-11-20T18:00:00+09:00"],
)
async def test_forms_of_time_that_real_clients_send(at: str) -> None:
    assert (await hub_under_test().send("GET", "/v1/code/vasps", at=at)).status_code == 200


async def test_time_tolerance_counts_both_ways_and_includes_its_end() -> None:
    hub = hub_under_test()
    for at in ("2026-11-20T08:55:00Z", "2026-11-20T09:05:00Z"):
        assert (await hub.send("GET", "/v1/code/vasps", at=at)).status_code == 200
    for at in ("2026-11-20T08:54:59Z", "2026-11-20T09:05:01Z", "yesterday"):
        assert error_of(await hub.send("GET", "/v1/code/vasps", at=at)) == (422, "INVALID_MSG_FIELD_VALUE")


async def test_lenient_mode_takes_any_time_that_is_one() -> None:
    hub = hub_under_test(lenient_time=True)
    assert (await hub.send("GET", "/v1/code/vasps", at="1999-01-01T00:00:00Z")).status_code == 200
    refused = await hub.send("GET", "/v1/code/vasps", at="yesterday")
    assert error_of(refused) == (422, "INVALID_MSG_FIELD_VALUE")


async def test_a_remote_key_is_optional_but_checked_on_other_forwarded_operations() -> None:
    hub = hub_under_test()
    hub.south.says(result="normal", transferId="t")
    path, body = "/v1/code/transfer/south/txid", {"transferId": "t", "txid": "x"}
    assert (await hub.send("POST", path, body)).status_code == 200
    assert (await hub.send("POST", path, body, remote=SOUTH)).status_code == 200
    assert error_of(await hub.send("POST", path, body, remote=STRANGER)) == (422, "INVALID_RECEIVER_PUBLIC_KEY")


async def test_unknown_targets_of_both_kinds() -> None:
    hub = hub_under_test()
    answers = {
        ("GET", "/v1/code/Vasp/nobody/pubkey"): "INVALID_TARGET_VASP_ID",
        ("POST", "/v1/code/transfer/nobody/status"): "INVALID_TARGET_VASP_ID",
        ("POST", "/v1/code/VerifyAddress/nobody"): "INVALID_BENEFICIARY",
        ("POST", "/v1/code/transfer/nobody/txid"): "INVALID_BENEFICIARY",
        ("PUT", "/v1/code/transfer/nobody/status"): "INVALID_BENEFICIARY",
    }
    for (method, path), code in answers.items():
        assert error_of(await hub.send(method, path, {}, remote=SOUTH)) == (422, code)


@pytest.mark.parametrize("name", ["X-Request-Origin", "X-Code-Req-PubKey", "X-Code-Req-Nonce", "X-Code-Req-Signature"])
async def test_a_signature_header_that_comes_twice_is_refused(name: str) -> None:
    hub = hub_under_test()
    body = json.dumps(AUTHORIZATION).encode()
    headers = signed(body, remote=SOUTH)
    twice = [*headers.items(), (name, headers[name])]
    answer = await hub.client.request("POST", "/v1/code/transfer/south", content=body, headers=twice)
    assert error_of(answer) == (422, "INVALID_MSG_FIELD_VALUE")
    assert name.lower() in answer.json()["errorMsg"]
    assert hub.south.calls == []


async def test_what_a_stranger_writes_into_headers_and_path_is_not_kept_at_length() -> None:
    hub = hub_under_test()
    long = "x" * 4000
    await hub.authorize(target=long, headers={"X-Request-Origin": f"code:{long}", "traceparent": long})
    [record] = hub.records.kept
    assert record.error_type == "INVALID_ORIGIN"
    assert max(map(len, (record.caller, record.target, record.traceparent))) <= 200
