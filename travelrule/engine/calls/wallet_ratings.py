"""What the hub said of a wallet is used again for a while (``screening.cache_seconds``), and asked once at a time.

In memory and per process: many withdrawals to one wallet are one question, and nothing is lost when the process ends.
Only a rating is kept. A provider's ``ERROR``, an unreadable answer and a failure are shared with those who wait for
that very answer, and with nobody later.
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
    """The ratings of one process, by the bytes of the question (4.B.1: wallet and chain)."""

    def __init__(self, clock: Callable[[], datetime], kept_max: int = KEPT_MAX) -> None:
        self._clock = clock
        self._kept: LRUCache[bytes, _Kept] = LRUCache(kept_max)
        self._asking: dict[bytes, asyncio.Future[RawResult | None]] = {}

    async def rate(self, question: bytes, seconds: float, ask: Callable[[], Awaitable[RawResult]]) -> RawResult:
        """Give a rating that is at most ``seconds`` old, else what ``ask`` gives now; 0: none is used again."""
        while True:
            kept = self._kept.get(question)
            if kept is not None and self._clock() - kept.at < timedelta(seconds=seconds):
                return kept.answer
            asking = self._asking.get(question)
            if asking is None:
                return await self._ask(question, ask)
            # Whoever waits may be cancelled; the question is not theirs to cancel.
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
            asking.set_result(answer)  # None: nothing came of it, whoever waits asks himself


def _is_rating(question: bytes, attempted: RawResult) -> bool:
    """Whether it is a rating, and one of the wallet that was asked about."""
    if attempted.kind != "answer":
        return False
    try:
        answer = WalletScreeningResponse.from_wire(attempted.body)
    except ValidationError:
        return False
    asked = str(orjson.loads(question)["walletAddress"])
    named = answer.wallet_address
    return risk_levels.of_wallet(answer) != "pending" and (named is None or canonical(named) == canonical(asked))
