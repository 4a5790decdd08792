"""Sessions of unhosted wallets: token, widget, proof, result and callback (hub-api.md section 7)."""

from __future__ import annotations

import json
from typing import Any

import pytest

from schemas.hub.screening import UnhostedResult, UnhostedTokenResponse
from tests.support.hub import error_of
from tests.support.screening_hub import ADDRESS, AS_SOUTH, SITE, URL, WALLET, RiskHub, risk_hub
from travelrule.hub.unhosted.session_responder import origin_of
from travelrule.screening.ownership.proof_check import check_proof
from travelrule.screening.ownership.proof_message import parse

DAY = 86_400


async def _session(hub: RiskHub, **fields: Any) -> tuple[str, dict[str, Any]]:
    """Start a session and open its widget; return its id, and the widget's data."""
    told = UnhostedTokenResponse.model_validate((await hub.token(fields)).json())
    opened = await hub.widget("session", token=told.token)
    assert opened.status_code == 200, opened.text
    return told.wallet_verification_id, opened.json()


async def _status(hub: RiskHub, session_id: str, **how: Any) -> str:
    return UnhostedResult.model_validate((await hub.result(session_id, **how)).json()).status


@pytest.mark.parametrize("blockchain", ["ETH", "ARBITRUM", "BASE", "KAIA", "MATIC", "SOL", "BSC"])
async def test_a_proof_verifies_the_wallet_and_calls_back_once(blockchain: str) -> None:
    hub = risk_hub()
    address = WALLET.addresses()[blockchain]
    session_id, shown = await _session(hub, blockchain=blockchain, address=address)
    assert (shown["id"], shown["status"], shown["testWallet"]) == (session_id, "PENDING", True)
    assert await _status(hub, session_id) == "PENDING"
    signature = WALLET.sign(blockchain, shown["message"])
    proven = await hub.widget("proof", key=shown["key"], signature=signature)
    assert proven.json() == {
        "id": session_id,
        "status": "VERIFIED",
        "flow": "SIGNATURE_PROOF",
        "address": address,
        "asset": "USDT",
        "blockchain": blockchain,
    }
    # A browser may send twice; the callback comes once.
    assert (await hub.widget("proof", key=shown["key"], signature=signature)).status_code == 200
    await hub.hub.tasks.settled()
    result = (await hub.result(session_id)).json()
    assert result == {
        "verificationId": session_id,
        "status": "VERIFIED",
        "blockchain": blockchain,
        "asset": "USDT",
        "address": address,
        "signature": signature,
        "signedMessage": shown["message"],
        "verifiedAt": "2026-11-20T09:00:00Z",
    }
    (call,) = hub.callbacks.calls
    assert (call.url, call.receiver, json.loads(call.body)) == (URL, "north", result)
    # Who gets the result can check it himself.
    assert check_proof(blockchain, address, result["signedMessage"], result["signature"]).outcome == "valid"


async def test_the_message_binds_the_vasp_the_wallet_and_the_session() -> None:
    hub = risk_hub()
    session_id, shown = await _session(hub)
    message = parse(shown["message"])
    assert message is not None
    assert (message.bound.domain, message.bound.address.lower(), message.bound.reference) == (
        "app.north.example",
        ADDRESS.lower(),
        session_id,
    )
    assert "north Ltd." in message.statement
    assert (message.expires_at - message.issued_at).total_seconds() == DAY
    other_id, other = await _session(hub)
    assert other_id != session_id
    # A signature for one session is none for another.
    signature = WALLET.sign("ETH", shown["message"])
    refused = await hub.widget("proof", key=other["key"], signature=signature)
    assert (refused.status_code, refused.json()["reason"]) == (422, "SIGNATURE_MISMATCH")


@pytest.mark.parametrize(
    ("blockchain", "address", "written"),
    [
        # An example of EIP-55, in a case of no meaning and in a wrong one.
        ("ETH", "0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed", "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed"),
        ("KAIA", "0X5AAEB6053F3E94C9b9a09f33669435E7Ef1BeAed", "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed"),
        ("SOL", WALLET.addresses()["SOL"], WALLET.addresses()["SOL"]),
    ],
)
async def test_the_message_has_the_address_with_its_checksum_and_the_result_as_it_was_asked(
    blockchain: str, address: str, written: str
) -> None:
    hub = risk_hub()
    session_id, shown = await _session(hub, blockchain=blockchain, address=address)
    message = parse(shown["message"])
    assert message is not None
    assert message.bound.address == written
    assert (await hub.result(session_id)).json()["address"] == address


@pytest.mark.parametrize("signature", ["0x00", "0x" + "11" * 65, "0x" + "11" * 200])
async def test_a_bad_proof_changes_nothing_calls_nobody_and_may_be_mended(signature: str) -> None:
    hub = risk_hub()
    session_id, shown = await _session(hub)
    refused = await hub.widget("proof", key=shown["key"], signature=signature)
    assert (refused.status_code, refused.json()["errorCode"]) == (422, "GENERAL_API_ERROR")
    await hub.hub.tasks.settled()
    assert await _status(hub, session_id) == "PENDING"
    assert hub.callbacks.calls == []
    good = await hub.widget("proof", key=shown["key"], signature=WALLET.sign("ETH", shown["message"]))
    assert good.json()["status"] == "VERIFIED"


async def test_the_test_wallet_cannot_prove_another_address() -> None:
    hub = risk_hub()
    session_id, shown = await _session(hub, address="0x2c7536E3605D9C16a7a3D7b1898e529396a65c23")
    signed = (await hub.widget("test-wallet", key=shown["key"])).json()
    refused = await hub.widget("proof", key=shown["key"], **signed)
    assert (refused.status_code, refused.json()["reason"]) == (422, "SIGNATURE_MISMATCH")
    assert await _status(hub, session_id) == "PENDING"


async def test_a_token_serves_once_and_proves_nothing() -> None:
    hub = risk_hub()
    told = (await hub.token()).json()
    shown = (await hub.widget("session", token=told["token"])).json()
    again = await hub.widget("session", token=told["token"])
    assert (again.status_code, again.json()["errorCode"]) == (403, "GENERAL_API_ERROR")
    signature = WALLET.sign("ETH", shown["message"])
    assert (await hub.widget("proof", key=told["token"], signature=signature)).status_code == 404
    assert (await hub.widget("session", token=shown["key"])).status_code == 404
    assert (await hub.widget("test-wallet", key=told["token"])).status_code == 404
    # The key of the first opening goes on serving.
    assert (await hub.widget("proof", key=shown["key"], signature=signature)).status_code == 200


async def test_a_token_and_its_session_end_after_a_day() -> None:
    hub = risk_hub(lenient_time=True)
    unopened = (await hub.token()).json()
    session_id, shown = await _session(hub)
    hub.clock.forward(DAY - 1)
    assert await _status(hub, session_id) == "PENDING"
    hub.clock.forward(1)
    assert (await hub.widget("session", token=unopened["token"])).status_code == 404
    late = await hub.widget("proof", key=shown["key"], signature=WALLET.sign("ETH", shown["message"]))
    assert late.status_code == 404
    assert await _status(hub, session_id) == "EXPIRED"
    assert hub.callbacks.calls == []
    hub.clock.forward(DAY)
    assert error_of(await hub.result(session_id)) == (404, "NOT_FOUND")


async def test_a_session_is_its_askers_own() -> None:
    hub = risk_hub()
    session_id, _ = await _session(hub)
    assert error_of(await hub.result(session_id, **AS_SOUTH)) == (404, "NOT_FOUND")
    assert error_of(await hub.result("nobody")) == (404, "NOT_FOUND")


async def test_a_widget_on_another_page_is_refused_and_its_token_kept() -> None:
    hub = risk_hub()
    told = (await hub.token()).json()
    for origin in ("https://evil.example", "http://app.north.example", "https://app.north.example:8443", "null"):
        refused = await hub.widget("session", origin, token=told["token"])
        assert (refused.status_code, refused.json()["errorCode"]) == (403, "GENERAL_API_ERROR")
    opened = await hub.widget("session", token=told["token"])
    assert opened.status_code == 200
    assert opened.headers["access-control-allow-origin"] == "https://app.north.example"
    stolen = await hub.widget("proof", "https://evil.example", key=opened.json()["key"], signature="0x00")
    assert stolen.status_code == 403


@pytest.mark.parametrize("origin", ["http://hub", "https://hub", None])
async def test_the_hubs_own_page_and_programs_without_origin_may_open_any_session(origin: str | None) -> None:
    hub = risk_hub()
    told = (await hub.token()).json()
    opened = await hub.widget("session", origin, token=told["token"])
    assert opened.status_code == 200
    assert "access-control-allow-origin" not in opened.headers


@pytest.mark.parametrize(
    ("fields", "error_type"),
    [
        ({"blockchain": ""}, "MISSING_REQUIRED_MSG_FIELD"),
        ({"asset": None}, "MISSING_REQUIRED_MSG_FIELD"),
        ({"address": ""}, "MISSING_REQUIRED_MSG_FIELD"),
        ({"customerIdentification": ""}, "MISSING_REQUIRED_MSG_FIELD"),
        ({"widgetRenderingOrigin": ""}, "MISSING_REQUIRED_MSG_FIELD"),
        ({"blockchain": "BTC"}, "INVALID_MSG_FIELD_VALUE"),
        ({"address": "0x 1"}, "INVALID_MSG_FIELD_VALUE"),
        ({"address": "0x1\nNonce: 1"}, "INVALID_MSG_FIELD_VALUE"),
        ({"asset": "U\nS"}, "INVALID_MSG_FIELD_VALUE"),
        ({"widgetRenderingOrigin": "app.north.example"}, "INVALID_MSG_FIELD_VALUE"),
        ({"widgetRenderingOrigin": "https://app.north.example/page"}, "INVALID_MSG_FIELD_VALUE"),
        ({"widgetRenderingOrigin": "https://user@app.north.example"}, "INVALID_MSG_FIELD_VALUE"),
        ({"widgetRenderingOrigin": "https://:secret@app.north.example"}, "INVALID_MSG_FIELD_VALUE"),
        ({"widgetRenderingOrigin": "https://@app.north.example"}, "INVALID_MSG_FIELD_VALUE"),
        ({"callbackUrl": "http://north.invalid/x"}, "INVALID_MSG_FIELD_VALUE"),
    ],
)
async def test_faults_of_a_token_request(fields: dict[str, Any], error_type: str) -> None:
    assert error_of(await risk_hub().token(fields)) == (422, error_type)


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("session", {}),
        ("session", {"token": 7}),
        ("session", {"token": "é"}),
        ("proof", {"key": "k"}),
        ("proof", {"signature": "s"}),
        ("test-wallet", {}),
    ],
)
async def test_calls_of_a_widget_that_lack_something(name: str, said: dict[str, Any]) -> None:
    refused = await risk_hub().widget(name, **said)
    assert (refused.status_code, refused.json()["errorCode"]) == (400, "GENERAL_API_ERROR")


@pytest.mark.parametrize(("content", "status"), [(b"[]", 400), (b"{", 400), (b"x" * 70_000, 413)])
async def test_bodies_that_no_widget_sends(content: bytes, status: int) -> None:
    refused = await risk_hub().client.post("/widget/session", content=content)
    assert (refused.status_code, refused.json()["errorCode"]) == (status, "GENERAL_API_ERROR")


async def test_the_journal_has_what_widgets_did_and_nothing_of_the_customer() -> None:
    hub = risk_hub()
    session_id, shown = await _session(hub)
    await hub.widget("proof", key=shown["key"], signature="0x00")
    await hub.widget("proof", key=shown["key"], signature=WALLET.sign("ETH", shown["message"]))
    await hub.hub.tasks.settled()
    kept = [(record.operation, record.target, record.status, record.result) for record in hub.records.kept]
    assert kept == [
        ("unhosted-token", "", 200, "PENDING"),
        ("widget-session", "north", 200, "PENDING"),
        ("widget-proof", "north", 422, "SIGNATURE_MALFORMED"),
        ("widget-proof", "north", 200, "VERIFIED"),
        ("callback", "north", 200, "VERIFIED"),
    ]
    assert {record.request_id for record in hub.records.kept} == {session_id}
    written = repr(hub.records.kept) + repr(hub.callbacks.calls)
    assert not any(secret in written for secret in (ADDRESS, "customer-1", shown["key"], "secret-path"))


async def test_a_hub_without_a_test_wallet_offers_none() -> None:
    hub = risk_hub(providers=False)
    _, shown = await _session(hub)
    assert shown["testWallet"] is False
    assert (await hub.widget("test-wallet", key=shown["key"])).status_code == 404


async def test_the_page_and_its_script_are_served_without_anything_from_elsewhere() -> None:
    hub = risk_hub()
    page = await hub.client.get("/widget")
    assert page.headers["content-type"].startswith("text/html")
    assert "script-src 'self'" in page.headers["content-security-policy"]
    assert "frame-ancestors 'none'" in page.headers["content-security-policy"]
    for path, kind in (
        ("page.js", "text/javascript"),
        ("page.css", "text/css"),
        ("wallet-verifier.js", "text/javascript"),
    ):
        served = await hub.client.get(f"/widget/{path}")
        assert (served.status_code, served.headers["content-type"].partition(";")[0]) == (200, kind)
        assert "http://" not in served.text + page.text
        assert "https://" not in served.text + page.text
        assert served.headers["access-control-allow-origin"] == "*"


@pytest.mark.parametrize(
    ("text", "origin"),
    [
        (SITE, "https://app.north.example"),
        ("http://localhost:3000", "http://localhost:3000"),
        ("https://app.north.example/", "https://app.north.example"),
        ("https://APP.north.example", "https://app.north.example"),
        ("null", ""),
        ("", ""),
        ("javascript:alert(1)", ""),
        ("https://user@app.north.example", ""),
        ("https://app.north.example?x", ""),
        ("https://", ""),
        ("https://[", ""),
    ],
)
def test_an_origin_has_one_form(text: str, origin: str) -> None:
    assert origin_of(text) == origin
