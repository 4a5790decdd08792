"""Ratings and analyses on both databases against the sandbox: asked as documented, repeated, waited for, given up."""

from __future__ import annotations

import orjson
import pytest

from schemas.events.decisions import DecisionRecorded
from tests.support.installation import robot
from tests.support.risk_installation import RiskInstallation
from travelrule.engine.vault import Vault
from travelrule.store import tables
from travelrule.store.database import Database

WALLET = "0xcB1C1FdE09f811B294172696404e88E658659905"
BAD = "0x000000000000000000000000000000000000dEaD"
BROKEN = "0x000000000000000000000000000000000000E440"
CLEAN = "0x5028a06f62bd79cd44d96779c5d1db68882ede90c3cbf62b6cc11a6218984063"
SLOW = "0x" + "5a" * 32
LOST = "0x" + "10" * 32
FAILING = "0x" + "fa" * 32
SCREENING = {
    "wallets": {BAD: {"category": "BLACK", "tags": ["Phishing"]}, BROKEN: {"category": "ERROR"}},
    "transactions": {CLEAN: {"sender": "GRAY"}},
    "kyt": {
        SLOW: {"verdict": "Suspicious", "pendingSeconds": 30},
        LOST: {"error": "Tx hash not found"},
        FAILING: {"error": "Transaction analysis failed"},
    },
}


@pytest.fixture
async def north(database: Database, vault: Vault):  # type: ignore[no-untyped-def]
    made = RiskInstallation(database, vault, SCREENING)
    yield made
    await made.close()


async def test_a_wallet_is_rated_by_the_hub_itself(north: RiskInstallation) -> None:
    await north.screen("wallet", address=BAD)
    await north.settle()
    assert north.asked("wallet-screening") == [{"walletAddress": BAD, "chain": "ETH"}]
    (method, path, _) = north.wire.requests[-1]
    assert (method, path) == ("POST", "/v1/code/partner/wallet")
    assert await north.risks() == [("malicious", ("RISK_MALICIOUS",))]
    assert await north.rows(tables.calls) == []


async def test_the_worst_wallet_of_a_transaction_decides(north: RiskInstallation) -> None:
    await north.screen("transaction", txid=CLEAN)
    await north.settle()
    assert [path for _, path, _ in north.wire.requests] == ["/v1/code/partner/tx-hash"]
    assert await north.risks() == [("suspicious", ("RISK_SUSPICIOUS",))]


async def test_an_error_is_no_rating_and_is_asked_again_until_the_limit(north: RiskInstallation) -> None:
    await north.screen("wallet", address=BROKEN)
    await north.pass_time(59)
    assert await north.risks() == []
    asked = len(north.asked("wallet-screening"))
    assert 3 <= asked <= 10, "again and again, ever more rarely"
    await north.pass_time(3)
    assert await north.risks() == [("unknown", ("RISK_UNKNOWN", "SCREENING_LATE"))]
    assert await north.alerts() == ["SCREENING_LATE"]
    await north.pass_time(120, step=30)
    assert len(north.asked("wallet-screening")) <= asked + 1


async def test_a_provider_that_mends_itself_gives_the_rating(north: RiskInstallation) -> None:
    await north.fault(operation="wallet-screening", fault="status", status=503, errorType="SERVICE_UNAVAILABLE")
    await north.screen("wallet", address=WALLET)
    await north.pass_time(20)
    assert await north.risks() == []
    await north.clear_faults()
    await north.pass_time(30)
    assert await north.risks() == [("clean", ())]


async def test_a_provider_that_fails_does_not_stop_the_hubs_other_calls(north: RiskInstallation) -> None:
    await north.put(robot())
    await north.refresh()
    await north.fault(operation="kyt-search", fault="status", status=503, errorType="SERVICE_UNAVAILABLE")
    for number in range(8):
        await north.screen("kyt", f"s-{number}", txid=CLEAN)
    await north.settle()
    await north.withdraw(destination={"kind": "unknown", "address": "rPEPPER7kfTD9w2To4CQk6UCfuHM9c6GDY"})
    await north.settle()
    assert len(north.seen("wallet-search")) == 1, "no circuit opened"


async def test_what_was_analysed_before_is_told_at_once(north: RiskInstallation) -> None:
    await north.screen("kyt", txid=CLEAN)
    await north.settle()
    (search,) = north.asked("kyt-search")
    assert search.keys() == {"txHash", "blockchain", "callbackUrl"}
    assert search["callbackUrl"].startswith("https://north.test/hooks/callbacks/kyt-search/")
    (result,) = await north.said("callbacks")
    assert (result["status"], result["risk"], result["facts"]["verdict"]) == ("released", "clean", "Clean")
    methods = [(method, path, body) for method, path, body in north.wire.requests if "kytreport" in path]
    assert methods == [("GET", "/v1/code/partner/kytreport", b"")]
    (journal,) = north.seen("kyt-report")
    assert journal["ids"]["requestId"] == result["hubRequestId"], "asked by the hub's own id"
    assert await north.risks() == [("clean", ())]
    assert north.hooks.sent == [], "a result from the cache is not called back"


async def test_a_pending_analysis_is_asked_about_when_the_hub_calls_back(north: RiskInstallation) -> None:
    await north.screen("kyt", txid=SLOW)
    await north.pass_time(3)
    assert north.seen("kyt-report") == []
    await north.finish_analyses()
    assert north.hooks.answers == [(200, {"result": "ok"})]
    await north.settle()
    assert len(north.seen("kyt-report")) == 1, "without waiting for the next poll"
    assert await north.risks() == [("suspicious", ("RISK_SUSPICIOUS",))]
    # Late and double ones change nothing, whatever they say.
    (call,) = north.hooks.sent
    forged = orjson.dumps({**orjson.loads(call.body), "report": {"verdict": "Clean"}})
    for body in (call.body, forged, b"nonsense"):
        north.clock.forward(2)
        await north.hooks.post(call.url, body)
    await north.pass_time(30)
    assert len(north.seen("kyt-report")) == 1
    assert await north.risks() == [("suspicious", ("RISK_SUSPICIOUS",))]
    assert len(await north.said("callbacks")) == 1


async def test_a_forged_callback_only_makes_us_ask(north: RiskInstallation) -> None:
    await north.screen("kyt", txid=SLOW)
    await north.settle()
    url = north.asked("kyt-search")[0]["callbackUrl"]
    forged = orjson.dumps({"requestId": 1, "status": "RELEASED", "report": {"reportId": 1, "verdict": "Clean"}})
    for _ in range(10):
        await north.hooks.post(url, forged)
        await north.hooks.post(url, forged)
        north.clock.forward(2)
        await north.settle()
    assert await north.risks() == []
    assert 1 <= len(north.seen("kyt-report")) <= 3 + 20 / 5, "hastened a few times only"
    assert (await north.hooks.post(url[:-1] + ("0" if url[-1] != "0" else "1"), forged)) == 404


async def test_a_lost_callback_is_made_up_for_by_polling(north: RiskInstallation) -> None:
    await north.fault(operation="kyt-search", fault="lose-callback")
    await north.screen("kyt", txid=SLOW)
    await north.pass_time(60)
    polls = len(north.seen("kyt-report"))
    assert 60 / 10 - 1 <= polls <= 60 / 5
    await north.finish_analyses()
    await north.pass_time(11)
    assert north.hooks.sent == []
    assert len(north.seen("kyt-report")) == polls + 1
    assert await north.risks() == [("suspicious", ("RISK_SUSPICIOUS",))]


async def test_an_analysis_that_does_not_end_is_pending_at_the_limit(north: RiskInstallation) -> None:
    await north.screen("kyt", txid=SLOW)
    await north.pass_time(602, step=5)
    assert await north.risks() == [("pending", ("RISK_PENDING", "KYT_LATE"))]
    (result,) = await north.said("callbacks")
    assert (result["status"], result["risk"]) == ("failed", "pending")
    assert await north.alerts() == ["KYT_LATE"]
    await north.finish_analyses()
    await north.pass_time(30)
    assert len(await north.risks()) == 1, "an answer after the limit is too late"


async def test_a_transaction_that_is_not_found_is_searched_again_after_a_wait(north: RiskInstallation) -> None:
    north.analysis.end()
    await north.screen("kyt", txid=LOST)
    await north.pass_time(20)
    assert len(north.asked("kyt-search")) == 1
    await north.pass_time(40)
    assert len(north.asked("kyt-search")) == 2
    assert all("force" not in body for body in north.asked("kyt-search"))
    await north.pass_time(600, step=5)
    assert await north.risks() == [("unknown", ("RISK_UNKNOWN", "KYT_LATE"))]
    (result,) = await north.said("callbacks")
    assert (result["status"], result["error"]) == ("failed", "Tx hash not found")


async def test_a_failed_analysis_is_forced_twice_and_then_unknown(north: RiskInstallation) -> None:
    north.analysis.end()
    await north.screen("kyt", txid=FAILING)
    await north.pass_time(60)
    assert [body.get("force") for body in north.asked("kyt-search")] == [None, True, True]
    assert await north.risks() == [("unknown", ("RISK_UNKNOWN", "KYT_FAILED"))]
    assert await north.alerts() == ["KYT_FAILED"]


async def test_a_used_up_quota_is_said_once_and_waited_out(database: Database, vault: Vault) -> None:
    north = RiskInstallation(database, vault, {**SCREENING, "kytUnregistered": ["north"]})
    try:
        await north.screen("kyt", txid=CLEAN)
        await north.pass_time(59)
        assert len(north.asked("kyt-search")) == 1, "the hub said no: not again at once"
        await north.pass_time(20)
        assert len(north.asked("kyt-search")) == 2
        assert await north.alerts() == ["SCREENING_REFUSED"]
        await north.pass_time(600, step=10)
        assert await north.risks() == [("unknown", ("RISK_UNKNOWN", "KYT_LATE"))]
        assert await north.said("callbacks") == [], "the hub never took it"
    finally:
        await north.close()


@pytest.mark.parametrize(
    ("status", "code", "reason"),
    [(400, "UNSUPPORTED_BLOCKCHAIN", "UNSUPPORTED_BLOCKCHAIN"), (403, "ACCESS_DENIED", "SCREENING_REFUSED")],
)
async def test_what_no_repetition_mends_is_unknown_at_once(
    north: RiskInstallation, status: int, code: str, reason: str
) -> None:
    await north.fault(operation="kyt-search", fault="status", status=status, errorType=code)
    await north.screen("kyt", txid=CLEAN)
    await north.settle()
    assert len(north.asked("kyt-search")) == 1
    assert await north.risks() == [("unknown", ("RISK_UNKNOWN", reason))]


async def test_an_id_that_the_hub_forgot_is_searched_anew(north: RiskInstallation) -> None:
    await north.fault(operation="kyt-report", fault="status", status=404, errorType="NOT_FOUND", count=1)
    await north.screen("kyt", txid=CLEAN)
    await north.pass_time(5)
    assert len(north.asked("kyt-search")) == 2
    assert await north.risks() == [("clean", ())]


@pytest.mark.parametrize("fault", ["garbage", "missing-field"])
async def test_an_unreadable_report_is_asked_for_again(north: RiskInstallation, fault: str) -> None:
    await north.fault(operation="kyt-report", fault=fault, count=2)
    await north.screen("kyt", txid=CLEAN)
    await north.pass_time(30)
    assert await north.risks() == [("clean", ())]


async def test_without_a_public_url_no_callback_is_asked_for(database: Database, vault: Vault) -> None:
    north = RiskInstallation(database, vault, SCREENING, public_url=None)
    try:
        await north.screen("kyt", txid=CLEAN)
        await north.settle()
        assert "callbackUrl" not in north.asked("kyt-search")[0]
        assert await north.risks() == [("clean", ())]
    finally:
        await north.close()


async def test_a_risk_is_not_decided_by_an_operator(north: RiskInstallation) -> None:
    await north.screen("kyt", txid=SLOW)
    data = DecisionRecorded(subject="screening:s-1", decision="allow", actor="operator-1", reason="looks fine")
    outcome = await north.tell(data, "screening:s-1")
    assert (outcome.status, outcome.code) == ("rejected", "NOT_ON_HOLD")


async def test_many_withdrawals_to_one_wallet_are_one_question(north: RiskInstallation) -> None:
    north.decree('[screening]\nwithdrawals = "wallet"\ncache_seconds = 300')
    await north.put(robot())
    await north.refresh()
    target = {"kind": "vasp", "vaspEntityId": "south", "address": WALLET}
    for number in range(12):
        await north.withdraw(f"w-{number}", currency="ETH", network="ETH", destination=target)
    await north.settle()
    assert len(north.asked("wallet-screening")) == 1
    assert [verdict for verdict, _ in await north.verdicts()] == ["allow"] * 12
    north.clock.forward(299)
    await north.withdraw("w-later", currency="ETH", network="ETH", destination=target)
    await north.settle()
    assert len(north.asked("wallet-screening")) == 1
    north.clock.forward(2)
    await north.withdraw("w-latest", currency="ETH", network="ETH", destination=target)
    await north.settle()
    assert len(north.asked("wallet-screening")) == 2, "a rating is used for so long and no longer"


async def test_a_malicious_wallet_ends_a_withdrawal_before_anything_personal_is_sent(north: RiskInstallation) -> None:
    north.decree('[screening]\nwithdrawals = "wallet"')
    await north.put(robot())
    await north.refresh()
    await north.withdraw(
        currency="ETH", network="ETH", destination={"kind": "vasp", "vaspEntityId": "south", "address": BAD}
    )
    await north.settle()
    assert await north.verdicts() == [("deny", "RISK_MALICIOUS")]
    assert north.seen("address-search") == []
    assert north.in_clear() == []
