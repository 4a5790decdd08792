"""The client of this project and a sandbox of this project on a socket: KYT, screening, and a proven wallet."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Awaitable
from pathlib import Path
from typing import Literal, TypeVar

import aiohttp
import pytest

from schemas.hub.kyt import KytReportResponse
from schemas.hub.screening import (
    KytSearchResponse,
    TransactionScreeningResponse,
    UnhostedResult,
    UnhostedTokenResponse,
    WalletScreeningResponse,
)
from schemas.operations import Operation
from schemas.wire_model import Wire
from tests.contract.hub.servers import running
from tests.contract.hub.test_client_and_hub import Counter
from tests.support.hub import NORTH
from tests.support.sandbox import real
from travelrule.client.answer_status import Answer
from travelrule.client.errors import HubRefused
from travelrule.client.hub import HubClient
from travelrule.client.signer import LocalSigner
from travelrule.crypto.signing import KeyRing
from travelrule.hub.runtime.assembly import utc_now
from travelrule.sandbox.server import run_sandbox
from travelrule.sandbox.world.sandbox_wallet import SandboxWallet
from travelrule.screening import risk_levels

MALICIOUS = "0x091d6e123c64e8ce9c0f39a9085d6adcf29cf8f49c888a95c128566550765298"
Prefix = Literal["partner", "uppsala"]


@pytest.fixture
async def url(tmp_path: Path) -> AsyncIterator[str]:
    file = tmp_path / "world.json"
    screening = {"wallets": {"0xbad": {"category": "BLACK"}}}
    file.write_text(json.dumps({"members": [real("north", NORTH)], "screening": screening}))
    async with running(lambda told: run_sandbox(file, "127.0.0.1:0", on_started=told)) as served:
        yield served


Model = TypeVar("Model", bound=Wire)


def client(url: str, prefix: Prefix = "partner") -> HubClient:
    signer = LocalSigner(KeyRing([NORTH]), Counter(), utc_now)
    return HubClient(url, "code:north", signer, "aiohttp", screening_prefix=prefix)


def _bytes(**body: object) -> bytes:
    return json.dumps(body).encode()


async def _read(model: type[Model], call: Awaitable[Answer]) -> Model:
    return model.from_wire((await call).body)


@pytest.mark.parametrize("prefix", ["partner", "uppsala"])
async def test_risk_of_wallets_and_transactions(url: str, prefix: Prefix) -> None:
    hub = client(url, prefix)
    try:
        bad = _bytes(walletAddress="0xbad", chain="ETH")
        assert risk_levels.of_wallet(
            await _read(WalletScreeningResponse, hub.call(Operation.WALLET_SCREENING, "", bad))
        ) == ("malicious")
        other = _bytes(walletAddress="0xbad", chain="TON")
        assert risk_levels.of_wallet(
            await _read(WalletScreeningResponse, hub.call(Operation.WALLET_SCREENING, "", other))
        ) == ("pending")
        clean = hub.call(Operation.TRANSACTION_SCREENING, "", _bytes(txid="0x1", chain="btc"))
        assert risk_levels.of_transaction(await _read(TransactionScreeningResponse, clean)) == "clean"
        search = hub.call(Operation.KYT_SEARCH, "", _bytes(txHash=MALICIOUS, blockchain="ETH"))
        started = await _read(KytSearchResponse, search)
        assert started.status == "RELEASED"
        report = hub.call(Operation.KYT_REPORT, str(started.request_id), b"")
        assert risk_levels.of_kyt(await _read(KytReportResponse, report)) == "malicious"
        with pytest.raises(HubRefused) as caught:
            await hub.call(Operation.KYT_REPORT, str(started.request_id + 1), b"")
        assert (caught.value.status, caught.value.error_code) == (404, "NOT_FOUND")
    finally:
        await hub.aclose()


@pytest.mark.parametrize("chain", ["ETH", "SOL"])
async def test_a_wallet_is_proven_through_the_endpoints_of_the_page(url: str, chain: str) -> None:
    hub = client(url)
    try:
        opening = hub.call(
            Operation.UNHOSTED_TOKEN,
            "",
            _bytes(
                blockchain=chain,
                asset="USDT",
                address=SandboxWallet().addresses()[chain],
                customerIdentification="customer-1",
                widgetRenderingOrigin=url,
            ),
        )
        token = await _read(UnhostedTokenResponse, opening)
        async with aiohttp.ClientSession(url) as browser:
            opened = await (await browser.post("/widget/session", json={"token": token.token})).json()
            signed = await (await browser.post("/widget/test-wallet", json={"key": opened["key"]})).json()
            proven = await browser.post("/widget/proof", json={"key": opened["key"], **signed})
            assert (await proven.json())["status"] == "VERIFIED"
            page = await (await browser.get("/widget")).text()
            assert "/widget/page.js" in page
        ended = hub.call(Operation.UNHOSTED_RESULT, token.wallet_verification_id, b"")
        result = await _read(UnhostedResult, ended)
        assert (result.status, result.signed_message) == ("VERIFIED", opened["message"])
    finally:
        await hub.aclose()
