"""The stored nonce counter: every process gets numbers of its own, also across the end of 32 bits."""

from __future__ import annotations

import asyncio
import sys

from sqlalchemy import select

from tests.services.process import ROOT
from travelrule.crypto.request_nonces import NONCE_LIMIT, NonceLease
from travelrule.store import tables
from travelrule.store.database import Database
from travelrule.store.nonce_leases import BLOCK_SIZE, NonceRepository

LEASE = """
import asyncio, sys
from travelrule.store.database import Database
from travelrule.store.nonce_leases import NonceRepository

async def main():
    database = Database(sys.argv[1])
    nonces = NonceRepository(database, "code:north")
    print(*[(await nonces.lease()).first for _ in range(10)])
    await database.dispose()

asyncio.run(main())
"""


async def test_the_first_block_starts_at_zero_and_the_next_where_it_ended(database: Database) -> None:
    nonces = NonceRepository(database, "code:north")
    blocks = [await nonces.lease() for _ in range(3)]
    assert [(block.first, block.size) for block in blocks] == [(number * BLOCK_SIZE, BLOCK_SIZE) for number in range(3)]


async def test_each_origin_counts_for_itself(database: Database) -> None:
    assert (await NonceRepository(database, "code:north").lease()).first == 0
    assert (await NonceRepository(database, "code:south").lease()).first == 0


async def test_several_processes_get_different_blocks(database: Database, database_url: str) -> None:
    processes = [
        await asyncio.create_subprocess_exec(
            sys.executable, "-c", LEASE, database_url, cwd=ROOT, stdout=asyncio.subprocess.PIPE
        )
        for _ in range(2)
    ]
    own = NonceRepository(database, "code:north")
    firsts = [(await own.lease()).first for _ in range(10)]
    for process in processes:
        output, _ = await process.communicate()
        firsts += [int(word) for word in output.split()]
    assert sorted(firsts) == [number * BLOCK_SIZE for number in range(30)]


async def test_many_tasks_get_different_nonces(database: Database) -> None:
    lease = NonceLease(NonceRepository(database, "code:north", size=7).lease)
    numbers = await asyncio.gather(*(lease.next() for _ in range(50)))
    assert sorted(numbers) == list(range(50))


async def test_the_counter_comes_round_after_32_bits(database: Database) -> None:
    async with database.begin() as connection:
        await connection.execute(tables.nonces.insert(), [{"origin": "code:north", "next": NONCE_LIMIT - 3}])
    nonces = NonceRepository(database, "code:north", size=5)
    first, second = await nonces.lease(), await nonces.lease()
    assert list(first) == [NONCE_LIMIT - 3, NONCE_LIMIT - 2, NONCE_LIMIT - 1, 0, 1]
    assert list(second) == [2, 3, 4, 5, 6]
    async with database.read() as connection:
        assert (await connection.execute(select(tables.nonces.c.next))).scalar_one() == second.following


async def test_a_block_that_ends_with_the_last_number(database: Database) -> None:
    async with database.begin() as connection:
        await connection.execute(tables.nonces.insert(), [{"origin": "code:north", "next": NONCE_LIMIT - 5}])
    nonces = NonceRepository(database, "code:north", size=5)
    assert (await nonces.lease()).first == NONCE_LIMIT - 5
    assert (await nonces.lease()).first == 0
