"""Risk in a sandbox: what the world file lists, the presets, the test wallet, and faults of these operations."""

from __future__ import annotations

import json
from typing import Any

import httpx
import pytest

from schemas.hub.kyt import KytReportResponse
from schemas.hub.screening import TransactionScreeningResponse, WalletScreeningResponse
from schemas.operations import HUB_OPERATIONS
from tests.support.hub import SOUTH, error_of
from tests.support.sandbox import World, listed, real, sandbox
from tests.support.search_hub import CALLBACK_URL
from travelrule.errors import ConfigurationError
from travelrule.sandbox.world.sandbox_wallet import SandboxWallet
from travelrule.sandbox.world.world_file import parse_world
from travelrule.screening import risk_levels

CLEAN = "0x5028a06f62bd79cd44d96779c5d1db68882ede90c3cbf62b6cc11a6218984063"
SUSPICIOUS = "6db6a29832732e9c6f19ea8f85150ffe1deafa8412654b0be4f4a532a876fff6"
MALICIOUS = "0x091d6e123c64e8ce9c0f39a9085d6adcf29cf8f49c888a95c128566550765298"
UNLISTED = "0x" + "ab" * 32
SOLANA_TX = "5VERYLongSoLanaSignatureInBase58WhereCaseCounts"


async def wallet(world: World, address: str, chain: str = "ETH") -> risk_levels.Risk:
    answer = await world.send("POST", "/v1/code/partner/wallet", {"walletAddress": address, "chain": chain})
    assert answer.status_code == 200
    return risk_levels.of_wallet(WalletScreeningResponse.model_validate(answer.json()))


async def transaction(world: World, txid: str) -> risk_levels.Risk:
    answer = await world.send("POST", "/v1/code/uppsala/tx-hash", {"txid": txid, "chain": "eth"})
    return risk_levels.of_transaction(TransactionScreeningResponse.model_validate(answer.json()))


async def search(world: World, tx_hash: str, blockchain: str = "ETH", **fields: Any) -> httpx.Response:
    body = {"txHash": tx_hash, "blockchain": blockchain, **fields}
    return await world.send("POST", "/v1/code/partner/kytsearch", body)


async def report(world: World, request_id: int) -> httpx.Response:
    return await world.send("GET", f"/v1/code/partner/kytreport?requestId={request_id}")


async def kyt(world: World, tx_hash: str, **fields: Any) -> tuple[str, KytReportResponse]:
    """Search, let the analysis end, and fetch the report: what the search said, and the report."""
    told = (await search(world, tx_hash, **fields)).json()
    await world.sandbox.tasks.settled()
    return told["status"], KytReportResponse.model_validate((await report(world, told["requestId"])).json())


async def test_wallets_and_transactions_are_what_the_world_file_says_and_white_otherwise() -> None:
    world = sandbox(
        screening={
            "wallets": {
                "0xAbCd": {"category": "BLACK", "tags": ["Phishing"]},
                "...97a7": {"category": "GRAY"},
                "SoLana": {"category": "UNKNOWN"},
                "0xee": {"category": "ERROR"},
            },
            "transactions": {"0xFF": {"sender": "GRAY", "receiver": "BLACK"}, "0x11": {"sender": "UNKNOWN"}},
        }
    )
    expected = {
        "0xabcd": "malicious",
        "0x0097A7": "suspicious",
        "SoLana": "unknown",
        "sOlana": "clean",
        "0xee": "pending",
        "0x01": "clean",
    }
    assert {address: await wallet(world, address) for address in expected} == expected
    assert await wallet(world, "0xabcd", "BTC") == "malicious"
    assert await transaction(world, "0xff") == "malicious"
    assert await transaction(world, "0x11") == "unknown"
    assert await transaction(world, "0x22") == "clean"


@pytest.mark.parametrize(
    ("tx_hash", "expected"), [(CLEAN, "clean"), (SUSPICIOUS, "suspicious"), (MALICIOUS, "malicious")]
)
@pytest.mark.parametrize("blockchain", ["ETH", "BTC", "KATANA"])
async def test_the_presets_are_there_on_every_chain(tx_hash: str, expected: str, blockchain: str) -> None:
    world = sandbox()
    status, told = await kyt(world, tx_hash, blockchain=blockchain, callbackUrl=CALLBACK_URL)
    assert (status, risk_levels.of_kyt(told), [pause for pause in world.pauses if pause]) == ("RELEASED", expected, [])
    assert world.callbacks.calls == []
    status, told = await kyt(world, tx_hash, blockchain=blockchain, force=True, callbackUrl=CALLBACK_URL)
    assert (status, risk_levels.of_kyt(told), [pause for pause in world.pauses if pause]) == ("PENDING", expected, [3])
    assert len(world.callbacks.calls) == 1


@pytest.mark.parametrize("tx_hash", [CLEAN, SUSPICIOUS, MALICIOUS])
async def test_reports_have_the_documented_shape_and_bear_out_their_verdict(tx_hash: str) -> None:
    world = sandbox()
    told = (await search(world, tx_hash)).json()
    raw = (await report(world, told["requestId"])).json()["report"]
    assert risk_levels.kyt_verdict(raw["riskIndicators"]) == raw["verdict"]
    read = KytReportResponse.model_validate({**told, "report": raw}).report
    assert read is not None
    assert read.total_amount == read.by_token["ETH"].total
    assert read.risk_indicators is not None
    patterns = read.risk_indicators.transaction_patterns
    assert (patterns is not None and patterns.dormant_status is not None) == (raw["verdict"] != "Clean")


async def test_listed_transactions_take_their_time_and_unlisted_ones_are_clean_at_once() -> None:
    world = sandbox(
        screening={
            "kyt": {
                MALICIOUS: {"verdict": "Clean"},
                "0xAA": {"verdict": "Malicious", "pendingSeconds": 7},
                "0xbb": {"error": "Transaction analysis failed"},
                SOLANA_TX: {"verdict": "Suspicious"},
            }
        }
    )
    status, told = await kyt(world, "aa")
    assert (status, risk_levels.of_kyt(told), [pause for pause in world.pauses if pause]) == (
        "PENDING",
        "malicious",
        [7],
    )
    # Known from now on.
    assert (await kyt(world, "0xaa"))[0] == "RELEASED"
    status, told = await kyt(world, "0xbb")
    assert (status, told.status, told.error) == ("PENDING", "FAILED", "Transaction analysis failed")
    assert risk_levels.of_kyt((await kyt(world, UNLISTED))[1]) == "clean"
    assert risk_levels.of_kyt((await kyt(world, SOLANA_TX, blockchain="SOL"))[1]) == "suspicious"
    assert risk_levels.of_kyt((await kyt(world, SOLANA_TX.lower(), blockchain="SOL"))[1]) == "clean"
    # The file wins over a preset.
    assert risk_levels.of_kyt((await kyt(world, MALICIOUS))[1]) == "clean"


async def test_unlisted_transactions_may_be_not_found_as_in_the_development_environment() -> None:
    world = sandbox(screening={"unlistedTransactions": "not-found"})
    status, told = await kyt(world, UNLISTED, callbackUrl=CALLBACK_URL)
    assert (status, told.status, told.error, [pause for pause in world.pauses if pause]) == (
        "PENDING",
        "FAILED",
        "Tx hash not found",
        [3],
    )
    assert json.loads(world.callbacks.calls[0].body)["status"] == "FAILED"
    assert risk_levels.of_kyt((await kyt(world, CLEAN))[1]) == "clean"


def test_a_sandbox_serves_reports_for_five_minutes_as_the_development_environment() -> None:
    assert parse_world({}).kyt_request_seconds == 300


async def test_quota_and_registration() -> None:
    world = sandbox(screening={"kytQuota": 1, "kyt": {UNLISTED: {"verdict": "Clean", "pendingSeconds": 1}}})
    _, told = await kyt(world, UNLISTED)
    # What is known costs nothing, a new analysis does.
    assert (await kyt(world, CLEAN))[0] == "RELEASED"
    assert error_of(await search(world, CLEAN, force=True)) == (422, "INVALID_ORIGIN")
    assert (await report(world, told.request_id)).status_code == 200
    unregistered = sandbox(screening={"kytUnregistered": ["north"]})
    assert error_of(await search(unregistered, CLEAN)) == (422, "INVALID_ORIGIN")
    assert error_of(await report(unregistered, 1)) == (422, "INVALID_ORIGIN")


async def test_a_customer_proves_the_sandboxs_own_wallet() -> None:
    world = sandbox()
    wallets = (await world.client.get("/sandbox/wallets")).json()["wallets"]
    assert wallets == SandboxWallet().addresses()
    assert set(wallets) == {"ETH", "ARBITRUM", "BASE", "KAIA", "MATIC", "SOL", "BSC"}
    token = await world.send(
        "POST",
        "/v1/code/unhosted-wallet-verification/widget/token",
        {
            "blockchain": "SOL",
            "asset": "USDC",
            "address": wallets["SOL"],
            "customerIdentification": "customer-1",
            "widgetRenderingOrigin": "http://localhost:3000",
            "callbackUrl": CALLBACK_URL,
        },
    )
    opened = (await world.client.post("/widget/session", json={"token": token.json()["token"]})).json()
    signed = (await world.client.post("/widget/test-wallet", json={"key": opened["key"]})).json()
    proven = await world.client.post("/widget/proof", json={"key": opened["key"], **signed})
    assert proven.json()["status"] == "VERIFIED"
    await world.sandbox.tasks.settled()
    assert json.loads(world.callbacks.calls[0].body)["status"] == "VERIFIED"
    assert [entry["operation"] for entry in world.entries()] == [
        "unhosted-token",
        "widget-session",
        "widget-proof",
        "callback",
    ]
    shown = json.dumps(world.entries())
    assert not any(secret in shown for secret in (wallets["SOL"], "customer-1", opened["key"]))
    assert (await world.client.get("/widget")).status_code == 200


async def test_the_wallets_are_shown_on_the_sandboxs_own_machine_only() -> None:
    answer = await sandbox(client="192.0.2.1").client.get("/sandbox/wallets")
    assert error_of(answer) == (403, "ACCESS_DENIED")


@pytest.mark.parametrize("operation", HUB_OPERATIONS[-6:])
async def test_every_new_operation_can_be_disturbed(operation: str) -> None:
    added = await sandbox().fault(fault="status", operation=operation, status=503)
    assert added.status_code == 201


@pytest.mark.parametrize(
    ("status", "error_type"),
    [
        (400, "BAD_REQUEST"),
        (403, "ACCESS_DENIED"),
        (404, "NOT_FOUND"),
        (422, "INVALID_ORIGIN"),
        (429, "TOO_MANY_REQUESTS"),
        (500, "INTERNAL_SERVER_ERROR"),
        (503, "SERVICE_UNAVAILABLE"),
    ],
)
async def test_status_faults_of_kyt_speak_its_words(status: int, error_type: str) -> None:
    world = sandbox()
    await world.fault(fault="status", operation="kyt-search", status=status, member="north")
    assert error_of(await search(world, CLEAN)) == (status, error_type)
    assert world.entries("kyt-search")[0]["fault"] == "status"


async def test_answers_of_screening_can_be_spoiled_and_callbacks_of_kyt_lost_or_doubled() -> None:
    world = sandbox(screening={"kyt": {UNLISTED: {"verdict": "Clean", "pendingSeconds": 1}}})
    await world.fault(fault="missing-field", operation="wallet-screening", count=1)
    body = {"walletAddress": "0x01", "chain": "ETH"}
    spoiled = (await world.send("POST", "/v1/code/partner/wallet", body)).json()
    assert "result" not in spoiled
    assert spoiled["securityCategory"] == "WHITE"
    await world.fault(fault="duplicate-callback", operation="kyt-search", count=1)
    await kyt(world, UNLISTED, callbackUrl=CALLBACK_URL)
    assert len({call.body for call in world.callbacks.calls}) == 1
    assert len(world.callbacks.calls) == 2
    await world.fault(fault="lose-callback", operation="kyt-search", count=1)
    _, told = await kyt(world, UNLISTED, force=True, callbackUrl=CALLBACK_URL)
    assert (told.status, len(world.callbacks.calls)) == ("RELEASED", 2)


@pytest.mark.parametrize(
    ("screening", "place"),
    [
        ({"wallets": {"0x1": {"category": "GREEN"}}}, "world screening.wallets.0x1.category"),
        ({"wallets": {"0x1": {}}}, "world screening.wallets.0x1.category"),
        ({"wallets": {"": {"category": "BLACK"}}}, "world screening.wallets"),
        ({"transactions": {"0x1": {"sender": "ERROR"}}}, "world screening.transactions.0x1.sender"),
        ({"kyt": {"0x1": {}}}, "world screening.kyt.0x1"),
        ({"kyt": {"0x1": {"verdict": "Clean", "error": "Tx hash not found"}}}, "world screening.kyt.0x1"),
        ({"kyt": {"0x1": {"error": "odd"}}}, "world screening.kyt.0x1.error"),
        ({"kyt": {"0x1": {"verdict": "Clean", "pendingSeconds": -1}}}, "world screening.kyt.0x1.pendingSeconds"),
        ({"kytQuota": -1}, "world screening.kytQuota"),
        ({"unlistedTransactions": "Malicious"}, "world screening.unlistedTransactions"),
        ({"walets": {}}, "world screening.walets"),
    ],
)
def test_faults_of_the_world_file_name_their_place(screening: dict[str, Any], place: str) -> None:
    with pytest.raises(ConfigurationError) as caught:
        parse_world({"members": [real("south", SOUTH)], "screening": screening})
    assert [fault.name for fault in caught.value.faults if fault.name.startswith(place)], caught.value.faults


def test_who_is_not_registered_for_kyt_must_be_a_member() -> None:
    assert parse_world({"members": [listed("south")], "screening": {"kytUnregistered": ["south"]}})
    with pytest.raises(ConfigurationError, match="kytUnregistered names nobody"):
        parse_world({"members": [listed("south")], "screening": {"kytUnregistered": ["nobody"]}})
