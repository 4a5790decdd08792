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
    """Leases blocks of the counter of one origin. Two processes never get the same block. The rest of a crashed
    process's block is not used.
    """

    def __init__(self, database: Database, origin: str, size: int = BLOCK_SIZE) -> None:
        self._database = database
        self._origin = origin
        self._size = size

    async def lease(self) -> NonceBlock:
        """Lease the next block."""
        parameters = {"origin": self._origin, "size": self._size, "modulus": NONCE_LIMIT}
        # One statement in autocommit: the row is not locked for a round trip to this process.
        async with self._database.single() as connection:
            after = (await connection.execute(_LEASE, parameters)).scalar_one()
        return NonceBlock((after - self._size) % NONCE_LIMIT, self._size)
