"""Request nonces: blocks leased from one stored counter modulo 2^32 (auth.md 4).

Every process leases blocks of its own. The rest of a dead process's block is lost; nothing else is skipped. The counter
wraps after 4,294,967,296 values, long after the hub's 100-second window.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass

NONCE_LIMIT = 2**32


@dataclass(frozen=True, slots=True)
class NonceBlock:
    """``size`` nonces from ``first`` on, counted modulo 2^32."""

    first: int
    size: int

    def __post_init__(self) -> None:
        """Refuse a block that would hold a value twice or none at all."""
        if not 0 <= self.first < NONCE_LIMIT:
            raise ValueError("a nonce block starts within 0..4294967295")
        if not 1 <= self.size <= NONCE_LIMIT:
            raise ValueError("a nonce block holds 1..4294967296 values")

    @property
    def following(self) -> int:
        """The first value after the block, stored as the counter when the block is leased."""
        return (self.first + self.size) % NONCE_LIMIT

    def __iter__(self) -> Iterator[int]:
        return (value % NONCE_LIMIT for value in range(self.first, self.first + self.size))


class NonceLease:
    """The nonces of this process; leases the next block when one is used up.

    ``lease`` advances the shared counter and returns the block; it commits before it returns. Its error is raised to
    the caller, and the next call tries again.
    """

    def __init__(self, lease: Callable[[], Awaitable[NonceBlock]]) -> None:
        self._lease = lease
        self._rest: Iterator[int] = iter(())
        self._leasing = asyncio.Lock()

    async def next(self) -> int:
        """Return a nonce that is never returned again."""
        while True:
            # No await between taking the value and returning it: two tasks cannot take the same one.
            value = next(self._rest, None)
            if value is not None:
                return value
            used_up = self._rest
            async with self._leasing:
                if self._rest is used_up:
                    self._rest = iter(await self._lease())
