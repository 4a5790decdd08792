"""The request on the wire: method, path, headers, the signature over exactly the bytes that are sent."""

from __future__ import annotations

import httpx
import pytest

from schemas.operations import Operation
from tests.support.hub_function import OWN, PEER, HubFunction, signer
from travelrule.client.errors import HubRefused
from travelrule.client.hub import HubClient
from travelrule.client.operations import OPERATIONS
from travelrule.crypto.signing import verify

BODY = '{"b" : 1,\n "name":"김"}'.encode()
SEALED = {"address-search", "transfer-authorization", "data-request"}
REQUEST_ID = "5d3c0a44-0f4e-4c7f-8a0e-9d0d6f0a1b2c"
ANSWERS = {
    "vasp-list": {"vasps": []},
    "public-key": {"pubkeys": []},
    "coin-networks": {"coinNetworks": []},
    "address-search": {"result": "valid"},
    "transfer-authorization": {"result": "denied"},
    "txid-report": {"result": "normal"},
    "finish": {"result": "error"},
    "status-search": {"status": "wait-confirmed"},
    "txid-search": {"result": "SUCCESS"},
    "txid-search-result": {"result": "invalid"},
    "data-request": {"result": "normal"},
    "wallet-search": {"result": "success"},
    "wallet-search-result": {"result": "valid"},
    "wallet-screening": {"result": "NORMAL"},
    "transaction-screening": {"result": "NORMAL"},
    "kyt-search": {"requestId": 7, "status": "PENDING"},
    "kyt-report": {"requestId": 7, "status": "PENDING"},
    "unhosted-token": {"token": "t", "walletVerificationId": "w"},
    "unhosted-result": {"status": "PENDING"},
}
LINES = [
    ("vasp-list", "GET", "/base/v1/code/vasps"),
    ("public-key", "GET", "/base/v1/code/Vasp/south/pubkey"),
    ("coin-networks", "GET", "/base/v1/code/connect/coin-network"),
    ("address-search", "POST", "/base/v1/code/VerifyAddress/south"),
    ("transfer-authorization", "POST", "/base/v1/code/transfer/south"),
    ("txid-report", "POST", "/base/v1/code/transfer/south/txid"),
    ("finish", "PUT", "/base/v1/code/transfer/south/status"),
    ("status-search", "POST", "/base/v1/code/transfer/south/status"),
    ("txid-search", "POST", "/base/v1/code/verification/tx"),
    ("txid-search-result", "GET", f"/base/v1/code/verification/tx/{REQUEST_ID}"),
    ("data-request", "PUT", "/base/v1/code/verification/tx/south"),
    ("wallet-search", "POST", "/base/v2/code/VerifyAddress"),
    ("wallet-search-result", "GET", f"/base/v2/code/VerifyAddress/{REQUEST_ID}"),
    ("wallet-screening", "POST", "/base/v1/code/partner/wallet"),
    ("transaction-screening", "POST", "/base/v1/code/partner/tx-hash"),
    ("kyt-search", "POST", "/base/v1/code/partner/kytsearch"),
    ("kyt-report", "GET", "/base/v1/code/partner/kytreport"),
    ("unhosted-token", "POST", "/base/v1/code/unhosted-wallet-verification/widget/token"),
    ("unhosted-result", "GET", f"/base/v1/code/unhosted-wallet-verification/{REQUEST_ID}"),
]


KEY = PEER.public_base64
TARGETS = {
    "public-key": "south",
    "txid-search-result": REQUEST_ID,
    "wallet-search-result": REQUEST_ID,
    "kyt-report": "7",
    "unhosted-result": REQUEST_ID,
}


async def call(client: HubClient, name: str, target: str = "south") -> None:
    body = b"" if OPERATIONS[name].method == "GET" else BODY
    await client.call(name, TARGETS.get(name, target), body, KEY if name in SEALED else None)


@pytest.mark.parametrize(("name", "method", "path"), LINES)
async def test_each_operation_has_its_line_and_header_set(
    client: HubClient, hub: HubFunction, name: str, method: str, path: str
) -> None:
    hub.says(200, json=ANSWERS[name])
    await call(client, name)
    (request,) = hub.requests
    assert (request.method, request.url.path) == (method, path)
    assert request.headers["X-Request-Origin"] == "code:north"
    assert request.headers["X-Code-Req-PubKey"] == OWN.public_base64
    assert request.headers["X-Code-Req-Datetime"] == "2026-11-20T09:00:00Z"
    assert request.headers["X-Code-Req-Nonce"] == "1"
    assert (request.headers.get("X-Code-Req-Remote-PubKey") == PEER.public_base64) == (name in SEALED)
    assert ("content-type" in request.headers) == (method != "GET")
    assert request.content == (b"" if method == "GET" else BODY)
    assert verify(
        OWN.public_base64,
        request.headers["X-Code-Req-Datetime"],
        request.content,
        int(request.headers["X-Code-Req-Nonce"]),
        request.headers["X-Code-Req-Signature"],
    )


def test_every_operation_is_tested() -> None:
    assert set(OPERATIONS) == {line[0] for line in LINES}


async def test_each_sending_has_its_own_nonce(client: HubClient, hub: HubFunction) -> None:
    hub.says(200, json={"result": "normal"})
    await client.call(Operation.FINISH, "south", BODY)
    await client.call(Operation.FINISH, "south", BODY)
    first, second = hub.requests
    assert first.headers["X-Code-Req-Nonce"] != second.headers["X-Code-Req-Nonce"]
    assert first.headers["X-Code-Req-Signature"] != second.headers["X-Code-Req-Signature"]


@pytest.mark.parametrize("target", ["a/b", "a b", "100%", "x?y#z", "김", "gtr-a:b"])
async def test_an_entity_id_stays_one_path_segment(client: HubClient, hub: HubFunction, target: str) -> None:
    hub.says(200, json={"pubkeys": []})
    await client.public_keys(target)
    raw = hub.requests[0].url.raw_path.decode()
    assert raw.count("/") == "/base/v1/code/Vasp/x/pubkey".count("/")
    assert hub.requests[0].url.path == f"/base/v1/code/Vasp/{target}/pubkey"


@pytest.mark.parametrize("target", ["", ".", ".."])
async def test_an_entity_id_that_would_change_the_path_is_not_sent(
    client: HubClient, hub: HubFunction, target: str
) -> None:
    with pytest.raises(HubRefused) as caught:
        await client.call(Operation.FINISH, target, BODY)
    assert caught.value.error_code == "INVALID_TARGET_VASP_ID"
    assert hub.requests == []


@pytest.mark.parametrize("name", ["txid-search-result", "wallet-search-result"])
async def test_a_result_is_asked_for_by_the_request_id_without_a_body(
    client: HubClient, hub: HubFunction, name: str
) -> None:
    hub.says(200, json={"result": "invalid", "reasonType": "PROCESSING"})
    answer = await client.call(name, "a/b", b"")
    assert answer.result == "invalid"
    assert hub.requests[0].url.raw_path.decode().endswith("/a%2Fb")
    with pytest.raises(HubRefused) as caught:
        await client.call(name, "", b"")
    assert caught.value.error_code == "INVALID_MSG_FIELD_VALUE"
    assert len(hub.requests) == 1


async def test_the_receivers_key_belongs_to_sealed_operations_only(client: HubClient) -> None:
    with pytest.raises(ValueError, match="finish"):
        await client.call("finish", "south", BODY, PEER.public_base64)
    with pytest.raises(ValueError, match="address-search"):
        await client.call("address-search", "south", BODY)


async def test_traceparent_is_passed_on_and_only_a_real_one(client: HubClient, hub: HubFunction) -> None:
    hub.says(200, json={"result": "normal"})
    good = "00-" + "a" * 32 + "-" + "b" * 16 + "-01"
    await client.call(Operation.FINISH, "south", BODY, traceparent=good)
    await client.call(Operation.FINISH, "south", BODY, traceparent="x\r\ny: z")
    assert hub.requests[0].headers["traceparent"] == good
    assert "traceparent" not in hub.requests[1].headers


def test_a_blocking_client_cannot_send_unsigned() -> None:
    from travelrule.client.auth import HubAuth

    with (
        httpx.Client(transport=httpx.MockTransport(lambda _: httpx.Response(200))) as blocking,
        pytest.raises(RuntimeError),
    ):
        blocking.get("http://hub.test/", auth=HubAuth("code:north", signer()))
