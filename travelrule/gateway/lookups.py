"""Wallet lookups of many requests in one query.

A query costs some ten times what everything else about an address verification does (design section 7), and most of
that is per query, not per address. So requests that wait while a query runs share the next one; at rest a request
waits for nobody.
"""

from __future__ import annotations

import asyncio
from collections import defaultdict, deque
from collections.abc import Sequence

from travelrule.gateway.ports import Reads
from travelrule.store.reads import WalletRecord

AT_ONCE = 2
ASKED_MAX = 500

Question = tuple[tuple[str, ...], asyncio.Future[list[WalletRecord]]]
"""What a request asks, and where its answer goes."""


class WalletLookups:
    """The same question as ``Reads.wallets_at``.

    ``limit_s``: when a query is given up, so that a stuck connection does not hold up what comes after it; its requests
    are over by then.
    """

    def __init__(self, reads: Reads, limit_s: float) -> None:
        self._reads = reads
        self._limit_s = limit_s
        self._waiting: deque[Question] = deque()
        self._running: set[asyncio.Task[None]] = set()

    async def wallets_at(self, asked: Sequence[str]) -> list[WalletRecord]:
        """Give the own deposit addresses that the texts may mean; raise what the store raises."""
        answer: asyncio.Future[list[WalletRecord]] = asyncio.get_running_loop().create_future()
        self._waiting.append((tuple(asked), answer))
        if len(self._running) < AT_ONCE:
            task = asyncio.create_task(self._serve())
            self._running.add(task)
            task.add_done_callback(self._running.discard)
        return await answer

    async def _serve(self) -> None:
        """Run queries until nobody waits. Whoever gave up meanwhile is left out."""
        while batch := self._take():
            texts = list(dict.fromkeys(text for asked, _ in batch for text in asked))
            try:
                async with asyncio.timeout(self._limit_s):
                    found = await self._reads.wallets_at(texts)
            except Exception as error:  # noqa: BLE001
                # Every waiter gets the error as if the query had been its own.
                for _, answer in batch:
                    if not answer.done():
                        answer.set_exception(error)
                continue
            by_text: defaultdict[str, list[WalletRecord]] = defaultdict(list)
            for wallet in found:
                by_text[wallet.asked].append(wallet)
            for asked, answer in batch:
                if not answer.done():
                    answer.set_result([wallet for text in dict.fromkeys(asked) for wallet in by_text[text]])

    def _take(self) -> list[Question]:
        batch: list[Question] = []
        size = 0
        while self._waiting and (not batch or size + len(self._waiting[0][0]) <= ASKED_MAX):
            one = self._waiting.popleft()
            if not one[1].done():
                batch.append(one)
                size += len(one[0])
        return batch
