"""Many requests, few queries: each gets its own wallets, its own error, and none waits for a stuck one."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

import pytest

from travelrule.gateway.shared_queries import ASKED_MAX, AT_ONCE, WalletLookups
from travelrule.store.search_rows import WalletRecord


class Queries:
    """Finds a wallet named like each text; stops at ``gate`` while it is closed."""

    def __init__(self) -> None:
        self.asked: list[list[str]] = []
        self.gate = asyncio.Event()
        self.gate.set()
        self.failure: Exception | None = None

    async def wallets_at(self, asked: Sequence[str]) -> list[WalletRecord]:
        self.asked.append(list(asked))
        await self.gate.wait()
        if self.failure is not None:
            raise self.failure
        return [WalletRecord(f"w-{text}", text, None, "", (), (), True, "c", None) for text in reversed(asked)]


@pytest.fixture
def queries() -> Queries:
    return Queries()


def lookups(queries: Any, limit_s: float = 5.0) -> WalletLookups:
    return WalletLookups(queries, limit_s)


def ids(found: list[WalletRecord]) -> list[str]:
    return [wallet.wallet_id for wallet in found]


async def test_each_request_gets_its_own(queries: Queries) -> None:
    asks = lookups(queries)
    assert ids(await asks.wallets_at(["a"])) == ["w-a"]
    queries.gate.clear()
    waiting = [
        asyncio.create_task(asks.wallets_at(texts)) for texts in (["a"], ["b", "a"], ["c"], ["a", "a"], ["d", "b"])
    ]
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    assert len(queries.asked) == 2
    queries.gate.set()
    found = [ids(one) for one in await asyncio.gather(*waiting)]
    assert found == [["w-a"], ["w-b", "w-a"], ["w-c"], ["w-a"], ["w-d", "w-b"]]
    # Five requests of the same moment, at most two queries.
    assert len(queries.asked) <= 1 + AT_ONCE


async def test_under_load_queries_are_shared(queries: Queries) -> None:
    asks = lookups(queries)
    queries.gate.clear()
    waiting = [asyncio.create_task(asks.wallets_at([f"a{number}"])) for number in range(1000)]
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    queries.gate.set()
    assert [ids(one) for one in await asyncio.gather(*waiting)] == [[f"w-a{number}"] for number in range(1000)]
    assert len(queries.asked) <= 1000 / ASKED_MAX + AT_ONCE
    assert max(map(len, queries.asked)) <= ASKED_MAX


async def test_one_large_question_is_asked_whole(queries: Queries) -> None:
    many = [str(number) for number in range(ASKED_MAX + 1)]
    assert len(await lookups(queries).wallets_at(many)) == len(many)


async def test_a_failed_query_fails_its_requests_and_no_others(queries: Queries) -> None:
    asks = lookups(queries)
    queries.failure = ConnectionError("gone")
    results = await asyncio.gather(*(asks.wallets_at([text]) for text in "abc"), return_exceptions=True)
    assert [type(result) for result in results] == [ConnectionError] * 3
    queries.failure = None
    assert ids(await asks.wallets_at(["a"])) == ["w-a"]


async def test_a_stuck_query_is_given_up(queries: Queries) -> None:
    asks = lookups(queries, limit_s=0.05)
    queries.gate.clear()
    with pytest.raises(TimeoutError):
        await asks.wallets_at(["a"])
    queries.gate.set()
    assert ids(await asks.wallets_at(["b"])) == ["w-b"]


async def test_a_request_that_gave_up_is_not_asked_for(queries: Queries) -> None:
    asks = lookups(queries)
    queries.gate.clear()
    running = [asyncio.create_task(asks.wallets_at([text])) for text in "ab"]
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    late = [asyncio.create_task(asks.wallets_at([text])) for text in "xy"]
    await asyncio.sleep(0)
    late[0].cancel()
    await asyncio.sleep(0)
    queries.gate.set()
    assert ids(await late[1]) == ["w-y"]
    await asyncio.gather(*running)
    assert "x" not in {text for texts in queries.asked for text in texts}
