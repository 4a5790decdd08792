"""Proofs of ownership against the sandbox, on both databases: session, widget, callback, polling, the end in time."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import httpx
import orjson
import pytest

from schemas.events.decisions import DecisionRecorded
from tests.support.risk_installation import SITE, RiskInstallation
from travelrule.engine.vault import Vault
from travelrule.sandbox.world.sandbox_wallet import SandboxWallet
from travelrule.store import tables
from travelrule.store.database import Database

WALLET = SandboxWallet().addresses()["ETH"]
PROVEN = [("allow", ("OWNERSHIP_PROVEN",))]


@pytest.fixture
async def north(database: Database, vault: Vault):  # type: ignore[no-untyped-def]
    made = RiskInstallation(database, vault, {})
    yield made
    await made.close()


@dataclass
class Liar(httpx.AsyncBaseTransport):
    """A hub that changes its answers about a proof."""

    inner: httpx.AsyncBaseTransport
    changes: dict[str, Any]

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        answer = await self.inner.handle_async_request(request)
        if request.method != "GET" or "unhosted-wallet" not in request.url.path:
            return answer
        said = orjson.loads(await answer.aread())
        return httpx.Response(200, json={**said, **self.changes})


async def token_of(north: RiskInstallation) -> str:
    """The session that the platform was handed."""
    (session,) = await north.said("callbacks")
    assert session["walletVerificationId"]
    return str(session["token"])


async def test_a_wallet_is_proven_and_the_callback_hastens_the_question(north: RiskInstallation) -> None:
    await north.own(WALLET)
    await north.settle()
    (asked,) = north.asked("unhosted-token")
    assert {**asked, "callbackUrl": ""} == {
        "blockchain": "ETH",
        "asset": "USDT",
        "address": WALLET,
        "customerIdentification": "c-1001",
        "widgetRenderingOrigin": SITE,
        "callbackUrl": "",
    }
    assert asked["callbackUrl"].startswith("https://north.test/hooks/callbacks/unhosted-token/")
    assert await north.risks() == []
    await north.prove(await token_of(north))
    assert north.hooks.answers == [(200, {"result": "ok"})]
    await north.settle()
    assert await north.risks() == PROVEN
    session, result = await north.said("callbacks")
    assert (result["status"], result["checkedByUs"]) == ("VERIFIED", True)
    asked_for = [path for method, path, _ in north.wire.requests if method == "GET"]
    assert asked_for == [f"/v1/code/unhosted-wallet-verification/{session['walletVerificationId']}"]
    await north.hooks.post(north.hooks.sent[0].url, north.hooks.sent[0].body)
    await north.pass_time(60, step=10)
    assert await north.risks() == PROVEN, "said once"


async def test_without_a_callback_it_is_polled(database: Database, vault: Vault) -> None:
    north = RiskInstallation(database, vault, {}, public_url=None)
    try:
        await north.own(WALLET)
        await north.settle()
        await north.prove(await token_of(north))
        assert await north.risks() == []
        await north.pass_time(40, step=5)
        assert await north.risks() == PROVEN
    finally:
        await north.close()


async def test_a_forged_callback_proves_nothing(north: RiskInstallation) -> None:
    await north.own(WALLET)
    await north.settle()
    url = north.asked("unhosted-token")[0]["callbackUrl"]
    forged = {"verificationId": "v", "status": "VERIFIED", "address": WALLET, "asset": "USDT", "blockchain": "ETH"}
    await north.hooks.post(url, orjson.dumps(forged))
    await north.settle()
    assert len(north.seen("unhosted-result")) == 1
    assert await north.risks() == []


async def test_a_wallet_that_is_not_proven_in_time_is_denied(north: RiskInstallation) -> None:
    north.decree("[time_limits]\nownership = 600")
    await north.own(WALLET)
    await north.pass_time(599, step=20)
    assert await north.risks() == []
    polls = len(north.seen("unhosted-result"))
    await north.pass_time(2)
    assert await north.risks() == [("deny", ("OWNERSHIP_NOT_PROVEN",))]
    assert len(north.seen("unhosted-result")) == polls + 1, "asked a last time"
    await north.prove(str((await north.said("callbacks"))[0]["token"]))
    await north.pass_time(120, step=30)
    assert len(await north.risks()) == 1, "a proof after the time is none"
    assert await north.rows(tables.calls) == []


async def test_another_wallets_signature_does_not_prove_it(north: RiskInstallation) -> None:
    await north.own("0x000000000000000000000000000000000000dEaD")
    await north.settle()
    opened = (await north.control.post("/widget/session", json={"token": await token_of(north)})).json()
    signed = (await north.control.post("/widget/test-wallet", json={"key": opened["key"]})).json()
    refused = await north.control.post("/widget/proof", json={"key": opened["key"], **signed})
    assert refused.status_code == 422
    await north.pass_time(60, step=10)
    assert north.hooks.sent == []
    assert await north.risks() == []


async def test_a_hub_that_opens_no_session_is_asked_again_with_the_same_callback(north: RiskInstallation) -> None:
    await north.fault(operation="unhosted-token", fault="status", status=500, errorType="CODE_SERVER_INTERNAL_ERROR")
    await north.own(WALLET)
    await north.pass_time(30)
    await north.clear_faults()
    await north.pass_time(60)
    assert len({body["callbackUrl"] for body in north.asked("unhosted-token")}) == 1
    await north.prove(await token_of(north))
    await north.settle()
    assert await north.risks() == PROVEN


async def test_a_refused_session_is_a_deny_with_an_alert(north: RiskInstallation) -> None:
    await north.fault(operation="unhosted-token", fault="status", status=422, errorType="INVALID_MSG_FIELD_VALUE")
    await north.own(WALLET)
    await north.settle()
    assert await north.risks() == [("deny", ("OWNERSHIP_NOT_PROVEN", "SCREENING_REFUSED"))]
    assert await north.alerts() == ["SCREENING_REFUSED"]


async def test_a_chain_without_proofs_is_denied_without_a_call(north: RiskInstallation) -> None:
    await north.own("rPEPPER7kfTD9w2To4CQk6UCfuHM9c6GDY", blockchain="XRP", asset="XRP")
    await north.settle()
    assert north.wire.requests == []
    assert await north.risks() == [("deny", ("OWNERSHIP_NOT_PROVEN", "NETWORK_NOT_SCREENABLE"))]


async def test_an_operator_may_decide_while_it_is_awaited(north: RiskInstallation) -> None:
    await north.own(WALLET)
    await north.settle()
    data = DecisionRecorded(subject="screening:s-1", decision="allow", actor="operator-1", reason="seen in person")
    assert (await north.tell(data, "screening:s-1")).status == "applied"
    assert await north.risks() == [("allow", ("OPERATOR",))]
    await north.pass_time(120, step=30)
    assert len(north.seen("unhosted-result")) <= 1


async def test_a_withdrawal_to_an_unhosted_wallet_waits_for_the_proof(north: RiskInstallation) -> None:
    destination = {
        "kind": "unhosted",
        "address": WALLET,
        "blockchain": "ETH",
        "asset": "USDT",
        "widgetOrigin": SITE,
    }
    await north.withdraw(currency="USDT", network="ETH", destination=destination)
    await north.settle()
    assert await north.verdicts() == [("hold", "OWNERSHIP_PENDING")]
    session = (await north.said("callbacks"))[0]
    assert session["subject"] == "withdrawal:w-1"
    await north.prove(session["token"])
    await north.settle()
    assert await north.verdicts() == [("hold", "OWNERSHIP_PENDING"), ("allow", "OWNERSHIP_PROVEN")]
    result = (await north.said("callbacks"))[-1]
    assert (result["subject"], result["status"], result["checkedByUs"]) == ("withdrawal:w-1", "VERIFIED", True)


async def test_a_withdrawal_on_another_chain_than_the_wallet_is_proven_for_is_denied(north: RiskInstallation) -> None:
    destination = {"kind": "unhosted", "address": WALLET, "blockchain": "ETH", "asset": "USDT", "widgetOrigin": SITE}
    await north.withdraw(currency="USDT", network="TRX", destination=destination)
    await north.settle()
    assert (await north.verdicts())[-1] == ("deny", "OWNERSHIP_NOT_PROVEN")
    assert north.seen("unhosted-token") == []


@pytest.mark.parametrize(
    ("changes", "alert"),
    [
        ({"address": "0x000000000000000000000000000000000000dEaD"}, "OWNERSHIP_MISMATCH"),
        ({"asset": "ETH"}, "OWNERSHIP_MISMATCH"),
        ({"blockchain": "BSC"}, "OWNERSHIP_MISMATCH"),
        ({"verificationId": "another-session"}, "OWNERSHIP_MISMATCH"),
        ({"signature": "0x" + "11" * 64 + "1b"}, "OWNERSHIP_SIGNATURE_INVALID"),
        ({"signedMessage": "I own everything"}, "OWNERSHIP_SIGNATURE_INVALID"),
    ],
)
async def test_a_verified_that_is_not_ours_is_a_deny(
    north: RiskInstallation, changes: dict[str, Any], alert: str
) -> None:
    north.wire.inner = Liar(north.wire.inner, changes)
    await north.own(WALLET)
    await north.settle()
    await north.prove(await token_of(north))
    await north.settle()
    assert await north.risks() == [("deny", ("OWNERSHIP_NOT_PROVEN", alert))]
    assert await north.alerts() == [alert]


async def test_a_proof_by_the_hubs_word_alone_says_that_we_did_not_check_it(north: RiskInstallation) -> None:
    north.wire.inner = Liar(north.wire.inner, {"signature": None, "signedMessage": None})
    await north.own(WALLET)
    await north.settle()
    await north.prove(await token_of(north))
    await north.settle()
    assert await north.risks() == PROVEN
    assert (await north.said("callbacks"))[-1]["checkedByUs"] is False
