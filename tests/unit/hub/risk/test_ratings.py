"""Wallet and transaction screening at the hub (hub-api.md 4.B.1, 4.B.2)."""

from __future__ import annotations

from typing import Any

import pytest

from schemas.hub.screening import TransactionScreeningResponse, WalletScreeningResponse
from tests.support.hub import STRANGER, error_of
from tests.support.screening_hub import ADDRESS, HASH, Rater, risk_hub
from travelrule.hub.risk.list_rating_provider import ListRatingProvider
from travelrule.hub.risk.ports import ProviderFailed
from travelrule.hub.risk.records import Rating
from travelrule.screening import risk_levels

PREFIXES = pytest.mark.parametrize("prefix", ["partner", "uppsala"])


@PREFIXES
async def test_a_wallet_is_rated_under_both_prefixes(prefix: str) -> None:
    hub = risk_hub()
    hub.rater.rating = Rating("BLACK", ("Hack", "Wiki"))
    answer = await hub.screen(prefix)
    body = answer.json()
    assert body.pop("id")
    assert (answer.status_code, body) == (
        200,
        {
            "result": "NORMAL",
            "walletAddress": ADDRESS,
            "securityCategory": "BLACK",
            "securityTags": ["Hack", "Wiki"],
        },
    )
    assert risk_levels.of_wallet(WalletScreeningResponse.model_validate(answer.json())) == "malicious"
    assert hub.rater.asked == [("ETH", ADDRESS)]
    (record,) = hub.records.kept
    assert (record.operation, record.caller, record.result) == ("wallet-screening", "north", "NORMAL")


@PREFIXES
async def test_a_transaction_is_rated_by_its_wallets(prefix: str) -> None:
    hub = risk_hub()
    hub.rater.rating = Rating("GRAY", ("Gambling",), "a casino")
    answer = await hub.send("POST", f"/v1/code/{prefix}/tx-hash", {"txid": HASH, "chain": "btc"})
    body = answer.json()
    assert body["senderWallets"] == [
        {
            "walletAddress": "sender",
            "securityCategory": "GRAY",
            "securityTags": ["Gambling"],
            "detailedDescription": "a casino",
        }
    ]
    assert [wallet["securityCategory"] for wallet in body["receiverWallets"]] == ["WHITE"]
    assert risk_levels.of_transaction(TransactionScreeningResponse.model_validate(body)) == "suspicious"
    assert hub.records.kept[0].txid == HASH


@pytest.mark.parametrize("failure", [ProviderFailed("busy"), RuntimeError(ADDRESS), TimeoutError()])
async def test_a_provider_that_fails_is_an_error_result_and_says_nothing_of_the_wallet(failure: Exception) -> None:
    hub = risk_hub()
    hub.rater.rating = failure
    answer = await hub.screen()
    assert (answer.status_code, answer.json()["result"]) == (200, "ERROR")
    assert ADDRESS not in answer.text
    assert risk_levels.of_wallet(WalletScreeningResponse.model_validate(answer.json())) == "pending"
    assert hub.records.kept[0].result == "ERROR"


@pytest.mark.parametrize("chain", ["ARBITRUM", "TON", "KAIA"])
async def test_a_chain_that_cannot_be_screened_is_an_error_result(chain: str) -> None:
    hub = risk_hub()
    answer = await hub.screen(body={"walletAddress": ADDRESS, "chain": chain})
    assert (answer.status_code, answer.json()["result"]) == (200, "ERROR")
    assert hub.rater.asked == []


async def test_without_a_provider_nobody_is_clean() -> None:
    answer = await risk_hub(providers=False).screen()
    assert (answer.status_code, answer.json()["result"]) == (200, "ERROR")


@pytest.mark.parametrize(
    ("body", "error_type"),
    [
        ({"chain": "ETH"}, "MISSING_REQUIRED_MSG_FIELD"),
        ({"walletAddress": "", "chain": "ETH"}, "MISSING_REQUIRED_MSG_FIELD"),
        ({"walletAddress": ADDRESS}, "MISSING_REQUIRED_MSG_FIELD"),
        ({"walletAddress": "a b", "chain": "ETH"}, "INVALID_MSG_FIELD_VALUE"),
        ({"walletAddress": "a" * 301, "chain": "ETH"}, "INVALID_MSG_FIELD_VALUE"),
        ({"walletAddress": ADDRESS, "chain": 7}, "INVALID_MSG_FIELD_VALUE"),
        (b"[]", "INVALID_MSG_FIELD_VALUE"),
    ],
)
async def test_faults_of_a_body(body: Any, error_type: str) -> None:
    assert error_of(await risk_hub().screen(body=body)) == (422, error_type)


@pytest.mark.parametrize(
    ("how", "error_type"),
    [
        ({"headers": {"X-Code-Req-Signature": None}}, "MISSING_HEADER_FIELD"),
        ({"origin": "north"}, "ILLEGAL_FORMAT_OF_ORIGIN"),
        ({"origin": "code:nobody"}, "INVALID_ORIGIN"),
        ({"key": STRANGER}, "INVALID_HEADER_SIGNATURE"),
        ({"at": "2026-11-20T10:00:00Z"}, "INVALID_MSG_FIELD_VALUE"),
    ],
)
@pytest.mark.parametrize("operation", ["wallet", "kytsearch"])
async def test_the_checks_before_the_body_are_those_of_every_operation(
    how: dict[str, Any], error_type: str, operation: str
) -> None:
    hub = risk_hub()
    # The body is bad as well: what is checked first answers.
    answer = await hub.send("POST", f"/v1/code/partner/{operation}", b"{", **how)
    assert error_of(answer) == (422, error_type)


async def test_a_nonce_serves_one_prefix_only() -> None:
    hub = risk_hub()
    assert (await hub.screen("partner", nonce=7)).status_code == 200
    assert error_of(await hub.screen("uppsala", nonce=7)) == (422, "DUPLICATED_HEADER_NONCE")


async def test_lists_of_our_own_find_what_stands_on_them() -> None:
    lists = ListRatingProvider(lambda address: address == "bad")
    assert (await lists.wallet("ETH", "bad")).category == "BLACK"
    assert (await lists.wallet("ETH", "good")).category == "WHITE"
    rated = await lists.transaction("ETH", "bad")
    assert (rated.senders, rated.receivers) == ((), ())


async def test_lists_that_are_not_loaded_make_nobody_clean() -> None:
    def broken(_: str) -> bool:
        raise LookupError("no list")

    hub = risk_hub()
    hub.rater.wallet = ListRatingProvider(broken).wallet  # type: ignore[method-assign]
    assert (await hub.screen()).json()["result"] == "ERROR"
    assert isinstance(hub.rater, Rater)
