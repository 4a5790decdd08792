"""One query for the keys of many requests.

A query costs some ten times as much as the rest of an address verification or a TXID search (design section 7), and
most of that per query, not per key. So requests that arrive while queries run share the next one; without load a
request does not wait.
"""

from __future__ import annotations

import asyncio
from collections import defaultdict, deque
from collections.abc import Awaitable, Callable, Hashable, Iterable, Sequence
from typing import Generic, TypeVar

from travelrule.engine.queries.served_withdrawals import SentWithdrawal
from travelrule.gateway.ports import Reads, Withdrawals
from travelrule.store.search_rows import Payment, WalletRecord

AT_ONCE = 2
ASKED_MAX = 500

Key = TypeVar("Key", bound=Hashable)
Found = TypeVar("Found")


class SharedQueries(Generic[Key, Found]):
    """Runs ``query`` for the keys of all waiting requests, and returns to each what was found for its keys.

    ``key_of`` is the key that something was found for. ``limit_s``: the time limit of a query, so that a stuck
    connection does not delay later queries; the requests of such a query have ended by then.
    """

    def __init__(
        self,
        query: Callable[[Sequence[Key]], Awaitable[Iterable[Found]]],
        key_of: Callable[[Found], Key],
        limit_s: float,
    ) -> None:
        self._query = query
        self._key_of = key_of
        self._limit_s = limit_s
        self._waiting: deque[tuple[tuple[Key, ...], asyncio.Future[list[Found]]]] = deque()
        self._running: set[asyncio.Task[None]] = set()

    async def find(self, keys: Iterable[Key]) -> list[Found]:
        """Return what is found for the keys, in their order; raise what the query raises."""
        answer: asyncio.Future[list[Found]] = asyncio.get_running_loop().create_future()
        self._waiting.append((tuple(keys), answer))
        if len(self._running) < AT_ONCE:
            task = asyncio.create_task(self._serve())
            self._running.add(task)
            task.add_done_callback(self._running.discard)
        return await answer

    async def _serve(self) -> None:
        """Run queries until no request waits; cancelled requests are left out."""
        while batch := self._take():
            keys = list(dict.fromkeys(key for asked, _ in batch for key in asked))
            try:
                async with asyncio.timeout(self._limit_s):
                    found = await self._query(keys)
            except Exception as error:  # noqa: BLE001
                # Every waiting request raises the error of the shared query.
                for _, answer in batch:
                    if not answer.done():
                        answer.set_exception(error)
                continue
            by_key: defaultdict[Key, list[Found]] = defaultdict(list)
            for one in found:
                by_key[self._key_of(one)].append(one)
            for asked, answer in batch:
                if not answer.done():
                    answer.set_result([one for key in dict.fromkeys(asked) for one in by_key[key]])

    def _take(self) -> list[tuple[tuple[Key, ...], asyncio.Future[list[Found]]]]:
        batch: list[tuple[tuple[Key, ...], asyncio.Future[list[Found]]]] = []
        size = 0
        while self._waiting and (not batch or size + len(self._waiting[0][0]) <= ASKED_MAX):
            one = self._waiting.popleft()
            if not one[1].done():
                batch.append(one)
                size += len(one[0])
        return batch


class WalletLookups:
    """``GatewayReads.wallets_at`` through shared queries."""

    def __init__(self, reads: Reads, limit_s: float) -> None:
        self._shared: SharedQueries[str, WalletRecord] = SharedQueries(reads.wallets_at, lambda one: one.asked, limit_s)

    async def wallets_at(self, asked: Sequence[str]) -> list[WalletRecord]:
        """Return our deposit addresses that the texts may mean; raise what the store raises."""
        return await self._shared.find(asked)


class WithdrawalLookups:
    """``SentWithdrawals.sent`` through shared queries, for one payment."""

    def __init__(self, withdrawals: Withdrawals, limit_s: float) -> None:
        self._shared: SharedQueries[Payment, SentWithdrawal] = SharedQueries(
            withdrawals.sent, lambda one: one.asked, limit_s
        )

    async def sent(self, payment: Payment) -> list[SentWithdrawal]:
        """Return our withdrawals that the payment means; raise what the store raises."""
        return await self._shared.find([payment])
