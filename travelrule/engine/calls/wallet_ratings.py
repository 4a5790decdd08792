"""A cache of the hub's wallet ratings for ``screening.cache_seconds``, with one request at a time per wallet.

In memory and per process: many withdrawals to one wallet cause one request. Only ratings are cached. A provider's
``ERROR``, an unreadable answer and a failure are returned only to the calls that wait for that request.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import datetime, timedelta

import orjson
from cachetools import LRUCache
from pydantic import ValidationError

from schemas.hub.screening import WalletScreeningResponse
from travelrule.identity.account_numbers import canonical
from travelrule.machine.retry_policy import RawResult
from travelrule.screening import risk_levels

KEPT_MAX = 10_000


@dataclass(frozen=True, slots=True)
class _Kept:
    at: datetime
    answer: RawResult


class WalletRatingCache:
    """The ratings of one process, by the bytes of the request (4.B.1: wallet and chain)."""

    def __init__(self, clock: Callable[[], datetime], kept_max: int = KEPT_MAX) -> None:
        self._clock = clock
        self._kept: LRUCache[bytes, _Kept] = LRUCache(kept_max)
        self._asking: dict[bytes, asyncio.Future[RawResult | None]] = {}

    async def rate(self, question: bytes, seconds: float, ask: Callable[[], Awaitable[RawResult]]) -> RawResult:
        """Return a rating that is at most ``seconds`` old, else the result of ``ask``. 0: no rating is reused."""
        while True:
            kept = self._kept.get(question)
            if kept is not None and self._clock() - kept.at < timedelta(seconds=seconds):
                return kept.answer
            asking = self._asking.get(question)
            if asking is None:
                return await self._ask(question, ask)
            # A waiting call may be cancelled; the request of another call must not be.
            answer = await asyncio.shield(asking)
            if answer is not None:
                return answer

    async def _ask(self, question: bytes, ask: Callable[[], Awaitable[RawResult]]) -> RawResult:
        asking: asyncio.Future[RawResult | None] = asyncio.get_running_loop().create_future()
        self._asking[question] = asking
        answer: RawResult | None = None
        try:
            answer = await ask()
            if _is_rating(question, answer):
                self._kept[question] = _Kept(self._clock(), answer)
            return answer
        finally:
            del self._asking[question]
            asking.set_result(answer)  # None: it failed, so the next waiting call makes the request


def _is_rating(question: bytes, attempted: RawResult) -> bool:
    """Whether the answer is a rating of the requested wallet."""
    if attempted.kind != "answer":
        return False
    try:
        answer = WalletScreeningResponse.from_wire(attempted.body)
    except ValidationError:
        return False
    asked = str(orjson.loads(question)["walletAddress"])
    named = answer.wallet_address
    return risk_levels.of_wallet(answer) != "pending" and (named is None or canonical(named) == canonical(asked))
