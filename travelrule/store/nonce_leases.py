"""The stored nonce counter per origin, leased in blocks (auth.md section 4)."""

from __future__ import annotations

from sqlalchemy import text

from travelrule.crypto.request_nonces import NONCE_LIMIT, NonceBlock
from travelrule.store.database import Database

BLOCK_SIZE = 1000

_LEASE = text(
    "INSERT INTO nonces (origin, next) VALUES (:origin, :size)"
    " ON CONFLICT (origin) DO UPDATE SET next = (nonces.next + :size) % :modulus RETURNING next"
)


class NonceRepository:
    """Leases blocks of the counter of one origin. Two processes never get the same block; the rest of a dead process's
    block is dropped.
    """

    def __init__(self, database: Database, origin: str, size: int = BLOCK_SIZE) -> None:
        self._database = database
        self._origin = origin
        self._size = size

    async def lease(self) -> NonceBlock:
        """The next block."""
        parameters = {"origin": self._origin, "size": self._size, "modulus": NONCE_LIMIT}
        # One statement that commits itself: the lock on the row is held for no round trip to us.
        async with self._database.single() as connection:
            after = (await connection.execute(_LEASE, parameters)).scalar_one()
        return NonceBlock((after - self._size) % NONCE_LIMIT, self._size)
