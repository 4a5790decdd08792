"""One call at a time about one wallet, an answer valid for as long as the policy allows; only ratings are kept."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import orjson
import pytest

from tests.support.hub import HandClock
from travelrule.engine.calls.wallet_ratings import WalletRatingCache
from travelrule.machine.retry_policy import RawResult

ADDRESS = "0xcB1C1FdE09f811B294172696404e88E658659905"


def question(address: str = ADDRESS, chain: str = "ETH") -> bytes:
    return orjson.dumps({"walletAddress": address, "chain": chain})


def answer(**changes: Any) -> RawResult:
    body = {"result": "NORMAL", "walletAddress": ADDRESS, "securityCategory": "WHITE", **changes}
    return RawResult("answer", 200, "", body)


class Hub:
    """Returns ``says`` once it is released; counts the calls."""

    def __init__(self, says: RawResult | Exception) -> None:
        self.says = says
        self.asked = 0
        self.free = asyncio.Event()

    async def __call__(self) -> RawResult:
        self.asked += 1
        await self.free.wait()
        if isinstance(self.says, Exception):
            raise self.says
        return self.says


@pytest.fixture
def clock() -> HandClock:
    return HandClock()


@pytest.fixture
def ratings(clock: HandClock) -> WalletRatingCache:
    return WalletRatingCache(clock, kept_max=3)


async def together(ratings: WalletRatingCache, hub: Callable[[], Awaitable[RawResult]], count: int = 20) -> list[Any]:
    tasks = [asyncio.create_task(ratings.rate(question(), 300, hub)) for _ in range(count)]
    await asyncio.sleep(0)
    if isinstance(hub, Hub):
        hub.free.set()
    return await asyncio.gather(*tasks, return_exceptions=True)


async def test_who_asks_at_the_same_time_shares_one_question(ratings: WalletRatingCache) -> None:
    hub = Hub(answer())
    assert await together(ratings, hub) == [answer()] * 20
    assert hub.asked == 1


@pytest.mark.parametrize(
    "said",
    [
        answer(result="ERROR", securityCategory=None),
        answer(result="ERROR", securityCategory="WHITE"),
        answer(walletAddress="0x000000000000000000000000000000000000dEaD"),
        RawResult("answer", 200, "", {"nonsense": 1}),
        RawResult("error", 503, "SERVICE_UNAVAILABLE"),
        RawResult("no-answer", 0, "NO_ANSWER"),
    ],
)
async def test_what_is_no_rating_is_shared_but_not_kept(ratings: WalletRatingCache, said: RawResult) -> None:
    hub = Hub(said)
    assert await together(ratings, hub) == [said] * 20
    assert hub.asked == 1
    hub.says = answer()
    assert await ratings.rate(question(), 300, hub) == answer()
    assert hub.asked == 2


@pytest.mark.parametrize("category", ["BLACK", "GRAY", "WHITE", "UNKNOWN"])
async def test_a_rating_is_used_for_its_time(ratings: WalletRatingCache, clock: HandClock, category: str) -> None:
    hub = Hub(answer(securityCategory=category))
    hub.free.set()
    for _ in range(3):
        assert await ratings.rate(question(), 300, hub) == hub.says
    clock.forward(299.9)
    await ratings.rate(question(), 300, hub)
    assert hub.asked == 1
    clock.forward(0.1)
    await ratings.rate(question(), 300, hub)
    assert hub.asked == 2
    await ratings.rate(question(), 0, hub)
    assert hub.asked == 3, "nothing is used again"


async def test_wallets_and_chains_are_kept_apart(ratings: WalletRatingCache) -> None:
    hub = Hub(answer(walletAddress=None))
    hub.free.set()
    for address, chain in ((ADDRESS, "ETH"), (ADDRESS, "BSC"), ("0xother", "ETH"), ("0xthird", "ETH")):
        await ratings.rate(question(address, chain), 300, hub)
    assert hub.asked == 4
    await ratings.rate(question(ADDRESS, "BSC"), 300, hub)
    assert hub.asked == 4
    await ratings.rate(question(), 300, hub)
    assert hub.asked == 5, "the oldest gave way: what is kept is bounded"


async def test_who_is_cancelled_takes_nobody_along(ratings: WalletRatingCache) -> None:
    hub = Hub(answer())
    first, second, third = (asyncio.create_task(ratings.rate(question(), 300, hub)) for _ in range(3))
    await asyncio.sleep(0)
    second.cancel()
    await asyncio.sleep(0)
    first.cancel()
    for _ in range(3):
        await asyncio.sleep(0)
    assert hub.asked == 2, "the third asks itself"
    hub.free.set()
    assert await third == answer()
    assert first.cancelled()
    assert second.cancelled()


async def test_a_failure_of_our_own_is_not_shared(ratings: WalletRatingCache) -> None:
    hub = Hub(ConnectionError("the database is away"))
    outcomes = await together(ratings, hub, 3)
    assert [type(one) for one in outcomes] == [ConnectionError] * 3
    assert hub.asked == 3
